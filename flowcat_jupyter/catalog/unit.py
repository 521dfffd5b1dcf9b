"""One transaction: repositories as one actor sees them, and the events recorded in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from threading import Lock, get_ident

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from flowcat_jupyter.catalog.access import SYSTEM, Actor, group_ids, visible
from flowcat_jupyter.catalog.clocks import Careful, elapsed_s
from flowcat_jupyter.catalog.ports import Clock
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.changes import ChangeLog
from flowcat_jupyter.catalog.store.dropped import DroppedTables
from flowcat_jupyter.catalog.store.engine import connect, damaged, is_busy, is_unwritable
from flowcat_jupyter.catalog.store.functions import Functions
from flowcat_jupyter.catalog.store.grants import Grants
from flowcat_jupyter.catalog.store.leftovers import Leftovers
from flowcat_jupyter.catalog.store.memories import Memories
from flowcat_jupyter.catalog.store.migrate import outgrown
from flowcat_jupyter.catalog.store.queries import SavedQueries
from flowcat_jupyter.catalog.store.rejects import RunRejects
from flowcat_jupyter.catalog.store.runs import Runs
from flowcat_jupyter.catalog.store.search import Search
from flowcat_jupyter.catalog.store.securables import Securables
from flowcat_jupyter.catalog.store.settings import StoredSettings
from flowcat_jupyter.catalog.store.tables import Tables
from flowcat_jupyter.catalog.store.tickets import Tickets
from flowcat_jupyter.catalog.store.views import Views
from flowcat_jupyter.catalog.turns import Turns
from flowcat_jupyter.shared.errors import FlowcatError, Internal, Unavailable
from flowcat_jupyter.shared.events import Event
from flowcat_jupyter.shared.schema import groups


@dataclass(frozen=True)
class Everything:
    """Repositories that no access narrows."""

    securables: Securables
    tickets: Tickets
    runs: Runs


class Unit:
    """The open transaction of one actor. Nothing in it waits for a worker or the network."""

    def __init__(
        self, connection: Connection, actor: Actor, now: datetime, surely: datetime
    ) -> None:
        """Bind the repositories to ``connection`` and to what ``actor`` sees.

        ``now`` is what the clock says, ``surely`` the latest instant that has come even if the
        clock is wrong: what is removed for its age is removed by that.
        """
        self.actor = actor
        self.now = now
        self.surely = surely
        self.events: list[Event] = []
        self._connection = connection
        seen = visible(actor)
        only = None if actor.unrestricted else actor.name
        self.securables = Securables(connection, seen)
        self.tables = Tables(connection, seen)
        self.views = Views(connection, seen)
        self.functions = Functions(connection, seen)
        self.search = Search(connection, seen)
        self.grants = Grants(connection)
        self.runs = Runs(connection, only)
        self.tickets = Tickets(connection, only)
        self.dropped = DroppedTables(connection)
        self.rejects = RunRejects(connection)
        self.memories = Memories(connection, actor.name)
        self.queries = SavedQueries(connection, actor.name)
        self.settings = StoredSettings(connection)
        self.leftovers = Leftovers(connection)
        self._seen = seen

    @property
    def changes(self) -> ChangeLog:
        """The changes feed as the actor sees it."""
        if self.actor.unrestricted:
            return ChangeLog(self._connection, self._seen, None, frozenset())
        mine = select(groups.c.id).where(groups.c.id.in_(group_ids(self.actor)))
        ids = frozenset(self._connection.execute(mine).scalars())
        return ChangeLog(self._connection, self._seen, self.actor.name, ids)

    @property
    def everything(self) -> Everything:
        """What is there whatever the actor sees; only for what must hold for all."""
        return Everything(
            Securables(self._connection, visible(SYSTEM)),
            Tickets(self._connection, None),
            Runs(self._connection, None),
        )

    def record(self, event: Event) -> None:
        """Note a fact: it joins the changes feed with this commit and is published after it."""
        self.events.append(event)

    def flush(self) -> None:
        """Write the recorded events into the changes feed."""
        log = ChangeLog(self._connection, self._seen, None, frozenset())
        for event in self.events:
            log.append(event, self.now, self.actor.name)


class UnitFactory:
    """Opens Units on one database."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        reactions: Reactions,
        elapsed: Callable[[], float] = elapsed_s,
    ) -> None:
        """Publish to ``reactions`` what the Units record; ``elapsed`` is as for `Careful`."""
        self._engine = engine
        self._clock = clock
        self._careful = Careful(clock, elapsed)
        self._reactions = reactions
        self._lock = Lock()
        self._open: Counter[int] = Counter()
        self._turns = Turns()
        # What reads there waits for no lock and no network: it computes.
        self._in_turn = engine.dialect.name == "sqlite"

    @property
    def open_units(self) -> int:
        """How many transactions are open; fakes assert that it is zero when they are called."""
        return self._open.total()

    @property
    def open_here(self) -> int:
        """How many of them this thread has open."""
        return self._open[get_ident()]

    @contextmanager
    def __call__(self, actor: Actor, *, write: bool = False) -> Iterator[Unit]:
        """A transaction: a read-only snapshot, or with ``write`` the only one that writes.

        It commits when the block ends and rolls back when the block raises.

        :raises Unavailable: the database does not answer, or writers before us take too long.
        """
        with (
            self._turns.taken() if self._in_turn and not write else nullcontext(),
            self._counted(),
            _translated(self._engine, write=write),
            connect(self._engine, write=write) as connection,
            connection.begin(),
        ):
            unit = Unit(connection, actor, self._clock.now(), self._careful.now())
            yield unit
            if unit.events and not write:
                raise Internal("An event was recorded in a transaction that only reads.")
            unit.flush()
        self._reactions.publish(unit.events)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._open[get_ident()] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[get_ident()] -= 1


@contextmanager
def _translated(engine: Engine, *, write: bool) -> Iterator[None]:
    try:
        yield
    except FlowcatError:
        raise
    except PoolTimeout as error:
        raise _unavailable() from error
    except DBAPIError as error:
        if is_busy(error):
            raise _unavailable() from error
        # A write in a transaction of ours that only reads is our fault, not the disk's.
        forbidden = not write and "readonly" in str(error.orig)
        if is_unwritable(error) and not forbidden:
            raise Unavailable(
                "The catalog's database cannot be written.",
                hint="Check the space on the disk of the catalog's home, and who may write there.",
            ) from error
        refused = Internal("The catalog's database refused a statement.")
        raise (damaged(error) or outgrown(engine) or refused) from error


def _unavailable() -> Unavailable:
    return Unavailable(
        "The catalog's database is busy or does not answer.", hint="Try again in a moment."
    )
