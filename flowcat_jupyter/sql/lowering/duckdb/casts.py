"""Casts that DuckDB would round, or take more texts for than Spark does."""

from __future__ import annotations

import re

from flowcat_jupyter.sql.lowering import casts, constants, rounding, written
from flowcat_jupyter.sql.lowering.casts import Cast
from flowcat_jupyter.sql.lowering.duckdb.failing import fail
from flowcat_jupyter.sql.lowering.duckdb.plain import decimal_text, plainly
from flowcat_jupyter.sql.lowering.values import Value, type_name
from flowcat_jupyter.sql.quoting import literal

_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_FLOAT_ENDS = "3.4028235677973366e38"
"""The least double that is nearer to infinity than to the largest float."""
_FLOAT = r"(?i)^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?[df]?|inf|infinity)$|^nan$"
_DATE = r"^[0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2}([ T].*)?)?)?$"
_CLOCK = r"[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]{1,9})?)?"
_ZONE = r"( ?(Z|UTC|GMT|[+-][0-9]{1,2}(:?[0-9]{2})?))?"
_MOMENT = rf"^[0-9]{{4}}(-[0-9]{{1,2}}(-[0-9]{{1,2}}([ T]{_CLOCK}{_ZONE})?)?)?$"
_SPACES = "' ' || CHR(9) || CHR(10) || CHR(13)"


def _trimmed(sql: str) -> str:
    return f"TRIM({sql}, {_SPACES})"


def _told(job: Cast) -> str:
    """The type, the column if it is one, and the value, for the message of a failed cast."""
    column = next(iter(job.value.fields), "") if re.fullmatch(r"\w+\.\w+", job.value.sql) else ""
    return f"'{job.to.ddl}:{column}:' || {job.value.sql}"


def _checked(job: Cast, text: str, shape: str, whole: str) -> Value:
    """``whole`` (which tries) where ``text`` has a shape; else NULL for TRY_CAST, and a failure."""
    sql = f"CASE WHEN REGEXP_MATCHES({text}, {literal(shape)}) THEN {whole} ELSE NULL END"
    if not job.safe:
        bad = fail("CAST_INVALID_INPUT", _told(job))
        sql = f"CASE WHEN ({job.value.sql} IS NULL) THEN NULL ELSE COALESCE({sql}, {bad}) END"
    return job.done(sql, raises=True)


