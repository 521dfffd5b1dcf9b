"""Short forms of a SELECT, written out in the tree: named windows and DISTINCT ON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering.expressions import child
from flowcat_jupyter.sql.lowering.selectlist import position

_PARTS = ("partition_by", "order", "spec")


def spelled_out(node: exp.Select) -> exp.Select:
    """The same select without named windows and without DISTINCT ON.

    :raises SqlError: a window's name is unknown, or DISTINCT ON stands beside what excludes it.
    """
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    named = any(window.args.get("alias") is not None for window in _own_windows(node))
    if on is None and not named and not node.args.get("windows"):
        return node
    made = node.copy()
    made.parent = node.parent
    if named or node.args.get("windows"):
        _name_windows(made)
    return _one_of_each(made) if on is not None else made


def _name_windows(node: exp.Select) -> None:
    known: dict[str, exp.Expression] = {}
    for window in node.args.get("windows") or ():
        known[name_key(child(window).name)] = window
    for window in list(_own_windows(node)):
        _fill(window, known, ())
    node.set("windows", None)


def _own_windows(node: exp.Select) -> Iterator[exp.Window]:
    """The window functions of a select, without those of its sub-queries."""
    order, qualify = node.args.get("order"), node.args.get("qualify")
    for part in (*node.expressions, order, qualify):
        for window in part.find_all(exp.Window) if part is not None else ():
            if window.parent_select is node:
                yield window


def _fill(
    window: exp.Expression, known: dict[str, exp.Expression], seen: tuple[str, ...]
) -> exp.Expression:
    """Give a window what the one it names has, and it has not itself."""
    named = window.args.get("alias")
    if named is None:
        return window
    key = name_key(named.name)
    if key not in known or key in seen:
        line, column = place(window)
        raise SqlError(
            f"There is no window {named.name}.",
            condition="MISSING_WINDOW_SPECIFICATION",
            sqlstate="42P20",
            line=line,
            column=column,
            hint="Name it after the select's conditions: WINDOW w AS (PARTITION BY …).",
        )
    base = _fill(known[key].copy(), known, (*seen, key))
    for part in _PARTS:
        value = base.args.get(part)
        if value and not window.args.get(part):
            copied = [item.copy() for item in value] if isinstance(value, list) else value.copy()
            window.set(part, copied)
    window.set("alias", None)
    return window


def _one_of_each(node: exp.Select) -> exp.Select:
    """DISTINCT ON as the first row of each group by the query's own order."""
    if node.args.get("qualify") is not None or node.args.get("group") is not None:
        raise refusal("DISTINCT ON beside GROUP BY or QUALIFY", node)
    on = child(node.args["distinct"], "on")
    keys = list(on.expressions) if isinstance(on, exp.Tuple) else [on]
    order = node.args.get("order")
    by = [_sorted(item, node) for item in order.expressions] if order is not None else []
    by = by or [exp.Ordered(this=key.copy()) for key in keys]
    number = exp.Window(
        this=exp.Anonymous(this="row_number", expressions=[]),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(expressions=by),
        over="OVER",
    )
    first = exp.EQ(this=number, expression=exp.Literal.number(1))
    node.set("qualify", exp.Qualify(this=first))
    node.set("distinct", None)
    return node


def _sorted(item: exp.Expression, node: exp.Select) -> exp.Expression:
    """A sort key that stands in a window, where a number would not be a column's place."""
    made = item.copy()
    at = position(child(item), len(node.expressions))
    if at is not None:
        inner = cast(exp.Expression, node.expressions[at])
        made.set("this", (child(inner) if isinstance(inner, exp.Alias) else inner).copy())
    return made
