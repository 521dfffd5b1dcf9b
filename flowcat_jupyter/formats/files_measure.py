"""Asking many columns of text the same questions at once.

Columns of equal length that have the same hypotheses are laid end to end, so that the number of
questions asked does not grow with the number of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl

from flowcat_jupyter.formats import files_values as values

Test = Callable[[pl.Expr], pl.Expr]
_WAITS = {
    "integer": ("digits", "number", "comma_number", "comma_groups", "point_groups", "groups"),
    "date": ("stamp",),
    "naive": ("stamp",),
    "zoned": ("stamp",),
    "comma_groups": ("groups",),
    "point_groups": ("groups",),
}
"""What need not be asked of a column for which the hypothesis holds."""
_GROUPS = frozenset(("comma_groups", "point_groups", "groups"))
_GROUP_LIMIT = 1000
_NUMBERS = {"number": ".", "comma_number": ","}
_EXPONENT = "[eE]"


def _pattern(pattern: str) -> Test:
    return lambda value: value.str.contains(pattern)


def parses(parse: Callable[[pl.Expr], pl.Expr]) -> Test:
    """The test whether ``parse`` gives a value."""
    return lambda value: parse(value).is_not_null() | value.is_null()


PATTERNS = {
    "integer": values.INTEGER,
    "digits": values.DIGITS,
    "number": values.number_pattern("."),
    "comma_number": values.number_pattern(","),
    "comma_groups": values.COMMA_GROUPS,
    "point_groups": values.POINT_GROUPS,
    "groups": values.GROUPS,
    "money": values.MONEY,
    "day": values.DAY,
    "flag": values.FLAG,
}
TESTS: dict[str, Test] = {
    **{test: _pattern(pattern) for test, pattern in PATTERNS.items()},
    "date": parses(values.as_date),
    "naive": parses(values.as_naive),
    "zoned": parses(values.as_zoned),
    "stamp": parses(values.as_instant),
}


def order_test(strptime: str) -> Test:
    """The test for dates written as one of `files_values.ORDERS` says."""
    return parses(lambda value: values.as_ordered(value, strptime))


@dataclass
class Measured:
    """What the values of one column in one block are.

    ``alive``: the hypotheses that hold for them all. ``markers`` counts texts that stand for NULL,
    ``padded`` says that some have white space around them. ``low`` and ``high`` are the range of
    integers, None where some are too large to tell; the other numbers are the most digits that
    count, digits before the mark, and digits after it, in any number.
    """

    alive: set[str] = field(default_factory=set)
    markers: int = 0
    padded: bool = False
    low: int | None = 0
    high: int | None = 0
    digits: int = 0
    whole: int = 0
    scale: int = 0
    exponent: bool = False
    infinite: bool = False


def measure(
    columns: Mapping[str, pl.Series],
    alive: Mapping[str, set[str]],
    tests: Mapping[str, Test],
    nulls: Sequence[str],
) -> dict[str, Measured]:
    """Ask each of ``columns``, all of the same length, which of its hypotheses still hold."""
    found = {name: Measured(set(alive[name])) for name in columns}
    open_ = {name: set(alive[name]) for name in columns}
    while open_:
        groups: dict[frozenset[str], list[str]] = {}
        for name, pending in open_.items():
            groups.setdefault(frozenset(pending), []).append(name)
        asked = [_Group(names, columns, _first(set(key)), tests) for key, names in groups.items()]
        frames = pl.collect_all([group.query(nulls) for group in asked])
        for group, frame in zip(asked, frames, strict=True):
            group.enter(frame, found, open_)
        open_ = {name: pending for name, pending in open_.items() if pending}
    return found


def _first(pending: set[str]) -> set[str]:
    """The hypotheses that no other one may spare us."""
    spared = {other for test in pending for other in _WAITS.get(test, ())}
    return pending - spared


class _Group:
    """Columns of which the same is asked."""

    def __init__(
        self,
        names: list[str],
        columns: Mapping[str, pl.Series],
        now: set[str],
        tests: Mapping[str, Test],
    ) -> None:
        self._names = names
        self._now = sorted(now)
        self._tests = tests
        self._height = len(columns[names[0]])
        parts = [columns[name].alias("value") for name in names]
        self._series = pl.concat(parts, rechunk=False) if len(parts) > 1 else parts[0]

    def query(self, nulls: Sequence[str]) -> pl.LazyFrame:
        raw = pl.col("value")
        stripped = raw.str.strip_chars()
        marker = stripped.is_in(list(nulls)).fill_null(value=False)
        frame = self._series.to_frame().lazy()
        frame = frame.select(
            raw=raw, marker=marker, value=pl.when(~marker).then(stripped), text=stripped
        )
        value = pl.col("value")
        asked = {test: self._tests[test](value).fill_null(value=True) for test in self._now}
        padded = pl.col("text").str.len_bytes() != pl.col("raw").str.len_bytes()
        return frame.select(
            pl.col("marker"), padded=padded.fill_null(value=False), **asked, **self._sizes(value)
        )

    def _sizes(self, value: pl.Expr) -> dict[str, pl.Expr]:
        sizes: dict[str, pl.Expr] = {}
        if "integer" in self._now:
            whole = value.cast(pl.Int64, strict=False)
            sizes["integers"] = whole
            sizes["too_large"] = (whole.is_null() & value.is_not_null()).fill_null(value=False)
        for test in self._now:
            if test in _NUMBERS:
                sizes |= _number_sizes(test, value)
        return sizes

    def enter(
        self, frame: pl.DataFrame, found: dict[str, Measured], open_: dict[str, set[str]]
    ) -> None:
        shape = (len(self._names), self._height)
        counts = _matrix(frame["marker"], shape).sum(axis=1)
        padded = _any(frame["padded"], shape)
        holds = {test: ~_any(~frame[test], shape) for test in self._now}
        for at, name in enumerate(self._names):
            column = found[name]
            column.markers = int(counts[at])
            column.padded = bool(padded[at])
            for test in self._now:
                self._settle(test, bool(holds[test][at]), column, open_[name])
        self._enter_integers(frame, shape, found, open_)
        for test in self._now:
            if test in _NUMBERS:
                self._enter_numbers(test, frame, shape, found)

    @staticmethod
    def _settle(test: str, holds: bool, column: Measured, pending: set[str]) -> None:
        pending.discard(test)
        if holds:
            spared = set(_WAITS.get(test, ()))
            pending -= spared
        else:
            column.alive.discard(test)

    def _enter_integers(
        self,
        frame: pl.DataFrame,
        shape: tuple[int, int],
        found: dict[str, Measured],
        open_: dict[str, set[str]],
    ) -> None:
        if "integer" not in self._now:
            return
        integers = frame["integers"].fill_null(0).to_numpy().reshape(shape)
        low, high = integers.min(axis=1), integers.max(axis=1)
        large = _any(frame["too_large"], shape)
        for at, name in enumerate(self._names):
            column = found[name]
            if "integer" not in column.alive:
                continue
            least, most = min(int(low[at]), 0), max(int(high[at]), 0)
            if large[at] or max(-least, most) >= _GROUP_LIMIT:
                column.alive -= _GROUPS
            column.low = None if large[at] else least
            column.high = None if large[at] else most

    def _enter_numbers(
        self, test: str, frame: pl.DataFrame, shape: tuple[int, int], found: dict[str, Measured]
    ) -> None:
        sizes = {
            part: frame[f"{test}_{part}"].fill_null(0).to_numpy().reshape(shape).max(axis=1)
            for part in ("digits", "whole", "scale", "exponent")
        }
        for at, name in enumerate(self._names):
            column = found[name]
            if test not in column.alive:
                continue
            column.exponent |= bool(sizes["exponent"][at])
            if column.exponent:
                start = at * self._height
                _exact_sizes(column, self._series[start : start + self._height], _NUMBERS[test])
                continue
            column.digits = max(column.digits, int(sizes["digits"][at]))
            column.whole = max(column.whole, int(sizes["whole"][at]))
            column.scale = max(column.scale, int(sizes["scale"][at]))


def _matrix(flags: pl.Series, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    return flags.to_numpy().reshape(shape)


def _any(flags: pl.Series, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """For every column, whether any of its flags is set."""
    return np.asarray(_matrix(flags, shape).any(axis=1))


def _number_sizes(test: str, value: pl.Expr) -> dict[str, pl.Expr]:
    mark = _NUMBERS[test]
    at = value.str.find(mark, literal=True).cast(pl.Int64)
    size = value.str.len_bytes().cast(pl.Int64)
    whole = pl.coalesce(at, size) - value.str.starts_with("-").cast(pl.Int64)
    counted = value.str.strip_chars_start(f"-0{mark}")
    digits = counted.str.len_bytes() - counted.str.contains(mark, literal=True).cast(pl.UInt32)
    return {
        f"{test}_digits": digits,
        f"{test}_whole": whole,
        f"{test}_scale": size - at - 1,
        f"{test}_exponent": value.str.contains(_EXPONENT),
    }


def _exact_sizes(column: Measured, text: pl.Series, mark: str) -> None:
    """The digits of numbers some of which have an exponent, and whether one is infinite."""
    number = text.str.strip_chars()
    mantissa = number.str.replace(f"{_EXPONENT}.*$", "").str.strip_chars_start(f"-0{mark}")
    digits = mantissa.str.count_matches("[0-9]").max()
    column.digits = max(column.digits, cast(int, digits or 0))
    parsed = number.str.replace(mark, ".", literal=True).cast(pl.Float64, strict=False)
    column.infinite |= bool(parsed.is_infinite().any())
