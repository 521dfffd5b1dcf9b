"""The one table of background work."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, or_, select

from flowcat_jupyter.catalog.store.results import inserted_id
from flowcat_jupyter.catalog.store.rows import Run, RunPage
from flowcat_jupyter.catalog.store.seen import check_limit, read_cursor, write_cursor
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.schema import runs

ACTIVE = ("queued", "running")
ENDED = ("succeeded", "failed", "timed_out", "cancelled", "lost")


class Runs:
    """Runs of one owner, or of all when ``owner`` is None."""

    def __init__(self, connection: Connection, owner: str | None) -> None:
        """Read and write through ``connection``."""
        self._connection = connection
        self._owner = owner

    def add(
        self,
        kind: str,
        title: str,
        *,
        owner: str,
        payload: dict[str, Any],
        at: datetime,
        due_at: datetime | None = None,
        origin: dict[str, str] | None = None,
        holder: str | None = None,
    ) -> int:
        """Queue a run and return its id; ``holder`` is the process that is going to claim it."""
        return inserted_id(
            self._connection.execute(
                runs.insert().values(
                    kind=kind,
                    title=title,
                    state="queued",
                    owner=owner,
                    payload=payload,
                    origin=origin or {},
                    lease_holder=holder,
                    due_at=due_at or at,
                    created_at=at,
                )
            )
        )

    def get(self, run_id: int) -> Run:
        """The run with this id.

        :raises NotFound: there is none, or it is somebody else's.
        """
        found = self.find(run_id)
        if found is None:
            raise NotFound("run", run_id)
        return found

    def find(self, run_id: int) -> Run | None:
        """The run with this id, if it is the caller's."""
        if not 0 < run_id < 2**63:
            return None
        query = select(runs).where(runs.c.id == run_id, *self._mine())
        row = self._connection.execute(query).one_or_none()
        return Run(**row._mapping) if row else None

    def page(self, *, limit: int, after: str | None = None, active: bool = False) -> RunPage:
        """A page, newest first; runs that wait for a later day (purges) are left out.

        :raises Invalid: the limit or the cursor makes no sense.
        """
        limit = check_limit(limit)
        query = select(runs).where(*self._mine(), runs.c.kind != "purge")
        if active:
            query = query.where(runs.c.state.in_(ACTIVE))
        total = self._connection.execute(
            select(func.count()).select_from(query.subquery())
        ).scalar_one()
        if after:
            query = query.where(runs.c.id < read_cursor(after, int)[0])
        rows = self._connection.execute(query.order_by(runs.c.id.desc()).limit(limit + 1)).all()
        items = tuple(Run(**row._mapping) for row in rows[:limit])
        cursor = write_cursor(items[-1].id) if len(rows) > limit else None
        return RunPage(items, total, cursor)

    def active_count(self) -> int:
        """How many runs are at work or waiting for their turn."""
        query = select(func.count()).where(
            *self._mine(), runs.c.kind != "purge", runs.c.state.in_(ACTIVE)
        )
        return self._connection.execute(query).scalar_one()

    def due(self, kind: str, now: datetime, limit: int) -> tuple[Run, ...]:
        """Queued runs of a kind whose time has come, oldest first.

        Those that were to begin at once are among them, wherever the clock stands.
        """
        due = (runs.c.due_at <= now) | (runs.c.due_at <= runs.c.created_at)
        query = (
            select(runs)
            .where(runs.c.kind == kind, runs.c.state == "queued", due)
            .order_by(runs.c.due_at, runs.c.id)
            .limit(limit)
        )
        return tuple(Run(**row._mapping) for row in self._connection.execute(query))

    def claim(self, run_id: int, *, holder: str, lease: timedelta, now: datetime) -> Run | None:
        """Take a queued run, or one whose holder's lease ran out; None if it cannot be had."""
        # One that was to begin at once is due even if the clock was put back meanwhile.
        due = (runs.c.due_at <= now) | (runs.c.due_at <= runs.c.created_at)
        free = (runs.c.state == "queued") & due
        orphaned = (runs.c.state == "running") & (runs.c.lease_until < now)
        result = self._connection.execute(
            runs.update()
            .where(runs.c.id == run_id, or_(free, orphaned))
            .values(
                state="running",
                lease_holder=holder,
                lease_until=now + lease,
                fence=runs.c.fence + 1,
                started_at=now,
            )
        )
        if not result.rowcount:
            return None
        row = self._connection.execute(select(runs).where(runs.c.id == run_id)).one()
        return Run(**row._mapping)

    def renew(
        self,
        run_id: int,
        fence: int,
        *,
        lease: timedelta,
        now: datetime,
        progress: dict[str, Any] | None = None,
    ) -> bool:
        """Keep a lease and note progress; False: the run is no longer the holder's."""
        values: dict[str, Any] = {"lease_until": now + lease}
        if progress is not None:
            values["progress"] = progress
        return self._held(run_id, fence, values)

    def finish(
        self,
        run_id: int,
        fence: int,
        state: str,
        *,
        now: datetime,
        result: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
    ) -> bool:
        """End a run; False: the run is no longer the holder's, and nothing was written."""
        values = {"state": state, "result": result, "error": error, "ended_at": now}
        return self._held(run_id, fence, {**values, "lease_until": None})

    def requeue(self, run_id: int, fence: int, *, due_at: datetime) -> bool:
        """Try again later, as the next attempt."""
        values = {"state": "queued", "lease_until": None, "due_at": due_at}
        return self._held(run_id, fence, {**values, "attempt": runs.c.attempt + 1})

    def cancel(self, run_id: int, *, now: datetime) -> str:
        """End a queued run, or ask a running one's holder to stop; the state it was in."""
        state = self.get(run_id).state
        if state == "queued":
            self._connection.execute(
                runs.update()
                .where(runs.c.id == run_id)
                .values(state="cancelled", ended_at=now, cancel_requested=True)
            )
        elif state == "running":
            self._connection.execute(
                runs.update().where(runs.c.id == run_id).values(cancel_requested=True)
            )
        return state

    def running(self) -> tuple[Run, ...]:
        """Runs somebody holds, or held when it died."""
        query = select(runs).where(runs.c.state == "running")
        return tuple(Run(**row._mapping) for row in self._connection.execute(query))

    def holds(self, run_id: int, fence: int) -> bool:
        """Whether a run is still the holder's who claimed it with this fence."""
        query = select(runs.c.id).where(
            runs.c.id == run_id, runs.c.fence == fence, runs.c.state == "running"
        )
        return self._connection.execute(query).first() is not None

    def unclaimed(self) -> tuple[Run, ...]:
        """Runs that nobody has taken yet although they were to start; purges wait by design."""
        query = select(runs).where(runs.c.state == "queued", runs.c.kind != "purge")
        return tuple(Run(**row._mapping) for row in self._connection.execute(query))

    def seize(self, run_id: int, *, now: datetime, lease: timedelta) -> int:
        """Take a running run from a holder that is gone; answer the new fence."""
        self._connection.execute(
            runs.update()
            .where(runs.c.id == run_id, runs.c.state == "running")
            .values(lease_holder=None, lease_until=now + lease, fence=runs.c.fence + 1)
        )
        query = select(runs.c.fence).where(runs.c.id == run_id)
        return int(self._connection.execute(query).scalar_one())

    def _held(self, run_id: int, fence: int, values: dict[str, Any]) -> bool:
        result = self._connection.execute(
            runs.update()
            .where(runs.c.id == run_id, runs.c.fence == fence, runs.c.state == "running")
            .values(values)
        )
        return bool(result.rowcount)

    def _mine(self) -> tuple[Any, ...]:
        return () if self._owner is None else (runs.c.owner == self._owner,)
