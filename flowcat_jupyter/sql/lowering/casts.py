"""CAST and TRY_CAST, explicit and implied, as Spark's ANSI mode means them.

In the generated text a conversion from INT128 to less than 64 bits is always a cast a person
wrote, and any other narrowing of integers is arithmetic: the engine's message tells which failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.moments import BadText
from flowcat_jupyter.shared.types import MAX_PRECISION, DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering import constants, rounding, text, values, written
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.values import Value, type_name
from flowcat_jupyter.sql.quoting import literal

_MICROS, _SECONDS = 6, "DECIMAL(22,6)"
"""The places of a second, and what holds every second there is."""
_MARKED = r"^[+-]?[0-9.]+([eE][+-]?[0-9]+)?[dDfF]$"


@dataclass(frozen=True, slots=True)
class Cast:
    """One cast to write; ``safe`` is TRY_CAST."""

    value: Value
    to: DataType
    zone: str
    safe: bool
    target: Target

    def spell(self, sql: str | None = None, name: str | None = None) -> str:
        """The engine's own cast, of the value or of ``sql``, to the type or to ``name``."""
        verb = "TRY_CAST" if self.safe else "CAST"
        return f"{verb}({sql or self.value.sql} AS {name or type_name(self.to)})"

    def done(self, sql: str, *, raises: bool = False) -> Value:
        """What the cast gives, computed by ``sql``, for which some values may not do."""
        if raises and self.to.is_numeric:
            sql = self.target.kept(sql)
        return self.value.with_sql(sql, self.to, raises=raises and not self.safe)


def cast(value: Value, to: DataType, context: Context, *, safe: bool = False) -> Value:
    """``value`` as type ``to``.

    :raises SqlError: no value of the one type can be one of the other, or a literal cannot.
    """
    if value.type == to:
        return value
    rule = _rule(value.type, to, context.target.name)
    atoms = not (value.type.is_nested or to.is_nested or value.type.kind == "void")
    if rule is None and atoms:
        raise mismatch(value.type, to)
    folded = _folded(value, to, context, safe)
    if folded is not None:
        return folded
    if rule is None:
        raise mismatch(value.type, to)
    if value.row is not None and not value.type.is_nested:
        # Inside, because a cast may name its value twice and an engine shares no larger part then.
        query, column = value.row
        own = Value(f"q0.{column}", value.type)
        made = rule(Cast(own, to, context.time_zone, safe, context.target))
        sql = text.select([f"{made.sql} AS {column}"], text.nested(query, "q0"))
        return replace(value.with_sql(f"({sql})", to, raises=made.raises), row=(sql, column))
    return rule(Cast(value, to, context.time_zone, safe, context.target))


def _folded(value: Value, to: DataType, context: Context, safe: bool) -> Value | None:
    try:
        return constants.fold(value, to, context.zone)
    except BadText:
        if safe:
            return values.null(to)
        raise malformed(value.constant, to) from None
    except constants.TooBig:
        if safe:
            return values.null(to)
        raise overflow(value.constant, value.type, to) from None


def malformed(text: object, to: DataType) -> SqlError:
    """The error for a text that is not a value of the type."""
    return SqlError(
        f"The text {str(text)!r} cannot be cast to {to.ddl}.",
        condition="CAST_INVALID_INPUT",
        sqlstate="22018",
        hint="Correct the value, or use TRY_CAST to get NULL instead.",
    )


def overflow(number: object, origin: DataType, to: DataType) -> SqlError:
    """The error for a number outside the type."""
    return SqlError(
        f"The value {number} of type {origin.ddl} does not fit {to.ddl}.",
        condition="NUMERIC_VALUE_OUT_OF_RANGE" if to.kind == "decimal" else "CAST_OVERFLOW",
        sqlstate="22003",
        hint="Cast to a wider type, or use TRY_CAST to get NULL instead.",
    )


def mismatch(origin: DataType, to: DataType) -> SqlError:
    """The error for two types with nothing in common."""
    return SqlError(
        f"A value of type {origin.ddl} cannot be cast to {to.ddl}.",
        condition="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
        sqlstate="42K09",
    )


def _rule(origin: DataType, to: DataType, target: str) -> Rule | None:
    if origin.kind == "void":
        return _nothing
    pair = (_group(origin), _group(to))
    return _SPECIAL.get((target, *pair)) or _RULES.get(pair)


def rules(target: str, special: Mapping[tuple[str, str], Rule]) -> None:
    """Register casts that an engine spells its own way, by the groups of both types."""
    _SPECIAL.update(((target, *pair), rule) for pair, rule in special.items())


def _group(kind: DataType) -> str:
    if kind.is_integer:
        return "integer"
    return "float" if kind.kind == "double" else kind.kind


