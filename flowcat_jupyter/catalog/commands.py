"""SHOW and DESCRIBE: rows read from the catalog itself, with Spark's column names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.showing import Describe, Show
from flowcat_jupyter.catalog.store.rows import Node, TableRow
from flowcat_jupyter.catalog.store.seen import USE
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import FlowcatError, NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo

PAGE = 1000
Value = str | int | bool | None


@dataclass(frozen=True)
class Rows:
    """A small result made from metadata."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Commands:
    """Answers for one caller, with one current catalog and schema."""

    unit: Unit
    directory: UnitDirectory
    catalog: str
    schema: str

    def show(self, statement: Show) -> Rows:
        """What SHOW lists.

        :raises SqlError: what it lists from is not there; with its place.
        """
        try:
            return _SHOW[statement.what](self, statement)
        except FlowcatError as error:
            raise _placed(error, statement) from error

    def describe(self, statement: Describe) -> Rows:
        """What DESCRIBE tells of a table or schema.

        :raises SqlError: there is none; with its place.
        """
        try:
            if statement.what == "SCHEMA":
                return self._describe_schema(statement.name)
            return self._describe_table(self.table(statement.name), extended=statement.extended)
        except FlowcatError as error:
            raise _placed(error, statement) from error

    def described(self, statement: Describe) -> TableRow:
        """The table that DESCRIBE HISTORY names.

        :raises SqlError: there is none, or it may not be read; with its place.
        """
        try:
            table = self.table(statement.name)
            require(table, USE, "read")
            return table
        except FlowcatError as error:
            raise _placed(error, statement) from error

    def table(self, name: tuple[str, ...]) -> TableRow:
        """The table of that name.

        :raises SqlError: there is none, or several.
        """
        found = Resolver(self.directory, self.catalog, self.schema).table(name)
        if found.id is None:
            raise NotFound("table", TableName(name).sql)
        return self.unit.tables.get(found.id)

    def _catalogs(self, statement: Show) -> Rows:
        names = [node.name for node in self._children(None)]
        return _listed("catalog", names, statement.like)

    def _schemas(self, statement: Show) -> Rows:
        name = statement.within[0] if statement.within else self.catalog
        if len(statement.within) > 1:
            raise NotFound("catalog", TableName(statement.within).sql)
        catalog = self.unit.securables.catalog(name)
        names = [node.name for node in self._children(catalog.id)]
        return _listed("namespace", names, statement.like)

    def _tables(self, statement: Show) -> Rows:
        schema = self._schema(statement.within)
        matches = _pattern(statement.like)
        rows = tuple(
            (schema.name, node.name, False)
            for node in self._children(schema.id)
            if matches(node.name)
        )
        return Rows(
            (
                Column("namespace", "string", nullable=False),
                Column("tableName", "string", nullable=False),
                Column("isTemporary", "boolean", nullable=False),
            ),
            rows,
        )

    def _columns(self, statement: Show) -> Rows:
        table = self.table(statement.within)
        return _listed("col_name", [column.name for column in table.columns], statement.like)

    def _schema(self, name: tuple[str, ...]) -> Node:
        if len(name) > 2:
            raise NotFound("schema", TableName(name).sql)
        parts = name or (self.schema,)
        catalog = parts[0] if len(parts) == 2 else self.catalog
        return self.unit.securables.schema(catalog, parts[-1])

    def _children(self, parent_id: int | None) -> Sequence[Node]:
        nodes: list[Node] = []
        after: str | None = None
        while True:
            page = self.unit.securables.children(parent_id, limit=PAGE, after=after)
            nodes += page.items
            after = page.after
            if after is None:
                return nodes

    def _describe_schema(self, name: tuple[str, ...]) -> Rows:
        schema = self._schema(name)
        facts = (
            ("Catalog Name", schema.path[0]),
            ("Namespace Name", schema.name),
            ("Comment", schema.description or ""),
            ("Owner", schema.owner),
        )
        return Rows((Column("info_name", "string"), Column("info_value", "string")), facts)

    def _describe_table(self, table: TableRow, *, extended: bool) -> Rows:
        rows: list[tuple[Value, ...]] = [(c.name, c.type, c.comment) for c in table.columns]
        if table.partition_columns:
            types = {c.name: c for c in table.columns}
            rows += [("# Partition Information", "", ""), ("# col_name", "data_type", "comment")]
            rows += [(n, types[n].type, types[n].comment) for n in table.partition_columns]
        if extended:
            rows += [("", "", ""), ("# Detailed Table Information", "", "")]
            rows += [(key, value, "") for key, value in _details(table)]
        columns = ("col_name", "data_type", "comment")
        return Rows(tuple(Column(name, "string") for name in columns), tuple(rows))


def history_rows(info: HistoryInfo) -> Rows:
    """DESCRIBE HISTORY, newest commit first."""
    columns = (
        Column("version", "bigint", nullable=False),
        Column("timestamp", "string", nullable=False),
        Column("userName", "string"),
        Column("operation", "string", nullable=False),
        Column("rowsAdded", "bigint"),
        Column("rowsRemoved", "bigint"),
        Column("mode", "string"),
    )
    rows = tuple(
        (e.version, e.timestamp, e.user, e.operation, e.rows_added, e.rows_removed, e.mode)
        for e in info.entries
    )
    return Rows(columns, rows)


def _details(table: TableRow) -> list[tuple[str, str]]:
    facts: list[tuple[str, object]] = [
        ("Catalog", table.path[0]),
        ("Database", table.path[1]),
        ("Table", table.name),
        ("Created Time", table.created_at.isoformat()),
        ("Created By", table.created_by),
        ("Type", (table.table_type or "").upper()),
        ("Provider", table.format),
        ("Comment", table.description),
        ("Owner", table.owner),
        ("Location", table.public_location),
        ("Version", table.delta_version),
        ("Statistics", _statistics(table)),
    ]
    return [(name, str(value)) for name, value in facts if value is not None]


def _statistics(table: TableRow) -> str | None:
    known = [
        f"{value} {unit}"
        for value, unit in ((table.size_bytes, "bytes"), (table.row_count, "rows"))
        if value is not None
    ]
    return ", ".join(known) or None


def _listed(heading: str, names: list[str], like: str | None) -> Rows:
    matches = _pattern(like)
    rows = tuple((name,) for name in names if matches(name))
    return Rows((Column(heading, "string", nullable=False),), rows)


def _pattern(like: str | None) -> Callable[[str], bool]:
    """A Hive pattern: ``*`` is any text and ``|`` separates alternatives; case does not count."""
    if like is None:
        return lambda _name: True
    choices = [name_key(choice.strip()).split("*") for choice in like.split("|")]
    return lambda name: any(_fits(name_key(name), parts) for parts in choices)


def _fits(name: str, parts: list[str]) -> bool:
    """Whether ``name`` is these parts with anything between them.

    No regular expression: many stars would take one exponentially long, inside a transaction.
    """
    first, *inner = parts
    if not inner:
        return name == first
    *inner, last = inner
    end = len(name) - len(last)
    if not name.startswith(first) or not name.endswith(last) or end < len(first):
        return False
    at = len(first)
    for part in inner:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _placed(error: FlowcatError, statement: Show | Describe) -> FlowcatError:
    if error.line is not None:
        return error
    return SqlError.of(error, place=place(statement.piece, 0))


_SHOW: dict[str, Callable[[Commands, Show], Rows]] = {
    "CATALOGS": Commands._catalogs,
    "SCHEMAS": Commands._schemas,
    "TABLES": Commands._tables,
    "COLUMNS": Commands._columns,
}
