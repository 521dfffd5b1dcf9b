"""Texts that people type, read as values of a column's type."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from flowcat_jupyter.shared.errors import Invalid

LONGEST = 1_000
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)? ?"
    r"(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_WORDS = {"nan": math.nan, "infinity": math.inf, "inf": math.inf}
_EXAMPLES = {
    "boolean": "true or false",
    "date": "a day such as 2013-01-31",
    "timestamp": "a moment such as 2013-01-31 17:45:00",
    "timestamp_ntz": "a moment such as 2013-01-31 17:45:00",
    "float": "a number such as 1.5, NaN or -Infinity",
    "double": "a number such as 1.5, NaN or -Infinity",
}
_BITS: dict[type, int] = {
    pl.Int8: 8,
    pl.Int16: 16,
    pl.Int32: 32,
    pl.Int64: 64,
    pl.Int128: 128,
    pl.UInt8: 8,
    pl.UInt16: 16,
    pl.UInt32: 32,
    pl.UInt64: 64,
    pl.UInt128: 128,
}
_EXACT = Context(prec=2 * LONGEST)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def number(text: str, spark: str) -> Decimal:
    """A finite number, exactly.

    :raises Invalid: it is none.
    """
    text = text.strip()
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        raise _no(text, spark)
    return Decimal(text)


def floored(value: Decimal, dtype: pl.DataType) -> Decimal:
    """The largest value of a type that is no larger than ``value``."""
    return value.quantize(Decimal(1).scaleb(-_scale(dtype)), ROUND_FLOOR, _EXACT)


def bounds(dtype: pl.DataType) -> tuple[Decimal, Decimal]:
    """The least and the largest value of whole numbers or decimals."""
    if isinstance(dtype, pl.Decimal):
        digits = (9,) * (dtype.precision or 38)
        return Decimal((1, digits, -dtype.scale)), Decimal((0, digits, -dtype.scale))
    bits = _BITS[type(dtype)]
    if dtype.is_unsigned_integer():
        return Decimal(0), Decimal(2**bits - 1)
    return Decimal(-(2 ** (bits - 1))), Decimal(2 ** (bits - 1) - 1)


def read(text: str, dtype: pl.DataType, spark: str, zone: str) -> Any:
    """A value as `literal` takes it; None for a number that the type cannot hold.

    :raises Invalid: the text is no value of the type.
    """
    if dtype.is_integer() or isinstance(dtype, pl.Decimal):
        return _held(number(text, spark), dtype)
    if dtype.is_float():
        return _real(text.strip(), spark)
    if isinstance(dtype, pl.Boolean):
        return _truth(text.strip(), spark)
    if isinstance(dtype, pl.Date):
        return _day(text.strip(), spark)
    if isinstance(dtype, pl.Datetime):
        return _micros(text.strip(), spark, zone if dtype.time_zone else None)
    return text


def literal(value: Any, dtype: pl.DataType) -> pl.Expr:
    """A value of `read` as an expression."""
    if isinstance(dtype, pl.Datetime):
        return pl.lit(value, dtype=pl.Int64).cast(pl.Datetime("us", dtype.time_zone))
    return pl.lit(value, dtype=dtype)


def series(values: list[Any], dtype: pl.DataType) -> pl.Series:
    """Values of `read` as a column."""
    if isinstance(dtype, pl.Datetime):
        return pl.Series(values, dtype=pl.Int64).cast(pl.Datetime("us", dtype.time_zone))
    return pl.Series(values, dtype=dtype)


def _scale(dtype: pl.DataType) -> int:
    return dtype.scale if isinstance(dtype, pl.Decimal) else 0


def _held(value: Decimal, dtype: pl.DataType) -> int | Decimal | None:
    lowest, highest = bounds(dtype)
    if not lowest <= value <= highest:
        return None
    floor = floored(value, dtype)
    if floor != value:
        return None
    return floor if isinstance(dtype, pl.Decimal) else int(floor)


def _real(text: str, spark: str) -> float:
    word = text.lower().lstrip("+-")
    if word in _WORDS:
        return -_WORDS[word] if text.startswith("-") else _WORDS[word]
    return float(number(text, spark))


def _truth(text: str, spark: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise _no(text, spark)
    return text.lower() == "true"


def _day(text: str, spark: str) -> date:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise _no(text, spark)


def _micros(text: str, spark: str, zone: str | None) -> int:
    """Microseconds since 1970; without an offset the clock is ``zone``'s."""
    match = _MOMENT.fullmatch(text)
    offset = match[5] if match else None
    if not match or (offset and (zone is None or match[2] is None)):
        raise _no(text, spark)
    day, clock, seconds, fraction, _ = match.groups()
    spelled = f"{day}T{clock or '00:00'}:{seconds or '00'}.{(fraction or '').ljust(6, '0')}"
    try:
        moment = datetime.fromisoformat(f"{spelled}{offset or ''}")
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone or "UTC"))
        return (moment.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError) as error:
        raise _no(text, spark) from error


def _no(text: str, spark: str) -> Invalid:
    shown = text if len(text) <= 50 else f"{text[:49]}…"
    article = "an" if spark[:1] in "aeiou" else "a"
    wanted = _EXAMPLES.get(spark, "a number such as 17")
    return Invalid(f"{shown!r} is not {article} {spark.upper()}.", hint=f"Write {wanted}.")
