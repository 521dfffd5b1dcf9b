"""Cells as strict JSON values.

A value that JavaScript could not hold exactly is text: decimals with their scale (``17.00``),
integers beyond 2^53, dates and times in ISO 8601 (timestamps in UTC, ending in ``Z``; those without
a zone without it). A number that is not finite is the text ``NaN``, ``Infinity`` or ``-Infinity``,
bytes are base64 and nested values are arrays and objects.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

SAFE_INTEGER = 2**53
_CHUNK = 10_000
_OLDEST = pl.CompatLevel.oldest()
_PLAIN = (
    pl.Boolean,
    pl.String,
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.UInt8,
    pl.UInt16,
    pl.UInt32,
)
ISO_SECONDS = "%Y-%m-%dT%H:%M:%S%.f"
"""A clock's time in ISO 8601, as polars is told to write it."""


def write_arrow(frame: pl.DataFrame | pl.LazyFrame, path: str | Path) -> None:
    """Write rows as an uncompressed Arrow IPC file that every Arrow reader understands.

    A lazy frame streams. Text is plain Utf8, not the view type that some readers lack.
    """
    frame.lazy().sink_ipc(Path(path), compression="uncompressed", compat_level=_OLDEST)


def write_json_rows(frame: pl.LazyFrame, path: str | Path) -> int:
    """Write rows as a JSON list of lists, a bounded number at a time, and return how many."""
    count = 0
    with Path(path).open("w", encoding="utf-8") as file:
        file.write("[")
        for batch in frame.collect_batches(chunk_size=_CHUNK, maintain_order=True, lazy=True):
            for row in json_rows(batch):
                file.write(",\n" if count else "\n")
                file.write(json_text(row))
                count += 1
        file.write("\n]")
    return count


def json_rows(frame: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The rows of a frame as strict JSON values."""
    columns = [json_values(series) for series in frame.get_columns()]
    return zip(*columns, strict=True) if columns else iter(())


def json_values(series: pl.Series) -> list[Any]:
    """The values of a column as strict JSON values."""
    dtype = series.dtype
    if isinstance(dtype, (pl.Datetime, pl.Date, pl.Time, pl.Duration)):
        return iso_text(series).to_list()
    if isinstance(dtype, _PLAIN) or (isinstance(dtype, pl.Int64) and not beyond_safe(series)):
        return series.to_list()
    return [strict_value(value) for value in python_values(series)]


def python_values(series: pl.Series) -> list[Any]:
    """The values of a column; where Python has not their years, times within them are text."""
    try:
        return series.to_list()
    except (ValueError, OverflowError):
        return (
            series.to_frame().select(_texts_inside(pl.first(), series.dtype)).to_series().to_list()
        )


def _texts_inside(values: pl.Expr, dtype: object) -> pl.Expr:
    if isinstance(dtype, (pl.Datetime, pl.Date)):
        return values.map_batches(iso_text, return_dtype=pl.String, is_elementwise=True)
    if isinstance(dtype, pl.List):
        return values.list.eval(_texts_inside(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Array):
        return values.arr.to_list().list.eval(_texts_inside(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Struct):
        parts = [
            _texts_inside(values.struct.field(part.name), part.dtype).alias(part.name)
            for part in dtype.fields
        ]
        return pl.when(values.is_not_null()).then(pl.struct(parts))
    return values


def beyond_safe(series: pl.Series) -> bool:
    """Whether JavaScript could not hold some whole number of a column exactly."""
    beyond = series > SAFE_INTEGER
    if isinstance(series.dtype, pl.Int64):
        beyond = beyond | (series < -SAFE_INTEGER)
    return bool(beyond.any())


def iso_text(series: pl.Series) -> pl.Series:
    """Dates, times and durations as ISO 8601 text."""
    dtype = series.dtype
    if isinstance(dtype, pl.Duration):
        return series.dt.to_string("iso")
    if isinstance(dtype, pl.Time):
        return series.dt.to_string("%H:%M:%S%.f")
    if not isinstance(dtype, pl.Datetime):
        return series.cast(pl.String)
    if dtype.time_zone is None:
        return series.dt.to_string(ISO_SECONDS)
    return series.dt.convert_time_zone("UTC").dt.to_string(ISO_SECONDS + "Z")


def strict_value(value: Any) -> Any:
    """A Python value as polars gives it, as a strict JSON value."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, dict):
        return {str(key): strict_value(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [strict_value(item) for item in value]
    return _text_of(value)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _text_of(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(pl.Series([value]).dt.to_string("iso")[0])
    return str(value)


def json_text(strict: Any) -> str:
    """A strict JSON value as text, without superfluous space."""
    return json.dumps(strict, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
