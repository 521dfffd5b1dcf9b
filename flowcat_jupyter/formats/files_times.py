"""ISO dates and timestamps from text, a column at a time.

These run on whole series, not as expressions: what a column does not hold (offsets, fractions of
a second) is found out once and then costs nothing.
"""

from __future__ import annotations

from typing import cast

import polars as pl

DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_CLOCK = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_TIME}"
NAIVE = _CLOCK + "$"
ZONED = _CLOCK + r"(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])$"
_OFFSET = r"[+-][0-9]{2}:?[0-9]{2}$"
_MICROSECOND = 1_000_000
_MINUTE = 60 * _MICROSECOND
_DAY = 1440 * _MINUTE


def dates(text: pl.Series) -> pl.Series:
    """Days written as `DATE`; NULL where the text is none, or there is no such day."""
    return _masked(text, DATE).str.to_date("%Y-%m-%d", strict=False)


def naive_times(text: pl.Series) -> pl.Series:
    """Timestamps written as `NAIVE`; NULL where the text is none."""
    return known_naive(_masked(text, NAIVE))


def instants(text: pl.Series) -> pl.Series:
    """Timestamps written as `ZONED`, in UTC; NULL where the text is none."""
    return known_instants(_masked(text, ZONED))


def _masked(text: pl.Series, pattern: str) -> pl.Series:
    """Only the texts that have the pattern; the others become NULL."""
    fits = text.str.contains(pattern)
    return text if fits.all() else text.zip_with(fits.fill_null(value=False), _nulls(text))


def _nulls(text: pl.Series) -> pl.Series:
    return pl.Series([None], dtype=text.dtype).extend_constant(None, max(len(text) - 1, 0))[
        : len(text)
    ]


def known_dates(text: pl.Series) -> pl.Series:
    """The days of texts that begin as `DATE` does; NULL where there is no such day."""
    return text.str.head(10).str.to_date("%Y-%m-%d", strict=False)


def known_naive(text: pl.Series) -> pl.Series:
    """Timestamps from texts that all look like `NAIVE`; NULL where there is no such day."""
    shortest, longest = (cast(int, size or 0) for size in _sizes(text))
    if shortest == longest == 26 and (pattern := _one_pattern(text)):
        return text.str.to_datetime(f"{pattern}.%6f", strict=False, time_unit="us")
    seconds = _to_seconds(text, shortest)
    if longest <= 19:
        return seconds
    fraction = text.str.slice(20).str.pad_end(6, "0").cast(pl.Int64, strict=False).fill_null(0)
    return (seconds.cast(pl.Int64) + fraction).cast(pl.Datetime("us"))


def _sizes(text: pl.Series) -> tuple[object, object]:
    sizes = text.str.len_bytes()
    return sizes.min(), sizes.max()


def _one_pattern(text: pl.Series) -> str | None:
    """The one way in which whole seconds are written, for which the library is quick."""
    marks = text.str.slice(10, 1).unique().drop_nulls().to_list()
    return f"%Y-%m-%d{marks[0]}%H:%M:%S" if len(marks) == 1 else None


def _to_seconds(text: pl.Series, shortest: int) -> pl.Series:
    if shortest >= 19 and (pattern := _one_pattern(text)):
        return text.str.head(19).str.to_datetime(pattern, strict=False, time_unit="us")
    clock = (_whole(text, 11, 2) * 60 + _whole(text, 14, 2)) * _MINUTE
    clock += _whole(text, 17, 2).fill_null(0) * _MICROSECOND
    return (known_dates(text).cast(pl.Int64) * _DAY + clock).cast(pl.Datetime("us"))


def _whole(text: pl.Series, at: int, size: int) -> pl.Series:
    return text.str.slice(at, size).cast(pl.Int64, strict=False)


def known_instants(text: pl.Series) -> pl.Series:
    """Instants from texts that all look like `ZONED` or all like `NAIVE`, which is then in UTC;
    NULL where there is no such day.
    """
    bare = text.str.strip_suffix("Z")
    # The day's own hyphens come before.
    offset = bare.str.slice(16).str.extract(f"({_OFFSET})").str.replace(":", "", literal=True)
    if not offset.count():
        return known_naive(bare).dt.replace_time_zone("UTC")
    hundreds = offset.str.strip_prefix("+").cast(pl.Int64)
    minutes = hundreds.abs() // 100 * 60 + hundreds.abs() % 100
    moved = (minutes * hundreds.sign()).fill_null(0) * _MINUTE
    naive = known_naive(bare.str.replace(_OFFSET, ""))
    return (naive.cast(pl.Int64) - moved).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
