"""SHOW CREATE TABLE and SHOW TBLPROPERTIES."""

from __future__ import annotations

from collections.abc import Mapping

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.commanding.rows import Read, Rows, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.directory import DECLARED, source_of
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import TableRow, ViewRow
from flowcat_jupyter.catalog.store.seen import MANAGE
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import quote, text_literal
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_shows import DetailInfo, DetailJob

_NOT_SAID = ("delta.minReaderVersion", "delta.minWriterVersion", "delta.feature.", "flowcat.")
"""What properties begin with that a table gets by itself."""
EXTERNAL = "external"


def show_properties(scene: Scene, statement: Show) -> Rows:
    """A table's properties, or the one that is asked for; a Delta table's conditions are some.

    :raises SqlError: there is no such table.
    """
    table = scene.relation(statement.within)
    known = dict(table.properties)
    if isinstance(table, TableRow) and table.format == "delta":
        known |= {f"delta.constraints.{name}": text for name, text in table.constraints.items()}
    found = sorted(known.items())
    if statement.key is not None:
        missing = f"Table {table.sql_name} does not have property: {statement.key}"
        found = [(statement.key, known.get(statement.key, missing))]
    return Rows(texts("key", "value"), tuple(found))


def show_create(scene: Scene, statement: Show) -> Rows | Read:
    """A statement that makes the same table, without its rows, or the same view.

    Defaults and what columns are computed from stand in the table's log alone, of which those who
    may read it are told.

    :raises SqlError: there is none, or it is a temporary view.
    :raises Forbidden: it is a view whose query is not for the caller.
    """
    found = scene.relation(statement.within)
    if isinstance(found, ViewText):
        raise SqlError(
            f"{found.sql_name} is a temporary view, and SHOW CREATE TABLE is for what lasts.",
            condition="EXPECT_PERMANENT_VIEW_NOT_TEMP",
            sqlstate="42809",
            hint="DESCRIBE EXTENDED tells a temporary view's query.",
        )
    if isinstance(found, ViewRow):
        return _told(view_text(found))
    if found.format != "delta" or found.broken or not found.reads:
        return _told(create_text(found, None))

    def rows(info: DetailInfo) -> Rows:
        return _told(create_text(found, info.facts))

    return Read(DetailJob(source_of(found)), rows)


def _told(text: str) -> Rows:
    return Rows(texts("createtab_stmt"), ((text,),))


def create_text(table: TableRow, facts: TableFacts | None) -> str:
    """``CREATE TABLE …`` for a table, as a statement that runs here.

    A lake's table that is not the catalog's own is taken in where it lies, as it is; files whose
    columns nobody listed say these themselves.
    """
    external = table.table_type == EXTERNAL
    as_it_is = external and (table.format in LAKES or DECLARED not in table.properties)
    listed = "" if as_it_is else ",\n  ".join(_inside(table, facts))
    lines = [f"CREATE TABLE {table.sql_name}" + (f" (\n  {listed})" if listed else "")]
    lines.append(f"USING {table.format}")
    if table.options:
        lines.append(f"OPTIONS ({_pairs(table.options)})")
    if table.partition_columns and not as_it_is:
        known = {column.name for column in table.columns}
        # What is computed of columns is text already as a statement has it.
        parts = [quote(name) if name in known else name for name in table.partition_columns]
        lines.append(f"PARTITIONED BY ({', '.join(parts)})")
    if external and table.public_location:
        lines.append(f"LOCATION {text_literal(table.public_location)}")
    if table.description:
        lines.append(f"COMMENT {text_literal(table.description)}")
    of_lake = external and table.format in LAKES
    return "\n".join([*lines, *_properties({} if of_lake else table.properties)]) + "\n"


def _inside(table: TableRow, facts: TableFacts | None) -> list[str]:
    defaults, computed = (facts.defaults, facts.generated) if facts else ({}, {})
    return [
        *(_column(c, defaults.get(c.name), computed.get(c.name)) for c in table.columns),
        *(
            f"CONSTRAINT {quote(name)} CHECK ({condition})"
            for name, condition in sorted(table.constraints.items())
        ),
    ]


def view_text(view: ViewRow) -> str:
    """``CREATE VIEW …`` for a view, as a statement that runs in the schema it was made in.

    :raises Forbidden: its query is not for the caller.
    """
    require(view, MANAGE, "show the query of")
    lines = [f"CREATE VIEW {view.sql_name}"]
    if view.listed or any(column.comment for column in view.columns):
        listed = ",\n  ".join(
            quote(c.name) + (f" COMMENT {text_literal(c.comment)}" if c.comment else "")
            for c in view.columns
        )
        lines[0] += f" (\n  {listed})"
    if view.description:
        lines.append(f"COMMENT {text_literal(view.description)}")
    lines += _properties(view.properties)
    return "\n".join([*lines, f"AS {view.text}"]) + "\n"


def _properties(properties: Mapping[str, str]) -> list[str]:
    said = {key: value for key, value in properties.items() if not key.startswith(_NOT_SAID)}
    return [f"TBLPROPERTIES ({_pairs(said)})"] if said else []


def _pairs(said: Mapping[str, str]) -> str:
    inside = ",\n  ".join(
        f"{text_literal(key)} = {text_literal(said[key])}" for key in sorted(said)
    )
    return f"\n  {inside}"


def _column(column: Column, default: str | None, computed: str | None) -> str:
    required = "" if column.nullable else " NOT NULL"
    filled = f" DEFAULT {default}" if default else ""
    filled += f" GENERATED ALWAYS AS ({computed})" if computed else ""
    comment = f" COMMENT {text_literal(column.comment)}" if column.comment else ""
    return f"{quote(column.name)} {type_text(parse_type(column.type))}{required}{filled}{comment}"


def type_text(kind: DataType) -> str:
    """A type as Spark writes it in a statement."""
    if kind.kind == "array" and kind.element:
        return f"ARRAY<{type_text(kind.element)}>"
    if kind.kind == "map" and kind.key and kind.element:
        return f"MAP<{type_text(kind.key)}, {type_text(kind.element)}>"
    if kind.kind == "struct":
        parts = ", ".join(f"{quote(part.name)}: {type_text(part.type)}" for part in kind.fields)
        return f"STRUCT<{parts}>"
    return kind.ddl.upper()
