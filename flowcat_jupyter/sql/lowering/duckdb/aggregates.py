"""Aggregates that DuckDB spells its own way."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering.aggregates import Aggregate, Placing, order_text, spells
from flowcat_jupyter.sql.lowering.calls import Call, constant_text
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.numbers import not_numbers
from flowcat_jupyter.sql.lowering.statistics import finite
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal


@spells("avg", target="duckdb")
def _average(call: Call, made: Aggregate, binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    if types.average_type(value.type) is None:
        raise not_numbers("avg", value.type, value.type, made.node)
    if value.type.kind == "decimal":
        binder.context.warn("The average of a DECIMAL is a DOUBLE on this engine, not a DECIMAL.")
    word = "DISTINCT " if made.distinct else ""
    return value.with_sql(f"AVG({word}CAST({value.sql} AS DOUBLE)){OVER}", types.DOUBLE)


_SPREADS = {
    "std": "STDDEV_SAMP",
    "stddev": "STDDEV_SAMP",
    "stddev_pop": "STDDEV_POP",
    "stddev_samp": "STDDEV_SAMP",
    "var_pop": "VAR_POP",
    "var_samp": "VAR_SAMP",
    "variance": "VAR_SAMP",
}


@spells("spread", target="duckdb")
def _spread(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    """NaN where a value is not finite, of which the engine would fail."""
    value = call.arguments[0]
    name = _SPREADS[made.function.name]
    word = "DISTINCT " if made.distinct else ""
    least = 1 if name.endswith("POP") else 2
    kept = finite(value.sql)
    odd = f"(COUNT({value.sql}){OVER} > COUNT({kept}){OVER})"
    sql = (
        f"CASE WHEN (COUNT({word}{value.sql}){OVER} < {least}) THEN NULL "
        f"WHEN {odd} THEN CAST('nan' AS DOUBLE) ELSE {name}({word}{kept}){OVER} END"
    )
    return value.with_sql(sql, types.DOUBLE)


@spells("max_by", "min_by", target="duckdb")
def _at_extreme(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value, key = call.arguments
    if made.condition is not None or made.distinct:
        raise refusal(f"{made.function.name} with FILTER or DISTINCT", made.node)
    name = "ARG_MAX_NULL" if made.function.name == "max_by" else "ARG_MIN_NULL"
    return combine(f"{name}({value.sql}, {key.sql}){OVER}", value.type, value, key)


@spells("listagg", target="duckdb")
def _listed(call: Call, made: Aggregate, binder: Binder, put: Placing) -> Value:
    value, given = call.arguments[0], call.argument(1)
    separator = constant_text(given, "a separator", made.node) if given is not None else ""
    order = order_text(made, binder, put)
    word = "DISTINCT " if made.distinct else ""
    if made.distinct and order:
        raise refusal(f"{made.function.name} with DISTINCT and an order", made.node)
    sql = f"STRING_AGG({word}{value.sql}, {literal(separator)}{order})"
    return value.with_sql(sql, types.STRING)
