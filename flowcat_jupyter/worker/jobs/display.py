"""Columns for a grid: what a browser cannot hold exactly is text, as `texts` shows it.

Real numbers stay what they are. A text beyond `texts.MOST_SHOWN` characters is cut there and ends
with an ellipsis.
"""

from __future__ import annotations

import polars as pl

from flowcat_jupyter.worker.jobs.cells import beyond_safe
from flowcat_jupyter.worker.jobs.texts import MOST_SHOWN, shown

_TIMES = (pl.Datetime, pl.Date, pl.Time, pl.Duration)


def display_frame(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    """The frame with no column that a browser could not hold exactly, and none of long texts.

    Instants are the clock of ``zone``.
    """
    return pl.DataFrame([clipped(_display(series, zone)) for series in frame.get_columns()])


def clipped(series: pl.Series) -> pl.Series:
    """A column of text without what is beyond `MOST_SHOWN` characters; others as they are."""
    if not isinstance(series.dtype, pl.String) or not (series.str.len_bytes() > MOST_SHOWN).any():
        return series
    text = pl.col(series.name)
    cut = pl.when(text.str.len_chars() > MOST_SHOWN).then(text.str.head(MOST_SHOWN) + "…")
    return series.to_frame().select(cut.otherwise(text)).to_series()


def _display(series: pl.Series, zone: str) -> pl.Series:
    dtype = series.dtype
    if isinstance(dtype, (pl.Int64, pl.UInt64)):
        return series.cast(pl.String) if beyond_safe(series) else series.cast(pl.Int64)
    if isinstance(dtype, pl.Binary):
        return _shown(series.bin.head(MOST_SHOWN), zone)
    if dtype.is_nested() or isinstance(dtype, (pl.Object, *_TIMES)):
        return _shown(_short(series), zone)
    if dtype.is_float() or dtype.is_integer() or isinstance(dtype, (pl.Boolean, pl.String)):
        wide = isinstance(dtype, (pl.Int128, pl.UInt128))
        return series.cast(pl.String) if wide else series
    return series.cast(pl.String)


def _shown(series: pl.Series, zone: str) -> pl.Series:
    text = shown("value", series.dtype, zone)
    return series.alias("value").to_frame().select(text).to_series().alias(series.name)


def _short(series: pl.Series) -> pl.Series:
    """Lists without the items that could not be shown: each takes at least two characters."""
    return series.list.head(MOST_SHOWN) if isinstance(series.dtype, pl.List) else series
