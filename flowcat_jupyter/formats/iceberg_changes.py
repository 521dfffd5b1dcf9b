"""What is to become of rows of an Iceberg table, matched with its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import polars as pl

from flowcat_jupyter.formats.delta_assign import (
    Assignment,
    assign,
    check_required,
    plan_assignment,
)
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg
from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.conditions import Condition, Conditions, Plain
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowAction, RowShape

THERE, NEW, MARK = "__flowcat_there", "__flowcat_new", "__flowcat_mark"
ALL = "__flowcat_all"
_SHOWN = 10
_ORDERED = ("tinyint", "smallint", "int", "bigint", "string", "date")


class Changes:
    """Changes whose columns have been matched with the table's, and every value with its type.

    Of a row, ``there`` is the number of the action if the table has it, ``new`` of the one if not.
    """

    def __init__(self, opened: OpenedIceberg, frame: pl.LazyFrame, shape: RowShape) -> None:
        """Match them.

        :raises Invalid: a column is missing or of the wrong type, or a row would change twice.
        """
        self.shape = shape
        self.columns = opened.columns
        known = {column.name: column for column in opened.columns}
        self._of_keys = [known[key] for key in shape.keys]
        self._named = [f"__flowcat_k{number}" for number in range(len(shape.keys))]
        # Without keys every row of the table is meant.
        self.keys = self._named or [ALL]
        self._names = [
            [f"__flowcat_g{number}_{place}" for place in range(len(action.columns))]
            for number, action in enumerate(shape.actions, start=1)
        ]
        given = self._given(frame)
        self._plans = [
            self._planned(action, names, given.collect_schema())
            for action, names in zip(shape.actions, self._names, strict=True)
        ]
        self.rows = self._once(given.collect())

    @property
    def all_go(self) -> bool:
        """Whether every row of the table is deleted."""
        alone = [action.kind for action in self.shape.actions] == ["delete"]
        return alone and not self.shape.keys and bool(self.rows.height)

    def _given(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The rows with their columns under our names, and the keys in the table's types."""
        by_source = self.shape.by_source
        numbers = [THERE, NEW] if by_source else [THERE]
        names = [*self._named, *numbers, *(name for group in self._names for name in group)]
        old = frame.collect_schema().names()
        given = frame.rename(dict(zip(old, names, strict=True)))
        # What does not fit a key's type is in no row of the table.
        fitted = [
            canonical(pl.col(name).cast(polars_type(column.type), strict=False), column)
            for name, column in zip(self._named, self._of_keys, strict=True)
        ]
        given = given.with_columns(*fitted, pl.lit(0).alias(ALL))
        if by_source:
            return given
        new = [n for n, action in enumerate(self.shape.actions, start=1) if action.new]
        is_new = pl.col(THERE).is_in(new)
        return given.with_columns(
            pl.when(~is_new).then(THERE).alias(THERE), pl.when(is_new).then(THERE).alias(NEW)
        )

    def _planned(
        self, action: RowAction, names: Sequence[str], schema: pl.Schema
    ) -> tuple[Assignment, ...]:
        """What an action gives the table's columns."""
        if action.kind == "delete":
            return ()
        given = pl.Schema(
            {column: schema[name] for column, name in zip(action.columns, names, strict=True)}
        )
        plan = plan_assignment(given, self.columns, partial=action.kind != "insert")
        if action.kind == "insert":
            check_required(plan)
        return plan

    def _once(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows, of which no two say what becomes of one row of the table."""
        there = rows.filter(pl.col(THERE).is_not_null())
        if self.shape.by_source:
            return rows
        if self.shape.once:
            self._check_once(there)
        else:
            there = there.unique(subset=self.keys)
        return pl.concat([there, rows.filter(pl.col(THERE).is_null())])

    def _check_once(self, there: pl.DataFrame) -> None:
        counted = there.group_by(self.keys).len(MARK)
        repeated = counted.filter(pl.col(MARK) > 1).select(self.keys)
        if not repeated.height:
            return
        shown = repeated.head(_SHOWN).rows()
        listed = ", ".join(str(row[0]) if len(row) == 1 else str(row) for row in shown)
        where = f", where {', '.join(self.shape.keys)} is {listed}" if self._named else ""
        raise Invalid(
            f"Several rows of the source change the same row of the table{where}.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Leave one row of the source for each row of the table; nothing was changed.",
        )

    def new(self, number: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that an action inserts, of ``rows`` of changes."""
        return self._values(number, rows.filter(pl.col(NEW) == number))

    def there(self, number: int) -> pl.DataFrame:
        """What an action says of rows of the table: keys, and values by the names of `stored`."""
        rows = self.rows.filter(pl.col(THERE) == number)
        keys = rows.select(self.keys)
        if not self._plans[number - 1]:
            return keys
        return keys.hstack(self._values(number, rows).rename(self.stored(number)))

    def _values(self, number: int, rows: pl.DataFrame) -> pl.DataFrame:
        plans, names = self._plans[number - 1], self._names[number - 1]
        pairs = zip(self.shape.actions[number - 1].columns, names, strict=True)
        return assign(rows.select(pl.col(name).alias(column) for column, name in pairs), plans)

    def stored(self, number: int) -> dict[str, str]:
        """The columns that an action fills, with where it has the values."""
        plans = self._plans[number - 1]
        return {plan.column.name: f"__flowcat_v{number}_{at}" for at, plan in enumerate(plans)}

    def keyed(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Rows of the table with their keys under our names."""
        return rows.with_columns(
            *(
                canonical(exactly(column.name), column).alias(name)
                for name, column in zip(self._named, self._of_keys, strict=True)
            ),
            pl.lit(0).alias(ALL),
        )

    def bounds(self, wanted: pl.DataFrame) -> Conditions:
        """What rows of the table meet of which ``wanted`` changes can say something."""
        place: list[Condition] = []
        for name, column in zip(self._named, self._of_keys, strict=True):
            values = wanted[name]
            known = self.shape.by_source or not values.null_count()
            if known and column.type in _ORDERED and values.drop_nulls().len():
                least, most = values.min(), values.max()
                place.append(Condition(column.name, ">=", (cast(Plain, least),)))
                place.append(Condition(column.name, "<=", (cast(Plain, most),)))
        return (tuple(place),) if place else ()


def canonical(values: pl.Expr, column: Column) -> pl.Expr:
    """As in SQL, zeros of both signs are one value, and so is every NaN."""
    if column.type not in ("float", "double"):
        return values
    return pl.when(values.is_nan()).then(float("nan")).otherwise(values + 0.0)
