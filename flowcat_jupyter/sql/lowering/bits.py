"""Operators on the bits of whole numbers."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name

_SPELLINGS: dict[type[exp.Expression], str] = {
    exp.BitwiseAnd: "({0} & {1})",
    exp.BitwiseOr: "({0} | {1})",
    exp.BitwiseXor: "BIT_XOR({0}, {1})",
}


@handles(*_SPELLINGS, target="polars")
def _bits(binder: Binder, node: exp.Expression) -> Value:
    left, right = binder.bind(child(node)), binder.bind(child(node, "expression"))
    left, right = unify([left, right], binder.context, node)
    if not left.type.is_integer:
        raise refusal(f"an operator on the bits of {left.type.ddl}", node)
    wide = [casts.cast(item, types.BIGINT, binder.context).sql for item in (left, right)]
    sql = f"CAST({_SPELLINGS[type(node)].format(*wide)} AS {type_name(left.type)})"
    return combine(sql, left.type, left, right)


@handles(exp.BitwiseNot, target="polars")
def _inverted(binder: Binder, node: exp.Expression) -> Value:
    value = binder.bind(child(node))
    if not value.type.is_integer:
        raise refusal(f"~ of {value.type.ddl}", node)
    wide = casts.cast(value, types.BIGINT, binder.context)
    return value.with_sql(f"CAST((-1 - {wide.sql}) AS {type_name(value.type)})")
