"""Comparisons, NULL, AND and OR, CASE, LIKE."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne
from typing import Any, cast

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import patterns, values
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.chains import operands
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.quantified import (
    is_quantified,
    quantified,
)
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal

_COMPARISONS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
_TESTS: dict[str, Callable[[Any, Any], object]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_UNORDERED = ("map",)
_ORDERS = ("<", "<=", ">", ">=")
_LONG_CHAIN = 16
_PAIR = 2


@handles(*_COMPARISONS)
def _comparison(binder: Binder, node: exp.Expression) -> Value:
    if is_quantified(node):
        return quantified(binder, _COMPARISONS[type(node)], binder.bind(child(node)), node)
    left, right = binder.bind(child(node)), binder.bind(child(node, "expression"))
    return compare(_COMPARISONS[type(node)], left, right, binder, node)


def compare(
    operator: str, left: Value, right: Value, binder: Binder, node: exp.Expression
) -> Value:
    """A comparison of two values in their common type."""
    left, right = unify([left, right], binder.context, node)
    if left.type.kind in _UNORDERED or (
        left.type.is_nested and operator in _ORDERS and not binder.context.target.orders_nested
    ):
        raise refusal(f"comparing values of type {left.type.ddl}", node)
    if left.type.kind == "void":
        return (
            values.null(types.BOOLEAN)
            if "DISTINCT" not in operator
            else values.boolean("NOT" in operator)
        )
    told = _told(operator, left, right)
    if told is not None:
        return told
    value = combine(f"({left.sql} {operator} {right.sql})", types.BOOLEAN, left, right)
    value = replace(value, compares=(operator, left, right))
    return replace(value, equates=(left, right)) if operator == "=" else value


def _told(operator: str, left: Value, right: Value) -> Value | None:
    """What comparing two literals comes to; None for others, and where NaN and -0.0 may be."""
    test = _TESTS.get(operator)
    if test is None or not (left.known and right.known) or left.type.kind in ("float", "double"):
        return None
    if left.constant is None or right.constant is None:
        return values.null(types.BOOLEAN)
    return values.boolean(bool(test(left.constant, right.constant)))


@handles(exp.Between)
def _between(binder: Binder, node: exp.Expression) -> Value:
    value = binder.bind(child(node))
    low = compare(">=", value, binder.bind(child(node, "low")), binder, node)
    high = compare("<=", value, binder.bind(child(node, "high")), binder, node)
    return both(low, high, binder.context)


@handles(exp.Is)
def _is(binder: Binder, node: exp.Expression) -> Value:
    right = child(node, "expression")
    if isinstance(right, exp.Null):
        value = binder.bind(child(node))
        return value.with_sql(f"({value.sql} IS NULL)", types.BOOLEAN)
    if isinstance(right, exp.Boolean):
        value = binder.condition(child(node))
        word = "TRUE" if right.this else "FALSE"
        sql = f"({value.sql} IS NOT DISTINCT FROM {word})"
        return value.with_sql(sql, types.BOOLEAN)
    raise refusal("IS with anything but NULL, TRUE and FALSE", node)


@handles(exp.Not)
def _not(binder: Binder, node: exp.Expression) -> Value:
    value = binder.condition(child(node))
    return value.with_sql(f"(NOT {value.sql})", types.BOOLEAN)


@handles(exp.And)
def _and(binder: Binder, node: exp.Expression) -> Value:
    return _joined(binder, node, exp.And, both)


def _joined(
    binder: Binder,
    node: exp.Expression,
    kind: type[exp.Expression],
    join: Callable[[Value, Value, Context], Value],
) -> Value:
    """A chain of ANDs or of ORs.

    It becomes a balanced tree, as engines take only so many levels. A short one over groups keeps
    its shape, because GROUP BY may have named a part of it.
    """
    parts = operands(node, kind)
    if len(parts) <= _LONG_CHAIN and binder.grouping is not None:
        parts = [child(node), child(node, "expression")]
    bound = [binder.condition(part) for part in parts]
    found = sorted(_open(bound, ending=kind is exp.Or), key=lambda value: value.raises)
    if len(found) > _PAIR and found[-1].raises:
        return _in_turn(binder, found, ending=kind is exp.Or)
    while len(found) > 1:
        odd = found[-1:] if len(found) % 2 else []
        pairs = zip(found[::2], found[1::2], strict=False)
        found = [join(left, right, binder.context) for left, right in pairs] + odd
    return found[0]


def _open(parts: list[Value], *, ending: bool) -> list[Value]:
    """The parts of AND or OR on which it depends; ``ending`` is the value that decides."""
    if any(item.known and item.constant is ending for item in parts):
        return [values.boolean(ending)]
    return [item for item in parts if not item.known or item.constant is None] or parts[:1]


def _in_turn(binder: Binder, parts: list[Value], *, ending: bool) -> Value:
    """AND or OR of which a part may fail: each is asked only while none before it decides.

    ``ending`` is the value that decides.
    """
    binder.context.guarded = True
    word, decided, negation = ("OR", "TRUE", "") if ending else ("AND", "FALSE", "NOT ")
    branches = " ".join(f"WHEN ({negation}{item.sql}) THEN {decided}" for item in parts)
    whole = f" {word} ".join(item.sql for item in parts)
    return combine(f"CASE {branches} ELSE ({whole}) END", types.BOOLEAN, *parts)


def both(left: Value, right: Value, context: Context) -> Value:
    """AND; what may fail is evaluated only where the other side does not already decide."""
    if left.raises and not right.raises:
        left, right = right, left
    sql = f"({left.sql} AND {right.sql})"
    if right.raises:
        context.guarded = True
        sql = f"CASE WHEN (NOT {left.sql}) THEN FALSE ELSE {sql} END"
    return combine(sql, types.BOOLEAN, left, right)


@handles(exp.Or)
def _or(binder: Binder, node: exp.Expression) -> Value:
    return _joined(binder, node, exp.Or, _either)


def _either(left: Value, right: Value, context: Context) -> Value:
    if left.raises and not right.raises:
        left, right = right, left
    sql = f"({left.sql} OR {right.sql})"
    if right.raises:
        context.guarded = True
        sql = f"CASE WHEN {left.sql} THEN TRUE ELSE {sql} END"
    return combine(sql, types.BOOLEAN, left, right)


@handles(exp.Case)
def _case(binder: Binder, node: exp.Expression) -> Value:
    subject = binder.bind(node.this) if node.args.get("this") is not None else None
    tests: list[Value] = []
    results: list[Value] = []
    for branch in node.args.get("ifs") or ():
        test = child(branch)
        if subject is not None:
            tests.append(compare("=", subject, binder.bind(test), binder, node))
        else:
            tests.append(binder.condition(test))
        skipped = tests[-1].known and tests[-1].constant is not True
        then = child(branch, "true")
        results.append(binder.untaken(then) if skipped else binder.bind(then))
    default = node.args.get("default")
    results.append(binder.bind(default) if default is not None else values.null())
    return case(tests, results, binder, node)


def case(tests: list[Value], results: list[Value], binder: Binder, node: exp.Expression) -> Value:
    """CASE WHEN …; ``results`` has one more than ``tests``, for ELSE."""
    results = unify(results, binder.context, node)
    tests, results = _reached(tests, results)
    if not tests:
        return results[0]
    if any(item.raises for item in [*tests[1:], *results]):
        binder.context.guarded = True
    branches = " ".join(
        f"WHEN {test.sql} THEN {result.sql}" for test, result in zip(tests, results, strict=False)
    )
    sql = f"CASE {branches} ELSE {results[-1].sql} END"
    return combine(sql, results[-1].type, *tests, *results)


def _reached(tests: list[Value], results: list[Value]) -> tuple[list[Value], list[Value]]:
    """The branches that can be taken, as far as literals tell; the engine computes all it sees."""
    kept = [
        (test, result)
        for test, result in zip(tests, results, strict=False)
        if not test.known or test.constant is True
    ]
    always = next((at for at, (test, _) in enumerate(kept) if test.known), None)
    default = results[-1] if always is None else kept[always][1]
    kept = kept[:always]
    return [test for test, _ in kept], [*(result for _, result in kept), default]


@handles(exp.If)
def _if(binder: Binder, node: exp.Expression) -> Value:
    otherwise = node.args.get("false") or exp.Null()
    return chosen(binder, child(node), child(node, "true"), otherwise, node)


def chosen(
    binder: Binder,
    condition: exp.Expression,
    then: exp.Expression,
    otherwise: exp.Expression,
    node: exp.Expression,
) -> Value:
    """One of two values; of the one that literals rule out, only the type matters."""
    test = binder.condition(condition)
    never = test.known and test.constant is not True
    always = test.known and not never
    yes = binder.untaken(then) if never else binder.bind(then)
    no = binder.untaken(otherwise) if always else binder.bind(otherwise)
    return case([test], [yes, no], binder, node)


def coalesce(items: list[Value], binder: Binder, node: exp.Expression) -> Value:
    """The first that is not NULL; as a CASE where a later one may fail."""
    items = unify(items, binder.context, node)
    kind = items[0].type
    if not any(item.raises for item in items[1:]):
        return combine(f"COALESCE({', '.join(item.sql for item in items)})", kind, *items)
    return case([_present(item) for item in items[:-1]], items, binder, node)


def _present(item: Value) -> Value:
    if item.known:
        return values.boolean(item.constant is not None)
    return item.with_sql(f"({item.sql} IS NOT NULL)", types.BOOLEAN)


@handles(exp.Subquery, exp.Select)
def _scalar(binder: Binder, node: exp.Expression) -> Value:
    inner = binder.subquery(node, binder.scope, False)
    if len(inner.columns) != 1:
        raise refusal(f"a query of {len(inner.columns)} columns where one value stands", node)
    # Its own rows are computed whatever keeps it from being asked; several fail where it stands.
    (column,) = inner.columns
    row = None if inner.correlated else (inner.sql, column.id)
    return Value(f"({inner.sql})", column.type, raises=not inner.single, row=row)


@handles(exp.Like, exp.ILike)
def _like(binder: Binder, node: exp.Expression) -> Value:
    return _matched(binder, node, "\\")


@handles(exp.Escape)
def _escape(binder: Binder, node: exp.Expression) -> Value:
    mark = child(node, "expression")
    inner = child(node)
    check_arguments(inner)
    if not isinstance(mark, exp.Literal) or len(str(mark.this)) != 1:
        raise refusal("ESCAPE with anything but one character", node)
    return _matched(binder, inner, str(mark.this))


def _matched(binder: Binder, node: exp.Expression, mark: str) -> Value:
    pattern_node = child(node, "expression")
    if isinstance(pattern_node, (exp.Any, exp.All)):
        return binder.bind(cast(exp.Expression, _several_likes(node, pattern_node)))
    subject = binder.bind_as(child(node), types.STRING)
    pattern = binder.bind_as(pattern_node, types.STRING)
    if not isinstance(pattern.constant, str):
        raise refusal("LIKE with a pattern that is not a literal", node)
    folds = isinstance(node, exp.ILike)
    if mark not in pattern.constant and "\\" not in pattern.constant:
        sql = f"({subject.sql} {'ILIKE' if folds else 'LIKE'} {pattern.sql})"
    else:
        # The engine's LIKE has no escapes; a regular expression says the same.
        shape = f"(?s{'i' if folds else ''})^{_expression(pattern.constant, mark)}$"
        sql = binder.context.target.matches(subject.sql, literal(shape))
    return _negated(subject.with_sql(sql, types.BOOLEAN), node)


def _several_likes(node: exp.Expression, patterns: exp.Expression) -> exp.Condition:
    """``LIKE ANY (…)`` and ``LIKE ALL (…)`` as several LIKEs; NOT stands before each of them."""
    items = child(patterns)
    parts = items.expressions if isinstance(items, exp.Tuple) else [items]
    tests: list[exp.Expression] = []
    for part in parts:
        test = node.copy()
        test.set("expression", part.copy())
        tests.append(test)
    join = exp.or_ if isinstance(patterns, exp.Any) else exp.and_
    return join(*tests, copy=False)


def _negated(value: Value, node: exp.Expression) -> Value:
    """NOT LIKE and its kind carry their NOT inside."""
    return value.with_sql(f"(NOT {value.sql})") if node.args.get("negate") else value


def _expression(pattern: str, mark: str) -> str:
    """A LIKE pattern, with ``mark`` as escape, as a regular expression."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == mark and at + 1 < len(pattern):
            at += 1
            out.append(re.escape(pattern[at]))
        else:
            out.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
        at += 1
    return "".join(out)


@handles(exp.RegexpLike)
def _regexp(binder: Binder, node: exp.Expression) -> Value:
    subject = binder.bind_as(child(node), types.STRING)
    pattern = binder.bind_as(child(node, "expression"), types.STRING)
    if not isinstance(pattern.constant, str):
        raise refusal("RLIKE with a pattern that is not a literal", node)
    made = literal(patterns.searched(pattern.constant, node))
    sql = binder.context.target.matches(subject.sql, made)
    value = subject.with_sql(sql, types.BOOLEAN)
    return _negated(value, node)


@handles(exp.DPipe)
def _concat(binder: Binder, node: exp.Expression) -> Value:
    parts = [binder.bind_as(item, types.STRING) for item in _joined_texts(node)]
    sql = " || ".join(item.sql for item in parts)
    return combine(f"({sql})", types.STRING, *parts)


def _joined_texts(node: exp.Expression) -> list[exp.Expression]:
    """What a chain of ``||`` joins, side by side, for engines take only so many levels."""
    found: list[exp.Expression] = []
    while isinstance(node, exp.DPipe):
        check_arguments(node)
        found.insert(0, child(node, "expression"))
        node = child(node)
    return [node, *found]
