"""Chains of AND and of OR, taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import cast

from sqlglot import exp

from flowcat_jupyter.sql.lowering.arguments import check_arguments


def _inner(node: exp.Expression, name: str = "this") -> exp.Expression:
    return cast(exp.Expression, node.args[name])


def conjuncts(node: exp.Expression) -> Iterator[exp.Expression]:
    """The parts of a condition that all must hold, also those that each side of an OR repeats."""
    for part in operands(node, exp.And):
        while isinstance(part, exp.Paren):
            part = _inner(part)
        if isinstance(part, exp.Or):
            yield from _factored(part)
        elif isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
            yield from _bounds(part)
        else:
            yield part


def _factored(node: exp.Expression) -> Iterator[exp.Expression]:
    """``a AND b OR a AND c`` as ``a`` and ``b OR c``: engines join by what they see outside."""
    sides = [operands(part, exp.And) for part in operands(node, exp.Or)]
    shared = [part for part in sides[0] if all(part in side for side in sides[1:])]
    if not shared:
        yield node
        return
    yield from shared
    rests = [[part for part in side if part not in shared] for side in sides]
    if all(rests):
        whole = [reduce(_and_of, rest) for rest in rests]
        yield reduce(_or_of, whole)


def _bounds(node: exp.Between) -> Iterator[exp.Expression]:
    """BETWEEN as two comparisons, each of which may link two tables by itself."""
    check_arguments(node)
    for kind, name in ((exp.GTE, "low"), (exp.LTE, "high")):
        made = kind(this=node.this.copy(), expression=_inner(node, name))
        made.parent = node.parent
        yield made


def _and_of(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return exp.And(this=left.copy(), expression=right.copy())


def _or_of(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return exp.Or(this=left.copy(), expression=right.copy())


def operands(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """What stands between the operators of a chain, from left to right."""
    found: list[exp.Expression] = []
    waiting = [node]
    while waiting:
        part = inner = waiting.pop()
        while isinstance(inner, exp.Paren):
            inner = _inner(inner)
        if isinstance(inner, kind):
            check_arguments(inner)
            waiting += [_inner(inner, "expression"), _inner(inner)]
        else:
            found.append(part)
    return found
