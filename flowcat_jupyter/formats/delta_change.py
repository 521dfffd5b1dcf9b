"""Changing rows of a Delta table: those found by the values of some columns, NULL included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from flowcat_jupyter.formats.delta_assign import (
    Assignment,
    Cast,
    assign,
    cast_kind,
    check_required,
    plan_assignment,
)
from flowcat_jupyter.formats.delta_commit import (
    Rows,
    WriteRequest,
    base_of,
    check_computed,
    check_partitions,
    check_replaceable,
    committing,
    current,
    moved,
)
from flowcat_jupyter.formats.delta_generated import (
    check_recomputed,
    generated_of,
    judged_by,
    left_out,
    recomputed,
)
from flowcat_jupyter.formats.delta_log import Snapshot, checked_location
from flowcat_jupyter.formats.delta_merge import adding
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.formats.types import exactly, polars_type, spark_columns
from flowcat_jupyter.shared.errors import Conflict, Invalid, NotFound
from flowcat_jupyter.shared.names import RESERVED_PREFIX, back_ticked, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape

_ACTION, _THERE, _NEW = "action", f"{RESERVED_PREFIX}there", f"{RESERVED_PREFIX}new"
_SHOWN = 10


def change_rows(
    frame: pl.LazyFrame,
    shape: RowShape,
    location: str,
    base_version: int,
    commit_info: Mapping[str, str],
    *,
    adds: bool = False,
) -> ChangedRows:
    """Commit changes to the version that was read, and count the rows changed.

    Actions that ``adds`` may give values to columns that the table lacks; it gets them in the same
    version.

    :raises Conflict: the table has moved past that version.
    :raises Invalid: a value does not fit its column, or a row would change twice.
    """
    location = checked_location(location)
    if not has_log(location):
        raise NotFound("table data", location)
    request = WriteRequest(location, "change", base_version, commit_info=commit_info)
    snapshot = current(location)
    base = base_of(snapshot, request)
    check_replaceable(snapshot)
    planned = PlannedChanges(snapshot, frame, shape, adds=adds)
    stream = planned.stream()
    try:
        with committing(stream):
            if planned.all_go:
                metrics = snapshot.table.delete(commit_properties=request.commit(0))
                return ChangedRows(deleted=int(metrics["num_deleted_rows"]))
            metrics = _merge(snapshot, stream, planned, request)
    except Conflict as error:
        raise moved(base, location) from error
    return ChangedRows(
        inserted=metrics["num_target_rows_inserted"],
        updated=metrics["num_target_rows_updated"],
        deleted=metrics["num_target_rows_deleted"],
    )


class PlannedChanges:
    """Changes whose columns have been matched with the table's, checked as far as can be told
    before the rows are read a second time.

    Of a row, ``there`` is the number of the action if the table has it, ``new`` of the one if not.
    """

    def __init__(
        self, snapshot: Snapshot, frame: pl.LazyFrame, shape: RowShape, *, adds: bool
    ) -> None:
        """Match the rows of ``frame`` with a table's columns; see `change_rows`."""
        self._shape = shape
        self.actions = shape.actions
        self._partition_by = snapshot.partition_columns
        self._conditions = judged_by(snapshot)
        self._generated = generated_of(snapshot)
        self.keys = [f"{RESERVED_PREFIX}k{number}" for number in range(len(shape.keys))]
        self._values = _value_names(shape.actions)
        columns = {column.name: column for column in snapshot.columns}
        self.columns = [columns[key] for key in shape.keys]
        floats = [k for k, c in zip(self.keys, self.columns, strict=True) if _is_float(c.type)]
        given = self._given(frame)
        # As in SQL, zeros of both signs are one value, and so is every NaN.
        same = [_canonical(pl.col(name)).alias(name) for name in floats]
        self._frame = _unique_there(given.with_columns(same)) if same else given
        self._table = snapshot.columns
        self.added = self._lacking(given.collect_schema()) if adds else ()
        self._plans = self._planned(snapshot, given.collect_schema())
        if shape.by_source:
            self.nullable = set[str]()
            return
        if shape.once or floats:
            self._check_once()
        else:
            self._frame = self._said_once()
        self.nullable = self._with_nulls()

    def _given(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The rows with their columns under our names."""
        values = [name for group in self._values for name in group]
        old = frame.collect_schema().names()
        numbers = [_THERE, _NEW] if self._shape.by_source else [_ACTION]
        names = [*self.keys, *numbers, *values]
        given = frame.rename(dict(zip(old, names, strict=True)))
        if self._shape.by_source:
            # What does not fit a key's type is in no row of the table.
            fitted = [
                pl.col(name).cast(polars_type(column.type), strict=False)
                for name, column in zip(self.keys, self.columns, strict=True)
            ]
            return given.with_columns(fitted)
        is_new = pl.col(_ACTION).is_in([n for n, a in enumerate(self.actions, start=1) if a.new])
        return given.with_columns(
            pl.when(~is_new).then(_ACTION).alias(_THERE), pl.when(is_new).then(_ACTION).alias(_NEW)
        ).drop(_ACTION)

    @property
    def all_go(self) -> bool:
        """Whether every row of the table is deleted."""
        return not self.keys and [action.kind for action in self.actions] == ["delete"]

    def _lacking(self, schema: pl.Schema) -> tuple[Column, ...]:
        """The columns that actions give values to and the table lacks."""
        known = {name_key(column.name) for column in self._table}
        found: dict[str, pl.DataType] = {}
        for action, names in zip(self.actions, self._values, strict=True):
            for column, name in zip(action.columns, names, strict=True):
                if name_key(column) not in known:
                    known.add(name_key(column))
                    found[column] = schema[name]
        return spark_columns(pl.Schema(found))

    def _planned(self, snapshot: Snapshot, schema: pl.Schema) -> list[tuple[Assignment, ...]]:
        """For each action what its columns get."""
        plans = []
        for action, names in zip(self.actions, self._values, strict=True):
            given = pl.Schema(
                {column: schema[name] for column, name in zip(action.columns, names, strict=True)}
            )
            partial = action.kind != "insert"
            plan = plan_assignment(
                given,
                (*self._table, *self.added),
                partial=partial,
                defaults=left_out(snapshot),
            )
            if not partial:
                check_required(plan)
                check_computed(snapshot, plan)
            elif action.kind == "update":
                check_recomputed(snapshot)
            plans.append(plan if action.kind != "delete" else ())
        return plans

    def _said_once(self) -> pl.LazyFrame:
        """The changes, with what is said of rows that are there said only once."""
        is_there = pl.col(_THERE).is_not_null()
        there = self._frame.filter(is_there).unique(subset=self.keys or [_THERE])
        new = self._frame.filter(~is_there)
        return pl.concat([there, new]) if any(a.new for a in self.actions) else there

    def _check_once(self) -> None:
        """Check that no row of the table is to change twice."""
        counted = (
            self._frame.filter(pl.col(_THERE).is_not_null())
            .group_by(self.keys or [pl.lit(0).alias("all")])
            .len("__flowcat_count")
            .filter(pl.col("__flowcat_count") > 1)
        )
        repeated = counted.head(_SHOWN).drop("__flowcat_count").collect()
        if not repeated.height:
            return
        shown = ", ".join(str(row[0]) if len(row) == 1 else str(row) for row in repeated.rows())
        where = f", where {', '.join(self._shape.keys)} is {shown}" if self.keys else ""
        raise Invalid(
            f"Several rows of the source change the same row of the table{where}.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Leave one row of the source for each row of the table; nothing was changed.",
        )

    def _with_nulls(self) -> set[str]:
        """Keys of which some rows are NULL."""
        if not self.keys:
            return set()
        nulls = self._frame.select(pl.col(self.keys).null_count()).collect().row(0, named=True)
        return {name for name, count in nulls.items() if count}

    def stream(self) -> Rows:
        """The rows as the table stores them: keys, actions and the values of every action."""
        schema = {
            name: polars_type(column.type)
            for name, column in zip(self.keys, self.columns, strict=True)
        }
        schema |= {_THERE: pl.Int32(), _NEW: pl.Int32()}
        for names, plans in zip(self._stored(), self._plans, strict=True):
            schema |= {name: plan.dtype for name, plan in zip(names, plans, strict=True)}
        whole = pl.Schema(schema)
        required = {c.name for c in self._table if not c.nullable} if self.added else set()
        marked = frozenset(required & set(whole))
        return Rows(lambda: self._frames(whole, marked), whole, marked, self._conditions)

    def told(self) -> pl.DataFrame:
        """The keys as the table stores them, and the numbers of the actions ``there`` and ``new``,
        every value checked on the way.
        """
        stream = self.stream()
        short = [*self.keys, _THERE, _NEW]
        empty = pl.DataFrame(schema={name: stream.schema[name] for name in short})
        rows = [frame.select(short) for frame in stream.frames()]
        return pl.concat([empty, *rows]).rename({_THERE: "there", _NEW: "new"})

    def keys_of(self, table: pl.LazyFrame) -> pl.LazyFrame:
        """The same keys of the rows of a table."""
        return table.select(
            (_canonical(exactly(c.name)) if _is_float(c.type) else exactly(c.name)).alias(key)
            for key, c in zip(self.keys, self.columns, strict=True)
        )

    def _stored(self) -> list[list[str]]:
        """What the values are called. With columns that are added, the library takes values by
        the names of the columns alone: each row has those of its one action.
        """
        if self.added:
            return [[plan.column.name for plan in plans] for plans in self._plans]
        return [
            [f"v{number}_{place}" for place in range(len(plans))]
            for number, plans in enumerate(self._plans, start=1)
        ]

    def _frames(self, schema: pl.Schema, required: frozenset[str]) -> Iterator[pl.DataFrame]:
        for batch in self._frame.collect_batches(lazy=True):
            for _, rows in batch.group_by(_THERE, _NEW):
                filled = self._filled(rows, schema)
                # Of rows whose action leaves such a column alone, it is not read.
                yield filled.with_columns(_something(filled[name]) for name in required)

    def _filled(self, rows: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
        """Rows of the same actions, with the values that these give."""
        keys = [
            Assignment(replace(column, name=name, nullable=True), name, _kind(rows, name, column))
            for name, column in zip(self.keys, self.columns, strict=True)
        ]
        numbers = rows.select(pl.col(_THERE, _NEW).cast(pl.Int32))
        parts = pl.DataFrame([*assign(rows, keys), *numbers])
        for number in {*numbers.row(0)} - {None}:
            parts = parts.hstack(self._valued(rows, int(number)))
        missing = [pl.lit(None, dtype).alias(n) for n, dtype in schema.items() if n not in parts]
        return parts.with_columns(missing).select(schema.names())

    def _valued(self, rows: pl.DataFrame, number: int) -> pl.DataFrame:
        """What an action gives rows, each value as its column stores it."""
        plans = self._plans[number - 1]
        if not plans:
            return pl.DataFrame()
        action, names = self.actions[number - 1], self._values[number - 1]
        pairs = zip(action.columns, names, strict=True)
        values = assign(rows.select(pl.col(name).alias(column) for column, name in pairs), plans)
        check_partitions(values, self._partition_by)
        return values.rename(dict(zip(values.columns, self._stored()[number - 1], strict=True)))

    def updates(self, number: int) -> dict[str, str]:
        """The table's columns that an action fills, with what it fills them."""
        plans, names = self._plans[number - 1], self._stored()[number - 1]
        given = {
            back_ticked(plan.column.name): f"s.{back_ticked(name)}"
            for plan, name in zip(plans, names, strict=True)
        }
        if self.actions[number - 1].kind == "update":
            said = {
                plan.column.name: value for plan, value in zip(plans, given.values(), strict=True)
            }
            again = recomputed(self._generated, said)
            given |= {back_ticked(name): text for name, text in again.items()}
        if not self.added or self.actions[number - 1].kind != "update":
            return given
        # Told of a column, the library does not take what the rows have of its name for others.
        streamed = {name for names in self._stored() for name in names}
        own = (back_ticked(c.name) for c in self._table if c.name in streamed)
        return {name: given.get(name, f"t.{name}") for name in own} | given

    @property
    def predicate(self) -> str:
        """Which rows of the table a row of the changes is about, as the library's text."""
        parts = [
            _equal(key, back_ticked(column.name), column.type, key in self.nullable)
            for key, column in zip(self.keys, self.columns, strict=True)
        ]
        if not self._shape.by_source and any(action.new for action in self.actions):
            parts.append(f"(s.{_NEW} IS NULL)")
        return " AND ".join(parts) or "true"


def _merge(
    snapshot: Snapshot, stream: Rows, planned: PlannedChanges, request: WriteRequest
) -> dict[str, Any]:
    merger = snapshot.table.merge(
        stream.reader(in_order=False),
        predicate=planned.predicate,
        source_alias="s",
        target_alias="t",
        merge_schema=bool(planned.added),
        commit_properties=request.commit(0),
    )
    merger = adding(merger, [column.name for column in planned.added])
    for number, action in enumerate(planned.actions, start=1):
        of_it = f"s.{_NEW if action.new else _THERE} = {number}"
        if action.kind == "delete":
            merger = merger.when_matched_delete(predicate=of_it)
        elif action.kind == "update":
            merger = merger.when_matched_update(planned.updates(number), predicate=of_it)
        else:
            merger = merger.when_not_matched_insert(planned.updates(number), predicate=of_it)
    metrics: dict[str, Any] = merger.execute()
    return metrics


def _equal(key: str, column: str, kind: str, nullable: bool) -> str:
    left, right = f"s.{key}", f"t.{column}"
    if _is_float(kind):
        left, right = f"CAST({left} AS VARCHAR)", f"CAST({right} + CAST(0.0 AS {kind}) AS VARCHAR)"
    return f"({left} {'IS NOT DISTINCT FROM' if nullable else '='} {right})"


def _kind(rows: pl.DataFrame, name: str, column: Column) -> Cast:
    return cast_kind(rows.schema[name], polars_type(column.type))


def _is_float(kind: str) -> bool:
    return kind in ("float", "double")


def _something(values: pl.Series) -> pl.Series:
    """The values, NULL being any value of the type."""
    if not values.null_count():
        return values
    kind = values.dtype
    some: Any = [] if isinstance(kind, pl.List) else 0
    if kind == pl.String:
        some = ""
    elif isinstance(kind, pl.Struct):
        some = dict.fromkeys(field.name for field in kind.fields)
    elif kind == pl.Binary:
        some = b""
    plain = kind.is_nested() or kind in (pl.String, pl.Binary)
    filler = pl.Series([some], dtype=kind) if plain else pl.Series([some]).cast(kind)
    return values.zip_with(values.is_not_null(), filler.extend_constant(filler[0], len(values) - 1))


def _unique_there(frame: pl.LazyFrame) -> pl.LazyFrame:
    """What is said of rows that are there, once each; new rows may well be equal."""
    is_there = pl.col(_THERE).is_not_null()
    there = frame.filter(is_there).unique(maintain_order=False)
    return pl.concat([there, frame.filter(~is_there)])


def _canonical(values: pl.Expr) -> pl.Expr:
    return pl.when(values.is_nan()).then(float("nan")).otherwise(values + 0.0)


def _value_names(actions: Sequence[RowAction]) -> list[list[str]]:
    return [
        [f"g{number}_{place}" for place in range(len(action.columns))]
        for number, action in enumerate(actions, start=1)
    ]
