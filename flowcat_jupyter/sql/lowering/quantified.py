"""Rows and quantifiers: IN with several columns, and comparisons with ANY and ALL of a query."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, text, values
from flowcat_jupyter.sql.lowering.expressions import Binder, Query, child
from flowcat_jupyter.sql.lowering.values import Value, combine

_NOTHING_BUT_TRUE = (exp.Where, exp.Having, exp.Qualify, exp.Join)
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def rows_in_list(node: exp.Expression, subject: exp.Tuple) -> exp.Condition:
    """``(a, b) IN ((1, 2), …)`` as comparisons.

    :raises SqlError: an item has another number of values.
    """
    choices: list[exp.Condition] = []
    for item in node.args.get("expressions") or ():
        parts = item.expressions if isinstance(item, exp.Tuple) else [item]
        if len(parts) != len(subject.expressions):
            raise _count(len(subject.expressions), len(parts), node)
        pairs = zip(subject.expressions, parts, strict=True)
        tests = [exp.EQ(this=one.copy(), expression=other.copy()) for one, other in pairs]
        choices.append(exp.and_(*tests, copy=False))
    made = exp.or_(*choices, copy=False)
    made.parent = node.parent
    return made


def rows_in_query(
    binder: Binder, node: exp.Expression, subject: exp.Tuple, query: exp.Expression
) -> Value:
    """``(a, b) IN (SELECT …)`` where NULL and FALSE come to the same.

    :raises SqlError: it stands elsewhere, or the query has another number of columns.
    """
    if not only_true_matters(node):
        raise refusal(
            "IN with several columns and a query, other than as a condition",
            node,
            hint="Use NOT EXISTS (SELECT 1 FROM … WHERE a = x AND b = y).",
        )
    inner = binder.subquery(query, binder.scope, False)
    if len(inner.columns) != len(subject.expressions):
        raise _count(len(subject.expressions), len(inner.columns), node)
    alias = binder.context.fresh("q")
    tests = []
    lefts = [binder.bind(item) for item in subject.expressions]
    for left, output in zip(lefts, inner.columns, strict=True):
        right = Value(f"{alias}.{output.id}", output.type)
        kind = types.common_type(left.type, right.type)
        if kind is None:
            raise casts.mismatch(right.type, left.type)
        left = _as_column(casts.cast(left, kind, binder.context), binder, node)
        right = casts.cast(right, kind, binder.context)
        tests.append(f"({right.sql} = {left.sql})")
    rows = text.select(["1"], f"{text.nested(inner.sql, alias)} WHERE {' AND '.join(tests)}")
    return combine(f"EXISTS ({rows})", types.BOOLEAN, *lefts)


def _as_column(value: Value, binder: Binder, node: exp.Expression) -> Value:
    """The engine compares only columns with those of a sub-query."""
    if text.is_column(value.sql) or binder.steps is None:
        return value
    return binder.step("value", [value], value.type, node)


def only_true_matters(node: exp.Expression) -> bool:
    """Whether NULL in the place of ``node`` comes to the same as FALSE."""
    parent = node.parent
    while isinstance(parent, (exp.And, exp.Or, exp.Paren)):
        parent = parent.parent
    if isinstance(parent, exp.If):
        return True
    return isinstance(parent, _NOTHING_BUT_TRUE)


def _count(wanted: int, found: int, node: exp.Expression) -> Exception:
    line, column = place(node)
    error = refusal(f"IN of {wanted} values with {found}", node)
    error.line, error.column = line, column
    return error


def quantified(binder: Binder, operator: str, left: Value, node: exp.Expression) -> Value:
    """``left operator ANY (query)`` or ``ALL (query)``, NULLs and no rows included.

    :raises SqlError: the operator has no order, or the query more than one column.
    """
    if operator not in _NEGATED:
        raise refusal(f"{operator} with ANY and ALL", node)
    right = child(node, "expression")
    every = isinstance(right, exp.All)
    query = child(right)
    if operator == ("<>" if every else "="):
        made = exp.In(this=child(node).copy(), query=query.copy())
        found = binder.bind(made)
        return found.with_sql(f"(NOT {found.sql})") if every else found
    if not isinstance(query, (exp.Query, exp.Subquery)):
        raise refusal("ANY and ALL of anything but a query", node)
    if every:
        found = _any(binder, _NEGATED[operator], left, query, node)
        return found.with_sql(f"(NOT {found.sql})")
    return _any(binder, operator, left, query, node)


def _any(
    binder: Binder, operator: str, left: Value, query: exp.Expression, node: exp.Expression
) -> Value:
    """Whether the comparison holds for some row: TRUE, FALSE, or NULL where that is unknown."""
    inner = binder.subquery(query, binder.scope, False)
    if len(inner.columns) != 1:
        raise refusal(f"ANY and ALL of a query of {len(inner.columns)} columns", node)
    if inner.correlated:
        raise refusal("ANY and ALL of a correlated sub-query", node)
    output = inner.columns[0]
    kind = types.common_type(left.type, output.type)
    if kind is None:
        raise casts.mismatch(output.type, left.type)
    if kind.is_nested:
        raise refusal(f"ANY and ALL of values of type {kind.ddl}", node)
    left = casts.cast(left, kind, binder.context)
    one = _scalar(inner, "COUNT(*)")
    known = _scalar(inner, f"COUNT(q0.{output.id})")
    # Each of them in the common type: the largest text need not be that of the largest number.
    column = Value(f"q0.{output.id}", output.type, fields=frozenset((output.id,)))
    item = casts.cast(column, kind, binder.context).sql
    least, most = _scalar(inner, f"MIN({item})"), _scalar(inner, values.largest(item, kind))
    held = _held(operator, left.sql, least, most)
    sql = (
        f"CASE WHEN ({one} = 0) THEN FALSE WHEN {held} THEN TRUE "
        f"WHEN (({left.sql} IS NULL) OR ({known} < {one})) THEN NULL ELSE FALSE END"
    )
    return left.with_sql(sql, types.BOOLEAN, raises=True)


def _held(operator: str, left: str, least: str, most: str) -> str:
    if operator in ("<", "<="):
        return f"({left} {operator} {most})"
    if operator in (">", ">="):
        return f"({left} {operator} {least})"
    # Some row differs exactly where not all of them are the same as the value.
    return f"(({left} <> {least}) OR ({left} <> {most}))"


def _scalar(inner: Query, what: str) -> str:
    return f"({text.select([what], text.nested(inner.sql, 'q0'))})"


def is_quantified(node: exp.Expression) -> bool:
    """Whether a comparison's right side is ANY or ALL."""
    return isinstance(node.args.get("expression"), (exp.Any, exp.All))
