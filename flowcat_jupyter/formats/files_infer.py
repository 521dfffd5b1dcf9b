"""Proposing a type for every column of text, from all of its values.

A column starts with every hypothesis alive; a value that contradicts one kills it. So one pass
over any number of frames is enough, and a column that is plainly text soon costs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import polars as pl

from flowcat_jupyter.formats import files_times as times
from flowcat_jupyter.formats import files_values as values
from flowcat_jupyter.formats.files_measure import (
    PATTERNS,
    TESTS,
    Measured,
    Test,
    measure,
    order_test,
    parses,
)
from flowcat_jupyter.formats.files_odd import not_called, odd_value
from flowcat_jupyter.formats.files_side import side_by_side
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.shared.types import MAX_PRECISION, parse_type

EXAMPLES = 3
EXAMPLE_LENGTH = 100
INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1
DOUBLE_DIGITS = 17
_LOOKS = {
    test: re.compile(pattern)
    for test, pattern in {
        **PATTERNS,
        "date": times.DATE,
        "naive": times.NAIVE,
        "zoned": times.ZONED,
        "stamp": "|".join((times.DATE, times.NAIVE, times.ZONED)),
        **dict.fromkeys(values.ORDERS, values.DAY),
    }.items()
}
_FIRST_ROWS = 200
_EXAMPLE_FRAMES = 3
TEXT_TIMES = ("date", "naive", "zoned")
"""The hypotheses for text that is already known not to be a number, as in JSON."""


@dataclass
class ColumnProfile:
    """What is known of one column's values so far."""

    alive: set[str]
    count: int = 0
    markers: Counter[str] = field(default_factory=Counter)
    padded: bool = False
    low: int = 0
    high: int = 0
    digits: int = 0
    whole: int = 0
    scale: int = 0
    exponent: bool = False
    overlong: bool = False
    infinite: bool = False
    examples: list[str] = field(default_factory=list)
    odd: tuple[str, str] | None = None
    """The value that made it text, and what it is not."""

    @property
    def values(self) -> int:
        """How many values are neither NULL nor a marker for it."""
        return self.count - self.markers.total()

    @property
    def clean(self) -> bool:
        """Whether every value is written in the plainest way."""
        return not self.padded and not self.markers

    def learn(self, found: Measured) -> None:
        """Take what was measured of one more block into account."""
        self.alive = found.alive
        self.padded |= found.padded
        self.low, self.high = min(self.low, found.low or 0), max(self.high, found.high or 0)
        self.digits = max(self.digits, found.digits)
        self.whole = max(self.whole, found.whole)
        self.scale = max(self.scale, found.scale)
        self.exponent |= found.exponent
        self.infinite |= found.infinite


@dataclass(frozen=True)
class Decision:
    """A type and why.

    ``clean``: the values are known to be of the type, written in the plainest way.
    ``strptime``: how the column's dates are written, where that was proved.
    """

    ddl: str
    reason: str
    clean: bool = False
    strptime: str | None = None


