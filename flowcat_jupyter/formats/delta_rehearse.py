"""What a write to a Delta table would do: everything is computed and checked, nothing committed.

CHECK constraints alone are not looked at: the library judges them while it writes.
"""

from __future__ import annotations

from collections import Counter

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_assign import check_required, plan_assignment
from flowcat_jupyter.formats.delta_change import PlannedChanges
from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    assigned_rows,
    base_of,
    check_computed,
    check_replaceable,
    current,
    not_computed,
)
from flowcat_jupyter.formats.delta_generated import left_out
from flowcat_jupyter.formats.delta_log import Snapshot, checked_location
from flowcat_jupyter.formats.delta_scan import OpenedDelta
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowShape


def rehearse_change(
    frame: pl.LazyFrame, shape: RowShape, location: str, base_version: int, *, adds: bool
) -> ChangedRows:
    """Count the rows that `change_rows` would change.

    :raises Conflict: the table has moved past that version.
    :raises Invalid: a value does not fit its column, or a row would change twice.
    """
    snapshot = current(checked_location(location))
    base_of(snapshot, WriteRequest(location, "change", base_version))
    check_replaceable(snapshot)
    planned = PlannedChanges(snapshot, frame, shape, adds=adds)
    try:
        told = planned.told()
    except PolarsError as error:
        raise not_computed(error) from error
    counts: Counter[str] = Counter()
    for number, rows in _matched(planned, told, snapshot).items():
        counts[shape.actions[number - 1].kind] += rows
    # What is new is in no row of the table, or would have been told of as one that is there.
    for number, rows in told.drop_nulls("new").group_by("new").len().rows():
        counts[shape.actions[number - 1].kind] += rows
    return ChangedRows(counts["insert"], counts["update"], counts["delete"])


def _matched(planned: PlannedChanges, told: pl.DataFrame, snapshot: Snapshot) -> dict[int, int]:
    """How many rows of the table get each action."""
    there = told.drop_nulls("there").select(*planned.keys, "there")
    table = OpenedDelta(snapshot, snapshot.label).scan().declared()
    if not there.height:
        return {}
    if not planned.keys:
        rows = int(table.select(pl.len()).collect().item())
        return {int(there["there"][0]): rows}
    both = planned.keys_of(table).join(there.lazy(), on=planned.keys, nulls_equal=True)
    counted = both.group_by("there").len().collect(engine="streaming")
    return {int(number): int(rows) for number, rows in counted.rows()}


def rehearse_write(frame: pl.LazyFrame, request: WriteRequest) -> int:
    """Count the rows that `write_table` would add, each checked against the table's columns.

    :raises Conflict: the table has moved past the version that an overwrite begins from.
    :raises Invalid: a value does not fit its column.
    """
    snapshot = current(checked_location(request.location))
    if request.mode == "overwrite":
        base_of(snapshot, request)
        check_replaceable(snapshot)
    schema = frame.collect_schema()
    columns = request.columns(schema, snapshot)
    plans = plan_assignment(schema, columns, defaults=left_out(snapshot))
    check_required(plans)
    check_computed(snapshot, plans)
    rows = assigned_rows(frame, plans, snapshot.partition_columns)
    try:
        return sum(part.height for part in rows.frames())
    except PolarsError as error:
        raise not_computed(error) from error
