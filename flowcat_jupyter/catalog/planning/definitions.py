"""What a ``CREATE TABLE`` lists: columns with their types, NOT NULL, comments and defaults, and
constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.default_values import default_text
from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import House, Piece, position

_WHAT = "CREATE TABLE"
_CALLED: dict[type[exp.Expression], str] = {
    exp.DefaultColumnConstraint: "a DEFAULT",
    exp.GeneratedAsIdentityColumnConstraint: "an identity column",
    exp.CheckColumnConstraint: "CHECK",
    exp.PrimaryKeyColumnConstraint: "PRIMARY KEY",
    exp.UniqueColumnConstraint: "UNIQUE",
}
_SAID = (
    exp.DefaultColumnConstraint,
    exp.CheckColumnConstraint,
    exp.ComputedColumnConstraint,
)
_NOT_STORED = ("map<", "void")
LENGTHS = ("VARCHAR", "CHAR", "NCHAR", "NVARCHAR", "BPCHAR")


@dataclass(frozen=True)
class Listed:
    """The columns of a list, the defaults of some of them as SQL, CHECK conditions by name, and
    what columns are computed from.
    """

    columns: tuple[Column, ...]
    defaults: dict[str, str] = field(default_factory=dict)
    checks: dict[str, exp.Expression] = field(default_factory=dict)
    generated: dict[str, exp.Expression] = field(default_factory=dict)


def read_list(piece: Piece, items: list[Any]) -> Listed:
    """What a list in parentheses says.

    :raises SqlError: an item is neither a column nor a CHECK, two have one name, or a type cannot
        be stored.
    """
    columns = [item for item in items if isinstance(item, exp.ColumnDef)]
    checks: dict[str, exp.Expression] = {}
    for name, node, condition in _checks(piece, items):
        if name_key(name) in map(name_key, checks):
            told = f"Two constraints are called {name}."
            raise _fault(piece, node, told, "42710", "CONSTRAINT_ALREADY_EXISTS")
        checks[name] = condition
    defaults = {
        item.name: default_text(piece, constraint.args["kind"].this)
        for item in columns
        for constraint in item.args.get("constraints") or ()
        if isinstance(constraint.args.get("kind"), exp.DefaultColumnConstraint)
    }
    generated: dict[str, exp.Expression] = {
        item.name: constraint.args["kind"].this
        for item in columns
        for constraint in item.args.get("constraints") or ()
        if isinstance(constraint.args.get("kind"), exp.ComputedColumnConstraint)
    }
    both = sorted(set(defaults) & set(generated))
    if both:
        refuse(piece, f"{_WHAT} with a DEFAULT of the generated column {both[0]}")
    return Listed(_listed(piece, columns, _SAID), defaults, checks, generated)


def listed_columns(piece: Piece, items: list[Any]) -> tuple[Column, ...]:
    """The columns of a list, of which no more is said.

    :raises SqlError: an item is no plain column, two have one name, or a type cannot be stored.
    """
    return _listed(piece, items, ())


def _listed(piece: Piece, items: list[Any], also: tuple[type, ...]) -> tuple[Column, ...]:
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
        column = _column(piece, item, also)
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


def _checks(piece: Piece, items: list[Any]) -> Iterator[tuple[str, exp.Expression, exp.Expression]]:
    """Every CHECK with its name; one of a column without a name is called after the column."""
    number = 0
    for item in items:
        if isinstance(item, exp.ColumnDef):
            for constraint in item.args.get("constraints") or ():
                kind = constraint.args.get("kind")
                if isinstance(kind, exp.CheckColumnConstraint):
                    named = constraint.this.name if constraint.this is not None else None
                    number += 1
                    yield named or f"{item.name}_check_{number}", item, kind.this
        elif isinstance(item, exp.Constraint):
            yield item.name, item, condition_of(piece, item)
        elif isinstance(item, exp.CheckColumnConstraint):
            number += 1
            yield f"check_{number}", item, item.this
        else:
            hint = "List columns as name and type, and conditions as CHECK (…)."
            refuse(piece, f"{_WHAT} with {shown(item)}", hint=hint)


def condition_of(piece: Piece, item: exp.Constraint) -> exp.Expression:
    """The condition of a ``CONSTRAINT name CHECK (…)``.

    :raises SqlError: it is a constraint of another kind.
    """
    (kind, *more) = item.expressions
    if not isinstance(kind, exp.CheckColumnConstraint) or more:
        hint = "Leave it out, or say what rows must meet: CONSTRAINT name CHECK (…)."
        refuse(piece, shown(item), hint=hint)
    condition: exp.Expression = kind.this
    return condition


def _column(piece: Piece, item: exp.ColumnDef, also: tuple[type, ...]) -> Column:
    nullable, comment = True, None
    for constraint in item.args.get("constraints") or ():
        kind = constraint.args.get("kind")
        if isinstance(kind, exp.NotNullColumnConstraint):
            nullable = bool(kind.args.get("allow_null"))
        elif isinstance(kind, exp.CommentColumnConstraint):
            if not isinstance(kind.this, exp.Literal) or not kind.this.is_string:
                refuse(piece, f"{_WHAT} with COMMENT {shown(kind.this)}")
            comment = str(kind.this.this)
        elif not isinstance(kind, also):
            name = _CALLED.get(type(kind), shown(constraint))
            refuse(piece, f"{_WHAT} with {name} ({item.name})")
    return Column(item.name, column_type(piece, item), nullable, comment)


def column_type(piece: Piece, item: exp.Expression, kind: Any = None) -> str:
    """The type that a column is given, as Spark DDL.

    :raises SqlError: no column of a table here can be of it.
    """
    kind = item.args["kind"] if kind is None else kind
    text = kind.sql(dialect=House)
    if any(part.this.value in LENGTHS for part in kind.find_all(exp.DataType) if _known(part)):
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


def _at(piece: Piece, item: exp.Expression, error: FlowcatError) -> SqlError:
    return SqlError.of(error, place=position(piece, item))


def _fault(
    piece: Piece,
    item: exp.Expression,
    message: str,
    sqlstate: str,
    condition: str = "COLUMN_ALREADY_EXISTS",
) -> SqlError:
    line, column = position(piece, item)
    return SqlError(message, condition=condition, sqlstate=sqlstate, line=line, column=column)
