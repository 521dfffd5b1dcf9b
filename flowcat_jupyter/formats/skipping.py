"""Which of a table's files may hold rows that a query wants, by what is recorded of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    places = [
        reduce(lambda left, right: left & right, map(judge.may_hold, place)) for place in conditions
    ]
    return reduce(lambda left, right: left | right, places).to_list()


class _Judge:
    def __init__(self, known: Known) -> None:
        self._actions = known.files
        self._partitions = known.partitions
        self._types = known.types
        self._physical = known.physical

    def may_hold(self, condition: Condition) -> pl.Series:
        """For each file, whether the condition may be true of a row."""
        least, greatest = self._bounds(condition.column)
        nothing, everything = self._nulls(condition.column)
        if condition.op == "is_null":
            return ~nothing
        if condition.op == "not_null":
            return ~everything
        bounds = pl.DataFrame({"least": least, "greatest": greatest})
        try:
            fits = bounds.select(_test(condition)).to_series()
        except PolarsError:
            # The column is recorded in a type that does not compare: judge nothing by it.
            return ~everything
        return fits.fill_null(value=True) & ~everything

    def _bounds(self, column: str) -> tuple[pl.Series, pl.Series]:
        if column in self._partitions:
            value = self._field("partition", column)
            return value, value
        if not _decisive(self._types.get(column, "")):
            return self._unknown(), self._unknown()
        name = self._physical[column]
        return self._field("min", name), self._field("max", name)

    def _nulls(self, column: str) -> tuple[pl.Series, pl.Series]:
        """For each file, whether it is certain that no value is NULL, and that every one is."""
        if column in self._partitions:
            value = self._field("partition", column)
            return value.is_not_null(), value.is_null()
        nulls = self._field("null_count", self._physical[column]).cast(pl.Int64, strict=False)
        counts = self._actions.get_column("num_records", default=self._unknown()).cast(pl.Int64)
        return (nulls == 0).fill_null(value=False), (nulls == counts).fill_null(value=False)

    def _field(self, group: str, name: str) -> pl.Series:
        kind = self._actions.schema.get(group)
        if not isinstance(kind, pl.Struct) or name not in kind.to_schema():
            return self._unknown()
        return self._actions[group].struct.field(name).alias("value")

    def _unknown(self) -> pl.Series:
        return pl.Series("value", [None] * self._actions.height, dtype=pl.Null)


def _decisive(kind: str) -> bool:
    """Whether the recorded bounds of a type can be relied on to the last digit."""
    return bool(kind) and not (polars_type(kind).is_nested() or kind.startswith("decimal"))


def _test(condition: Condition) -> pl.Expr:
    least, greatest = pl.col("least"), pl.col("greatest")
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
