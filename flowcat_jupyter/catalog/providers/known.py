"""What there is in the built-in catalogs, for completion: nothing is opened and nobody waits."""

from __future__ import annotations

from collections.abc import Iterator

from flowcat_jupyter.catalog.planning.resolver import Entry
from flowcat_jupyter.catalog.providers import memory, system
from flowcat_jupyter.catalog.providers.memory import Memory, MemoryTable
from flowcat_jupyter.catalog.providers.system_tables import TABLES
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import name_key

Path = tuple[str, ...]


class KnownTables:
    """The tables of ``system`` and of one session's ``memory``."""

    def __init__(self, session: SqlSession) -> None:
        """Tell of what there is in ``session``."""
        self._session = session

    def find(self, path: Path) -> Entry | None:
        """The table of that full name."""
        key = tuple(map(name_key, path))
        for found in self._entries():
            if tuple(map(name_key, found.path)) == key:
                return found
        return None

    def names(self, before: Path) -> list[tuple[str, str]]:
        """What stands after ``before`` and a dot, and of which kind: catalogs, schemas, tables."""
        key = tuple(map(name_key, before))
        if len(key) > 2:
            return []
        kind = ("catalog", "schema", "table")[len(key)]
        paths = [(memory.NAME, memory.FIRST_SCHEMA), *(entry.path for entry in self._entries())]
        found = {
            path[len(key)]: kind
            for path in paths
            if len(path) > len(key) and tuple(map(name_key, path[: len(key)])) == key
        }
        return sorted(found.items())

    def _entries(self) -> Iterator[Entry]:
        for table in TABLES:
            path = (system.NAME, table.schema, table.name)
            yield Entry(None, path, system.NAME, "", table.columns)
        for kept in self._kept():
            yield Entry(None, kept.path, kept.facts.format, "", kept.facts.columns)

    def _kept(self) -> Iterator[MemoryTable]:
        held = self._session.kept.get(memory.NAME)
        if not isinstance(held, Memory):
            return
        for schema in held.schemas():
            try:
                yield from held.tables(schema.name)
            except NotFound:
                # It was dropped meanwhile.
                continue
