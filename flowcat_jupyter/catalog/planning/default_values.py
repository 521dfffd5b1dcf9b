"""``DEFAULT``: what a column gets that no value is said for, kept as text in the table's log."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import shown
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import House, Piece, position

_NOW = ("current_timestamp", "now")


def default_text(piece: Piece, tree: Any) -> str:
    """A default as it is kept: a literal, or the moment at which a row is written.

    :raises SqlError: it is another expression.
    """
    inner = tree
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if not _is_value(inner):
        line, column = position(piece, tree)
        raise SqlError(
            f"{shown(tree)} cannot be a default; nothing was changed.",
            condition="INVALID_DEFAULT_VALUE.NOT_CONSTANT",
            sqlstate="42623",
            line=line,
            column=column,
            hint="Give a literal such as 0, 'none' or DATE '2026-01-31', or current_timestamp().",
        )
    return "current_timestamp()" if _is_now(inner) else str(inner.sql(dialect=House))


def _is_value(node: Any) -> bool:
    if isinstance(node, exp.Neg):
        return isinstance(node.this, exp.Literal) and not node.this.is_string
    if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast):
        text = isinstance(node.this, exp.Literal) and node.this.is_string
        return text and node.to.this == exp.DType.DATE
    return isinstance(node, (exp.Literal, exp.Boolean, exp.Null)) or _is_now(node)


def _is_now(node: Any) -> bool:
    called = isinstance(node, (exp.Anonymous, exp.Column)) and not node.args.get("expressions")
    return called and str(node.name).lower() in _NOW
