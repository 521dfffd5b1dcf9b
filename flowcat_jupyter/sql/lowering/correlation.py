"""Correlated conditions as polars takes them: comparisons of a bare column with a bare column.

Anything else on the outer side becomes a column added to the rows outside, and on the inner side
one of a query around the inner rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.fromclause import From, conditions
from flowcat_jupyter.sql.lowering.scope import Column, Scope
from flowcat_jupyter.sql.lowering.steps import Steps, asked_at, renamed
from flowcat_jupyter.sql.lowering.values import Value

_TAKEN = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(slots=True)
class Link:
    """The conditions of a correlated select: ``own`` ask of its rows alone, ``mixed`` of both.

    ``computed`` are the inner sides to be made columns, by name; ``names`` says what the
    columns are called around them.
    """

    alias: str
    own: list[Value] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    computed: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def write(self, made: From, scope: Scope) -> str:
        """What follows FROM: the inner rows as a query of bare columns, and what links them."""
        start, rest = made.write(self.own)
        columns = {
            column.sql: column.id
            for column in _columns(scope)
            if column.used and text.is_column(column.sql)
        }
        listed = [f"{sql} AS {name}" for sql, name in columns.items()]
        listed += [f"{sql} AS {name}" for name, sql in self.computed.items()]
        inner = text.select(listed, start + conditions(rest, made.filters))
        self.names = {sql: f"{self.alias}.{name}" for sql, name in columns.items()}
        linked = renamed(" AND ".join(self.mixed), self.names)
        return f"{text.nested(inner, self.alias)} WHERE ({linked})"


def is_taken(where: list[Value], scope: Scope, context: Context) -> bool:
    """Whether the engine takes conditions on outer columns as they are."""
    own = {column.id for column in _columns(scope)}
    across = [item for item in where if item.fields - own]
    if context.target.deep_correlation:
        return True
    inner = [side.sql for item in across for side in (item.compares or ("",))[1:]]
    once = len(inner) == len(set(inner))
    return once and all(_is_taken(item, own) for item in across)


def linked(where: list[Value], scope: Scope, context: Context, node: exp.Expression) -> Link | None:
    """How a select is linked to the rows around it, where its conditions are not taken as they are.

    None also where that cannot be helped: the engine's refusal says so then.

    :raises SqlError: what is compared outside may fail, and stands inside a condition.
    """
    outer = scope.parent
    if outer is None or outer.steps is None or is_taken(where, scope, context):
        return None
    own = {column.id for column in _columns(scope)}
    reach = {column.id for column in _columns(outer)} | outer.steps.made
    across = [item for item in where if item.fields - own]
    if not all(_is_within(item, own, reach) for item in across):
        return None
    link = Link(context.fresh("q"), [item for item in where if not item.fields - own])
    for item in across:
        operator, inner, outside = _sides(item, own)
        # The engine takes no inner column in two conditions: each has one of its own.
        name = context.fresh("y")
        link.computed[name] = inner.sql
        link.mixed.append(f"({link.alias}.{name} {operator} {_column(outside, outer.steps, node)})")
    return link


def _columns(scope: Scope) -> Iterable[Column]:
    return (column for source in scope.sources for column in source.columns)


def _is_taken(value: Value, own: set[str]) -> bool:
    if value.compares is None or value.compares[0] not in _TAKEN:
        return False
    return _is_split(value, own) and all(text.is_column(it.sql) for it in value.compares[1:])


def _is_split(value: Value, own: set[str]) -> bool:
    """Whether a comparison has its own columns on one side alone, the outer ones on the other."""
    if value.compares is None or value.compares[0] not in _TAKEN:
        return False
    one, other = (item.fields for item in value.compares[1:])
    return bool(one and other) and (
        (one <= own and not other & own) or (other <= own and not one & own)
    )


def _is_within(value: Value, own: set[str], reach: set[str]) -> bool:
    """Whether a condition can be split into columns, all of them of these two selects."""
    if "(SELECT " in value.sql or not value.fields - own <= reach:
        return False
    return not value.fields & own or _is_split(value, own)


def _sides(value: Value, own: set[str]) -> tuple[str, Value, Value]:
    """The operator, the inner and the outer side; a condition on outer columns meets a constant."""
    if value.compares is None or not value.fields & own:
        sql = f"CASE WHEN {value.sql} THEN 1 ELSE NULL END"
        return "=", Value("1", types.INT), value.with_sql(sql, types.INT)
    operator, left, right = value.compares
    if left.fields <= own:
        return operator, left, right
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    return turned.get(operator, operator), right, left


def _column(value: Value, steps: Steps, node: exp.Expression) -> str:
    """The outer side as a bare column."""
    if text.is_column(value.sql):
        return value.sql
    return steps.add("value", [value], value.type, asked_at(node)).sql
