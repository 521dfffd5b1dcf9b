"""The results of statements: who may read them, how long, and which queries are running.

A result's rows lie in files with names of the server's own making; this is the directory of them.
Nothing here touches a database.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from flowcat_jupyter.shared.errors import Cancelled, Conflict, Invalid, NotFound
from flowcat_jupyter.shared.wire import Column, ResultInfo
from flowcat_jupyter.shared.wire_writes import ChangedRows

EARLY_S = 60.0
MOST_EARLY = 1000
MOST_BYTES = 10 << 30
MOST_RESULTS = 10_000
MOST_ORDERS = 8
KEPT_TEXT = 1000
"""How much of a query's text is kept."""


class Files(Protocol):
    """Where results lie."""

    def new_path(self) -> Path:
        """A path that nothing has, with a name nobody can guess."""
        ...

    def remove(self, path: Path) -> None:
        """Remove the file, if it is there."""
        ...

    def new_kept(self) -> Path:
        """A path that nothing has, for what stays until it is let go."""
        ...

    def let_go(self, path: Path) -> None:
        """Let what lies there be removed, whenever that is done."""
        ...


@dataclass
class Running:
    """A query under way; ``job_id`` is the worker's job that runs its current statement.

    ``since`` is when it began, by the directory's clock, ``text`` how its text begins.
    """

    query_id: str
    job_id: str | None = None
    cancelled: bool = False
    since: float = 0.0
    text: str = ""

    def check(self) -> None:
        """Go on, unless somebody cancelled.

        :raises Cancelled: somebody did.
        """
        if self.cancelled:
            raise Cancelled


