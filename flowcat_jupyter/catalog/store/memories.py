"""What is remembered of the sources of imports, by actor."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, select

from flowcat_jupyter.catalog.store.rows import Memory
from flowcat_jupyter.shared.schema import import_memories as memories


class Memories:
    """One actor's memory; nobody shares another's."""

    def __init__(self, connection: Connection, actor: str) -> None:
        """Read and write through ``connection``."""
        self._connection = connection
        self._mine = memories.c.actor == actor
        self._actor = actor

    def find(self, source: str) -> Memory | None:
        """What is remembered of a source."""
        query = select(
            memories.c.source,
            memories.c.format,
            memories.c.options,
            memories.c.types,
            memories.c.updated_at,
        ).where(self._mine, memories.c.source_key == _key(source))
        row = self._connection.execute(query).one_or_none()
        return Memory(**row._mapping) if row else None

    def put(
        self,
        source: str,
        *,
        format: str | None,
        options: dict[str, str],
        types: dict[str, str],
        at: datetime,
    ) -> None:
        """Remember how a source was read, in place of what was remembered before."""
        self.forget(source)
        self._connection.execute(
            memories.insert().values(
                actor=self._actor,
                source_key=_key(source),
                source=source,
                format=format,
                options=options,
                types=types,
                updated_at=at,
            )
        )

    def forget(self, source: str) -> bool:
        """Forget a source; False if nothing was remembered of it."""
        result = self._connection.execute(
            memories.delete().where(self._mine, memories.c.source_key == _key(source))
        )
        return bool(result.rowcount)

    def forget_all(self) -> int:
        """Forget every source; answer how many there were."""
        return self._connection.execute(memories.delete().where(self._mine)).rowcount


def _key(source: str) -> str:
    return sha256(source.encode()).hexdigest()
