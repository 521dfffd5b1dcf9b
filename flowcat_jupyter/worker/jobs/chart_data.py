"""The points of a chart, computed here so that what travels is bounded however many rows there are.

Points have ``x``, ``y``, ``c`` (colour) and, for people, the exact texts ``xt`` and ``yt``; a
histogram's bars reach from ``x`` to ``x2`` and from ``base`` to ``top``. Names of columns are none
of them, so that no name can mean anything to who draws. Times are milliseconds of the session's
clock as if it were UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.worker.jobs.bins import MOST_BINS, Every, number_edges, time_edges, time_step
from flowcat_jupyter.worker.jobs.chart_choice import MOST_BARS, MOST_COLOURS, Kind, kind_of
from flowcat_jupyter.worker.jobs.filters import Field
from flowcat_jupyter.worker.jobs.texts import shown

MOST_POINTS = 5_000
MOST_STEPS = 400
MOST_NUMBER_STEPS = 100
MOST_TEXT = 200
NULL = "NULL"


@dataclass
class Drawing:
    """What is drawn of rows, and what is not."""

    points: list[dict[str, Any]] = field(default_factory=list)
    rows: int = 0
    cut: bool = False
    warnings: list[str] = field(default_factory=list)
    x_note: str | None = None
    x_order: list[str] | None = None
    exact_y: bool = False

    def leave_out(self, warning: str) -> None:
        """Say that something is not drawn."""
        self.cut = True
        self.warnings.append(warning)


@dataclass(frozen=True)
class Axes:
    """The columns of a chart and what is done with them."""

    mark: str
    aggregate: str
    x: Field
    y: Field | None
    colour: Field | None
    zone: str

    @property
    def x_kind(self) -> Kind:
        """What x is drawn as."""
        return kind_of(self.x.dtype) or "category"


def draw(frame: pl.LazyFrame, axes: Axes) -> Drawing:
    """The points of the rows of ``frame``."""
    drawing = Drawing()
    values = frame.select(_columns(axes)).collect()
    drawing.rows = values.height
    values = _drawable(values, axes, drawing)
    values = _few_colours(values, drawing)
    if axes.mark == "histogram":
        points = _histogram(values, axes, drawing)
    elif axes.aggregate == "none":
        points = _thinned(values, axes, drawing)
    else:
        points = _aggregated(values, axes, drawing)
    if axes.x_kind == "category":
        points = _longest_bars(points, drawing)
    drawing.points = _points(points.head(MOST_POINTS), axes, drawing)
    if points.height > MOST_POINTS:
        drawing.leave_out(f"{MOST_POINTS:,} of {points.height:,} points are drawn.")
    return drawing


def _columns(axes: Axes) -> list[pl.Expr]:
    columns = [_x(axes).alias("x")]
    if axes.y is not None:
        columns.append(exactly(axes.y.name).alias("y"))
    if axes.colour is not None:
        columns.append(_label(axes.colour, axes.zone).alias("c"))
    return columns


def _x(axes: Axes) -> pl.Expr:
    """A clock's time for times, a number that JSON has for numbers, a short text for the rest."""
    column, dtype = exactly(axes.x.name), axes.x.dtype
    if isinstance(dtype, pl.Datetime):
        local = column if dtype.time_zone is None else column.dt.convert_time_zone(axes.zone)
        return local.dt.replace_time_zone(None).cast(pl.Datetime("us"))
    if isinstance(dtype, pl.Date):
        return column.cast(pl.Datetime("us"))
    if dtype.is_numeric():
        return column.cast(pl.Float64)
    return _label(axes.x, axes.zone)


def _label(of: Field, zone: str) -> pl.Expr:
    text = shown(of.name, of.dtype, zone)
    short = pl.when(text.str.len_chars() > MOST_TEXT).then(text.str.head(MOST_TEXT) + "…")
    return short.otherwise(text).fill_null(NULL)


def _drawable(values: pl.DataFrame, axes: Axes, drawing: Drawing) -> pl.DataFrame:
    """The rows that have a place on both axes."""
    kept = values
    if axes.x_kind == "number":
        kept = kept.filter(pl.col("x").is_finite())
    elif axes.x_kind == "time":
        kept = kept.filter(pl.col("x").is_not_null())
    if kept.height < values.height:
        count = values.height - kept.height
        drawing.leave_out(f"{many(count, 'row')} without a place on x left out.")
    if axes.y is None or axes.aggregate == "count":
        return kept
    placed = kept.filter(pl.col("y").is_not_null())
    if axes.y.dtype.is_float():
        placed = placed.filter(pl.col("y").is_finite())
    if placed.height < kept.height:
        count = kept.height - placed.height
        drawing.leave_out(f"{many(count, 'row')} whose y is NULL or not finite left out.")
    return placed


def _few_colours(values: pl.DataFrame, drawing: Drawing) -> pl.DataFrame:
    if "c" not in values.columns:
        return values
    ranked = values.group_by("c").len("n").sort("n", "c", descending=[True, False])
    if ranked.height <= MOST_COLOURS:
        return values
    kept = ranked["c"].head(MOST_COLOURS - 1)
    others = ranked.height - kept.len()
    drawing.warnings.append(f"{others:,} rarer values share the colour “other”.")
    label = pl.lit(f"other ({others:,} values)")
    colour = pl.when(pl.col("c").is_in(kept.implode())).then("c").otherwise(label)
    return values.with_columns(colour.alias("c"))


def _groups(values: pl.DataFrame) -> list[str]:
    return [name for name in ("x", "x2", "c") if name in values.columns]