def _nothing(job: Cast) -> Value:
    """NULL in every row, and still computed: it may be an aggregate, which decides how many rows.

    A nested type needs no telling: the engines fit NULL to whatever it stands beside.
    """
    return job.done(job.value.sql if job.to.is_nested else job.spell())


def _integer_to_integer(job: Cast) -> Value:
    bits = types.INTEGER_BITS
    if bits[job.to.kind] >= bits[job.value.type.kind]:
        return job.done(f"CAST({job.value.sql} AS {type_name(job.to)})")
    return job.done(job.spell(f"CAST({job.value.sql} AS INT128)"), raises=True)


def _plain(job: Cast) -> Value:
    return job.done(job.spell())


def _raising(job: Cast) -> Value:
    return job.done(job.spell(), raises=True)


def _number_to_boolean(job: Cast) -> Value:
    return job.done(f"({job.value.sql} <> 0)")


def _boolean_to_number(job: Cast) -> Value:
    narrow = job.to.kind == "decimal" and job.to.precision == job.to.scale
    return job.done(job.spell(f"CAST({job.value.sql} AS INTEGER)"), raises=narrow)


def _integer_to_decimal(job: Cast) -> Value:
    digits = types.as_decimal(job.value.type).precision
    return job.done(job.spell(), raises=job.to.precision - job.to.scale < digits)


def _decimal_to_decimal(job: Cast) -> Value:
    origin = job.value.type
    narrower = job.to.precision - job.to.scale < origin.precision - origin.scale
    rounds = job.to.scale < origin.scale
    sql = rounding.half_up(job.value.sql, origin.precision, origin.scale, job.to.scale)
    return job.done(job.spell(sql), raises=narrower or rounds)


def _text_to_integer(job: Cast) -> Value:
    return job.done(job.spell(_trimmed(job)), raises=True)


def _text_to_float(job: Cast) -> Value:
    # As Java reads numbers: a letter may say that it is a double or a float.
    text = _trimmed(job)
    marked = f"REGEXP_LIKE({text}, {literal(_MARKED)})"
    bare = f"CASE WHEN {marked} THEN RTRIM({text}, 'dDfF') ELSE {text} END"
    return job.done(job.spell(bare), raises=True)


def finite(value: Value) -> Value:
    """A float that is NULL where it is not a number or infinite, as it becomes as a DECIMAL."""
    return value.with_sql(f"CASE WHEN (({value.sql} - {value.sql}) = 0) THEN {value.sql} END")


def _float_to_decimal(job: Cast) -> Value:
    return _digits_to_decimal(job, rounding.digits(finite(job.value).sql))


def _text_to_decimal(job: Cast) -> Value:
    return _digits_to_decimal(job, _trimmed(job))


def _digits_to_decimal(job: Cast, digits: str) -> Value:
    return job.done(job.spell(job.target.to_round(digits)), raises=True)


def _trimmed(job: Cast) -> str:
    return f"TRIM({job.value.sql})"


def _text_to_boolean(job: Cast) -> Value:
    word = f"LOWER({_trimmed(job)})"
    yes = ", ".join(literal(item) for item in sorted(constants.TRUE_WORDS))
    no = ", ".join(literal(item) for item in sorted(constants.FALSE_WORDS))
    bad = "NULL" if job.safe else f"(CAST(('boolean:' || {job.value.sql}) AS INTEGER) = 1)"
    sql = (
        f"CASE WHEN {word} IN ({yes}) THEN TRUE WHEN {word} IN ({no}) THEN FALSE "
        f"WHEN {word} IS NULL THEN NULL ELSE {bad} END"
    )
    return job.done(sql, raises=True)


def _text_to_date(job: Cast) -> Value:
    return job.done(written.date(_trimmed(job), safe=job.safe), raises=True)


def _text_to_timestamp(job: Cast) -> Value:
    return job.done(written.moment(_trimmed(job), job.zone, safe=job.safe), raises=True)


def _text_to_wall_clock(job: Cast) -> Value:
    return job.done(written.wall(_trimmed(job), safe=job.safe), raises=True)


def _float_to_text(job: Cast) -> Value:
    return job.done(written.floating(job.value.sql))


def _to_instant(job: Cast) -> Value:
    wall = f"CAST({job.value.sql} AS TIMESTAMP)"
    return job.done(written.instant(wall, job.zone), raises=True)


def local(sql: str, zone: str) -> str:
    """An instant as the wall clock of the session's zone shows it."""
    return f"({sql} AT TIME ZONE {literal(zone)})"


def _instant_to_wall(job: Cast) -> Value:
    return job.done(local(job.value.sql, job.zone))


def _instant_to_date(job: Cast) -> Value:
    return job.done(f"CAST({local(job.value.sql, job.zone)} AS DATE)")


