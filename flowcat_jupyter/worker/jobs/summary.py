"""What a column holds: counts, range, quantiles, a histogram, the most frequent values."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, cast

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.wire_rows import Bin, SummaryInfo, SummaryJob, TopValue
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.bins import number_edges, time_edges, time_step
from flowcat_jupyter.worker.jobs.filters import Field
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.texts import (
    MOST_SHOWN,
    real_text,
    shown,
    shown_value,
    shown_values,
)
from flowcat_jupyter.worker.jobs.views import open_view

EXACT_ROWS = 20_000_000
MOST_TOP = 20
QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
_MOST_DIGITS = 38
_DIGITS = Context(prec=60)


def run_summary(job: SummaryJob, context: JobContext) -> SummaryInfo:
    """What a column holds.

    Of more than `EXACT_ROWS` rows nothing is told that needs all values at once, and the number
    of distinct values is an estimate.

    :raises NotFound: there is no such column.
    """
    view = open_view(job, context)
    field = view.field(job.column)
    column = exactly(field.name).alias("v")
    with reading():
        rows = view.count()
        if field.dtype.is_nested() or isinstance(field.dtype, pl.Binary):
            # Those are told apart by how they are shown.
            column = shown(field.name, field.dtype, job.time_zone).alias("v")
        frame = view.filtered().select(column)
        if rows > EXACT_ROWS:
            return _rough(frame, field, rows, job.time_zone)
        return _exact(frame.collect()["v"], field, job.time_zone)


def _rough(frame: pl.LazyFrame, field: Field, rows: int, zone: str) -> SummaryInfo:
    """From one pass over the rows in bounded memory."""
    column = pl.col("v")
    told = frame.select(
        nulls=column.null_count(),
        distinct=column.approx_n_unique(),
        low=column.min(),
        high=column.max(),
    ).collect()
    nulls, distinct, low, high = told.row(0)
    return SummaryInfo(
        name=field.heading,
        type=field.spark,
        rows=rows,
        nulls=nulls,
        distinct=distinct - bool(nulls),
        distinct_exact=False,
        min=_clip(shown_value(low, told["low"].dtype, zone)),
        max=_clip(shown_value(high, told["high"].dtype, zone)),
    )


def _exact(values: pl.Series, field: Field, zone: str) -> SummaryInfo:
    present, nulls = values.drop_nulls(), values.null_count()
    numbers = present.drop_nans() if values.dtype.is_float() else present
    ordered = numbers.sort()
    counts = values.alias("v").to_frame().group_by("v").len("n")
    ends = ordered.gather([0, ordered.len() - 1]) if ordered.len() else ordered
    low, high = shown_values(ends, zone) if ordered.len() else (None, None)
    text = isinstance(field.dtype, pl.String)
    measured = _Measured.of(ordered, field.dtype, zone)
    return SummaryInfo(
        name=field.heading,
        type=field.spark,
        rows=values.len(),
        nulls=nulls,
        nans=present.len() - numbers.len(),
        empty=int((present == "").sum()) if text else 0,
        distinct=counts.height - bool(nulls),
        min=_clip(low),
        max=_clip(high),
        mean=measured.mean,
        std=measured.std,
        quantiles=measured.quantiles,
        histogram=measured.histogram,
        top=_top(counts, zone),
        true_count=int(present.sum()) if isinstance(field.dtype, pl.Boolean) else None,
    )


def _top(counts: pl.DataFrame, zone: str) -> tuple[TopValue, ...]:
    # Lazily, so that the many that are rare need not be put in order.
    ranked = counts.lazy().sort("n", "v", descending=[True, False], nulls_last=True)
    top = ranked.head(MOST_TOP).collect()
    texts = shown_values(top["v"], zone)
    return tuple(TopValue(_clip(text), count) for text, count in zip(texts, top["n"], strict=True))


def _clip(text: str | None) -> str | None:
    return text if text is None or len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


@dataclass(frozen=True)
class _Measured:
    """What numbers and times have besides counts."""

    mean: str | None = None
    std: str | None = None
    quantiles: dict[str, str] | None = None
    histogram: tuple[Bin, ...] = ()

    @classmethod
    def of(cls, ordered: pl.Series, dtype: pl.DataType, zone: str) -> _Measured:
        """Measure values that ascend, without NULL and NaN."""
        if not ordered.len():
            return cls()
        if dtype.is_numeric():
            return cls(
                mean=_mean(ordered),
                std=_std(ordered),
                quantiles=_quantiles(ordered, lambda value: _number_text(value, dtype)),
                histogram=_number_bins(ordered, dtype),
            )
        if isinstance(dtype, (pl.Date, pl.Datetime)):
            clock = _clock(ordered, dtype, zone)
            quantiles = _quantiles(ordered.to_physical(), lambda value: _moment(value, dtype, zone))
            return cls(quantiles=quantiles, histogram=_time_bins(clock, dtype))
        return cls()


def _mean(ordered: pl.Series) -> str:
    """Exact before it is rounded; a decimal's mean has four more places than its values."""
    count = ordered.len()
    if ordered.dtype.is_integer():
        whole, rest = divmod(total := int(ordered.cast(pl.Int128).sum()), count)
        return real_text(total / count) if rest else f"{whole}.0"
    if isinstance(ordered.dtype, pl.Decimal) and _may_be_summed(ordered):
        scale = ordered.dtype.scale
        exact = Decimal(ordered.cast(pl.Decimal(38, scale)).sum())
        places = Decimal(1).scaleb(-(scale + 4))
        return format(_DIGITS.quantize(_DIGITS.divide(exact, count), places), "f")
    return real_text(cast(float, ordered.cast(pl.Float64).mean()))


