"""Asking many columns of text the same questions at once.

Columns of equal length that have the same hypotheses are laid end to end, so that the number of
questions asked does not grow with the number of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
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
_SURELY_FEW = 17


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
    bare: Set[str] = frozenset(),
) -> dict[str, Measured]:
    """Ask each of ``columns``, all of the same length, which of its hypotheses still hold.

    Those in ``bare`` are expected to hold neither markers nor white space, which is quicker to
    find wrong than to provide for.
    """
    found = {name: Measured(set(alive[name])) for name in columns}
    open_ = {name: set(alive[name]) for name in columns}
    first = {name: set(open_[name]) for name in bare & set(columns)}
    _ask(columns, first, tests, None, found)
    # Where anything failed, it may be for a marker or white space.
    for name in bare & set(columns):
        left = found[name].alive
        if left and left == open_[name] - _refuted(found[name]):
            del open_[name]
        else:
            found[name] = Measured(set(alive[name]))
    while open_:
        _ask(columns, open_, tests, nulls, found)
        open_ = {name: pending for name, pending in open_.items() if pending}
    return found


def _refuted(column: Measured) -> frozenset[str]:
    """What can be false of values that another hypothesis holds for."""
    return frozenset() if column.alive & _GROUPS else _GROUPS


def _ask(
    columns: Mapping[str, pl.Series],
    open_: dict[str, set[str]],
    tests: Mapping[str, Test],
    nulls: Sequence[str] | None,
    found: dict[str, Measured],
) -> None:
    """One round of questions: what no other hypothesis that is still open may spare."""
    groups: dict[frozenset[str], list[str]] = {}
    for name, pending in open_.items():
        groups.setdefault(frozenset(pending), []).append(name)
    asked = [_Group(names, columns, _first(set(key)), tests) for key, names in groups.items()]
    frames = pl.collect_all([group.query(nulls) for group in asked])
    for group, frame in zip(asked, frames, strict=True):
        group.enter(frame, found, open_)


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

    def query(self, nulls: Sequence[str] | None) -> pl.LazyFrame:
        raw = pl.col("value")
        if nulls is None:
            never = pl.lit(value=False)
            return self._asked(self._series.to_frame().lazy(), never, never)
        stripped = raw.str.strip_chars()
        marker = stripped.is_in(list(nulls)).fill_null(value=False)
        frame = self._series.to_frame().lazy()
        frame = frame.select(
            raw=raw, marker=marker, value=pl.when(~marker).then(stripped), text=stripped
        )
        padded = pl.col("text").str.len_bytes() != pl.col("raw").str.len_bytes()
        return self._asked(frame, pl.col("marker"), padded.fill_null(value=False))

    def _asked(self, frame: pl.LazyFrame, marker: pl.Expr, padded: pl.Expr) -> pl.LazyFrame:
        value = pl.col("value")
        asked = {test: self._tests[test](value).fill_null(value=True) for test in self._now}
        return frame.select(marker=marker, padded=padded, **asked, **self._sizes(value))

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
            part: frame[f"{test}_{part}"].fill_null(0).to_numpy().reshape(shape)
            for part in ("digits", "whole", "scale", "exponent")
        }
        for at, name in enumerate(self._names):
            column = found[name]
            if test not in column.alive:
                continue
            digits, exponent = sizes["digits"][at], sizes["exponent"][at] != 0
            column.exponent |= bool(exponent.any())
            unsure = (digits > _SURELY_FEW) | exponent
            column.digits = max(column.digits, int(digits[~unsure].max(initial=0)))
            if unsure.any():
                start = at * self._height
                rows = self._series[start : start + self._height].filter(pl.Series(unsure))
                column.digits = max(column.digits, _exact_digits(column, rows, _NUMBERS[test]))
            column.whole = max(column.whole, int(sizes["whole"][at].max()))
            column.scale = max(column.scale, int(sizes["scale"][at].max()))


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
    scale = (size - at - 1).fill_null(0)
    # A zero before the mark does not count; whether those after it do matters in few files.
    small = value.str.starts_with("0") | value.str.starts_with("-0")
    exponent = value.str.contains(_EXPONENT)
    return {
        f"{test}_digits": scale + pl.when(small).then(0).otherwise(whole),
        f"{test}_whole": whole,
        f"{test}_scale": scale,
        f"{test}_exponent": exponent,
    }


def _exact_digits(column: Measured, text: pl.Series, mark: str) -> int:
    """The most digits that count in any number; and whether one is infinite."""
    number = text.str.strip_chars()
    mantissa = number.str.replace(f"{_EXPONENT}.*$", "").str.strip_chars_start(f"-0{mark}")
    digits = mantissa.str.count_matches("[0-9]").max()
    parsed = number.str.replace(mark, ".", literal=True).cast(pl.Float64, strict=False)
    column.infinite |= bool(parsed.is_infinite().any())
    return cast(int, digits or 0)
