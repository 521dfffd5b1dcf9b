"""Upsert, update and delete by key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from deltalake.table import TableMerger
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_assign import Assignment, check_required, plan_assignment
from flowcat_jupyter.formats.delta_commit import (
    Rows,
    WriteRequest,
    assigned_rows,
    base_of,
    check_computed,
    check_replaceable,
    committing,
    current,
    moved,
    not_computed,
)
from flowcat_jupyter.formats.delta_generated import (
    generated_of,
    judged_by,
    left_out,
    recomputed,
)
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.names import back_ticked, name_key
from flowcat_jupyter.shared.wire import Column

_SHOWN = 10


def merge_rows(frame: pl.LazyFrame, location: str, request: WriteRequest) -> int:
    """Merge rows into a table by its key columns; see `LakeFormat.write`.

    A NULL key matches nothing: upsert inserts such a row, update and delete pass it over.
    """
    snapshot = current(location)
    base = base_of(snapshot, request)
    check_replaceable(snapshot)
    keys = _keys(snapshot, request)
    with TemporaryDirectory(prefix="flowcat-merge-") as folder:
        # The rows are needed twice, for the check and for the merge, and must be the same ones.
        spooled = Path(folder, "rows.arrow")
        try:
            frame.sink_ipc(spooled)
        except PolarsError as error:
            raise not_computed(error) from error
        rows = pl.scan_ipc(spooled)
        columns = request.columns(rows.collect_schema(), snapshot)
        plans = _plans(rows, snapshot, columns, request.mode, keys)
        if request.mode != "delete":
            _check_unique(rows, plans, keys)
        filled = _filled(rows, snapshot, columns) if request.mode == "upsert" else ()
        judged = judged_by(snapshot)
        stream = assigned_rows(rows, (*plans, *filled), snapshot.partition_columns, judged)
        try:
            with committing(stream):
                _clauses(snapshot, stream, request, plans, keys, filled).execute()
        except Conflict as error:
            raise moved(base, location) from error
    return snapshot.table.version()


def _keys(snapshot: Snapshot, request: WriteRequest) -> list[str]:
    if not request.merge_keys:
        raise Invalid(
            f"To {request.mode} rows, say which columns identify a row.",
            hint="Give merge_keys=['id'].",
        )
    known = {name_key(column.name): column.name for column in snapshot.columns}
    unknown = [key for key in request.merge_keys if name_key(key) not in known]
    if unknown:
        raise Invalid(f"The table has no column {', '.join(unknown)} to match rows by.")
    return [known[name_key(key)] for key in request.merge_keys]


def _plans(
    rows: pl.LazyFrame,
    snapshot: Snapshot,
    columns: Sequence[Column],
    mode: str,
    keys: list[str],
) -> tuple[Assignment, ...]:
    plans = plan_assignment(rows.collect_schema(), columns, partial=True)
    given = {plan.column.name for plan in plans}
    missing = [key for key in keys if key not in given]
    if missing:
        raise Invalid(f"The rows have no column {', '.join(missing)} to match by.")
    if mode == "upsert":
        whole = plan_assignment(rows.collect_schema(), columns, defaults=left_out(snapshot))
        check_required(whole)
        check_computed(snapshot, whole)
    if mode == "update" and len(plans) == len(keys):
        raise Invalid("The rows have no column besides the keys, so there is nothing to update.")
    if mode == "delete":
        return tuple(plan for plan in plans if plan.column.name in keys)
    return plans


def _filled(
    rows: pl.LazyFrame, snapshot: Snapshot, columns: Sequence[Column]
) -> tuple[Assignment, ...]:
    """The columns that the rows lack and that have a default, which new rows get; all that they
    lack, where some are computed from others.
    """
    whole = plan_assignment(rows.collect_schema(), columns, defaults=left_out(snapshot))
    every = bool(generated_of(snapshot))
    lacking = (plan for plan in whole if plan.source is None)
    return tuple(plan for plan in lacking if every or plan.default is not None)


def _check_unique(rows: pl.LazyFrame, plans: Sequence[Assignment], keys: list[str]) -> None:
    sources = {plan.column.name: plan.source for plan in plans}
    columns = [exactly(str(sources[key])).alias(key) for key in keys]
    repeated = (
        rows.select(columns)
        .drop_nulls()
        .group_by(exactly(*keys))
        .len("__flowcat_count")
        .filter(pl.col("__flowcat_count") > 1)
        .sort(exactly(*keys))
        .head(_SHOWN)
        .drop("__flowcat_count")
        .collect()
    )
    if repeated.height:
        shown = ", ".join(str(row[0]) if len(row) == 1 else str(row) for row in repeated.rows())
        raise Invalid(
            f"Several rows have the same {', '.join(keys)}: {shown}.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Each key may appear once in the rows you write; remove the repeated ones.",
        )


def _clauses(
    snapshot: Snapshot,
    stream: Rows,
    request: WriteRequest,
    plans: Sequence[Assignment],
    keys: list[str],
    filled: Sequence[Assignment],
) -> TableMerger:
    merger = snapshot.table.merge(
        # A join mixes the rows anyway.
        stream.reader(in_order=False),
        predicate=" AND ".join(f"(s.{back_ticked(key)} = t.{back_ticked(key)})" for key in keys),
        source_alias="s",
        target_alias="t",
        merge_schema=any(plan.column not in snapshot.columns for plan in plans),
        commit_properties=request.commit(0),
    )
    merger = adding(merger, [p.column.name for p in plans if p.column not in snapshot.columns])
    if request.mode == "delete":
        return merger.when_matched_delete()
    values = {back_ticked(plan.column.name): f"s.{back_ticked(plan.column.name)}" for plan in plans}
    own = {plan.column.name: f"s.{back_ticked(plan.column.name)}" for plan in plans}
    again = recomputed(generated_of(snapshot), own)
    changed = {name: value for name, value in values.items() if name not in map(back_ticked, keys)}
    if changed:
        changed |= {back_ticked(name): text for name, text in again.items()}
        merger = merger.when_matched_update(changed)
    if request.mode != "upsert":
        return merger
    defaults = (back_ticked(plan.column.name) for plan in filled)
    return merger.when_not_matched_insert({**values, **{name: f"s.{name}" for name in defaults}})


def adding(merger: TableMerger, names: Sequence[str]) -> TableMerger:
    """The merge, that adds columns in this order: the library takes those of one clause in any."""
    for name in map(back_ticked, names):
        merger = merger.when_matched_update({name: f"s.{name}"}, predicate="false")
    return merger
