"""The catalog ``memory``: tables that are one session's alone and end with it.

What it holds is noted in the session; the rows lie in a folder of the session's own among the
files of results, which no restart leaves behind.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from flowcat_jupyter.catalog.providers.protocol import (
    TABLE,
    Asker,
    OpenedTable,
    RelationFacts,
    SchemaFacts,
)
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, NotFound
from flowcat_jupyter.shared.names import TableName, check_name, name_key
from flowcat_jupyter.shared.wire import Source, TableFacts

NAME = "memory"
FIRST_SCHEMA = "default"
FORMAT = "delta"


class Places(Protocol):
    """Where results lie, and what lies among them for as long as it is wanted."""

    def new_kept(self) -> Path:
        """A path that nothing has, for what stays until it is let go."""
        ...

    def let_go(self, path: Path) -> None:
        """Let what lies there be removed, whenever that is done."""
        ...


@dataclass(frozen=True)
class MemoryTable:
    """A table of a session's: where its rows lie, and what its log says."""

    path: tuple[str, str, str]
    location: str
    facts: TableFacts
    comment: str | None = None

    @property
    def source(self) -> Source:
        """It as a worker opens it, at its newest version."""
        return Source("", "table", self.path, FORMAT, self.location)


@dataclass
class _Schema:
    facts: SchemaFacts
    tables: dict[str, MemoryTable] = field(default_factory=dict)


class Memory:
    """What one session holds; safe for many threads."""

    def __init__(self, places: Places) -> None:
        """Hold one empty schema."""
        self._places = places
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._schemas = {FIRST_SCHEMA: _Schema(SchemaFacts(FIRST_SCHEMA))}

    def schemas(self) -> tuple[SchemaFacts, ...]:
        """The schemas, by name."""
        with self._lock:
            return tuple(self._schemas[key].facts for key in sorted(self._schemas))

    def tables(self, schema: str) -> tuple[MemoryTable, ...]:
        """The tables of a schema, by name.

        :raises NotFound: there is no such schema.
        """
        with self._lock:
            found = self._schema(schema).tables
            return tuple(found[key] for key in sorted(found))

    def find(self, schema: str, name: str) -> MemoryTable | None:
        """The table of that name.

        :raises NotFound: there is no such schema.
        """
        with self._lock:
            return self._schema(schema).tables.get(name_key(name))

    def table(self, schema: str, name: str) -> MemoryTable:
        """The table of that name.

        :raises NotFound: there is none.
        """
        found = self.find(schema, name)
        if found is None:
            raise NotFound("table", TableName((NAME, schema, name)).sql)
        return found

    def path(self, schema: str, name: str) -> tuple[str, str, str]:
        """The full name of a table that is there or is to be made.

        :raises NotFound: there is no such schema.
        """
        with self._lock:
            found = self._schema(schema)
            table = found.tables.get(name_key(name))
            return table.path if table else (NAME, found.facts.name, name)

    def new_location(self) -> str:
        """Where a table may be made."""
        with self._lock:
            if self._folder is None:
                self._folder = self._places.new_kept()
            return str(self._folder / uuid4().hex)

    def put(self, table: MemoryTable, *, made: bool) -> None:
        """Keep what a table is by now; one that was ``made`` must not be there yet.

        Of two texts that wrote to one table the newer version is kept, whoever comes last.

        :raises AlreadyExists: it is.
        :raises NotFound: its schema, or the table itself, is gone, whatever has its name now.
        """
        _, schema, name = table.path
        with self._lock:
            tables = self._schema(schema).tables
            there = tables.get(name_key(name))
            if made and there is not None:
                raise AlreadyExists("table", TableName(table.path).sql)
            if not made and (there is None or there.location != table.location):
                raise NotFound("table", TableName(table.path).sql)
            if there is None or (table.facts.version or 0) >= (there.facts.version or 0):
                tables[name_key(name)] = table

    def add_schema(self, schema: SchemaFacts) -> None:
        """Make a schema.

        :raises AlreadyExists: there is one.
        :raises Invalid: it cannot be called so.
        """
        check_name(schema.name, "schema")
        with self._lock:
            if name_key(schema.name) in self._schemas:
                raise AlreadyExists("schema", TableName((NAME, schema.name)).sql)
            self._schemas[name_key(schema.name)] = _Schema(schema)

    def drop_schema(self, schema: str, *, cascade: bool) -> None:
        """Remove a schema.

        :raises NotFound: there is none.
        :raises Conflict: it is not empty.
        """
        with self._lock:
            found = self._schema(schema)
            if found.tables and not cascade:
                raise Conflict(
                    f"The schema {TableName((NAME, found.facts.name)).sql} is not empty.",
                    condition="SCHEMA_NOT_EMPTY",
                    sqlstate="2BP01",
                    hint="Drop what is in it first, or drop it with CASCADE.",
                )
            del self._schemas[name_key(schema)]
        for table in found.tables.values():
            self._places.let_go(Path(table.location))

    def drop(self, schema: str, name: str) -> None:
        """Remove a table and its rows.

        :raises NotFound: there is none.
        """
        with self._lock:
            table = self._schema(schema).tables.pop(name_key(name), None)
        if table is None:
            raise NotFound("table", TableName((NAME, schema, name)).sql)
        self._places.let_go(Path(table.location))

    def let_go(self, location: str) -> None:
        """Let what lies at a location that no table has be removed."""
        self._places.let_go(Path(location))

    def close(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            folder, self._folder = self._folder, None
            self._schemas = {}
        if folder is not None:
            self._places.let_go(folder)

    def _schema(self, name: str) -> _Schema:
        found = self._schemas.get(name_key(name))
        if found is None:
            raise NotFound("schema", TableName((NAME, name)).sql)
        return found


def memory_of(session: SqlSession, places: Places) -> Memory:
    """What a session holds; it ends with the session."""
    found = session.kept.get(NAME)
    if isinstance(found, Memory):
        return found
    made = Memory(places)
    kept = session.kept.setdefault(NAME, made)
    return kept if isinstance(kept, Memory) else made


class MemoryProvider:
    """The catalog ``memory``, which every session has one of its own of."""

    name = NAME
    writable = True

    def __init__(self, places: Places) -> None:
        """Keep rows in ``places``."""
        self._places = places

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        """The session's schemas."""
        return self._memory(asker).schemas()

    async def relations(self, asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """The session's tables."""
        return tuple(map(_facts, self._memory(asker).tables(schema)))

    async def relation(self, asker: Asker, schema: str, name: str) -> RelationFacts:
        """A table of the session's."""
        return _facts(self._memory(asker).table(schema, name))

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """A table of the session's, at its newest version."""
        table = self._memory(asker).table(schema, name)
        return OpenedTable(_facts(table), table.source)

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        """Make a schema of the session's."""
        self._memory(asker).add_schema(schema)

    async def drop_schema(self, asker: Asker, schema: str, *, cascade: bool) -> None:
        """Remove a schema of the session's."""
        self._memory(asker).drop_schema(schema, cascade=cascade)

    async def drop_table(self, asker: Asker, schema: str, name: str) -> None:
        """Remove a table of the session's for good."""
        self._memory(asker).drop(schema, name)

    def _memory(self, asker: Asker) -> Memory:
        return memory_of(asker.session, self._places)


def _facts(table: MemoryTable) -> RelationFacts:
    facts = table.facts
    return RelationFacts(
        table.path,
        TABLE,
        facts.format,
        facts.columns,
        table.comment,
        facts.partition_columns,
        dict(facts.properties),
    )
