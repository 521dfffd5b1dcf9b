"""Which of a table's files may hold rows that a query wants, by what is recorded of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.conditions import Condition, Conditions

# Writers cut the greatest instant down to milliseconds.
_CUT = timedelta(milliseconds=1)
_MOST_VALUES = 100


@dataclass(frozen=True)
class Known:
    """What is recorded of a table's files.

    ``files`` has a row for each, with structs ``partition`` (its values of ``partitions``), and
    where they are known ``min``, ``max`` and ``null_count`` (by ``physical`` names) and
    ``num_records``. ``types`` are the columns' Spark types.
    """

    files: pl.DataFrame
    types: Mapping[str, str]
    partitions: Sequence[str]
    physical: Mapping[str, str]


def wanted_files(known: Known, conditions: Conditions) -> list[bool]:
    """For each file, whether a row in it may meet ``conditions``.

    A file of which not enough is known is wanted.
    """
    if not conditions or not all(conditions) or not known.files.height:
        return [True] * known.files.height
    judge = _Judge(known)
    try:
        return _wanted(known, conditions, judge.may_hold)
    except PolarsError:
        # A column is recorded in a type that does not compare: judge nothing by its bounds.
        return _wanted(known, conditions, judge.surely_may_hold)


def _wanted(
    known: Known, conditions: Conditions, test: Callable[[Condition], pl.Expr]
) -> list[bool]:
    """What ``test`` says of each file, all of it in one go as there are few files as a rule."""
    places = [reduce(lambda left, right: left & right, map(test, place)) for place in conditions]
    whole = reduce(lambda left, right: left | right, places)
    return known.files.select(whole.alias("wanted"))["wanted"].to_list()


class _Judge:
    def __init__(self, known: Known) -> None:
        self._actions = known.files
        self._partitions = known.partitions
        self._types = known.types
        self._physical = known.physical

    def may_hold(self, condition: Condition) -> pl.Expr:
        """Whether the condition may be true of a row of a file."""
        nothing, everything = self._nulls(condition.column)
        if condition.op == "is_null":
            return ~nothing
        if condition.op == "not_null":
            return ~everything
        least, greatest = self._bounds(condition.column)
        if least is None or greatest is None:
            return ~everything
        return _test(condition, least, greatest).fill_null(value=True) & ~everything

    def surely_may_hold(self, condition: Condition) -> pl.Expr:
        """The same, for a column whose recorded bounds may be of a type that does not compare."""
        test = self.may_hold(condition)
        try:
            self._actions.select(test.alias("wanted"))
        except PolarsError:
            return ~self._nulls(condition.column)[1]
        return test

    def _bounds(self, column: str) -> tuple[pl.Expr | None, pl.Expr | None]:
        if column in self._partitions:
            value = self._field("partition", column)
            return value, value
        if not _decisive(self._types.get(column, "")):
            return None, None
        name = self._physical[column]
        return self._field("min", name), self._field("max", name)

    def _nulls(self, column: str) -> tuple[pl.Expr, pl.Expr]:
        """Whether it is certain of a file that no value is NULL, and that every one is."""
        unknown = pl.repeat(value=False, n=pl.len())
        if column in self._partitions:
            value = self._field("partition", column)
            return (unknown, unknown) if value is None else (value.is_not_null(), value.is_null())
        nulls = self._field("null_count", self._physical[column])
        if nulls is None:
            return unknown, unknown
        count = nulls.cast(pl.Int64, strict=False)
        every: pl.Expr = unknown
        if "num_records" in self._actions.columns:
            every = (count == pl.col("num_records").cast(pl.Int64)).fill_null(value=False)
        return (count == 0).fill_null(value=False), every

    def _field(self, group: str, name: str) -> pl.Expr | None:
        kind = self._actions.schema.get(group)
        if not isinstance(kind, pl.Struct) or name not in kind.to_schema():
            return None
        if name.startswith("^") or name == "*":
            # The engine takes such a field's name for a pattern.
            return pl.lit(self._actions[group].struct.unnest()[name])
        return pl.col(group).struct.field(name)


def _decisive(kind: str) -> bool:
    """Whether the recorded bounds of a type can be relied on to the last digit."""
    return bool(kind) and not (polars_type(kind).is_nested() or kind.startswith("decimal"))


def _test(condition: Condition, least: pl.Expr, greatest: pl.Expr) -> pl.Expr:
    values = condition.values
    if len(values) > _MOST_VALUES:
        low, high = pl.Series(values).min(), pl.Series(values).max()
        # Instants are recorded cut down to milliseconds.
        reach = greatest + pl.lit(_CUT) if isinstance(high, datetime) else greatest
        return (least <= pl.lit(high)) & (reach >= pl.lit(low))
    fits: list[pl.Expr] = []
    for value in values:
        known = pl.lit(value)
        reach = greatest + pl.lit(_CUT) if isinstance(value, datetime) else greatest
        fits.append(
            {
                "<": least < known,
                "<=": least <= known,
                ">": reach > known,
                ">=": reach >= known,
            }.get(condition.op, (least <= known) & (reach >= known))
        )
    return reduce(lambda left, right: left | right, fits)
