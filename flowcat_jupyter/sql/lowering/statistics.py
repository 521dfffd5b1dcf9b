"""Aggregates of two columns, which are undefined where an engine only says NaN."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering.aggregates import Aggregate, Placing, spells
from flowcat_jupyter.sql.lowering.calls import Call
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine


@spells("corr")
def _correlation(call: Call, made: Aggregate, binder: Binder, _put: Placing) -> Value:
    """NULL of fewer than two pairs; where one side is constant, a division by zero."""
    if made.distinct:
        raise refusal("corr with DISTINCT", made.node)
    one, other = call.arguments
    pairs = [_beside(one, other), _beside(other, one)]
    stuck = " OR ".join(constant(item) for item in pairs)
    odd = " OR ".join(f"({item} IS NULL)" for item in map(_finite_span, pairs))
    zero = f"CASE WHEN ({odd}) THEN FALSE ELSE ({stuck}) END"
    failing = f"CAST((CAST(COALESCE({zero}, FALSE) AS INTEGER) * 22012) AS TINYINT)"
    asked = ", ".join(item.sql for item in (one, other))
    lost = ""
    if not binder.context.target.statistics_of_nan:
        lost = f"WHEN ({odd}) THEN CAST('nan' AS DOUBLE) "
        asked = ", ".join(finite(item.sql) for item in (one, other))
    sql = (
        f"CASE WHEN (COUNT({pairs[0]}){OVER} < 2) THEN NULL {lost}"
        f"ELSE (CORR({asked}){OVER} + {failing}) END"
    )
    return combine(sql, types.DOUBLE, one, other, raises=True)


def finite(sql: str) -> str:
    """A number; NULL where it is NaN or infinite."""
    return f"CASE WHEN (ABS({sql}) < CAST('inf' AS DOUBLE)) THEN {sql} ELSE NULL END"


def constant(sql: str) -> str:
    """Whether all values are one finite number, whatever rounding makes of their spread."""
    least, most = f"MIN({sql}){OVER}", f"MAX({sql}){OVER}"
    return f"(({least} = {most}) AND (ABS({least}) < CAST('inf' AS DOUBLE)))"


def _finite_span(sql: str) -> str:
    """NULL where a value is NaN or infinite."""
    odd = f"CASE WHEN (ABS({sql}) < CAST('inf' AS DOUBLE)) THEN NULL ELSE {sql} END"
    return f"CASE WHEN (COUNT({odd}){OVER} > 0) THEN NULL ELSE 1 END"


def _beside(value: Value, other: Value) -> str:
    return f"CASE WHEN ({other.sql} IS NOT NULL) THEN {value.sql} ELSE NULL END"
