"""Statements that change something, each recognised before anything is looked up.

What of a statement is not understood is refused by name: nothing is left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.alter import Alter, read_alter
from flowcat_jupyter.catalog.planning.asides import replaces
from flowcat_jupyter.catalog.planning.definitions import Listed, read_list
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.function_reading import FunctionChange
from flowcat_jupyter.catalog.planning.inserting import Insert, query_in, read_insert
from flowcat_jupyter.catalog.planning.liking import CreateLike, read_like
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.partitions import read_partitions
from flowcat_jupyter.catalog.planning.properties import read_properties
from flowcat_jupyter.catalog.planning.refusals import (
    only,
    refuse,
    shown,
    target_name,
)
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_reading import read_row_change
from flowcat_jupyter.catalog.planning.schema_names import schema_name
from flowcat_jupyter.catalog.planning.using import FileTable, WriteDirectory, read_using
from flowcat_jupyter.catalog.planning.using_views import CreateFileView
from flowcat_jupyter.catalog.planning.variables import VariableChange
from flowcat_jupyter.catalog.planning.view_reading import ViewChange
from flowcat_jupyter.catalog.planning.words import says
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.partitioning import Partition
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece


@dataclass(frozen=True)
class CreateTable:
    """``CREATE [OR REPLACE] TABLE [IF NOT EXISTS] … [PARTITIONED BY …]`` of a list of ``columns``,
    or ``AS`` a query; ``REPLACE TABLE`` one that ``must_exist``. ``properties`` are TBLPROPERTIES,
    ``defaults`` by column the SQL of what it gets that no value is said for, ``checks`` conditions
    by name.
    """

    piece: Piece
    name: TableName
    source: exp.Query | None
    columns: tuple[Column, ...] = ()
    if_not_exists: bool = False
    replace: bool = False
    comment: str | None = None
    partition_by: tuple[str, ...] = ()
    format: str = "delta"
    properties: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    checks: dict[str, exp.Expression] = field(default_factory=dict)
    generated: dict[str, exp.Expression] = field(default_factory=dict)
    must_exist: bool = False


@dataclass(frozen=True)
class CreateSchema:
    """``CREATE SCHEMA [IF NOT EXISTS] name [COMMENT text]``."""

    piece: Piece
    name: tuple[str, ...]
    if_not_exists: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class Drop:
    """``DROP TABLE`` or ``DROP SCHEMA``; ``what`` is TABLE or SCHEMA.

    ``name`` has up to three parts for a table and up to two for a schema.
    """

    piece: Piece
    what: str
    name: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False


Change = (
    Insert
    | CreateTable
    | CreateLike
    | FileTable
    | WriteDirectory
    | CreateSchema
    | Drop
    | ChangeRows
    | Maintain
    | Alter
    | ViewChange
    | CreateFileView
    | FunctionChange
    | VariableChange
)
_Read = Callable[[Piece, Any, str], Any]

_SCHEMA = frozenset(("SCHEMA", "DATABASE", "NAMESPACE"))


def read_change(piece: Piece, tree: exp.Expression) -> Change | None:
    """The change that a statement asks for; None if it asks for none of these.

    :raises SqlError: it is one, with a part that is not supported.
    """
    if isinstance(tree, exp.Insert):
        return read_insert(piece, tree)
    if isinstance(tree, exp.MultitableInserts):
        hint = "Write INSERT INTO … SELECT … FROM for each table."
        refuse(piece, "FROM … INSERT", hint=hint)
    if isinstance(tree, exp.Create):
        return _create(piece, tree)
    if isinstance(tree, exp.Drop):
        return _drop(piece, tree)
    if isinstance(tree, exp.Alter):
        return read_alter(piece, tree)
    return read_row_change(piece, tree)


def _create(piece: Piece, tree: exp.Create) -> Change:
    kind = str(tree.args.get("kind") or "").upper()
    if kind in _SCHEMA:
        known = ("this", "kind", "exists", "properties")
        only(piece, tree, known, {}, "CREATE SCHEMA")
        found = _properties(piece, tree, {exp.SchemaCommentProperty: _text}, "CREATE SCHEMA")
        exists = bool(tree.args.get("exists"))
        name = schema_name(piece, tree.this, tree)
        return CreateSchema(piece, name, exists, found.get("SchemaCommentProperty"))
    if kind != "TABLE":
        refuse(piece, f"CREATE {kind}" if kind else "CREATE")
    like = read_like(piece, tree)
    if like is not None:
        return like
    files = read_using(piece, tree)
    if files is not None and replaces(piece):
        refuse(piece, f"REPLACE TABLE USING {files.format}", hint="Drop the table first.")
    return files or _create_table(piece, tree)


def _create_table(piece: Piece, tree: exp.Create) -> CreateTable:
    what = "CREATE TABLE"
    known = ("this", "kind", "exists", "replace", "properties", "expression", "with_")
    only(piece, tree, known, {}, what)
    readers: dict[type[exp.Expression], _Read] = {
        exp.FileFormatProperty: _format,
        exp.PartitionedByProperty: read_partitions,
        exp.SchemaCommentProperty: _text,
    }
    found = _properties(piece, tree, readers, what)
    target, listed = tree.this, None
    if isinstance(target, exp.Schema):
        target, listed = target.this, read_list(piece, target.expressions)
    _check_source(piece, tree, listed)
    must_exist = replaces(piece)
    exists, replace = bool(tree.args.get("exists")), bool(tree.args.get("replace"))
    if exists and must_exist:
        refuse(piece, "REPLACE TABLE with IF NOT EXISTS", hint="Use one of them.")
    if replace and exists:
        refuse(piece, "CREATE OR REPLACE TABLE with IF NOT EXISTS", hint="Use one of them.")
    if replace and not says(piece, "CREATE", "OR", "REPLACE"):
        # The tree is the same for both.
        refuse(piece, "CREATE OR ALTER TABLE", hint="Use CREATE OR REPLACE TABLE … AS SELECT.")
    format = found.get("FileFormatProperty", "delta")
    return CreateTable(
        piece,
        target_name(piece, target, what),
        None if listed else query_in(piece, tree, what),
        listed.columns if listed else (),
        exists,
        replace or must_exist,
        found.get("SchemaCommentProperty"),
        _partitions(piece, found.get("PartitionedByProperty", ()), format, what),
        format,
        read_properties(piece, _plain(tree), f"{what} … TBLPROPERTIES"),
        listed.defaults if listed else {},
        listed.checks if listed else {},
        listed.generated if listed else {},
        must_exist,
    )


def _check_source(piece: Piece, tree: exp.Create, listed: Listed | None) -> None:
    """Check that a table is made of a list of columns or of a query."""
    if listed is not None and tree.expression is not None:
        hint = "The query names the columns: SELECT … AS name."
        refuse(piece, "CREATE TABLE with a list of columns and a query", hint=hint)
    if listed is None and tree.expression is None:
        hint = "List its columns, (id INT, name STRING), or give it a query with AS SELECT."
        refuse(piece, "CREATE TABLE without columns", hint=hint)


def _plain(tree: exp.Create) -> list[exp.Expression]:
    """The items of TBLPROPERTIES."""
    properties = tree.args.get("properties")
    return [i for i in (properties.expressions if properties else ()) if type(i) is exp.Property]


def _drop(piece: Piece, tree: exp.Drop) -> Drop:
    kind = str(tree.args.get("kind") or "").upper()
    what = "SCHEMA" if kind in _SCHEMA else kind
    if what not in ("TABLE", "SCHEMA"):
        refuse(piece, f"DROP {kind}" if kind else "DROP")
    known: tuple[str, ...] = ("this", "tables", "kind", "exists")
    if what == "SCHEMA":
        known += ("cascade", "restrict")
    only(piece, tree, known, {"expressions": "a list of types"}, f"DROP {what}")
    (target, *more) = tree.args.get("tables") or [tree.this]
    if more:
        refuse(piece, f"DROP {what} of several", hint="Write a statement for each.")
    if what == "SCHEMA":
        name = schema_name(piece, target, tree)
    else:
        name = target_name(piece, target, "DROP TABLE").parts
    cascade = bool(tree.args.get("cascade"))
    return Drop(piece, what, name, bool(tree.args.get("exists")), cascade)


def _properties(
    piece: Piece, tree: exp.Expression, readers: Mapping[type[exp.Expression], _Read], what: str
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    properties = tree.args.get("properties")
    for item in properties.expressions if properties else ():
        if type(item) is exp.Property and exp.FileFormatProperty in readers:
            continue
        read = readers.get(type(item))
        name = _called(item)
        if read is None:
            refuse(piece, f"{what} with {name}")
        if type(item).__name__ in found:
            refuse(piece, f"{what} with {name} twice")
        only(piece, item, ("this",), {"hive_format": "STORED AS"}, what)
        found[type(item).__name__] = read(piece, item.this, what)
    return found


_CALLED: dict[type[exp.Expression], str] = {
    exp.Property: "TBLPROPERTIES",
    exp.SchemaCommentProperty: "COMMENT",
    exp.FileFormatProperty: "USING",
}


def _called(item: exp.Expression) -> str:
    """What a property is called: its class is named after it."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(item).__name__.removesuffix("Property"))
    return _CALLED.get(type(item), words.upper())


def _text(piece: Piece, item: Any, what: str) -> str:
    if not isinstance(item, exp.Literal) or not item.is_string:
        hint = "Write the comment as text in single quotes."
        refuse(piece, f"{what} with COMMENT {shown(item)}", hint=hint)
    return str(item.this)


def _format(piece: Piece, item: Any, what: str) -> str:
    named = isinstance(item, exp.Var) or (isinstance(item, exp.Literal) and item.is_string)
    if not named or item.name.casefold() not in LAKES:
        hint = f"Tables are made USING {' or '.join(LAKES)}."
        refuse(piece, f"{what} USING {shown(item)}", hint=hint)
    return str(item.name).casefold()


def _partitions(
    piece: Piece, given: tuple[Partition, ...], format: str, what: str
) -> tuple[str, ...]:
    computed = next((item for item in given if item.transform), None)
    if computed is not None and format != "iceberg":
        hint = "Make the table USING iceberg, or give it a column with these values."
        refuse(piece, f"{what} with PARTITIONED BY {computed.text} USING {format}", hint=hint)
    return tuple(item.text for item in given)
