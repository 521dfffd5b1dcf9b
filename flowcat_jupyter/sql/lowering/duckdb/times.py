"""Functions of dates and instants that DuckDB spells its own way."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts, rewrite_times
from flowcat_jupyter.sql.lowering.calls import Call, constant_text, rewrites
from flowcat_jupyter.sql.lowering.duckdb.failing import fail
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal


def engine_format(pattern: str, call: Call) -> str:
    """Spark's date pattern as DuckDB's."""
    made = rewrite_times.engine_format(pattern, call.node)
    return made.replace("%3f", "%g").replace("%6f", "%f")


def _parsed(call: Call, pattern: str, kind: str) -> str:
    text = call.arguments[0].sql
    shape = rewrite_times.shape(rewrite_times.engine_format(pattern, call.node))
    tried = (
        f"CASE WHEN REGEXP_MATCHES({text}, {literal(shape)}) "
        f"THEN TRY_STRPTIME({text}, {literal(engine_format(pattern, call))}) END"
    )
    bad = fail("CAST_INVALID_INPUT", f"'{kind}::' || {text}")
    return f"CASE WHEN ({text} IS NULL) THEN NULL ELSE COALESCE({tried}, {bad}) END"


@rewrites("to_date", target="duckdb")
def _to_date(call: Call) -> Value:
    value, given = call.arguments[0], call.argument(1)
    if given is None or value.type.kind != "string":
        return call.binder.coerce(value, types.DATE, call.node)
    pattern = constant_text(given, "a pattern", call.node)
    sql = f"CAST({_parsed(call, pattern, 'date')} AS DATE)"
    return call.result(sql, types.DATE, raises=True)


@rewrites("to_timestamp", target="duckdb")
def _to_timestamp(call: Call) -> Value:
    value, given = call.arguments[0], call.argument(1)
    if given is None or value.type.kind != "string":
        return call.binder.coerce(value, types.TIMESTAMP, call.node)
    pattern = constant_text(given, "a pattern", call.node)
    zone = literal(call.binder.context.time_zone)
    sql = f"(({_parsed(call, pattern, 'timestamp')}) AT TIME ZONE {zone})"
    return call.result(sql, types.TIMESTAMP, raises=True)


@rewrites("date_format", target="duckdb")
def _date_format(call: Call) -> Value:
    value, given = call.arguments
    made = engine_format(constant_text(given, "a pattern", call.node), call)
    wall = casts.local(value.sql, call.binder.context.time_zone)
    return call.result(f"STRFTIME({wall}, {literal(made)})", types.STRING)


@rewrites("from_unixtime", target="duckdb")
def _from_unixtime(call: Call) -> Value:
    given = call.argument(1)
    pattern = constant_text(given, "a pattern", call.node) if given is not None else None
    made = engine_format(pattern or "yyyy-MM-dd HH:mm:ss", call)
    seconds = call.arguments[0].sql
    moment = f"MAKE_TIMESTAMP(CAST((CAST({seconds} AS HUGEINT) * 1000000) AS BIGINT))"
    wall = casts.local(f"({moment} AT TIME ZONE 'UTC')", call.binder.context.time_zone)
    return call.result(f"STRFTIME({wall}, {literal(made)})", types.STRING, raises=True)


@rewrites("make_date", target="duckdb")
def _make_date(call: Call) -> Value:
    year, month, day = (item.sql for item in call.arguments)
    sql = f"MAKE_DATE({year}, {month}, {day})"
    return call.result(sql, types.DATE, raises=True)


@rewrites("add_months", target="duckdb")
def _add_months(call: Call) -> Value:
    start, count = (item.sql for item in call.arguments)
    return call.result(f"CAST(({start} + TO_MONTHS({count})) AS DATE)", types.DATE)


@rewrites("months_between", target="duckdb")
def _months_between(call: Call) -> Value:
    zone = call.binder.context.time_zone
    exact = call.argument(2)
    if exact is not None and not isinstance(exact.constant, bool):
        raise refusal("months_between that is not told whether to round", call.node)
    later, earlier = (casts.local(item.sql, zone) for item in call.arguments[:2])
    months = " - ".join(
        f"(EXTRACT(YEAR FROM {item}) * 12 + EXTRACT(MONTH FROM {item}))"
        for item in (later, earlier)
    )
    days = [f"EXTRACT(DAY FROM {item})" for item in (later, earlier)]
    ends = " AND ".join(
        f"({day} = EXTRACT(DAY FROM LAST_DAY(CAST({item} AS DATE))))"
        for day, item in zip(days, (later, earlier), strict=True)
    )
    # Spark counts whole seconds of the day.
    clocks = [
        f"((EPOCH_US({item}) - EPOCH_US(DATE_TRUNC('day', {item}))) // 1000000)"
        for item in (later, earlier)
    ]
    part = f"({days[0]} - {days[1]}) * 86400.0::DOUBLE + ({clocks[0]} - {clocks[1]})"
    fraction = f"(CAST(({months}) AS DOUBLE) + ({part}) / 2678400.0::DOUBLE)"
    if exact is None or exact.constant:
        fraction = f"ROUND({fraction}, 8)"
    whole = f"({days[0]} = {days[1]}) OR ({ends})"
    sql = f"CASE WHEN {whole} THEN CAST(({months}) AS DOUBLE) ELSE {fraction} END"
    return call.result(sql, types.DOUBLE)


_MICROS = {"seconds": 1_000_000, "millis": 1000, "micros": 1}


@rewrites("unix_micros", target="duckdb")
def _unix_micros(call: Call) -> Value:
    micros = f"EPOCH_US({call.arguments[0].sql})"
    unit = _MICROS[call.function.name.rpartition("_")[2]]
    rest = f"((({micros} % {unit}) + {unit}) % {unit})"
    return call.result(f"(({micros} - {rest}) // {unit})", types.BIGINT)


@rewrites("timestamp_micros", target="duckdb")
def _timestamp_micros(call: Call) -> Value:
    factor = _MICROS[call.function.name.rpartition("_")[2]]
    count = f"CAST((CAST({call.arguments[0].sql} AS HUGEINT) * {factor}) AS BIGINT)"
    sql = f"(MAKE_TIMESTAMP({count}) AT TIME ZONE 'UTC')"
    return call.result(sql, types.TIMESTAMP, raises=True)
