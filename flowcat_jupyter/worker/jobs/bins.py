"""Readable bins: edges that people would choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_FLOOR, Context, Decimal

MOST_BINS = 30
_STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
# The largest 64-bit number has 309 digits.
_EXACT = Context(prec=400)
_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 3, 6, 12)
_AVERAGE_MONTH_S = 86_400 * 365.2425 / 12
_FIRST = datetime.fromisoformat("0001-01-01T00:00:00")
_LAST = datetime.fromisoformat("9999-12-31T23:59:59.999999")


def number_edges(
    low: Decimal, high: Decimal, *, whole: bool = False, most: int = MOST_BINS
) -> list[Decimal]:
    """Edges of at most ``most`` bins of one width that hold everything from low to high.

    Every edge is a multiple of the width, which is 1, 2, 2.5 or 5 times a power of ten; bins of
    whole numbers have whole edges.
    """
    width = _width(low, high, most, whole=whole)
    first = _EXACT.multiply(_EXACT.divide(low, width).to_integral_value(ROUND_FLOOR, _EXACT), width)
    edges = [first]
    while len(edges) == 1 or edges[-1] < high:
        edges.append(_EXACT.add(edges[-1], width))
    return [_plain(edge) for edge in edges]


def _width(low: Decimal, high: Decimal, most: int, *, whole: bool) -> Decimal:
    span = _EXACT.subtract(high, low) or Decimal(1)
    power = _EXACT.divide(span, Decimal(most)).adjusted()
    while True:
        for step in _STEPS:
            width = step.scaleb(power)
            if whole and width != width.to_integral_value(context=_EXACT):
                continue
            # One more, because the first edge lies below the least value.
            if _EXACT.divide(span, width) <= most - 1:
                return width
        power += 1


def _plain(value: Decimal) -> Decimal:
    whole = value == value.to_integral_value(context=_EXACT)
    return _EXACT.quantize(value, Decimal(1)) if whole else _EXACT.normalize(value)


@dataclass(frozen=True)
class Every:
    """A distance in time: so many seconds, or so many months."""

    seconds: int = 0
    months: int = 0

    @property
    def polars(self) -> str:
        """The distance as polars spells it."""
        if self.months:
            return f"{self.months}mo"
        for size, mark in ((604_800, "w"), (86_400, "d")):
            if self.seconds % size == 0:
                return f"{self.seconds // size}{mark}"
        return f"{self.seconds}s"

    @property
    def words(self) -> str:
        """The distance as people say it."""
        units: tuple[tuple[int, str], ...] = ((12, "year"), (3, "quarter"), (1, "month"))
        if not self.months:
            units = ((604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute"))
        count = self.months or self.seconds
        for size, name in (*units, (1, "second")):
            if count % size == 0:
                return name if count == size else f"{count // size} {name}s"
        raise AssertionError


def time_step(seconds: float, *, most: int = MOST_BINS, least_s: int = 1) -> Every:
    """The least readable distance, at least ``least_s``, that cuts so many seconds into at most
    ``most`` pieces and the beginning of one more.
    """
    for step in (*_SECONDS, *(days * 86_400 for days in _DAYS)):
        if step >= least_s and seconds / step <= most - 1:
            return Every(seconds=step)
    for months in _months():
        if seconds / (months * _AVERAGE_MONTH_S) <= most - 1.5:
            return Every(months=months)
    raise AssertionError


def _months() -> Iterator[int]:
    yield from _MONTHS
    for power in range(5):
        yield from (12 * factor * 10**power for factor in (2, 5, 10))


def time_edges(low: datetime, high: datetime, every: Every) -> list[datetime]:
    """Edges at multiples of a distance that hold everything from low to high, as far as the
    calendar reaches.
    """
    edges = [_before(low, every)]
    while len(edges) == 1 or edges[-1] < high:
        try:
            edges.append(_after(edges[-1], every))
        except (OverflowError, ValueError):
            edges.append(_LAST)
            break
    return edges


def _before(moment: datetime, every: Every) -> datetime:
    if every.months:
        at = max((moment.year * 12 + moment.month - 1) // every.months * every.months, 12)
        return _FIRST.replace(year=at // 12, month=at % 12 + 1)
    # Whole days since a Monday, so that weeks begin on one.
    since = (moment - _FIRST) // timedelta(seconds=1)
    return _FIRST + timedelta(seconds=since // every.seconds * every.seconds)


def _after(moment: datetime, every: Every) -> datetime:
    if every.months:
        at = moment.year * 12 + moment.month - 1 + every.months
        return moment.replace(year=at // 12, month=at % 12 + 1)
    return moment + timedelta(seconds=every.seconds)
