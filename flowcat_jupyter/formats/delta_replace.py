"""Putting rows in place of others of a Delta table, in one version: of those of some partitions,
or of those that a query names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from deltalake import write_deltalake

from flowcat_jupyter.formats.delta_assign import (
    Assignment,
    assign,
    check_required,
    plan_assignment,
)
from flowcat_jupyter.formats.delta_change import change_rows
from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    assigned_rows,
    base_of,
    check_computed,
    check_partitions,
    check_replaceable,
    committing,
    current,
    moved,
    spooled,
)
from flowcat_jupyter.formats.delta_generated import judged_by, left_out
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.formats.protocol import Parts
from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.names import back_ticked
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape

_FAN = 8
"""How many conditions stand beside each other: the library takes no long chain of them."""


def replace_parts(frame: pl.LazyFrame, location: str, request: WriteRequest) -> int:
    """Overwrite the partitions that `Parts` says; the version made, or the one that was read if
    there is nothing to write.

    :raises Conflict: the table has moved past the version that was read.
    :raises Invalid: the rows do not fit, or a partition cannot be told apart from others.
    """
    snapshot = current(location)
    base = base_of(snapshot, request)
    check_replaceable(snapshot)
    plans = _complete(frame, snapshot)
    names, values = _replaced(frame, plans, snapshot, request.parts or Parts())
    _check_kinds(snapshot, names)
    asked = request.parts
    if not values or (asked and asked.unless_there and _rows_in(snapshot, names, values) != 0):
        return base
    _overwrite(snapshot, request, frame, plans, _any(_all(names, row) for row in values))
    return snapshot.table.version()


def replace_rows(
    frame: pl.LazyFrame,
    gone: pl.LazyFrame,
    keys: Sequence[str],
    location: str,
    request: WriteRequest,
    check: Callable[[Path], None],
) -> ChangedRows:
    """Put rows in place of those whose ``keys`` are in ``gone``, NULL included, and count both.

    ``check`` is given a file of the new rows as the table stores them, and raises if they may not
    be there.

    :raises Conflict: the table has moved past the version that was read.
    :raises Invalid: the rows do not fit.
    """
    snapshot = current(location)
    base_of(snapshot, request)
    check_replaceable(snapshot)
    plans = _complete(frame, snapshot)
    with TemporaryDirectory(prefix="flowcat-replace-") as folder:
        file = Path(folder, "rows.arrow")
        stored = assigned_rows(frame, plans, snapshot.partition_columns)
        spooled(stored, file)
        check(file)
        rows = pl.scan_ipc(file)
        parts = _parts_of(rows, gone, keys, snapshot)
        if parts is None:
            return _merged(rows, gone, keys, location, request)
        removed = _rows_in(snapshot, keys, parts)
        if removed is None:
            return _merged(rows, gone, keys, location, request)
        inserted = int(rows.select(pl.len()).collect().item())
        if not (removed or inserted):
            return ChangedRows()
        own = plan_assignment(rows.collect_schema(), snapshot.columns)
        _overwrite(snapshot, request, rows, own, _any(_all(keys, row) for row in parts))
    return ChangedRows(inserted=inserted, deleted=removed)


def _complete(frame: pl.LazyFrame, snapshot: Snapshot) -> tuple[Assignment, ...]:
    schema = frame.collect_schema()
    plans = plan_assignment(schema, snapshot.columns, defaults=left_out(snapshot))
    check_required(plans)
    check_computed(snapshot, plans)
    return plans


def _overwrite(
    snapshot: Snapshot,
    request: WriteRequest,
    frame: pl.LazyFrame,
    plans: Sequence[Assignment],
    predicate: str,
) -> None:
    rows = assigned_rows(frame, plans, snapshot.partition_columns, judged_by(snapshot))
    try:
        with committing(rows):
            write_deltalake(
                snapshot.table,
                rows.reader(),
                mode="overwrite",
                predicate=predicate,
                # With retries the library would keep rows that somebody appended meanwhile.
                commit_properties=request.commit(0),
            )
    except Conflict as error:
        raise moved(snapshot.version, snapshot.location) from error


def _parts_of(
    rows: pl.LazyFrame, gone: pl.LazyFrame, keys: Sequence[str], snapshot: Snapshot
) -> list[tuple[Any, ...]] | None:
    """The partitions that all these rows are in, if they are whole partitions."""
    if not keys or not set(keys) <= set(snapshot.partition_columns):
        return None
    if any(_is_fraction(snapshot, key) for key in keys):
        return None
    kinds = {column.name: polars_type(column.type) for column in snapshot.columns}
    old = gone.select(pl.nth(place).cast(kinds[key]).alias(key) for place, key in enumerate(keys))
    return pl.concat([old, rows.select(exactly(*keys))]).unique().collect().rows()


def _merged(
    rows: pl.LazyFrame,
    gone: pl.LazyFrame,
    keys: Sequence[str],
    location: str,
    request: WriteRequest,
) -> ChangedRows:
    names = rows.collect_schema().names()
    actions = (RowAction("delete", False, ()), RowAction("insert", True, tuple(names)))
    old = gone.rename({n: f"k{i}" for i, n in enumerate(gone.collect_schema().names()[:-1])})
    action = old.collect_schema().names()[-1]
    new = rows.select(
        pl.lit(2).alias(action), *(exactly(n).alias(f"v{i}") for i, n in enumerate(names))
    )
    frame = pl.concat([old, new], how="diagonal_relaxed")
    shape = RowShape(tuple(keys), actions, once=False)
    base = request.base_version or 0
    return change_rows(frame, shape, location, base, request.commit_info)


def _replaced(
    frame: pl.LazyFrame, plans: Sequence[Assignment], snapshot: Snapshot, parts: Parts
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Partition columns, and which values of them are replaced."""
    own = {plan.column.name: plan for plan in plans}
    wanted = [own[name] for name in snapshot.partition_columns]
    if parts.fixed is not None:
        columns = [plan.column for plan in wanted if plan.column.name in parts.fixed.columns]
        rows = assign(parts.fixed, plan_assignment(parts.fixed.schema, columns))
    else:
        needed = _needed(plans, wanted)
        read = [str(plan.source) for plan in needed if plan.source]
        found = frame.select(exactly(*read)).unique() if read else frame.head(1)
        stored = assign(found.collect(), needed)
        rows = stored.select(exactly(*snapshot.partition_columns)).unique()
    check_partitions(rows, rows.columns)
    return rows.columns, rows.rows()


