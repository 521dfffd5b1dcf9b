"""Statistics of one or two columns, and aggregates that are computed from a list of all values."""

from __future__ import annotations

from collections.abc import Callable

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import numbers
from flowcat_jupyter.sql.lowering.aggregates import Aggregate, Placing, spells
from flowcat_jupyter.sql.lowering.calls import Call
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.statistics import constant
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name


@spells("regression")
def _regression(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    """REGR_… of y and x, over the rows where neither is NULL."""
    if made.distinct:
        raise refusal(f"{made.function.name} with DISTINCT", made.node)
    one, other = call.arguments
    y = f"CASE WHEN ({other.sql} IS NOT NULL) THEN {one.sql} ELSE NULL END"
    x = f"CASE WHEN ({one.sql} IS NOT NULL) THEN {other.sql} ELSE NULL END"
    count = f"COUNT({y}){OVER}"
    name = made.function.name
    if name == "regr_count":
        return combine(count, types.BIGINT, one, other)
    return combine(_REGRESSIONS[name](y, x, count), types.DOUBLE, one, other)


def _spread(one: str, other: str) -> str:
    return f"COVAR_POP({one}, {other}){OVER}"


def _slope(y: str, x: str, _count: str) -> str:
    spread = _spread(x, x)
    return f"CASE WHEN {_level(x)} THEN NULL ELSE ({_spread(y, x)} / {spread}) END"


def _level(sql: str) -> str:
    """Whether the spread is nothing, whatever rounding leaves of it."""
    return f"(({_spread(sql, sql)} = 0) OR {constant(sql)})"


def _intercept(y: str, x: str, count: str) -> str:
    return f"(AVG({y}){OVER} - ({_slope(y, x, count)} * AVG({x}){OVER}))"


def _fit(y: str, x: str, _count: str) -> str:
    one, other = _spread(x, x), _spread(y, y)
    level = constant(y)
    square = f"(({_spread(y, x)} * {_spread(y, x)}) / ({one} * {other}))"
    return f"CASE WHEN {_level(x)} THEN NULL WHEN {level} THEN CAST(1 AS DOUBLE) ELSE {square} END"


def _sum(one: str, other: str, count: str) -> str:
    return f"({_spread(one, other)} * CAST({count} AS DOUBLE))"


_REGRESSIONS: dict[str, Callable[[str, str, str], str]] = {
    "regr_avgx": lambda _y, x, _count: f"AVG({x}){OVER}",
    "regr_avgy": lambda y, _x, _count: f"AVG({y}){OVER}",
    "regr_intercept": _intercept,
    "regr_r2": _fit,
    "regr_slope": _slope,
    "regr_sxx": lambda _y, x, count: _sum(x, x, count),
    "regr_sxy": lambda y, x, count: _sum(y, x, count),
    "regr_syy": lambda y, _x, count: _sum(y, y, count),
}


@spells("try_sum")
def _try_sum(call: Call, made: Aggregate, binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    kind = types.sum_type(value.type)
    if kind is None:
        raise numbers.not_numbers("try_sum", value.type, value.type, made.node)
    if made.distinct or kind.kind == "decimal":
        raise refusal("try_sum with DISTINCT or of a DECIMAL", made.node)
    wide = "INT128" if kind.kind == "bigint" else "DOUBLE"
    sql = f"TRY_CAST(SUM(CAST({value.sql} AS {wide})){OVER} AS {type_name(kind)})"
    return value.with_sql(binder.context.target.kept(sql), kind)


@spells("bits", target="polars")
def _bits(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    if not value.type.is_integer:
        raise refusal(f"{made.function.name} of {value.type.ddl}", made.node)
    return _listed(value, made)


@spells("moment", target="polars")
def _moment(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    return _listed(call.arguments[0], made)


@spells("bits", "moment")
def _elsewhere(_call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    raise refusal(f"the function {made.function.name} on this engine", made.node)


def _listed(value: Value, made: Aggregate) -> Value:
    """All values as an array, of which `Groups` makes the aggregate."""
    if made.distinct:
        raise refusal(f"{made.function.name} with DISTINCT", made.node)
    listed = f"ARRAY_AGG({value.sql}) FILTER (WHERE ({value.sql} IS NOT NULL))"
    return value.with_sql(listed, types.array_of(value.type))
