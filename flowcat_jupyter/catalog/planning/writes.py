"""Statements that change something, each recognised before anything is looked up.

What of a statement is not understood is refused by name: nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import name_parts, only, refuse, table_name
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece


@dataclass(frozen=True)
class Insert:
    """``INSERT INTO`` or ``INSERT OVERWRITE`` a table, its ``columns`` as listed if they are."""

    piece: Piece
    name: TableName
    source: exp.Query
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    overwrite: bool = False


@dataclass(frozen=True)
class CreateTable:
    """``CREATE [OR REPLACE] TABLE [IF NOT EXISTS] … [PARTITIONED BY …] AS`` a query."""

    piece: Piece
    name: TableName
    source: exp.Query
    if_not_exists: bool = False
    replace: bool = False
    comment: str | None = None
    partition_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class CreateSchema:
    """``CREATE SCHEMA [IF NOT EXISTS] name [COMMENT text]``."""

    piece: Piece
    name: tuple[str, ...]
    if_not_exists: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class Drop:
    """``DROP TABLE`` or ``DROP SCHEMA``; ``what`` is TABLE or SCHEMA."""

    piece: Piece
    what: str
    name: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False


Change = Insert | CreateTable | CreateSchema | Drop
_Read = Callable[[Any], Any]

_SCHEMA = frozenset(("SCHEMA", "DATABASE", "NAMESPACE"))


def read_change(piece: Piece, tree: exp.Expression) -> Change | None:
    """The change that a statement asks for; None if it asks for none of these.

    :raises SqlError: it is one, with a part that is not supported.
    """
    if isinstance(tree, exp.Insert):
        return _insert(piece, tree)
    if isinstance(tree, exp.Create):
        return _create(piece, tree)
    if isinstance(tree, exp.Drop):
        return _drop(piece, tree)
    return None


def _insert(piece: Piece, tree: exp.Insert) -> Insert:
    known = ("this", "expression", "by_name", "overwrite", "with_")
    only(piece, tree, known, {"where": "REPLACE WHERE", "exists": "IF NOT EXISTS"}, "INSERT")
    target, columns = tree.this, None
    if isinstance(target, exp.Schema):
        columns = tuple(item.name for item in target.expressions)
        target = target.this
    if not isinstance(target, exp.Table):
        refuse(piece, "INSERT into a place that is no table")
    only(piece, target, ("this", "db", "catalog"), {"partition": "PARTITION"}, "INSERT")
    query = _query(piece, tree.expression, "INSERT")
    if tree.args.get("with_") and not query.args.get("with_"):
        query.set("with_", tree.args["with_"].pop())
    return Insert(
        piece,
        table_name(target),
        query,
        columns,
        bool(tree.args.get("by_name")),
        bool(tree.args.get("overwrite")),
    )


def _create(piece: Piece, tree: exp.Create) -> Change:
    kind = str(tree.args.get("kind") or "").upper()
    if kind in _SCHEMA:
        known = ("this", "kind", "exists", "properties")
        only(piece, tree, known, {}, "CREATE SCHEMA")
        found = _properties(piece, tree, {exp.SchemaCommentProperty: _text}, "CREATE SCHEMA")
        exists = bool(tree.args.get("exists"))
        return CreateSchema(
            piece, name_parts(tree.this), exists, found.get("SchemaCommentProperty")
        )
    if kind != "TABLE":
        refuse(piece, f"CREATE {kind}" if kind else "CREATE")
    return _create_table(piece, tree)


def _create_table(piece: Piece, tree: exp.Create) -> CreateTable:
    what = "CREATE TABLE"
    known = ("this", "kind", "exists", "replace", "properties", "expression", "with_")
    only(piece, tree, known, {}, what)
    if not isinstance(tree.this, exp.Table):
        refuse(piece, "CREATE TABLE with a list of columns", hint="Use CREATE TABLE … AS SELECT.")
    if tree.expression is None:
        refuse(piece, "CREATE TABLE without a query", hint="Use CREATE TABLE … AS SELECT.")
    readers: dict[type[exp.Expression], _Read] = {
        exp.FileFormatProperty: lambda item: _delta(piece, item),
        exp.PartitionedByProperty: _columns,
        exp.SchemaCommentProperty: _text,
    }
    found = _properties(piece, tree, readers, what)
    return CreateTable(
        piece,
        table_name(tree.this),
        _query(piece, tree.expression, what),
        bool(tree.args.get("exists")),
        bool(tree.args.get("replace")),
        found.get("SchemaCommentProperty"),
        found.get("PartitionedByProperty", ()),
    )


def _drop(piece: Piece, tree: exp.Drop) -> Drop:
    kind = str(tree.args.get("kind") or "").upper()
    what = "SCHEMA" if kind in _SCHEMA else kind
    if what not in ("TABLE", "SCHEMA"):
        refuse(piece, f"DROP {kind}" if kind else "DROP")
    known = ("tables", "kind", "exists", "cascade", "restrict")
    only(piece, tree, known, {"purge": "PURGE"}, f"DROP {what}")
    (target, *more) = tree.args.get("tables") or [tree.this]
    if more:
        refuse(piece, f"DROP {what} of several", hint="Write a statement for each.")
    cascade = bool(tree.args.get("cascade"))
    return Drop(piece, what, name_parts(target), bool(tree.args.get("exists")), cascade)


def _query(piece: Piece, tree: Any, what: str) -> exp.Query:
    if isinstance(tree, exp.Values):
        alias = exp.TableAlias(this=exp.to_identifier("rows"))
        return exp.select("*").from_(exp.Values(expressions=tree.expressions, alias=alias))
    if not isinstance(tree, exp.Query):
        refuse(piece, f"{what} of something that is no query")
    return tree


def _properties(
    piece: Piece, tree: exp.Expression, readers: Mapping[type[exp.Expression], _Read], what: str
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    properties = tree.args.get("properties")
    for item in properties.expressions if properties else ():
        read = readers.get(type(item))
        if read is None:
            refuse(piece, f"{what} with {_CALLED.get(type(item), type(item).__name__)}")
        found[type(item).__name__] = read(item)
    return found


_CALLED: dict[type[exp.Expression], str] = {
    exp.Property: "TBLPROPERTIES",
    exp.LocationProperty: "LOCATION",
    exp.LikeProperty: "LIKE",
    exp.TemporaryProperty: "TEMPORARY",
    exp.ExternalProperty: "EXTERNAL",
    exp.ClusteredByProperty: "CLUSTERED BY",
    exp.PartitionedByProperty: "PARTITIONED BY",
}


def _text(item: Any) -> str:
    return str(item.this.name)


def _columns(item: Any) -> tuple[str, ...]:
    return tuple(part.name for part in item.this.expressions)


def _delta(piece: Piece, item: Any) -> str:
    name = str(item.this.name)
    if name.casefold() != "delta":
        refuse(piece, f"CREATE TABLE USING {name}", hint="Tables are made USING delta.")
    return name
