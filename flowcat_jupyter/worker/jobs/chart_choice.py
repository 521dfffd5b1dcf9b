"""What to draw of rows, by their columns' types, where nobody says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire_rows import ChartChoice
from flowcat_jupyter.worker.jobs.filters import Field

Kind = Literal["time", "number", "category"]
MARKS = ("bar", "line", "area", "point", "histogram")
AGGREGATES = ("count", "sum", "avg", "min", "max", "median", "none")
MOST_BARS = 50
MOST_COLOURS = 20
SAMPLE = 50_000
_MOST_COLUMNS = 200
_FEW = 12
_ID = re.compile(
    r"(?:^|[\W_])(?:id|uuid|guid|key|pk|fk|code|num|number|no|nr|zip|phone)$", re.IGNORECASE
)
_CAMEL = re.compile(r"[a-z](?:Id|ID|Key)$")
_CALENDAR = re.compile(
    r"(?:^|[\W_])(?:year|quarter|month|week|day|weekday|dow|hour|minute)$", re.IGNORECASE
)
_CLOCK = re.compile(r"(?:^|[\W_])time$", re.IGNORECASE)
_ADDS_UP = re.compile(
    r"(?:^|[\W_])(?:n|cnt|counts?|totals?|sum|amounts?|qty|quantity|sales|revenue)(?:$|[\W_(])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A column that can be drawn; ``distinct`` of its values were met in a sample of ``rows``."""

    key: str
    field: Field
    kind: Kind
    distinct: int
    rows: int

    @property
    def unique(self) -> bool:
        """Whether no value was met twice."""
        return self.distinct == self.rows

    @property
    def identifies(self) -> bool:
        """Whether values only tell rows apart, which is nothing to see."""
        name = self.field.heading
        if self.kind == "time" or self.calendar:
            return False
        if _ID.search(name) or _CAMEL.search(name):
            return True
        return self.kind == "category" and self.unique and self.rows > MOST_BARS

    @property
    def calendar(self) -> bool:
        """Whether numbers are a part of a date, which is where something is and not how much."""
        return self.kind == "number" and bool(_CALENDAR.search(self.field.heading))

    @property
    def measure(self) -> bool:
        """Whether numbers say how much."""
        return self.kind == "number" and not self.calendar and not self.identifies


def kind_of(dtype: pl.DataType) -> Kind | None:
    """What a column of a type is drawn as; None if it cannot be."""
    if isinstance(dtype, (pl.Date, pl.Datetime)):
        return "time"
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, (pl.String, pl.Boolean, pl.Categorical, pl.Enum)):
        return "category"
    return None


def candidates(
    frame: pl.LazyFrame, fields: Sequence[tuple[str, Field]], wished: Sequence[str | None]
) -> list[Candidate]:
    """The columns that can be drawn, by their keys, looked at in the frame's first rows.

    Of very many only the first are looked at, and those that somebody wishes for.
    """
    drawable = [
        (key, field, kind)
        for at, (key, field) in enumerate(fields)
        if (kind := kind_of(field.dtype)) is not None and (at < _MOST_COLUMNS or key in wished)
    ]
    if not drawable:
        return []
    columns = [exactly(field.name).alias(f"v{at}") for at, (_, field, _) in enumerate(drawable)]
    sample = frame.select(columns).head(SAMPLE)
    met = sample.select(pl.all().drop_nulls().n_unique(), rows=pl.len()).collect().row(0)
    nothing = sample.select(pl.all().null_count()).collect().row(0)
    return [
        Candidate(key, field, kind, met[at], met[-1] - nothing[at])
        for at, (key, field, kind) in enumerate(drawable)
    ]


def choose(wish: ChartChoice, columns: Sequence[Candidate]) -> ChartChoice:
    """What is drawn: the wish, and what it leaves open chosen.

    :raises Invalid: the wish cannot be drawn, or there is nothing to draw.
    """
    _check_words(wish)
    if not columns:
        raise Invalid("None of the columns can be drawn.", hint="Numbers, texts and times can.")
    x = _named(wish.x, columns) or _x(wish, columns)
    if wish.mark == "histogram" or (wish.mark is None and _histogram(wish, x, columns)):
        return _as_histogram(wish, x)
    y = _named(wish.y, columns) or _y(wish, x, columns)
    colour = _named(wish.colour, columns)
    aggregate = wish.aggregate
    if y is None:
        aggregate = "count"
    elif aggregate is None:
        colour, aggregate = _aggregate(wish, x, y, colour)
    _check_numbers(aggregate, y)
    mark = wish.mark or _mark(x, y, aggregate)
    return ChartChoice(mark, x.key, y.key if y else None, colour.key if colour else None, aggregate)


