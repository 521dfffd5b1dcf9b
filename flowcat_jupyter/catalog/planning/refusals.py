"""What readers of changing statements share: names, and refusing all that is not understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sqlglot import exp

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import House, Piece
from flowcat_jupyter.sql.dialect import place as place_of

_FALSE: tuple[Any, ...] = (None, False, [], "")
_PARTS = ("catalog", "db", "this")


def name_parts(target: exp.Expression) -> tuple[str, ...]:
    """The parts of a table's name as it is written, at least one.

    :raises SqlError: what is written is no name: a frame, a parameter, a call.
    """
    if not isinstance(target, exp.Table):
        raise _no_name(target)
    for key in _PARTS:
        # An empty text stands for the middle of a..b, which is no schema.
        if target.args.get(key, None) is not None and not target.args[key]:
            raise _no_name(target)
    parts = target.parts
    if any(isinstance(part, exp.Placeholder) for part in parts):
        raise _frame(target)
    if not parts or not all(isinstance(part, exp.Identifier) and part.name for part in parts):
        raise _no_name(target)
    return tuple(part.name for part in parts)


def table_name(target: exp.Expression) -> TableName:
    """The name that a table is written with, of one to three parts.

    :raises SqlError: what is written is no name, or has more parts.
    """
    parts = name_parts(target)
    if len(parts) > 3:
        line, column = place_of(target)
        raise SqlError(
            f"{TableName(parts).sql} has more than three parts.",
            condition="REQUIRES_SINGLE_PART_NAMESPACE",
            sqlstate="42K05",
            line=line,
            column=column,
            hint="A table's name is catalog.schema.table.",
        )
    return TableName(parts)


def target_name(piece: Piece, target: Any, what: str, also: tuple[str, ...] = ()) -> TableName:
    """The name of the table that a statement changes, with nothing more said of the table.

    ``also`` are parts that the statement understands besides, such as an alias.

    :raises SqlError: something else is written there.
    """
    if not isinstance(target, exp.Table):
        refuse(piece, f"{what} of something that is no table")
    called = {"partition": "PARTITION", "version": "a version", "sample": "TABLESAMPLE"}
    only(piece, target, (*_PARTS, *also), called, what)
    name = table_name(target)
    for part in target.parts:
        start = part.meta.get("start")
        if start is not None and piece.text[start : start + 1] == "'":
            line, column = place_of(target)
            raise SqlError(
                "Text in single quotes is not a table.",
                condition="TABLE_OR_VIEW_NOT_FOUND",
                sqlstate="42P01",
                line=line,
                column=column,
                hint="Quote a name with back-ticks.",
            )
    return name


def column_names(piece: Piece, items: list[Any], what: str) -> tuple[str, ...]:
    """The names of a list of columns.

    :raises SqlError: one of them is more than a name, or none is there.
    """
    if not items:
        refuse(piece, f"{what} without a column")
    return tuple(_column(piece, item, what) for item in items)


def _column(piece: Piece, item: Any, what: str) -> str:
    if isinstance(item, exp.Column):
        bare = not any(value for key, value in item.args.items() if key != "this")
        item = item.this if bare else item
    if not isinstance(item, exp.Identifier):
        refuse(piece, f"{what} with {shown(item)}", hint="List columns by their names alone.")
    return item.name


def shown(node: exp.Expression) -> str:
    """A part of a statement as text for an error, in one line and not too long."""
    text = " ".join(node.sql(dialect=House).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def only(
    piece: Piece,
    tree: exp.Expression,
    known: tuple[str, ...],
    called: Mapping[str, str],
    what: str,
) -> None:
    """Check that a tree says no more than what is ``known``; ``called`` is what parts are called.

    :raises SqlError: it does; the part is named.
    """
    for key, value in tree.args.items():
        if key not in known and value not in _FALSE:
            name = called.get(key, key.replace("_", " ").strip().upper())
            refuse(piece, f"{what} with {name}")


def refuse(piece: Piece, what: str, *, hint: str | None = None) -> NoReturn:
    """Refuse a statement before anything is changed."""
    line, column = place(piece, 0)
    raise SqlError(
        f"{what} is not supported; nothing was changed.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        line=line,
        column=column,
        hint=hint,
    )


def _no_name(target: exp.Expression) -> SqlError:
    line, column = place_of(target)
    return SqlError(
        f"{shown(target)} is not a table's name; nothing was changed.",
        condition="PARSE_SYNTAX_ERROR",
        sqlstate="42601",
        line=line,
        column=column,
        hint="Write catalog.schema.table, quoting a part as `my table` where needed.",
    )


def _frame(target: exp.Table) -> SqlError:
    return SqlError(
        f"{shown(target)} is a value or frame, which cannot be changed by a statement.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Write a table's name; a frame is changed in Python.",
    )
