"""Catalogs of our own database."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import source_of
from flowcat_jupyter.catalog.dropping import drop_table
from flowcat_jupyter.catalog.namespaces import create_namespace, drop_namespace
from flowcat_jupyter.catalog.providers.protocol import (
    TABLE,
    VIEW,
    Asker,
    OpenedTable,
    RelationFacts,
    SchemaFacts,
)
from flowcat_jupyter.catalog.store.rows import Node, TableRow, ViewRow
from flowcat_jupyter.catalog.store.seen import USE
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.shared.names import TableName

T = TypeVar("T")
_PAGE = 1000


class LocalProvider:
    """One catalog of the database, as its rights have it for each caller."""

    writable = True

    def __init__(self, name: str, deps: Deps) -> None:
        """Answer for the catalog called ``name``."""
        self.name = name
        self._deps = deps

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        """The schemas that the caller sees."""

        def work(unit: Unit) -> tuple[SchemaFacts, ...]:
            catalog = unit.securables.catalog(self.name)
            nodes = _children(unit, catalog.id)
            return tuple(SchemaFacts(node.name, node.description) for node in nodes)

        return await self._in_unit(asker, work)

    async def relations(self, asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """The tables and views of a schema that the caller sees."""

        def work(unit: Unit) -> tuple[RelationFacts, ...]:
            found = unit.securables.schema(self.name, schema)
            return tuple(
                RelationFacts(_path(node), node.kind, comment=node.description)
                for node in _children(unit, found.id)
                if node.kind in (TABLE, VIEW)
            )

        return await self._in_unit(asker, work)

    async def relation(self, asker: Asker, schema: str, name: str) -> RelationFacts:
        """A table or view that the caller sees."""
        return await self._in_unit(asker, lambda unit: _facts(self._row(unit, schema, name)))

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """A table that the caller may read."""

        def work(unit: Unit) -> OpenedTable:
            row = self._row(unit, schema, name)
            if isinstance(row, ViewRow):
                raise SqlError(
                    f"{row.sql_name} is a view: its query is read, and not a table.",
                    condition="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
                    sqlstate="42809",
                )
            require(row, USE, "read")
            return OpenedTable(_facts(row), source_of(row))

        return await self._in_unit(asker, work)

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        """Make a schema, which needs the right to."""

        def work(unit: Unit) -> None:
            catalog = unit.securables.catalog(self.name)
            create_namespace(unit, schema.name, catalog.id, schema.comment)

        await self._in_unit(asker, work, write=True)

    async def drop_schema(self, asker: Asker, schema: str, *, cascade: bool) -> None:
        """Remove a schema, which needs the right to; its tables can be brought back for a day."""

        def work(unit: Unit) -> None:
            drop_namespace(unit, unit.securables.schema(self.name, schema), cascade=cascade)

        await self._in_unit(asker, work, write=True)

    async def drop_table(self, asker: Asker, schema: str, name: str) -> None:
        """Remove a table, which needs the right to; it can be brought back for a day."""

        def work(unit: Unit) -> None:
            row = self._row(unit, schema, name)
            if isinstance(row, ViewRow):
                raise NotFound("table", row.sql_name, hint="It is a view: use DROP VIEW.")
            drop_table(unit, row)

        await self._in_unit(asker, work, write=True)

    def _row(self, unit: Unit, schema: str, name: str) -> TableRow | ViewRow:
        found = unit.securables.schema(self.name, schema)
        node = unit.securables.child(found.id, TABLE, name)
        if node is None:
            raise NotFound("table", TableName((self.name, schema, name)).sql)
        return unit.views.get(node.id) if node.kind == VIEW else unit.tables.get(node.id)

    async def _in_unit(self, asker: Asker, work: Callable[[Unit], T], *, write: bool = False) -> T:
        def run() -> T:
            with self._deps.begin(asker.actor, write=write) as unit:
                return work(unit)

        return await self._deps.threads.run(run)


def _children(unit: Unit, parent_id: int) -> list[Node]:
    nodes: list[Node] = []
    after: str | None = None
    while True:
        page = unit.securables.children(parent_id, limit=_PAGE, after=after)
        nodes += page.items
        after = page.after
        if after is None:
            return nodes


def _facts(row: TableRow | ViewRow) -> RelationFacts:
    if isinstance(row, ViewRow):
        return RelationFacts(
            _path(row), VIEW, "view", row.columns, row.description, (), dict(row.properties)
        )
    return RelationFacts(
        _path(row),
        TABLE,
        row.format,
        row.columns,
        row.description,
        row.partition_columns,
        dict(row.properties),
    )


def _path(node: Node) -> tuple[str, str, str]:
    catalog, schema, name = node.path
    return catalog, schema, name