class Profile:
    """Profiles of all columns of a sequence of frames of text."""

    def __init__(
        self,
        names: Sequence[str],
        convention: Convention,
        hypotheses: Sequence[str] | None = None,
    ) -> None:
        """Profile the columns ``names``, under ``hypotheses`` (None: all of them)."""
        self._convention = convention
        self._tests: dict[str, Test] = dict(TESTS)
        self._tests |= {order: order_test(text) for order, text in values.ORDERS.items()}
        if strptime := convention.strptime:
            clock = convention.format_has_clock
            self._tests["format"] = parses(
                lambda value: values.by_format(value, strptime, clock=clock)
            )
        kept = set(self._tests if hypotheses is None else hypotheses) & set(self._tests)
        kept |= {"format"} & set(self._tests)
        self.columns = {name: ColumnProfile(set(kept)) for name in names}
        self._frames = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Take the values of one more frame into account."""
        nulls = frame.null_count().row(0, named=True)
        self._frames += 1
        self._look(frame)
        asked: dict[str, pl.Series] = {}
        for name, column in self.columns.items():
            count = frame.height - nulls[name]
            column.count += count
            if count and column.alive:
                asked[name] = frame[name]
        if not asked:
            return
        work = partial(self._measured, asked)
        for name, measured in side_by_side(work, list(asked), frame.height).items():
            column, before = self.columns[name], self.columns[name].alive
            column.learn(measured)
            if not column.alive:
                made_null = self._convention.nulls
                column.odd = odd_value(frame[name], before, self._tests, made_null)
            if measured.markers and column.alive:
                self._count_markers(column, frame[name])
            if measured.low is None and "integer" in column.alive:
                _measure_large(column, frame[name])

    def _measured(
        self, asked: Mapping[str, pl.Series], names: Sequence[str]
    ) -> dict[str, Measured]:
        columns = {name: asked[name] for name in names}
        alive = {name: self.columns[name].alive for name in names}
        bare: set[str] = set()
        if self._convention.null_values is None and self._frames > 1:
            bare = {name for name in names if self.columns[name].clean}
        return measure(columns, alive, self._tests, self._convention.nulls, bare)

    def _look(self, frame: pl.DataFrame) -> None:
        """Rule out what the first rows do, at a fraction of what asking polars costs."""
        if self._frames > _EXAMPLE_FRAMES:
            return
        for series in frame.head(_FIRST_ROWS).get_columns():
            column = self.columns.get(series.name)
            if column is None or len(column.examples) >= EXAMPLES:
                continue
            for text in dict.fromkeys(series.drop_nulls().to_list()):
                value = text.strip()
                if value in self._convention.nulls or not value:
                    continue
                before, column.alive = column.alive, _narrowed(column.alive, value)
                # With no value before it nothing was expected: the first one is never odd.
                if column.examples and not column.alive and (called := not_called(before)):
                    column.odd = value, called
                _take_example(column, text)
                if len(column.examples) >= EXAMPLES:
                    break

    def _count_markers(self, column: ColumnProfile, series: pl.Series) -> None:
        stripped = series.str.strip_chars()
        counted = stripped.filter(stripped.is_in(self._convention.nulls)).value_counts()
        column.markers.update({str(value): int(count) for value, count in counted.iter_rows()})

    def decimal_mark(self, delimiter: str | None) -> str:
        """The decimal mark of the file: a comma where some column can only be read that way, and
        none that has a point where no thousands separator can be.
        """
        columns = [column for column in self.columns.values() if column.values]
        points = any(
            "number" in column.alive and not column.alive & {"integer", "point_groups"}
            for column in columns
        )
        commas = any(
            "comma_number" in column.alive and not column.alive & {"number", "comma_groups"}
            for column in columns
        )
        return "," if commas and not points and delimiter != "," else "."

    def day_order(self, name: str) -> str | None:
        """How the column's dates are written, where its values prove it or the convention says
        so: one of `files_values.ORDERS`.
        """
        alive = self.columns[name].alive & set(values.ORDERS)
        if len(alive) == 1:
            return alive.pop()
        wanted = [order for order in alive if order[:3] == self._convention.date_order]
        return wanted[0] if len(wanted) == 1 else None

    def decide(self, name: str, convention: Convention) -> Decision:
        """The type proposed for a column, its values written by ``convention``."""
        column = self.columns[name]
        if not column.values:
            told = f"only {_listed(column.markers)}" if column.markers else "no values"
            return Decision("string", f"{told}; text until a type is given")
        found = _typed(column, convention) or self._ordered(name)
        if found is None:
            return Decision("string", _text_reason(column))
        return self.with_markers(name, found)

    def _ordered(self, name: str) -> Decision | None:
        order = self.day_order(name)
        if order is None:
            return None
        words = "the day first" if order.startswith("dmy") else "the month first"
        both = len(self.columns[name].alive & set(values.ORDERS)) > 1
        told = "as date_order says" if both else "a number above 12 proves it"
        reason = f"dates with {words}: {told}"
        return Decision("date", reason, strptime=values.ORDERS[order])

    def with_markers(self, name: str, found: Decision) -> Decision:
        """The decision, saying which texts of the column it makes NULL."""
        markers = self.columns[name].markers
        if not markers or found.ddl == "string":
            return found
        reason = f"{found.reason}; {_listed(markers)} read as NULL"
        return Decision(found.ddl, reason, strptime=found.strptime)

    def supports(self, name: str, ddl: str, convention: Convention) -> bool:
        """Whether all values seen are known to be of the type ``ddl``."""
        column = self.columns[name]
        kind = parse_type(ddl)
        if kind.kind in ("string", "binary") or not column.values:
            return True
        if kind.is_integer:
            return _fits_integer(column, kind.kind)
        found = _typed(column, convention)
        inferred = "" if found is None else parse_type(found.ddl).kind
        if kind.kind == "decimal":
            return _fits_decimal(column, kind.precision - kind.scale, kind.scale, inferred)
        if kind.kind == "double":
            return inferred in ("int", "bigint", "decimal", "double") and not column.infinite
        return inferred == kind.kind or (kind.kind == "date" and bool(self.day_order(name)))


_INTEGER_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


def _fits_integer(column: ColumnProfile, kind: str) -> bool:
    limit = 2 ** _INTEGER_BITS[kind]
    fits = -limit <= column.low and column.high < limit
    return "integer" in column.alive and not column.overlong and fits


def _fits_decimal(column: ColumnProfile, whole: int, scale: int, inferred: str) -> bool:
    if "integer" in column.alive:
        return not column.overlong and max(column.high, -column.low) < 10**whole
    numbers = inferred in ("double", "decimal") and not column.exponent
    return numbers and column.whole <= whole and column.scale <= scale


def _narrowed(alive: set[str], value: str) -> set[str]:
    return {test for test in alive if _may_be(test, value)}


def _may_be(test: str, value: str) -> bool:
    return test not in _LOOKS or bool(_LOOKS[test].search(value))


def _measure_large(column: ColumnProfile, series: pl.Series) -> None:
    """The range of integers some of which are beyond 64 bits."""
    number = series.str.strip_chars()
    number = number.filter(number.str.contains(values.INTEGER)).cast(pl.Int128, strict=False)
    column.overlong |= bool(number.null_count())
    column.low = min(column.low, cast(int, number.min() or 0))
    column.high = max(column.high, cast(int, number.max() or 0))


def _typed(column: ColumnProfile, convention: Convention) -> Decision | None:
    alive = column.alive
    if "format" in alive:
        ddl = "timestamp" if convention.format_has_clock else "date"
        return Decision(ddl, f"all written as {convention.date_format}")
    if "integer" in alive:
        return _integer(column)
    if ("number" if convention.decimal == "." else "comma_number") in alive:
        return _number(column, convention)
    for test, (ddl, reason) in _TIMES.items():
        if test in alive:
            return Decision(ddl, reason, column.clean)
    return None


_TIMES = {
    "flag": ("boolean", "only true and false"),
    "date": ("date", "ISO dates"),
    "zoned": ("timestamp", "ISO timestamps with a zone"),
    "naive": ("timestamp", "ISO timestamps without a zone, read as UTC"),
}


def _integer(column: ColumnProfile) -> Decision | None:
    if column.overlong:
        return None
    size = max(column.high, -column.low - 1)
    if size <= INT_MAX:
        return Decision("int", "integers", column.clean)
    if size <= BIGINT_MAX:
        return Decision("bigint", "integers beyond 32 bits", column.clean)
    digits = len(str(max(column.high, -column.low)))
    if digits > MAX_PRECISION:
        return None
    return Decision(f"decimal({max(20, digits)},0)", "integers beyond 64 bits")


def _number(column: ColumnProfile, convention: Convention) -> Decision | None:
    """A double where none of its numbers has more digits than a double keeps."""
    if column.infinite:
        return None
    mark = " with a decimal comma" if convention.decimal == "," else ""
    whole = max(column.whole, len(str(max(column.high, -column.low))))
    # Integers that came before the first fraction were measured as such.
    if max(column.digits, whole) <= DOUBLE_DIGITS:
        return Decision("double", f"numbers{mark}", column.clean)
    if column.exponent or whole + column.scale > MAX_PRECISION:
        return None
    ddl = f"decimal({whole + column.scale},{column.scale})"
    return Decision(ddl, f"numbers{mark} of {column.digits} digits, more than a double keeps")


def _text_reason(column: ColumnProfile) -> str:
    if column.alive & {"number", "comma_number"} and column.digits > DOUBLE_DIGITS:
        return f"numbers of {column.digits} digits, which no number type keeps; kept as text"
    for test, reason in _TEXT_REASONS.items():
        if test in column.alive:
            return reason
    if column.odd:
        value, called = column.odd
        return f"text: `{value[:EXAMPLE_LENGTH]}` is not {called}"
    return "text"


_TEXT_REASONS = {
    "integer": "integers of more than 38 digits, kept as text",
    "digits": "digits with leading zeros or signs, kept as text",
    "number": "numbers whose reading depends on the decimal mark or too large, kept as text",
    "comma_groups": "numbers with thousands separators, kept as text",
    "comma_number": "numbers whose comma may be a decimal mark, kept as text",
    "groups": "numbers with thousands separators, kept as text",
    "money": "amounts with a currency or percent sign, kept as text",
    "day": "dates whose order of day and month is not certain, kept as text; set date_order or "
    "date_format",
    "stamp": "dates and timestamps with and without a zone, kept as text",
}


def _listed(markers: Counter[str]) -> str:
    names = [(f"`{marker}`" if marker else "empty", n) for marker, n in markers.most_common(3)]
    return ", ".join(f"{n:,} {name}" for name, n in names)


def _take_example(column: ColumnProfile, text: str) -> None:
    shown = text[:EXAMPLE_LENGTH]
    if shown not in column.examples and len(column.examples) < EXAMPLES:
        column.examples.append(shown)