def _instant_to_text(job: Cast) -> Value:
    return job.done(_moment_text(local(job.value.sql, job.zone)))


def _wall_to_text(job: Cast) -> Value:
    return job.done(_moment_text(job.value.sql))


def _moment_text(sql: str) -> str:
    return f"RTRIM(RTRIM(CAST({sql} AS VARCHAR), '0'), '.')"


def _instant_to_seconds(job: Cast) -> Value:
    micros = f"CAST({job.value.sql} AS BIGINT)"
    if job.to.kind in ("float", "double"):
        seconds = f"(CAST({micros} AS DOUBLE) / CAST('1000000' AS DOUBLE))"
        return job.done(f"CAST({seconds} AS {type_name(job.to)})")
    floor = f"(({micros} - (((({micros} % 1000000) + 1000000)) % 1000000)) // 1000000)"
    return cast_down(job, floor)


def _instant_to_decimal(job: Cast) -> Value:
    micros = f"CAST(CAST({job.value.sql} AS BIGINT) AS DECIMAL(38,6))"
    seconds = f"CAST(({micros} / CAST('1000000' AS DECIMAL(7,0))) AS DECIMAL(38,6))"
    exact = job.value.with_sql(seconds, DataType("decimal", precision=MAX_PRECISION, scale=6))
    return _decimal_to_decimal(replace(job, value=exact))


def _seconds_to_instant(job: Cast) -> Value:
    """A number of seconds since 1970, to the microsecond."""
    wide = "DOUBLE" if job.value.type.kind in ("double", "float") else "INT128"
    seconds, million = f"CAST({job.value.sql} AS {wide})", f"CAST('1000000' AS {wide})"
    if job.value.type.kind == "decimal":
        few = rounding.cut(job.value.sql, job.value.type.scale, _MICROS)
        seconds = f"CAST({job.spell(few, _SECONDS)} AS DECIMAL({MAX_PRECISION},{_MICROS}))"
        million = "CAST('1000000' AS DECIMAL(7,0))"
    micros = job.spell(f"({seconds} * {million})", "BIGINT")
    return job.done(f"(CAST({micros} AS TIMESTAMP) AT TIME ZONE 'UTC')", raises=True)


def cast_down(job: Cast, sql: str) -> Value:
    """A BIGINT as the integer type asked for."""
    if job.to.kind == "bigint":
        return job.done(sql)
    return job.done(job.spell(f"CAST({sql} AS INT128)"), raises=True)


Rule = Callable[[Cast], Value]
_SPECIAL: dict[tuple[str, str, str], Rule] = {}
_RULES: dict[tuple[str, str], Rule] = {
    ("integer", "integer"): _integer_to_integer,
    ("integer", "float"): _plain,
    ("integer", "decimal"): _integer_to_decimal,
    ("integer", "string"): _plain,
    ("integer", "boolean"): _number_to_boolean,
    ("boolean", "integer"): _boolean_to_number,
    ("boolean", "float"): _boolean_to_number,
    ("boolean", "decimal"): _boolean_to_number,
    ("boolean", "string"): _plain,
    ("float", "integer"): _raising,
    ("float", "float"): _plain,
    ("float", "decimal"): _float_to_decimal,
    ("float", "string"): _float_to_text,
    ("float", "boolean"): _number_to_boolean,
    ("decimal", "integer"): _raising,
    ("decimal", "float"): _plain,
    ("decimal", "decimal"): _decimal_to_decimal,
    ("decimal", "string"): _plain,
    ("decimal", "boolean"): _number_to_boolean,
    ("string", "integer"): _text_to_integer,
    ("string", "float"): _text_to_float,
    ("string", "decimal"): _text_to_decimal,
    ("string", "boolean"): _text_to_boolean,
    ("string", "date"): _text_to_date,
    ("string", "timestamp"): _text_to_timestamp,
    ("string", "timestamp_ntz"): _text_to_wall_clock,
    ("date", "timestamp"): _to_instant,
    ("date", "timestamp_ntz"): _plain,
    ("date", "string"): _plain,
    ("timestamp", "date"): _instant_to_date,
    ("timestamp", "timestamp_ntz"): _instant_to_wall,
    ("timestamp", "string"): _instant_to_text,
    ("timestamp", "integer"): _instant_to_seconds,
    ("timestamp", "float"): _instant_to_seconds,
    ("timestamp", "decimal"): _instant_to_decimal,
    ("integer", "timestamp"): _seconds_to_instant,
    ("decimal", "timestamp"): _seconds_to_instant,
    ("float", "timestamp"): _seconds_to_instant,
    ("timestamp_ntz", "timestamp"): _to_instant,
    ("timestamp_ntz", "date"): _plain,
    ("timestamp_ntz", "string"): _wall_to_text,
}
