"""Values that every engine which writes Delta tables computes alike: generated columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from flowcat_jupyter.catalog.planning.portable import portable_part
from flowcat_jupyter.catalog.planning.portable_text import bare
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import House, Piece, parse_statement, position

_TYPES = {"text": "string", "date": "date", "boolean": "boolean"}
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_PLAIN = re.compile("[a-z_][a-z0-9_]*")


def portable_value(
    piece: Piece, tree: exp.Expression, columns: Sequence[Column], column: Column
) -> str:
    """What a column is computed from, over the ``columns`` of its table.

    :raises SqlError: there is a part that engines compute otherwise, with its place; it is of
        another type than the column; or the column's name is one that the library does not find.
    """
    text, family = portable_part(piece, _uncast(tree, column), columns)
    line, place = position(piece, tree)
    if not _PLAIN.fullmatch(column.name):
        raise SqlError(
            f"A generated column cannot be called {column.name}: the library that writes Delta "
            "tables looks for it in small letters.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            line=line,
            column=place,
            hint="Name it in small letters, digits and _.",
        )
    if family == "number" and column.type.startswith(_NUMBERS):
        return f"CAST({text} AS {column.type.upper()})"
    if _TYPES.get(family) != column.type:
        raise SqlError(
            f"Column {column.name} is {column.type}, and is computed from a {family}.",
            condition="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
            sqlstate="42K09",
            line=line,
            column=place,
            hint="Give the column the type of the expression.",
        )
    return bare(text)


def kept_value(text: str, columns: Sequence[Column], column: Column) -> str:
    """What a column is computed from as a table's log keeps it, as another table's keeps it.

    :raises SqlError: another engine has written something that is not computed alike everywhere.
    """
    piece = Piece(f"SELECT {text}")
    tree: exp.Expression = parse_statement(piece).expressions[0]
    return portable_value(piece, tree, columns, column)


def _uncast(tree: exp.Expression, column: Column) -> exp.Expression:
    """What is under a cast to a column's own type, which a number gets anyway."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if not isinstance(tree, exp.Cast) or isinstance(tree, exp.TryCast):
        return tree
    kind = str(tree.to.sql(dialect=House)).casefold().replace(" ", "")
    inner: exp.Expression = tree.this
    return inner if column.type.startswith(_NUMBERS) and kind == column.type else tree
