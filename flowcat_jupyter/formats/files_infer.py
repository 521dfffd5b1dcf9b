"""Proposing a type for every column of text, from all of its values.

A column starts with every hypothesis alive; a value that contradicts one kills it. So one pass
over any number of frames is enough, and a column that is plainly text soon costs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from flowcat_jupyter.formats import files_values as values
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.types import exactly

EXAMPLES = 3
EXAMPLE_LENGTH = 100
INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1
DOUBLE_DIGITS = 17

_Test = Callable[[pl.Expr], pl.Expr]


def _pattern(pattern: str) -> _Test:
    return lambda value: value.str.contains(pattern)


def _read(value: pl.Expr, parsed: pl.Expr) -> pl.Expr:
    return parsed.is_not_null() | value.is_null()


_PATTERNS = {
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
_TESTS: dict[str, _Test] = {
    **{test: _pattern(pattern) for test, pattern in _PATTERNS.items()},
    "date": lambda value: _read(value, values.as_date(value)),
    "naive": lambda value: _read(value, values.as_naive(value)),
    "zoned": lambda value: _read(value, values.as_zoned(value)),
    "stamp": lambda value: _read(value, values.as_instant(value)),
}
_LOOKS = {
    test: re.compile(pattern)
    for test, pattern in {
        **_PATTERNS,
        "date": values.DATE,
        "naive": values.NAIVE,
        "zoned": values.ZONED,
        "stamp": "|".join((values.DATE, values.NAIVE, values.ZONED)),
    }.items()
}
_FIRST_LOOK = 5
TEXT_TIMES = ("date", "naive", "zoned")
"""The hypotheses for text that is already known not to be a number, as in JSON."""


@dataclass
class ColumnProfile:
    """What is known of one column's values so far."""

    alive: set[str]
    count: int = 0
    markers: Counter[str] = field(default_factory=Counter)
    low: int = 0
    high: int = 0
    digits: int = 0
    overlong: bool = False
    infinite: bool = False
    examples: list[str] = field(default_factory=list)

    @property
    def values(self) -> int:
        """How many values are neither NULL nor a marker for it."""
        return self.count - self.markers.total()


@dataclass(frozen=True)
class Decision:
    """A type and why."""

    ddl: str
    reason: str


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
        self._tests = dict(_TESTS)
        if strptime := convention.strptime:
            clock = convention.format_has_clock
            self._tests["format"] = lambda value: _read(
                value, values.by_format(value, strptime, clock=clock)
            )
        kept = set(self._tests if hypotheses is None else hypotheses) & set(self._tests)
        kept |= {"format"} & set(self._tests)
        self.columns = {name: ColumnProfile(set(kept)) for name in names}

    def add(self, frame: pl.DataFrame) -> None:
        """Take the values of one more frame into account."""
        counts = frame.lazy().select(exactly(name).count() for name in self.columns)
        # Every hypothesis is about single values, so each distinct one is looked at once.
        distinct = frame.lazy().select(
            exactly(name).unique().implode()
            for name, column in self.columns.items()
            if column.alive
        )
        counted, found = pl.collect_all([counts, distinct])
        for name, column in self.columns.items():
            column.count += int(counted[name][0])
            if column.alive:
                self._learn(column, found[name][0].alias("value"))
                self._count_markers(column, frame[name], found[name][0])
            if len(column.examples) < EXAMPLES:
                _take_examples(column, frame[name], self._convention.nulls)

    def _count_markers(self, column: ColumnProfile, series: pl.Series, distinct: pl.Series) -> None:
        nulls = self._convention.nulls
        if not column.alive or not distinct.str.strip_chars().is_in(nulls).any():
            return
        stripped = series.str.strip_chars()
        counted = stripped.filter(stripped.is_in(nulls)).value_counts()
        column.markers.update({str(value): int(count) for value, count in counted.iter_rows()})

    def _first_look(self, column: ColumnProfile, distinct: pl.Series) -> None:
        # A few values rule most hypotheses out, at a fraction of what asking polars costs.
        for value in distinct.head(_FIRST_LOOK).to_list():
            text = "" if value is None else value.strip()
            if text not in self._convention.nulls and text:
                column.alive = {
                    test for test in column.alive if test not in _LOOKS or _LOOKS[test].search(text)
                }

    def _learn(self, column: ColumnProfile, distinct: pl.Series) -> None:
        self._first_look(column, distinct)
        if not column.alive:
            return
        stripped = pl.col("value").str.strip_chars()
        value = pl.when(~stripped.is_in(self._convention.nulls)).then(stripped)
        asked = {test: self._tests[test](value).all() for test in column.alive}
        asked |= _measures(column.alive, value)
        answers = distinct.to_frame().lazy().select(**asked).collect().row(0, named=True)
        column.alive = {test for test in column.alive if answers[test]}
        column.low = min(column.low, answers.get("low") or 0)
        column.high = max(column.high, answers.get("high") or 0)
        column.digits = max(column.digits, answers.get("most_digits") or 0)
        column.overlong |= "integer" in column.alive and bool(answers.get("overlong"))
        column.infinite |= bool(answers.get("infinite"))

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

    def decide(self, name: str, convention: Convention) -> Decision:
        """The type proposed for a column, its values written by ``convention``."""
        column = self.columns[name]
        if not column.values:
            told = f"only {_listed(column.markers)}" if column.markers else "no values"
            return Decision("string", f"{told}; text until a type is given")
        found = _typed(column, convention)
        if found is None:
            return Decision("string", _text_reason(column))
        return self.with_markers(name, found)

    def with_markers(self, name: str, found: Decision) -> Decision:
        """The decision, saying which texts of the column it makes NULL."""
        markers = self.columns[name].markers
        if not markers or found.ddl == "string":
            return found
        return Decision(found.ddl, f"{found.reason}; {_listed(markers)} read as NULL")