def _check_words(wish: ChartChoice) -> None:
    if wish.mark not in (None, *MARKS) or wish.aggregate not in (None, *AGGREGATES):
        raise Invalid("There is no such chart.", hint=f"Marks are {', '.join(MARKS)}.")


def _check_numbers(aggregate: str | None, y: Candidate | None) -> None:
    if y is not None and y.kind != "number" and aggregate != "count":
        raise Invalid(
            f"{y.field.heading} is {y.field.spark.upper()} and cannot be measured.",
            hint="Choose a column of numbers, or count.",
        )


def _named(key: str | None, columns: Sequence[Candidate]) -> Candidate | None:
    return None if key is None else next(column for column in columns if column.key == key)


def _x(wish: ChartChoice, columns: Sequence[Candidate]) -> Candidate:
    """Time first, then parts of dates, then a few categories, then numbers."""
    others = [c for c in columns if c.key not in (wish.y, wish.colour)] or list(columns)
    times = [c for c in others if c.kind == "time"]
    named = [c for c in others if c.kind == "category" and not c.identifies]
    few = [c for c in named if c.distinct <= MOST_BARS]
    calendar = [c for c in others if c.calendar and c.distinct > 1]
    measures = [c for c in others if c.measure]
    if wish.mark == "histogram":
        ranked = [measures, times, calendar]
    elif wish.mark == "point":
        ranked = [measures, times, calendar, few]
    else:
        ranked = [times, calendar, few, named, measures]
    for group in (*ranked, [c for c in others if c.kind != "number"], others):
        if group:
            return group[0]
    raise AssertionError


def _histogram(wish: ChartChoice, x: Candidate, columns: Sequence[Candidate]) -> bool:
    """Whether there is nothing but one column's own distribution to show."""
    if wish.y is not None or wish.aggregate not in (None, "count") or x.kind != "number":
        return False
    return not any(c.measure for c in columns if c.key not in (x.key, wish.colour))


def _as_histogram(wish: ChartChoice, x: Candidate) -> ChartChoice:
    if x.kind == "category":
        raise Invalid(
            f"A histogram of {x.field.heading} needs numbers or times.", hint="Choose bars."
        )
    return ChartChoice("histogram", x.key, None, wish.colour, "count")


def _y(wish: ChartChoice, x: Candidate, columns: Sequence[Candidate]) -> Candidate | None:
    if wish.aggregate == "count":
        return None
    measures = [c for c in columns if c.measure and c.key not in (x.key, wish.colour)]
    # A time of day is a number too, and less worth a mean than others.
    return min(measures, key=lambda c: bool(_CLOCK.search(c.field.heading)), default=None)


def _aggregate(
    wish: ChartChoice, x: Candidate, y: Candidate, colour: Candidate | None
) -> tuple[Candidate | None, str]:
    scattered = wish.mark == "point" or (wish.mark is None and x.measure and y.measure)
    if x.unique or scattered:
        return colour, "none"
    return colour, "sum" if _ADDS_UP.search(y.field.heading) else "avg"


def _mark(x: Candidate, y: Candidate | None, aggregate: str | None) -> str:
    if x.kind == "category" or (x.calendar and x.distinct <= _FEW):
        return "bar"
    if x.kind == "number" and not x.calendar and aggregate == "none":
        return "point"
    return "line" if y is not None or x.kind == "time" else "bar"


def telling_apart(
    frame: pl.LazyFrame, chosen: ChartChoice, columns: Sequence[Candidate]
) -> ChartChoice:
    """The choice with a colour and without aggregation, if a column of a few categories tells
    apart all rows of the same x.
    """
    x = next(c for c in columns if c.key == chosen.x)
    for column in columns:
        few = column.kind == "category" and 1 < column.distinct <= MOST_COLOURS
        if not few or column.key in (chosen.x, chosen.y):
            continue
        pair = pl.struct(exactly(x.field.name).alias("x"), exactly(column.field.name).alias("c"))
        sample = frame.head(SAMPLE).select(pairs=pair.n_unique(), rows=pl.len()).collect().row(0)
        if sample[0] == sample[1]:
            return replace(chosen, colour=column.key, aggregate="none")
    return chosen
