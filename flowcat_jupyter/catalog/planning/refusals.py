"""What readers of changing statements share: names, and refusing all that is not understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sqlglot import exp

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece

_FALSE: tuple[Any, ...] = (None, False, [], "")


def name_parts(target: exp.Expression) -> tuple[str, ...]:
    """The parts of a written name; none if ``target`` is something else."""
    return tuple(part.name for part in target.parts) if isinstance(target, exp.Table) else ()


def table_name(target: exp.Table) -> TableName:
    """The name that a table is written with."""
    return TableName(name_parts(target))


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