def _measures(alive: set[str], value: pl.Expr) -> dict[str, pl.Expr]:
    measures: dict[str, pl.Expr] = {}
    if "integer" in alive:
        integer = value.cast(pl.Int128, strict=False)
        measures |= {
            "low": integer.min(),
            "high": integer.max(),
            "overlong": (integer.is_null() & value.is_not_null()).any(),
        }
    # Integers are measured as numbers too: a fraction may come later.
    if alive & {"number", "comma_number"}:
        number = value.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        measures |= {
            "most_digits": value.str.replace("[eE].*$", "").str.count_matches(r"\d").max(),
            "infinite": number.is_infinite().any(),
        }
    return measures


def _typed(column: ColumnProfile, convention: Convention) -> Decision | None:
    alive = column.alive
    if "format" in alive:
        ddl = "timestamp" if convention.format_has_clock else "date"
        return Decision(ddl, f"all written as {convention.date_format}")
    if "integer" in alive:
        return _integer(column)
    if ("number" if convention.decimal == "." else "comma_number") in alive:
        return _number(column, convention)
    for test, decision in _TIMES.items():
        if test in alive:
            return decision
    return None


_TIMES = {
    "flag": Decision("boolean", "only true and false"),
    "date": Decision("date", "ISO dates"),
    "zoned": Decision("timestamp", "ISO timestamps with a zone"),
    "naive": Decision("timestamp", "ISO timestamps without a zone, read as UTC"),
}


def _integer(column: ColumnProfile) -> Decision | None:
    if column.overlong:
        return None
    size = max(column.high, -column.low - 1)
    if size <= INT_MAX:
        return Decision("int", "integers")
    if size <= BIGINT_MAX:
        return Decision("bigint", "integers beyond 32 bits")
    digits = len(str(max(column.high, -column.low)))
    if digits > 38:
        return None
    return Decision(f"decimal({max(20, digits)},0)", "integers beyond 64 bits")


def _number(column: ColumnProfile, convention: Convention) -> Decision | None:
    if column.infinite:
        return None
    mark = " with a decimal comma" if convention.decimal == "," else ""
    lost = f"; digits past {DOUBLE_DIGITS} are rounded" if column.digits > DOUBLE_DIGITS else ""
    return Decision("double", f"numbers{mark}{lost}")


def _text_reason(column: ColumnProfile) -> str:
    for test, reason in _TEXT_REASONS.items():
        if test in column.alive:
            return reason
    return "text"


_TEXT_REASONS = {
    "integer": "integers of more than 38 digits, kept as text",
    "digits": "digits with leading zeros or signs, kept as text",
    "number": "numbers whose reading depends on the decimal mark or too large, kept as text",
    "comma_groups": "numbers with thousands separators, kept as text",
    "comma_number": "numbers whose comma may be a decimal mark, kept as text",
    "groups": "numbers with thousands separators, kept as text",
    "money": "amounts with a currency or percent sign, kept as text",
    "day": "dates whose order of day and month is not certain, kept as text; set date_format",
    "stamp": "dates and timestamps with and without a zone, kept as text",
}


def _listed(markers: Counter[str]) -> str:
    names = [(f"`{marker}`" if marker else "empty", n) for marker, n in markers.most_common(3)]
    return ", ".join(f"{n:,} {name}" for name, n in names)


def _take_examples(column: ColumnProfile, series: pl.Series, nulls: Sequence[str]) -> None:
    found = series.drop_nulls()
    found = found.filter(~found.str.strip_chars().is_in(nulls)).head(1000)
    for value in found.unique(maintain_order=True).head(EXAMPLES).to_list():
        text = str(value)[:EXAMPLE_LENGTH]
        if text not in column.examples and len(column.examples) < EXAMPLES:
            column.examples.append(text)