def _aggregated(values: pl.DataFrame, axes: Axes, drawing: Drawing) -> pl.DataFrame:
    stepped = _stepped(values, axes, drawing)
    kept = stepped.group_by(_groups(stepped)).agg(_measure(axes).alias("y"))
    return kept.filter(pl.col("y").is_not_null()).sort(_groups(stepped))


def _measure(axes: Axes) -> pl.Expr:
    if axes.y is None:
        return pl.len()
    y = pl.col("y")
    if axes.aggregate == "count":
        return y.count()
    if axes.aggregate == "sum":
        # Whole numbers must not wrap round.
        return (y.cast(pl.Int128) if axes.y.dtype.is_integer() else y).sum()
    if axes.aggregate in ("min", "max"):
        return y.min() if axes.aggregate == "min" else y.max()
    real = y.cast(pl.Float64)
    return real.mean() if axes.aggregate == "avg" else real.median()


def _stepped(values: pl.DataFrame, axes: Axes, drawing: Drawing) -> pl.DataFrame:
    """Rows with x at readable steps, where each value of its own would be too many."""
    colours = values["c"].n_unique() if "c" in values.columns else 1
    most = max(20, min(MOST_STEPS, MOST_POINTS // max(colours, 1)))
    if axes.x_kind == "category" or values["x"].n_unique() <= most:
        return values
    if axes.x_kind == "time":
        every = _every(values["x"], axes, most)
        drawing.x_note = f"by {every.words}"
        return values.with_columns(pl.col("x").dt.truncate(every.polars))
    edges = _number_edges(values["x"], axes, MOST_NUMBER_STEPS)
    drawing.x_note = "in steps"
    return values.with_columns(edges.gather(_bins(values["x"], edges)).alias("x"))


def _every(x: pl.Series, axes: Axes, most: int) -> Every:
    low, high = cast(datetime, x.min()), cast(datetime, x.max())
    day = isinstance(axes.x.dtype, pl.Date)
    return time_step((high - low).total_seconds(), most=most, least_s=86_400 if day else 1)


def _number_edges(x: pl.Series, axes: Axes, most: int) -> pl.Series:
    low, high = Decimal(cast(float, x.min())), Decimal(cast(float, x.max()))
    edges = number_edges(low, high, whole=axes.x.dtype.is_integer(), most=most)
    return pl.Series([float(edge) for edge in edges])


def _bins(x: pl.Series, edges: pl.Series) -> pl.Series:
    """The number of the bin that each value lies in; the last bin has its end too."""
    places = edges.search_sorted(x, side="right")
    return (places.cast(pl.Int64) - 1).clip(0, edges.len() - 2)


def _histogram(values: pl.DataFrame, axes: Axes, drawing: Drawing) -> pl.DataFrame:
    x = values["x"]
    if x.is_empty():
        return values.with_columns(x2="x", y=pl.lit(0), base=pl.lit(0), top=pl.lit(0))
    if axes.x_kind == "time":
        every = _every(x, axes, MOST_BINS)
        drawing.x_note = f"by {every.words}"
        low, high = cast(datetime, x.min()), cast(datetime, x.max())
        edges = pl.Series(time_edges(low, high, every), dtype=x.dtype)
    else:
        edges = _number_edges(x, axes, MOST_BINS)
    at = _bins(x, edges)
    placed = values.with_columns(x=edges.gather(at), x2=edges.gather(at + 1))
    groups = _groups(placed)
    counts = placed.group_by(groups).agg(y=pl.len().cast(pl.Int64)).sort(groups)
    top = pl.col("y").cum_sum().over("x")
    return counts.with_columns(base=top - pl.col("y"), top=top)


def _thinned(values: pl.DataFrame, axes: Axes, drawing: Drawing) -> pl.DataFrame:
    """Rows as they are; evenly chosen ones, where they would be too many."""
    if axes.x_kind == "category":
        return values
    values = values.sort("x", maintain_order=True)
    if values.height <= MOST_POINTS:
        return values
    every = -(-values.height // MOST_POINTS)
    drawing.leave_out(f"One row in {every:,} of {values.height:,} is drawn.")
    return values.gather_every(every)


def _longest_bars(points: pl.DataFrame, drawing: Drawing) -> pl.DataFrame:
    """The categories with the largest values, which are put in that order."""
    size = pl.col("y").cast(pl.Float64).abs().sum()
    ranked = points.group_by("x").agg(size=size).sort("size", "x", descending=[True, False])
    drawing.x_order = ranked["x"].head(MOST_BARS).to_list()
    if ranked.height <= MOST_BARS:
        return points
    drawing.leave_out(f"The largest {MOST_BARS} of {ranked.height:,} values of x are drawn.")
    return points.filter(pl.col("x").is_in(drawing.x_order))


def _points(points: pl.DataFrame, axes: Axes, drawing: Drawing) -> list[dict[str, Any]]:
    """Points as JSON, with the exact text of what a number on its way to a screen rounds."""
    schema = points.schema
    columns = [pl.col("y").cast(pl.Float64)]
    if axes.x_kind == "time":
        columns += [pl.col(name).dt.epoch("ms") for name in ("x", "x2") if name in schema]
        columns.append(shown("x", schema["x"], axes.zone).alias("xt"))
    if not schema["y"].is_float():
        drawing.exact_y = True
        columns.append(shown("y", schema["y"], axes.zone).alias("yt"))
    return points.with_columns(columns).to_dicts()
