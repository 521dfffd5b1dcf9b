"""The columns that a ``CREATE TABLE`` lists: names, types, NOT NULL and comments."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import House, Piece, position

_WHAT = "CREATE TABLE"
_CALLED: dict[type[exp.Expression], str] = {
    exp.DefaultColumnConstraint: "a DEFAULT",
    exp.ComputedColumnConstraint: "a generated column",
    exp.GeneratedAsIdentityColumnConstraint: "an identity column",
    exp.CheckColumnConstraint: "CHECK",
    exp.PrimaryKeyColumnConstraint: "PRIMARY KEY",
    exp.UniqueColumnConstraint: "UNIQUE",
}
_NOT_STORED = ("map<", "void")
_LENGTHS = ("VARCHAR", "CHAR", "NCHAR", "NVARCHAR", "BPCHAR")


def listed_columns(piece: Piece, items: list[Any]) -> tuple[Column, ...]:
    """The columns of a list.

    :raises SqlError: an item is no plain column, two have one name, or a type cannot be stored.
    """
    columns: list[Column] = []
    seen: set[str] = set()
    for item in items:
        if not isinstance(item, exp.ColumnDef) or item.args.get("kind") is None:
            refuse(piece, f"{_WHAT} with {shown(item)}", hint="List columns as name and type.")
        if not isinstance(item.this, exp.Identifier) or not item.name.strip():
            refuse(
                piece, f"{_WHAT} with {shown(item)}", hint="A column's name is one word or quoted."
            )
        only(piece, item, ("this", "kind", "constraints"), {}, f"{_WHAT} of column {item.name}")
        column = _column(piece, item)
        if name_key(column.name) in seen:
            raise _fault(piece, item, f"Column {column.name} is listed twice.", "42711")
        if column.name.casefold().startswith(RESERVED_PREFIX):
            told = f"Names beginning {RESERVED_PREFIX} are kept for the catalog itself."
            raise _fault(piece, item, told, "42602", "INVALID_IDENTIFIER")
        seen.add(name_key(column.name))
        columns.append(column)
    if not columns:
        refuse(piece, f"{_WHAT} without a column")
    return tuple(columns)


def _column(piece: Piece, item: exp.ColumnDef) -> Column:
    nullable, comment = True, None
    for constraint in item.args.get("constraints") or ():
        kind = constraint.args.get("kind")
        if isinstance(kind, exp.NotNullColumnConstraint):
            nullable = bool(kind.args.get("allow_null"))
        elif isinstance(kind, exp.CommentColumnConstraint):
            if not isinstance(kind.this, exp.Literal) or not kind.this.is_string:
                refuse(piece, f"{_WHAT} with COMMENT {shown(kind.this)}")
            comment = str(kind.this.this)
        else:
            name = _CALLED.get(type(kind), shown(constraint))
            refuse(piece, f"{_WHAT} with {name} ({item.name})")
    return Column(item.name, _type(piece, item), nullable, comment)


def _type(piece: Piece, item: exp.ColumnDef) -> str:
    kind = item.args["kind"]
    text = kind.sql(dialect=House)
    if any(part.this.value in _LENGTHS for part in kind.find_all(exp.DataType) if _known(part)):
        refuse(piece, f"The type {text}", hint="Lengths of texts are not kept: use STRING.")
    try:
        ddl = parse_type(text).ddl
    except Invalid as error:
        raise _at(piece, item, error) from error
    if any(part in ddl for part in _NOT_STORED):
        refuse(piece, f"A column of type {ddl}", hint="Tables here hold no maps and no void.")
    return ddl


def _known(part: exp.DataType) -> bool:
    return isinstance(part.this, exp.DType)


def _at(piece: Piece, item: exp.ColumnDef, error: FlowcatError) -> SqlError:
    return SqlError.of(error, place=position(piece, item))


def _fault(
    piece: Piece,
    item: exp.ColumnDef,
    message: str,
    sqlstate: str,
    condition: str = "COLUMN_ALREADY_EXISTS",
) -> SqlError:
    line, column = position(piece, item)
    return SqlError(message, condition=condition, sqlstate=sqlstate, line=line, column=column)