@dataclass(frozen=True)
class Result:
    """A finished query: its last statement's rows in ``spool``.

    ``written`` are the rows that a statement inserted, updated and deleted, None where it is not
    about rows; one that found what it wanted already so has not ``changed`` anything. ``current``
    are the catalog and schema that its text made so, None if it did not. ``note`` tells what was
    done where rows do not. After a ``dry_run`` it tells what would be done. Instants are shown in
    ``time_zone``.
    ``rows_json`` are the same rows as JSON, where they were asked for. ``orders`` are files by
    what was asked for, each for the numbers of the rows in some order; the last used is the last.
    """

    query_id: str
    statement: str
    info: ResultInfo
    spool: Path
    rows_json: Path | None
    execution_time_ms: float
    written: ChangedRows | None = None
    changed: bool = True
    current: tuple[str, str] | None = None
    note: str | None = None
    dry_run: bool = False
    time_zone: str = "UTC"
    expires: float = field(default=0.0, compare=False)
    text: str = field(default="", compare=False)
    size: int = field(default=0, compare=False)
    orders: dict[Hashable, Path] = field(default_factory=dict, compare=False, repr=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """Where it lies."""
        rows = (self.spool,) if self.rows_json is None else (self.spool, self.rows_json)
        return (*rows, *self.orders.values())


@dataclass(frozen=True)
class Told:
    """A query that runs (or waits), or one that is done and whose result is kept.

    It began ``ago_s`` seconds ago, and ``text`` is how its text begins.
    """

    query_id: str
    actor: str
    state: str
    text: str
    ago_s: float
    elapsed_ms: float
    job_id: str | None = None
    statement: str | None = None
    engine: str | None = None
    row_count: int | None = None


@dataclass(frozen=True)
class Counts:
    """How many queries run, how many results are kept, and the bytes that these take."""

    running: int
    kept: int
    size: int


class Results:
    """Running and finished queries by actor and query id.

    :param ttl_s: how long a finished result stays readable, in seconds.
    :param most_bytes: what all of them may take on disk; beyond it, or when there are more than
        `MOST_RESULTS`, the oldest go early.
    """

    def __init__(
        self,
        files: Files,
        *,
        ttl_s: float,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep results in ``files``; ``clock`` counts seconds."""
        self.files = files
        self._ttl_s = ttl_s
        self._most_bytes = most_bytes
        self._bytes = 0
        self._clock = clock
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str], Running] = {}
        self._done: dict[tuple[str, str], Result] = {}
        self._early: dict[tuple[str, str], float] = {}

    def start(self, actor: str, query_id: str, text: str = "") -> Running:
        """Note that a query begins, whose text is ``text``.

        :raises Invalid: the id is not a UUID.
        :raises Conflict: the caller used it before.
        :raises Cancelled: it was cancelled before it arrived.
        """
        key = (actor, _checked(query_id))
        with self._lock:
            self._sweep()
            if key in self._running or key in self._done:
                raise Conflict(
                    "This query id was used before.", hint="Make a new UUID for every request."
                )
            if self._early.pop(key, None) is not None:
                raise Cancelled
            running = Running(key[1], since=self._clock(), text=text[:KEPT_TEXT])
            self._running[key] = running
            return running

    def finish(self, actor: str, running: Running, result: Result | None) -> None:
        """Note that a query ended, with a result or (None) without."""
        key = (actor, running.query_id)
        with self._lock:
            self._running.pop(key, None)
            if result is not None:
                expires, size = self._clock() + self._ttl_s, _size(result)
                info = replace(result.info, columns=_shared(result.info.columns))
                kept = replace(result, info=info, expires=expires, size=size, text=running.text)
                self._done[key] = kept
                self._bytes += size
                while self._too_much() and len(self._done) > 1:
                    self._drop(next(iter(self._done)))

    def get(self, actor: str, query_id: str) -> Result:
        """A finished query of the caller's.

        :raises NotFound: there is none, it expired, or it is somebody else's.
        """
        with self._lock:
            self._sweep()
            result = self._done.get((actor, query_id))
        if result is None:
            raise NotFound("result", query_id, hint="Results expire; run the query again.")
        return result

    def order(self, result: Result, asked: Hashable) -> Path:
        """Where the numbers of a result's rows are kept as ``asked``, or may be from now on.

        They go with the result, or when others of it were asked for since.
        """
        with self._lock:
            path = result.orders.pop(asked, None) or self.files.new_path()
            result.orders[asked] = path
            while len(result.orders) > MOST_ORDERS:
                self.files.remove(result.orders.pop(next(iter(result.orders))))
            return path

    def running(self, actor: str, query_id: str) -> tuple[Running, float] | None:
        """A query of the caller's that has not ended, and for how many seconds it has been so."""
        with self._lock:
            running = self._running.get((actor, query_id))
            return None if running is None else (running, self._clock() - running.since)

    def told(self, actor: str | None = None) -> tuple[Told, ...]:
        """What runs and what is done, an actor's or with None everybody's; the newest last."""
        with self._lock:
            now = self._clock()
            done = [
                Told(
                    query_id,
                    owner,
                    "done",
                    result.text,
                    now - (result.expires - self._ttl_s) + result.execution_time_ms / 1000,
                    result.execution_time_ms,
                    statement=result.statement,
                    engine=result.info.engine or None,
                    row_count=result.info.row_count,
                )
                for (owner, query_id), result in self._done.items()
                if actor in (None, owner)
            ]
            running = [
                Told(query_id, owner, "running", found.text, took, took * 1000, found.job_id)
                for (owner, query_id), found in self._running.items()
                if actor in (None, owner)
                for took in (now - found.since,)
            ]
            return (*done, *running)

    def counts(self) -> Counts:
        """How much there is of everybody's."""
        with self._lock:
            return Counts(len(self._running), len(self._done), self._bytes)

    def cancel(self, actor: str, query_id: str) -> Running | None:
        """Mark a query as cancelled; None when it is not running.

        One that has not arrived yet is cancelled if it does within `EARLY_S` seconds.
        """
        key = (actor, _checked(query_id))
        with self._lock:
            running = self._running.get(key)
            if running is not None:
                running.cancelled = True
            elif key not in self._done:
                self._sweep()
                self._early.pop(key, None)
                self._early[key] = self._clock() + EARLY_S
                while len(self._early) > MOST_EARLY:
                    del self._early[next(iter(self._early))]
            return running

    def discard(self, result: Result) -> None:
        """Remove a result's files."""
        for path in result.files:
            self.files.remove(path)

    def _too_much(self) -> bool:
        return self._bytes > self._most_bytes or len(self._done) > MOST_RESULTS

    def _drop(self, key: tuple[str, str]) -> None:
        result = self._done.pop(key)
        self._bytes -= result.size
        self.discard(result)

    def _sweep(self) -> None:
        now = self._clock()
        # Oldest first, so that what is kept is not gone through at every query.
        while self._done and next(iter(self._done.values())).expires <= now:
            self._drop(next(iter(self._done)))
        for key in [key for key, expires in self._early.items() if expires <= now]:
            del self._early[key]


@lru_cache(maxsize=256)
def _shared(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Equal columns, once in memory however many results have them."""
    return columns


def _size(result: Result) -> int:
    return sum(path.stat().st_size for path in result.files if path.exists())


def _checked(query_id: str) -> str:
    try:
        return str(uuid.UUID(query_id))
    except ValueError as error:
        raise Invalid(
            f"{query_id!r} is not a query id.", hint="A query id is a UUID of the client's making."
        ) from error
