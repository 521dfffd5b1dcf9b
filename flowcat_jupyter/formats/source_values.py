"""Texts of files as values, a column at a time; what is no value of the type becomes NULL.

The rules are Spark's for files: whole numbers have no spaces and no fraction, decimals are rounded
half up, days and times without a pattern are ISO 8601 in their usual variations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

import polars as pl

from flowcat_jupyter.formats import files_times as times
from flowcat_jupyter.formats.types import NAIVE_TIMESTAMP, UTC_TIMESTAMP, polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, parse_type

_WHOLE = r"^[+-]?[0-9]+$"
_REAL = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?$"
_DECIMAL = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_LOOSE_DATE = r"^\s*([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[T ].*)?)?)?\s*$"
_LOOSE_TIME = (
    r"^\s*([0-9]{4}(?:-[0-9]{1,2}(?:-[0-9]{1,2})?)?)"
    r"(?:[T ]([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{1,6})[0-9]*)?)?\s*"
    r"(Z|UTC|GMT|[+-][0-9]{1,2}(?::?[0-9]{2})?)?)?\s*$"
)
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_DIGITS = Context(prec=100)
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
ATOMS = frozenset((*_NUMBERS, "boolean", "string", "binary", "date", "timestamp", "timestamp_ntz"))
"""The types that a text can be read as."""


@dataclass(frozen=True)
class Pattern:
    """One way to write a moment: polars' own pattern, and whether it says a time of day, an
    offset from UTC.
    """

    text: str
    timed: bool
    zoned: bool
    suffix: str = ""


@dataclass(frozen=True)
class Spelling:
    """How values are written: in which zone times are that say none, by which patterns days and
    times (none: as ISO 8601 has it), and the words for what is no number.
    """

    zone: str = "UTC"
    dates: tuple[Pattern, ...] = ()
    times: tuple[Pattern, ...] = ()
    nan: str = "NaN"
    positive: str = "Inf"
    negative: str = "-Inf"


def read_text(
    text: pl.Series, ddl: str, *, zone: str = "UTC", spelling: Spelling | None = None
) -> pl.Series:
    """``text`` as values of a type, NULL where one is none.

    :raises Invalid: no text is a value of the type.
    """
    kind = parse_type(ddl)
    how = spelling or Spelling(zone)
    if kind.kind == "string":
        return text
    if kind.kind not in ATOMS:
        raise Invalid(
            f"Column {text.name} cannot be of type {kind.ddl}: a field of text is one value.",
            condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
            sqlstate="0A000",
            hint="Declare it as STRING.",
        )
    if kind.kind.startswith("timestamp"):
        return _times(text, how, naive=kind.kind == "timestamp_ntz")
    return _PARSERS[kind.kind](text, kind, how)


def _fitting(text: pl.Series, pattern: str) -> pl.Series:
    fits = text.str.contains(pattern).fill_null(value=False)
    return text if fits.all() else _only(text, fits)


def _only(values: pl.Series, mask: pl.Series) -> pl.Series:
    nothing = pl.Series(values.name, [None], dtype=values.dtype).new_from_index(0, len(values))
    return values.zip_with(mask, nothing)


def _integers(text: pl.Series, kind: DataType, _: Spelling) -> pl.Series:
    return _fitting(text, _WHOLE).cast(polars_type(kind.ddl), strict=False)


def _floats(text: pl.Series, kind: DataType, how: Spelling) -> pl.Series:
    dtype = polars_type(kind.ddl)
    numbers = text.str.strip_chars()
    plain = _fitting(numbers, _REAL)
    if plain.null_count() != numbers.null_count():
        words = {
            how.nan: float("nan"),
            "NaN": float("nan"),
            how.positive: float("inf"),
            how.negative: float("-inf"),
            "Infinity": float("inf"),
            "+Infinity": float("inf"),
            "-Infinity": float("-inf"),
        }
        special = text.replace_strict(
            list(words), list(words.values()), default=None, return_dtype=dtype
        )
        read = plain.str.strip_chars_end("dDfF").cast(dtype, strict=False)
        return special.zip_with(special.is_not_null(), read)
    return plain.str.strip_chars_end("dDfF").cast(dtype, strict=False)


def _decimals(text: pl.Series, kind: DataType, _: Spelling) -> pl.Series:
    dtype = polars_type(kind.ddl)
    bare = _fitting(text.str.replace_all(",", "", literal=True), _DECIMAL)
    simple = bare.str.contains(rf"^[+-]?[0-9]+(?:\.[0-9]{{0,{kind.scale}}})?$")
    if simple.fill_null(value=True).all():
        return bare.cast(dtype, strict=False)
    values = [None if each is None else rounded(each, kind) for each in bare.to_list()]
    return pl.Series(text.name, values, dtype=dtype)


def rounded(said: str, kind: DataType) -> Decimal | None:
    """A number as a DECIMAL, rounded half up; None if it is none or too large."""
    try:
        value = Decimal(said).quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP, _DIGITS)
    except InvalidOperation:
        return None
    if not value.is_finite() or len(value.as_tuple().digits) > kind.precision:
        return None
    return value


def _booleans(text: pl.Series, _kind: DataType, _: Spelling) -> pl.Series:
    return text.str.to_lowercase().replace_strict(
        ["true", "false"], [True, False], default=None, return_dtype=pl.Boolean
    )


def _binary(text: pl.Series, _kind: DataType, _: Spelling) -> pl.Series:
    return text.cast(pl.Binary)


def _dates(text: pl.Series, _kind: DataType, how: Spelling) -> pl.Series:
    if how.dates:
        return _by_patterns(text, how.dates, None).cast(pl.Date)
    if text.str.contains(times.DATE).fill_null(value=True).all():
        return text.str.to_date("%Y-%m-%d", strict=False)
    return _day(text, _LOOSE_DATE)


def _day(text: pl.Series, pattern: str) -> pl.Series:
    """Days that may lack a month and a day, or leading zeros in them."""
    year, month, day = (text.str.extract(pattern, group) for group in (1, 2, 3))
    frame = pl.DataFrame({"y": year, "m": month.fill_null("1"), "d": day.fill_null("1")})
    padded = pl.concat_str(
        "y", pl.col("m").str.zfill(2), pl.col("d").str.zfill(2), separator="-"
    ).str.to_date("%Y-%m-%d", strict=False)
    return frame.select(padded.alias(text.name)).to_series()


def _times(text: pl.Series, how: Spelling, *, naive: bool) -> pl.Series:
    if how.times:
        return _by_patterns(text, how.times, None if naive else how.zone)
    if text.str.contains(times.NAIVE).fill_null(value=True).all():
        local = times.known_naive(text)
        return local if naive else localized(local, how.zone)
    return _loose_times(text, how, naive=naive)


def _loose_times(text: pl.Series, how: Spelling, *, naive: bool) -> pl.Series:
    groups = [text.str.extract(_LOOSE_TIME, group) for group in range(1, 7)]
    day = _day(groups[0], _LOOSE_DATE)
    hour, minute, second = (part.cast(pl.Int64, strict=False).fill_null(0) for part in groups[1:4])
    fraction = groups[4].str.pad_end(6, "0").cast(pl.Int64, strict=False).fill_null(0)
    legal = (hour < 24) & (minute < 60) & (second < 60)
    clock = (hour * 3600 + minute * 60 + second) * _SECOND + fraction
    local = _only((day.cast(pl.Int64) * _DAY + clock).cast(NAIVE_TIMESTAMP), legal)
    zone = groups[5]
    if naive:
        return _only(local, zone.is_null()).alias(text.name)
    minutes = zone.replace(["Z", "UTC", "GMT"], ["+00"] * 3)
    sign = pl.Series([1], dtype=pl.Int64).new_from_index(0, len(text))
    sign = sign.zip_with(~minutes.str.starts_with("-").fill_null(value=False), -sign)
    hours = minutes.str.extract(r"^[+-]([0-9]{1,2})", 1).cast(pl.Int64)
    rest = minutes.str.extract(r":?([0-9]{2})$", 1).cast(pl.Int64).fill_null(0)
    rest = rest.zip_with(minutes.str.len_chars().fill_null(0) > 3, rest - rest)
    moved = (sign * (hours * 60 + rest)) * 60 * _SECOND
    instant = (local.cast(pl.Int64) - moved).cast(NAIVE_TIMESTAMP).dt.replace_time_zone("UTC")
    return instant.zip_with(zone.is_not_null(), localized(local, how.zone)).alias(text.name)


def localized(local: pl.Series, zone: str) -> pl.Series:
    """Clock times in a zone as instants: the earlier of two, and an hour later where a clock that
    is set forward leaves none.
    """
    if zone.upper() in ("UTC", "GMT", "Z"):
        return local.cast(NAIVE_TIMESTAMP).dt.replace_time_zone("UTC")
    frame = pl.DataFrame({"t": local.cast(NAIVE_TIMESTAMP)})
    at, later = (
        moment.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
        for moment in (pl.col("t"), pl.col("t") + pl.duration(hours=1))
    )
    found = frame.select(pl.coalesce(at, later).dt.convert_time_zone("UTC").cast(UTC_TIMESTAMP))
    return found.to_series().alias(local.name)


def _by_patterns(text: pl.Series, patterns: Sequence[Pattern], zone: str | None) -> pl.Series:
    """Moments by the first pattern that fits; without a ``zone`` as clock times."""
    dtype = NAIVE_TIMESTAMP if zone is None else UTC_TIMESTAMP
    found = pl.Series(text.name, [None], dtype=dtype).new_from_index(0, len(text))
    for pattern in patterns:
        read = _by_pattern(text, pattern, zone)
        found = found.zip_with(found.is_not_null(), read)
        if found.null_count() == text.null_count():
            break
    return found


def _by_pattern(text: pl.Series, pattern: Pattern, zone: str | None) -> pl.Series:
    said = text + pattern.suffix if pattern.suffix else text
    if pattern.zoned:
        instant = said.str.to_datetime(pattern.text, strict=False, time_unit="us", time_zone="UTC")
        return instant if zone else instant.dt.replace_time_zone(None)
    if pattern.timed:
        local = said.str.to_datetime(pattern.text, strict=False, time_unit="us")
    else:
        local = said.str.to_date(pattern.text, strict=False).cast(NAIVE_TIMESTAMP)
    return local if zone is None else localized(local, zone)


_PARSERS = {
    "boolean": _booleans,
    "tinyint": _integers,
    "smallint": _integers,
    "int": _integers,
    "bigint": _integers,
    "float": _floats,
    "double": _floats,
    "decimal": _decimals,
    "binary": _binary,
    "date": _dates,
}
