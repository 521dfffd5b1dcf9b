"""IN: of a list, of a query, and of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import text, values
from flowcat_jupyter.sql.lowering.atoms import parameter
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.logic import compare
from flowcat_jupyter.sql.lowering.membership import in_query
from flowcat_jupyter.sql.lowering.quantified import rows_in_list, rows_in_query
from flowcat_jupyter.sql.lowering.rows import bare
from flowcat_jupyter.sql.lowering.values import Value, combine

_FEW = 16


@handles(exp.In)
def _in(binder: Binder, node: exp.Expression) -> Value:
    query = node.args.get("query")
    if isinstance(node.this, exp.Tuple):
        if query is not None:
            return rows_in_query(binder, node, node.this, query)
        return binder.bind(cast(exp.Expression, rows_in_list(node, node.this)))
    if query is not None:
        return in_query(binder, node, query)
    items = list(_items(binder, node))
    subject = binder.bind(child(node))
    if len(items) == 1 and items[0].type.kind == "array":
        raise refusal("IN with an array", node, hint="Use array_contains(array, value).")
    return in_list(subject, items, binder, node)


def _items(binder: Binder, node: exp.Expression) -> Iterator[Value]:
    """The items of a list; a parameter that is a list stands for all of its own."""
    for item in node.args.get("expressions") or ():
        given = binder.context.params.get(str(item.this)) if _is_parameter(item) else None
        if isinstance(given, (list, tuple)):
            yield from (parameter(str(item.this), one, binder) for one in given)
        else:
            yield binder.bind(item)


def _is_parameter(node: exp.Expression) -> bool:
    return isinstance(node, exp.Placeholder)


def in_list(subject: Value, items: list[Value], binder: Binder, node: exp.Expression) -> Value:
    """``subject IN (…)``, NULLs among the items included."""
    subject, *items = unify([subject, *items], binder.context, node)
    if not all(item.known for item in items):
        tests = [compare("=", subject, item, binder, node) for item in items]
        sql = " OR ".join(test.sql for test in tests)
        return combine(f"({sql})", types.BOOLEAN, *tests)
    present = [item for item in items if item.constant is not None]
    if not present:
        return values.null(types.BOOLEAN)
    if subject.known and subject.type.kind not in ("float", "double"):
        found = any(item.constant == subject.constant for item in present)
        unknown = subject.constant is None or (len(present) < len(items) and not found)
        return values.null(types.BOOLEAN) if unknown else values.boolean(found)
    sql = _among(subject, [item.sql for item in present], binder)
    if len(present) < len(items):
        sql = f"CASE WHEN {sql} THEN TRUE ELSE NULL END"
    return combine(sql, types.BOOLEAN, subject)


def _among(subject: Value, items: list[str], binder: Binder) -> str:
    """Whether a value is one of those written out.

    Polars makes a comparison with each of them where the value reads no row, and goes through all
    of those once more for each; its arrays take no instants.
    """
    reads = subject.fields or text.OVER in subject.sql or "(SELECT " in subject.sql
    few = len(items) <= _FEW or subject.type.kind == "timestamp"
    if reads or few or binder.context.target.name != "polars":
        return f"({subject.sql} IN ({', '.join(items)}))"
    listed = f"ARRAY[{', '.join(bare(item) for item in items)}]"
    held = f"ARRAY_CONTAINS({listed}, {subject.sql})"
    return f"CASE WHEN ({subject.sql} IS NULL) THEN NULL ELSE {held} END"
