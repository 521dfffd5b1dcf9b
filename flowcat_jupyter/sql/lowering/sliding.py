"""Aggregates over frames of a fixed number of rows, written out row by row.

The engine knows frames that end at the current row. Any other of a few rows is what LAG and LEAD
find at each of its places; where there is no row, they find NULL, which aggregates leave out.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts, numbers
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, type_name

MOST_ROWS = 64


@dataclass(frozen=True, slots=True)
class Sliding:
    """A frame from ``start`` to ``end`` rows after the current one; before it where negative.

    ``there`` is text that is never NULL, to tell whether a row is there.
    """

    start: int
    end: int
    there: str
    context: Context
    node: exp.Expression

    def at(self, sql: str, place: int) -> str:
        """``sql`` as it is ``place`` rows after the current one."""
        if place == 0:
            return sql
        return f"{'LEAD' if place > 0 else 'LAG'}({sql}, {abs(place)}){OVER}"

    def each(self, sql: str) -> list[str]:
        """``sql`` at each place of the frame."""
        return [self.at(sql, place) for place in range(self.start, self.end + 1)]


def aggregated(name: str, value: Value | None, frame: Sliding) -> Value:
    """The aggregate ``name`` of ``value``, or of the rows themselves for None, over a frame.

    :raises SqlError: the frame is too long, or the aggregate not one of those written out.
    """
    if frame.end - frame.start >= MOST_ROWS:
        raise refusal(f"{name} over a frame of more than {MOST_ROWS} rows", frame.node)
    if frame.start > frame.end:
        raise refusal("a frame that ends before it begins", frame.node)
    if value is None:
        return Value(_number(frame.each(frame.there)), types.BIGINT)
    if name == "count":
        return value.with_sql(_number(frame.each(value.sql)), types.BIGINT)
    makers = {
        "sum": _sum,
        "avg": _average,
        "mean": _average,
        "min": _extreme,
        "max": _extreme,
        "first": _end,
        "first_value": _end,
        "last": _end,
        "last_value": _end,
    }
    if name not in makers:
        raise refusal(f"{name} over a frame that does not end at the current row", frame.node)
    return makers[name](name, value, frame)


def _number(found: list[str]) -> str:
    counted = " + ".join(f"CASE WHEN ({item} IS NULL) THEN 0 ELSE 1 END" for item in found)
    return f"CAST(({counted}) AS BIGINT)"


def _sum(_name: str, value: Value, frame: Sliding) -> Value:
    kind = types.sum_type(value.type)
    if kind is None:
        raise numbers.not_numbers("sum", value.type, value.type, frame.node)
    wide = {"bigint": "INT128", "decimal": f"DECIMAL(38,{value.type.scale})"}.get(
        kind.kind, "DOUBLE"
    )
    total = _total(f"CAST({value.sql} AS {wide})", frame, wide)
    sql = frame.context.target.kept(f"CAST({total} AS {type_name(kind)})")
    return value.with_sql(sql, kind, raises=kind.kind != "double")


def _total(sql: str, frame: Sliding, wide: str) -> str:
    found = frame.each(sql)
    zero = f"CAST(0 AS {wide})"
    added = " + ".join(f"COALESCE({item}, {zero})" for item in found)
    some = f"COALESCE({', '.join(found)})"
    return f"CASE WHEN ({some} IS NULL) THEN NULL ELSE ({added}) END"


def _average(_name: str, value: Value, frame: Sliding) -> Value:
    if value.type.kind == "decimal" or not value.type.is_numeric:
        raise refusal(f"avg of {value.type.ddl} over such a frame", frame.node)
    wide = casts.cast(value, types.DOUBLE, frame.context)
    total = _total(wide.sql, frame, "DOUBLE")
    return wide.with_sql(f"({total} / CAST({_number(frame.each(value.sql))} AS DOUBLE))")


def _extreme(name: str, value: Value, frame: Sliding) -> Value:
    if value.type.is_nested or value.type.kind in ("float", "double", "binary", "boolean"):
        raise refusal(f"{name} of {value.type.ddl} over such a frame", frame.node)
    word = "LEAST" if name == "min" else "GREATEST"
    return value.with_sql(f"{word}({', '.join(frame.each(value.sql))})")


def _end(name: str, value: Value, frame: Sliding) -> Value:
    """The value of the first or last row of the frame that is there."""
    places = list(range(frame.start, frame.end + 1))
    if name.startswith("last"):
        places.reverse()
    branches = " ".join(
        f"WHEN ({frame.at(frame.there, place)} IS NOT NULL) THEN {frame.at(value.sql, place)}"
        for place in places
    )
    sql = f"CASE {branches} ELSE NULL END"
    return value.with_sql(
        sql if value.type.is_nested else f"CAST({sql} AS {type_name(value.type)})"
    )
