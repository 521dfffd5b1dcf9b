"""Functions and operators of numbers where DuckDB rounds, fails or has DOUBLE for DECIMAL."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import rounding
from flowcat_jupyter.sql.lowering.calls import Call, constant_int, rewrites
from flowcat_jupyter.sql.lowering.duckdb.plain import plainly
from flowcat_jupyter.sql.lowering.values import Value, type_name

_NAN = "CAST('nan' AS DOUBLE)"
_PLACES = 18


@rewrites("sqrt", target="duckdb")
def _sqrt(call: Call) -> Value:
    value = call.arguments[0].sql
    sql = f"CASE WHEN ({value} < 0) THEN {_NAN} ELSE SQRT({value}) END"
    return call.result(sql, types.DOUBLE)


@rewrites("arc", target="duckdb")
def _arc(call: Call) -> Value:
    value, name = call.arguments[0].sql, call.function.name.upper()
    within = f"(({value} >= -1) AND ({value} <= 1))"
    sql = (
        f"CASE WHEN {within} THEN {name}({value}) WHEN ({value} IS NULL) THEN NULL ELSE {_NAN} END"
    )
    return call.result(sql, types.DOUBLE)


@rewrites("circular", target="duckdb")
def _circular(call: Call) -> Value:
    value, name = call.arguments[0].sql, call.function.name.upper()
    sql = f"CASE WHEN ISFINITE({value}) THEN {name}({value}) WHEN ({value} IS NULL) THEN NULL "
    return call.result(f"{sql}ELSE {_NAN} END", types.DOUBLE)


@rewrites("cbrt", target="duckdb")
def _cbrt(call: Call) -> Value:
    """A root that Newton's step makes exact where it is a whole number."""
    value = call.arguments[0].sql
    root = f"CBRT({value})"
    step = f"({root} - ((({root} * {root}) * {root}) - {value}) / (3 * {root} * {root}))"
    # Of the largest numbers the step would come to more than a DOUBLE holds.
    usual = f"(ABS({value}) < 1e308) AND ({value} <> 0)"
    return call.result(f"CASE WHEN {usual} THEN {step} ELSE {root} END", types.DOUBLE)


@rewrites("log1p", target="duckdb")
def _log1p(call: Call) -> Value:
    """Kahan's way: the logarithm of the rounded sum, corrected for what rounding took."""
    value = call.arguments[0].sql
    total = f"(1 + {value})"
    right = f"(LN({total}) * {value} / ({total} - 1))"
    # Of a large number the logarithm is the same with one added, and the product would overflow.
    near = (
        f"CASE WHEN ({total} = 1) THEN {value} WHEN ({value} > 1e17) THEN LN({value}) "
        f"ELSE {right} END"
    )
    return call.result(f"CASE WHEN ({value} > -1) THEN {near} ELSE NULL END", types.DOUBLE)


@rewrites("bround", target="duckdb")
def _bround(call: Call) -> Value:
    value, given = call.arguments[0], call.argument(1)
    places = constant_int(given, "a number of places", call.node) if given is not None else 0
    if value.type.is_integer and places >= 0:
        return value
    if value.type.is_integer or not 0 <= places <= _PLACES:
        raise refusal("bround to negative places", call.node)
    if value.type.kind == "decimal":
        scale = min(places, value.type.scale)
        kind = rounding.rounded_type(value.type, scale)
        return value.with_sql(f"CAST({_even(value, scale)} AS {type_name(kind)})", kind)
    exact = types.decimal(38, _PLACES)
    written = f"TRY_CAST({plainly(rounding.digits(value.sql))} AS {type_name(exact)})"
    rounded = f"CAST({_even(Value(written, exact), places)} AS DOUBLE)"
    rounded = f"CAST({rounded} AS {type_name(value.type)})"
    small = f"(ABS({value.sql}) < CAST('1e+19' AS DOUBLE))"
    return value.with_sql(f"CASE WHEN {small} THEN {rounded} ELSE {value.sql} END")


def _even(value: Value, places: int) -> str:
    """A decimal rounded half to even: where the engine took a tie away from zero, one less."""
    if places >= value.type.scale:
        return value.sql
    kind = f"DECIMAL(38,{places})"
    rounded = f"CAST({value.sql} AS {kind})"
    unit = f"CAST('{'0.' + '0' * (places - 1) + '1' if places else '1'}' AS {kind})"
    # Asked of the digits, for a difference may need more than 38 of them.
    last = value.type.scale - places
    tie = f"(RIGHT(CAST({value.sql} AS VARCHAR), {last}) = '5{'0' * (last - 1)}')"
    odd = f"(RIGHT(CAST({rounded} AS VARCHAR), 1) IN ('1', '3', '5', '7', '9'))"
    less = f"({rounded} - (CASE WHEN ({value.sql} < 0) THEN -1 ELSE 1 END * {unit}))"
    return f"CASE WHEN ({tie} AND {odd}) THEN {less} ELSE {rounded} END"


@rewrites("arc_hyperbolic", target="duckdb")
def _arc_hyperbolic(call: Call) -> Value:
    value, name = call.arguments[0].sql, call.function.name.upper()
    within = f"({value} >= 1)" if name == "ACOSH" else f"((ABS({value}) < 1) OR ISNAN({value}))"
    infinite = (
        ""
        if name == "ACOSH"
        else (f"WHEN (ABS({value}) = 1) THEN SIGN({value}) * CAST('inf' AS DOUBLE) ")
    )
    sql = (
        f"CASE WHEN ({value} IS NULL) THEN NULL WHEN {within} THEN {name}({value}) "
        f"{infinite}ELSE {_NAN} END"
    )
    return call.result(sql, types.DOUBLE)


@rewrites("bit_count", target="duckdb")
def _bit_count(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.kind == "boolean":
        return call.result(f"CAST({value.sql} AS INTEGER)", types.INT)
    if not value.type.is_integer:
        raise refusal(f"bit_count of a value of type {value.type.ddl}", call.node)
    return call.result(f"CAST(BIT_COUNT(CAST({value.sql} AS BIGINT)) AS INTEGER)", types.INT)


@rewrites("factorial", target="duckdb")
def _factorial(call: Call) -> Value:
    value = call.arguments[0].sql
    small = f"(({value} >= 0) AND ({value} <= 20))"
    sql = f"CASE WHEN {small} THEN CAST(FACTORIAL({value}) AS BIGINT) ELSE NULL END"
    return call.result(sql, types.BIGINT)


@rewrites("cot", target="duckdb")
def _cot(call: Call) -> Value:
    value = call.arguments[0].sql
    sql = (
        f"CASE WHEN ({value} IS NULL) THEN NULL WHEN ({value} = 0) THEN "
        f"CAST(CASE WHEN SIGNBIT({value}) THEN '-inf' ELSE 'inf' END AS DOUBLE) "
        f"WHEN ISFINITE({value}) THEN (1 / TAN({value})) ELSE {_NAN} END"
    )
    return call.result(sql, types.DOUBLE)
