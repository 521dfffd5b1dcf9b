"""Values that every engine which writes Delta tables computes alike: generated columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from flowcat_jupyter.catalog.planning.portable import portable_part
from flowcat_jupyter.catalog.planning.portable_text import bare
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece, position

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
    text, family = portable_part(piece, tree, columns)
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