def _needed(plans: Sequence[Assignment], wanted: Sequence[Assignment]) -> list[Assignment]:
    """How columns are filled, and those that they are computed from."""
    computed = [plan.default for plan in wanted if isinstance(plan.default, pl.Expr)]
    names = {name for value in computed for name in value.meta.root_names()}
    names |= {plan.column.name for plan in wanted}
    return [plan for plan in plans if plan.column.name in names]


def _check_kinds(snapshot: Snapshot, names: Sequence[str]) -> None:
    for name in names:
        if _is_fraction(snapshot, name):
            raise Invalid(
                f"Partitions by {name} cannot be replaced alone: its values are fractions, which "
                "are not told apart surely.",
                condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
                sqlstate="0A000",
                hint="Use INSERT INTO … REPLACE WHERE, or overwrite the whole table.",
            )


def _is_fraction(snapshot: Snapshot, name: str) -> bool:
    (kind,) = (polars_type(c.type) for c in snapshot.columns if c.name == name)
    return kind.is_float() or (isinstance(kind, pl.Decimal) and bool(kind.scale))


def _rows_in(
    snapshot: Snapshot, names: Sequence[str], values: Sequence[Sequence[Any]]
) -> int | None:
    """How many rows partitions have; None where a file does not count its rows."""
    if not snapshot.actions.height:
        return 0
    folders = snapshot.actions["partition"].struct.unnest().select(exactly(*names))
    wanted = pl.DataFrame(list(values), schema=folders.schema, orient="row").unique()
    numbered = folders.with_row_index("__flowcat_file")
    met = numbered.join(wanted, on=list(names), how="semi", nulls_equal=True)["__flowcat_file"]
    files = snapshot.files()
    counts = [files[number].rows for number in met]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _any(conditions: Iterable[str]) -> str:
    found = list(conditions)
    while len(found) > 1:
        groups = (found[at : at + _FAN] for at in range(0, len(found), _FAN))
        found = [f"({' OR '.join(group)})" for group in groups]
    return found[0]


def _all(names: Sequence[str], values: Sequence[Any]) -> str:
    parts = (_is(back_ticked(name), value) for name, value in zip(names, values, strict=True))
    return f"({' AND '.join(parts)})"


def _is(column: str, value: Any) -> str:
    """A column has a value, NULL included; as the library reads it."""
    if value is None:
        return f"{column} IS NULL"
    text = _text(value).replace("'", "''")
    return f"{column} = '{text}'"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return format(value, "f") if isinstance(value, Decimal) else str(value)
