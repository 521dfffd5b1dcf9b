"""Which run left which file of rejected lines, and until when it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select

from flowcat_jupyter.catalog.store.rows import Rejects
from flowcat_jupyter.shared.schema import run_rejects


class RunRejects:
    """The files of all runs; who may see a run may see its rejected lines."""

    def __init__(self, connection: Connection) -> None:
        """Read and write through ``connection``."""
        self._connection = connection

    def add(self, run_id: int, location: str, *, expires_at: datetime) -> None:
        """Note where a run is going to put its file."""
        self._connection.execute(
            run_rejects.insert().values(run_id=run_id, location=location, expires_at=expires_at)
        )

    def find(self, run_id: int) -> Rejects | None:
        """A run's file."""
        query = select(run_rejects).where(run_rejects.c.run_id == run_id)
        row = self._connection.execute(query).one_or_none()
        return Rejects(**row._mapping) if row else None

    def ended(self, run_id: int, row_count: int, *, expires_at: datetime) -> None:
        """Note how many lines a run rejected; a run without any is forgotten."""
        where = run_rejects.c.run_id == run_id
        if row_count:
            values = {"row_count": row_count, "expires_at": expires_at}
            self._connection.execute(run_rejects.update().where(where).values(values))
        else:
            self._connection.execute(run_rejects.delete().where(where))

    def expired(self, now: datetime, limit: int) -> tuple[Rejects, ...]:
        """Files whose time is over, the oldest first."""
        query = (
            select(run_rejects)
            .where(run_rejects.c.expires_at <= now)
            .order_by(run_rejects.c.expires_at)
            .limit(limit)
        )
        return tuple(Rejects(**row._mapping) for row in self._connection.execute(query))

    def remove(self, run_ids: Iterable[int]) -> None:
        """Forget the files of some runs."""
        self._connection.execute(run_rejects.delete().where(run_rejects.c.run_id.in_(run_ids)))

    def all(self) -> tuple[Rejects, ...]:
        """Every file there should be."""
        return tuple(Rejects(**row._mapping) for row in self._connection.execute(_ALL))


_ALL = select(run_rejects)