def _may_be_summed(ordered: pl.Series) -> bool:
    """Whether the sum surely has no more digits than a decimal may have."""
    largest = max(abs(Decimal(ordered[0])), abs(Decimal(ordered[-1])))
    digits = largest.adjusted() + 1 + cast(pl.Decimal, ordered.dtype).scale
    return digits + len(str(ordered.len())) <= _MOST_DIGITS


def _std(ordered: pl.Series) -> str | None:
    deviation = ordered.cast(pl.Float64).std()
    return None if deviation is None else real_text(cast(float, deviation))


def _quantiles(ordered: pl.Series, text: Callable[[Any], str]) -> dict[str, str]:
    """Between the two nearest values by their distances, exactly."""
    found = {}
    for quantile in QUANTILES:
        place = Fraction(quantile) * (ordered.len() - 1)
        below = math.floor(place)
        low = ordered[below]
        share = place - below
        if share and (high := ordered[below + 1]) != low:
            found[quantile] = text(_between(low, high, share))
        else:
            found[quantile] = text(low)
    return found


def _between(low: Any, high: Any, share: Fraction) -> Any:
    if isinstance(low, float):
        return low * float(1 - share) + high * float(share)
    return Fraction(low) + (Fraction(high) - Fraction(low)) * share


def _number_text(value: Any, dtype: pl.DataType) -> str:
    """Fractions between decimals end after finitely many places, for quantiles are twentieths."""
    if isinstance(dtype, pl.Decimal):
        exact = (
            _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
            if isinstance(value, Fraction)
            else value
        )
        return format(exact, "f")
    if isinstance(value, Fraction):
        return real_text(value.numerator / value.denominator)
    return real_text(value) if isinstance(value, float) else str(value)


def _moment(value: Any, dtype: pl.DataType, zone: str) -> str:
    moment = pl.Series([math.floor(value)]).cast(pl.Int32 if dtype == pl.Date else pl.Int64)
    return str(shown_values(moment.cast(dtype), zone)[0])


def _clock(ordered: pl.Series, dtype: pl.DataType, zone: str) -> pl.Series:
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        # Where a clock is put back, later instants show earlier times.
        return ordered.dt.convert_time_zone(zone).dt.replace_time_zone(None).sort()
    return ordered


def _number_bins(ordered: pl.Series, dtype: pl.DataType) -> tuple[Bin, ...]:
    finite = ordered.filter(ordered.is_finite()) if dtype.is_float() else ordered
    if not finite.len():
        return ()
    low, high = (Decimal(finite[at]) for at in (0, finite.len() - 1))
    edges = number_edges(low, high, whole=dtype.is_integer())
    if dtype.is_float():
        texts = [real_text(float(edge)) for edge in edges]
    else:
        texts = [format(edge, "f") for edge in edges]
    return _counted(finite, edges, texts)


def _time_bins(clock: pl.Series, dtype: pl.DataType) -> tuple[Bin, ...]:
    day = isinstance(dtype, pl.Date)
    if not clock.dt.year().is_between(MINYEAR, MAXYEAR).all():
        # Edges are Python's dates, which go no further.
        return ()
    low, high = (_as_moment(clock[at]) for at in (0, clock.len() - 1))
    every = time_step((high - low).total_seconds(), least_s=86_400 if day else 1)
    edges = time_edges(low, high, every)
    if day:
        return _counted(
            clock, [edge.date() for edge in edges], [edge.date().isoformat() for edge in edges]
        )
    return _counted(clock, edges, [edge.isoformat(" ") for edge in edges])


def _as_moment(value: date | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _counted(ordered: pl.Series, edges: Sequence[Any], texts: Sequence[str]) -> tuple[Bin, ...]:
    places = [bisect_left(_Lazily(ordered), edge) for edge in edges[:-1]]
    return tuple(
        Bin(start, end, after - before)
        for start, end, before, after in zip(
            texts, texts[1:], places, [*places[1:], ordered.len()], strict=False
        )
    )


class _Lazily(Sequence[Any]):
    """A series as a sequence that makes values only of what is looked at."""

    def __init__(self, values: pl.Series) -> None:
        self._values = values

    def __len__(self) -> int:
        return self._values.len()

    def __getitem__(self, at: Any) -> Any:
        return self._values[at]
