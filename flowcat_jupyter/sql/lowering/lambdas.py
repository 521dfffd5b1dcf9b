"""Calls whose arguments are more than values: lambdas, and the named fields of a struct."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType, Field
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering.calls import bind_argument, element, takes_nodes
from flowcat_jupyter.sql.lowering.expressions import Binder, Query, child
from flowcat_jupyter.sql.lowering.scope import Column, Scope, Source
from flowcat_jupyter.sql.lowering.values import Value

_ITEM = '""'


@takes_nodes("lambda", target="polars")
def _lambda(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """TRANSFORM, FILTER, EXISTS and FORALL of an array and ``x -> …``."""
    items = bind_argument(binder, "a", node.expressions[0], function)
    given = node.expressions[1]
    if not isinstance(given, exp.Lambda) or len(given.expressions) != 1:
        raise refusal(f"{function.name} with anything but x -> …", node)
    body = _body(binder, given, element(items.type))
    if function.name == "transform":
        kind = types.array_of(body.type)
    else:
        body = binder.coerce(body, types.BOOLEAN, node)
        kind = items.type if function.name == "filter" else types.BOOLEAN
    sql = body.sql
    if _ITEM not in sql:
        # A text of nothing but literals would stand for one element, not for each.
        sql = f"CASE WHEN ({_ITEM} IS NULL) THEN {sql} ELSE {sql} END"
    if body.raises:
        items = items.with_sql(items.sql, raises=True)
    return binder.step(function.name, [items], kind, node, (sql,))


def _body(binder: Binder, node: exp.Lambda, kind: DataType) -> Value:
    """A lambda's value, in which its parameter is the element and no column is known."""
    name = node.expressions[0].name
    if kind.is_nested or kind.kind == "void":
        raise refusal(f"a lambda over values of type {kind.ddl}", node)
    body = cast(exp.Expression, child(node).copy().transform(_as_column, {name_key(name)}))
    item = Column(name, kind, _ITEM, name)
    scope = Scope(sources=[Source("the lambda", (), [item])])
    inner = Binder(binder.context, scope, _no_query, "a lambda")
    for column in body.find_all(exp.Column):
        if name_key(column.parts[0].name) != name_key(name):
            raise refusal("a column inside a lambda", column)
    return inner.bind(body)


def _as_column(node: exp.Expr, names: set[str]) -> exp.Expr:
    """A lambda's parameter is an identifier on its own; as a column it can be bound."""
    alone = isinstance(node, exp.Identifier) and not isinstance(node.parent, exp.Column)
    return exp.Column(this=node.copy()) if alone and name_key(node.name) in names else node


def _no_query(node: exp.Expression, _scope: Scope, _exists: bool) -> Query:
    raise refusal("a sub-query inside a lambda", node)


@takes_nodes("struct", target="polars")
def _struct(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """STRUCT and NAMED_STRUCT."""
    pairs = _named(node) if function.name == "named_struct" else _aliased(node)
    bound = [(name, binder.bind(item)) for name, item in pairs]
    if not bound or any(value.type.kind == "void" for _, value in bound):
        raise refusal(f"{function.name} with no field, or one of NULL", node, hint="CAST the NULL.")
    fields = tuple(Field(name, value.type) for name, value in bound)
    kind = DataType("struct", fields=fields)
    if len({name_key(name) for name, _ in bound}) < len(bound):
        raise refusal(f"{function.name} with two fields of one name", node)
    names = tuple(name for name, _ in bound)
    return binder.step("struct", [value for _, value in bound], kind, node, names)


def _named(node: exp.Expression) -> list[tuple[str, exp.Expression]]:
    names, items = node.expressions[::2], node.expressions[1::2]
    if len(names) != len(items) or not all(
        isinstance(name, exp.Literal) and name.is_string for name in names
    ):
        raise refusal("named_struct with anything but 'name', value, …", node)
    return [(name.name, item) for name, item in zip(names, items, strict=True)]


def _aliased(node: exp.Expression) -> list[tuple[str, exp.Expression]]:
    found: list[tuple[str, exp.Expression]] = []
    for at, item in enumerate(node.expressions, 1):
        if isinstance(item, exp.Alias):
            found.append((item.alias, child(item)))
        else:
            name = item.name if isinstance(item, (exp.Column, exp.Dot)) else f"col{at}"
            found.append((name, item))
    return found