def _text_to_integer(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    return _checked(job, text, _INTEGER, f"TRY_CAST({text} AS {type_name(job.to)})")


def _text_to_float(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    bare = f"REGEXP_REPLACE({text}, '([0-9.])[dDfF]$', '\\1')"
    return _checked(job, text, _FLOAT, f"TRY_CAST({bare} AS {type_name(job.to)})")


def _text_to_decimal(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    tried = f"TRY_CAST({plainly(text)} AS {type_name(job.to)})"
    if job.safe:
        return _checked(job, text, _NUMBER, tried)
    big = fail("NUMERIC_VALUE_OUT_OF_RANGE", _told(job))
    return _checked(job, text, _NUMBER, f"COALESCE({tried}, {big})")


def _float_to_decimal(job: Cast) -> Value:
    text = f"CAST(CAST({casts.finite(job.value).sql} AS DOUBLE) AS VARCHAR)"
    return job.done(job.spell(plainly(text)), raises=True)


def _float_to_float(job: Cast) -> Value:
    value = job.value.sql
    if (job.value.type.kind, job.to.kind) != ("double", "float"):
        return job.done(job.spell())
    large = f"(ABS({value}) >= CAST('{_FLOAT_ENDS}' AS DOUBLE) AND ISFINITE({value}))"
    infinite = f"CASE WHEN ({value} < 0) THEN CAST('-inf' AS FLOAT) ELSE CAST('inf' AS FLOAT) END"
    return job.done(f"CASE WHEN {large} THEN {infinite} ELSE CAST({value} AS FLOAT) END")


def _float_to_integer(job: Cast) -> Value:
    whole = f"TRUNC({job.value.sql})"
    # The least and the largest number of 64 bits are no doubles; Spark takes those beyond for bad.
    return job.done(job.spell(whole), raises=True)


def _decimal_to_integer(job: Cast) -> Value:
    return job.done(job.spell(f"TRUNC({job.value.sql})"), raises=True)


def _text_to_boolean(job: Cast) -> Value:
    word = f"LOWER({_trimmed(job.value.sql)})"
    yes = ", ".join(literal(item) for item in sorted(constants.TRUE_WORDS))
    no = ", ".join(literal(item) for item in sorted(constants.FALSE_WORDS))
    bad = "NULL" if job.safe else fail("CAST_INVALID_INPUT", _told(job))
    sql = (
        f"CASE WHEN {word} IN ({yes}) THEN TRUE WHEN {word} IN ({no}) THEN FALSE "
        f"WHEN {word} IS NULL THEN NULL ELSE {bad} END"
    )
    return job.done(sql, raises=True)


def _day(text: str) -> str:
    """The day a text begins with; a year or a month alone begins on its first day."""
    first = f"REGEXP_EXTRACT({text}, '^[^ T]+')"
    padded = f"{first} || CASE LENGTH({first}) WHEN 4 THEN '-01-01' ELSE '' END"
    month = f"REGEXP_MATCHES({first}, '^[0-9]{{4}}-[0-9]{{1,2}}$')"
    whole = f"CASE WHEN {month} THEN {first} || '-01' ELSE {padded} END"
    return f"CAST(TRY_STRPTIME({whole}, '%Y-%m-%d') AS DATE)"


def _text_to_date(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    return _checked(job, text, _DATE, _day(text))


def _wall(text: str) -> str:
    """The wall clock a text shows, without its zone."""
    clock = f"REGEXP_EXTRACT({text}, '[ T]({_CLOCK})', 1)"
    full = f"CASE WHEN REGEXP_MATCHES({clock}, '^[0-9]+:[0-9]+$') THEN {clock} || ':00' ELSE "
    full += f"{clock} END"
    padded = f"REGEXP_REPLACE('0' || {full}, '^0([0-9]{{2}}:)', '\\1')"
    padded = f"REGEXP_REPLACE({padded}, ':([0-9])(:|\\.|$)', ':0\\1\\2', 'g')"
    padded = f"REGEXP_REPLACE({padded}, ':([0-9])(:|\\.|$)', ':0\\1\\2', 'g')"
    moment = f"TRY_CAST((CAST({_day(text)} AS VARCHAR) || ' ' || {padded}) AS TIMESTAMP)"
    return f"CASE WHEN ({clock} = '') THEN CAST({_day(text)} AS TIMESTAMP) ELSE {moment} END"


def _text_to_wall_clock(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    return _checked(job, text, _MOMENT, f"({_wall(text)})")


def _text_to_timestamp(job: Cast) -> Value:
    text = _trimmed(job.value.sql)
    zone = f"REGEXP_EXTRACT({text}, ':[0-9.]+ ?(Z|UTC|GMT|[+-][0-9:]+)$', 1)"
    own = f"({_wall(text)}) AT TIME ZONE 'UTC'"
    hours = f"TRY_CAST(REGEXP_EXTRACT({zone}, '^[+-]([0-9]{{1,2}})', 1) AS INTEGER)"
    minutes = f"COALESCE(TRY_CAST(REGEXP_EXTRACT({zone}, '([0-9]{{2}})$', 1) AS INTEGER), 0)"
    long = f"(LENGTH({zone}) > 3)"
    total = f"({hours} * 60 + CASE WHEN {long} THEN {minutes} ELSE 0 END)"
    away = f"TO_MINUTES(CASE WHEN ({zone}[1] = '-') THEN - {total} ELSE {total} END)"
    named = f"({zone} IN ('Z', 'UTC', 'GMT'))"
    shifted = f"(({own}) - {away})"
    here = written.instant(f"({_wall(text)})", job.zone)
    sql = f"CASE WHEN ({zone} = '') THEN {here} WHEN {named} THEN ({own}) ELSE {shifted} END"
    return _checked(job, text, _MOMENT, sql)


def _instant_to_seconds(job: Cast) -> Value:
    micros = f"EPOCH_US({job.value.sql})"
    if job.to.kind in ("float", "double"):
        return job.done(f"(CAST({micros} AS DOUBLE) / CAST('1000000' AS DOUBLE))")
    floor = f"(({micros} - ((({micros} % 1000000) + 1000000) % 1000000)) // 1000000)"
    return casts.cast_down(job, floor)


def _decimal_to_decimal(job: Cast) -> Value:
    """DuckDB rounds half away from zero, as Spark does."""
    origin = job.value.type
    narrower = job.to.precision - job.to.scale < origin.precision - origin.scale
    return job.done(job.spell(), raises=narrower or job.to.scale < origin.scale)


def _decimal_to_float(job: Cast) -> Value:
    """By its text: DuckDB's own divides by a power of ten, and what that gives may be another."""
    return job.done(job.spell(f"CAST({job.value.sql} AS VARCHAR)"))


def _decimal_to_text(job: Cast) -> Value:
    return job.done(decimal_text(job.value))


def _instant_to_decimal(job: Cast) -> Value:
    micros = f"CAST(EPOCH_US({job.value.sql}) AS DECIMAL(38,6))"
    return job.done(job.spell(f"({micros} * CAST('0.000001' AS DECIMAL(6,6)))"), raises=True)


def _seconds_to_instant(job: Cast) -> Value:
    wide, million = "DECIMAL(38,6)", "1000000"
    if job.value.type.is_integer:
        wide = "HUGEINT"
    elif job.value.type.kind in ("float", "double"):
        wide, million = "DOUBLE", "CAST('1000000' AS DOUBLE)"
    seconds = job.value.sql
    if job.value.type.kind == "decimal":
        seconds = rounding.cut(seconds, job.value.type.scale, 6)
    micros = f"(CAST({seconds} AS {wide}) * {million})"
    whole = micros if wide == "HUGEINT" else f"TRUNC({micros})"
    count = job.spell(whole, "BIGINT")
    return job.done(f"(MAKE_TIMESTAMP({count}) AT TIME ZONE 'UTC')", raises=True)


def _instant_to_text(job: Cast) -> Value:
    return job.done(f"CAST({casts.local(job.value.sql, job.zone)} AS VARCHAR)")


def _wall_to_text(job: Cast) -> Value:
    return job.done(job.spell())


casts.rules(
    "duckdb",
    {
        ("string", "integer"): _text_to_integer,
        ("string", "float"): _text_to_float,
        ("string", "decimal"): _text_to_decimal,
        ("string", "boolean"): _text_to_boolean,
        ("string", "date"): _text_to_date,
        ("string", "timestamp"): _text_to_timestamp,
        ("string", "timestamp_ntz"): _text_to_wall_clock,
        ("float", "integer"): _float_to_integer,
        ("float", "decimal"): _float_to_decimal,
        ("float", "float"): _float_to_float,
        ("decimal", "integer"): _decimal_to_integer,
        ("decimal", "decimal"): _decimal_to_decimal,
        ("decimal", "string"): _decimal_to_text,
        ("decimal", "float"): _decimal_to_float,
        ("timestamp", "string"): _instant_to_text,
        ("timestamp_ntz", "string"): _wall_to_text,
        ("timestamp", "integer"): _instant_to_seconds,
        ("timestamp", "float"): _instant_to_seconds,
        ("timestamp", "decimal"): _instant_to_decimal,
        ("integer", "timestamp"): _seconds_to_instant,
        ("decimal", "timestamp"): _seconds_to_instant,
        ("float", "timestamp"): _seconds_to_instant,
    },
)
