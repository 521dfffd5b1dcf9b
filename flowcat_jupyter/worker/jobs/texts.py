"""Values as the grid shows them: one text for each value.

Instants are the clock of the session's zone (``2013-01-01 05:00:00``), real numbers never look
like whole ones (``1.0``), decimals keep their scale, bytes are hexadecimal, nested values JSON.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.worker.jobs.cells import json_text, python_values, strict_value

MOST_SHOWN = 2_000
"""So many characters of a text are shown where there is not room for all."""
CLOCK = "%Y-%m-%d %H:%M:%S%.f"
_SPACED = (pl.List, pl.Struct, pl.Array, pl.Object)
# From here on JavaScript writes a number with an exponent.
_LONG, _SHORT = 1e21, 1e-6


def shown(name: str, dtype: pl.DataType, zone: str) -> pl.Expr:
    """The column ``name`` of type ``dtype`` as text; NULL stays NULL."""
    column = exactly(name)
    if isinstance(dtype, pl.Datetime):
        return _clock(column, dtype, zone)
    if dtype.is_float():
        return column.map_batches(_floats, return_dtype=pl.String, is_elementwise=True)
    if isinstance(dtype, pl.Binary):
        return pl.lit("0x") + column.bin.encode("hex")
    if isinstance(dtype, _SPACED):
        return column.map_batches(nested_texts, return_dtype=pl.String, is_elementwise=True)
    if isinstance(dtype, pl.Duration):
        return column.dt.to_string("iso")
    if isinstance(dtype, pl.Time):
        return _trimmed(column.dt.to_string("%H:%M:%S%.f"))
    return column if isinstance(dtype, pl.String) else column.cast(pl.String)


def shown_values(values: pl.Series, zone: str) -> list[str | None]:
    """Every value of a series as `shown` shows it."""
    frame = values.alias("v").to_frame()
    return frame.select(shown("v", values.dtype, zone)).to_series().to_list()


def shown_value(value: Any, dtype: pl.DataType, zone: str) -> str | None:
    """One value of a type as `shown` shows it."""
    return shown_values(pl.Series([value], dtype=dtype), zone)[0]


def nested_texts(values: pl.Series) -> pl.Series:
    """Nested values as JSON."""
    texts = (
        None if value is None else json_text(strict_value(value)) for value in python_values(values)
    )
    return pl.Series(values.name, list(texts), dtype=pl.String)


def real_text(value: float) -> str:
    """A real number in the fewest digits that give it back."""
    return _spelled(str(pl.Series([value], dtype=pl.Float64).cast(pl.String)[0]))


def _spelled(text: str) -> str:
    """polars' spelling of a number as browsers spell it."""
    if text in ("inf", "-inf"):
        return "Infinity" if text == "inf" else "-Infinity"
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    if not _SHORT <= abs(float(text)) < _LONG:
        return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"
    plain = format(Decimal(text), "f")
    return plain if "." in plain else f"{plain}.0"


def _clock(column: pl.Expr, dtype: pl.Datetime, zone: str) -> pl.Expr:
    local = column if dtype.time_zone is None else column.dt.convert_time_zone(zone)
    return _trimmed(local.dt.to_string(CLOCK))


def _trimmed(text: pl.Expr) -> pl.Expr:
    """Without the zeros that a fraction of a second ends with."""
    return text.str.replace(r"(\.\d*[1-9])0+$", "$1")


def _floats(values: pl.Series) -> pl.Series:
    texts = values.cast(pl.String)
    odd = texts.str.contains("e|inf").fill_null(False)
    if not odd.any():
        return texts
    return texts.scatter(odd.arg_true(), [_spelled(text) for text in texts.filter(odd).to_list()])
