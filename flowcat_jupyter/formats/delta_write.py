"""Committing rows to a Delta table: create, overwrite, append; merges are in ``delta_merge``."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from random import SystemRandom

import polars as pl
from deltalake import DeltaTable, write_deltalake

from flowcat_jupyter.formats.delta_assign import check_required, plan_assignment
from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    assigned_rows,
    base_of,
    check_computed,
    check_replaceable,
    committing,
    current,
    moved,
    partition_names,
)
from flowcat_jupyter.formats.delta_generated import judged_by, left_out
from flowcat_jupyter.formats.delta_log import Snapshot, checked_location, translated
from flowcat_jupyter.formats.delta_merge import merge_rows
from flowcat_jupyter.formats.delta_replace import replace_parts
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.formats.types import (
    polars_type,
    queryable,
    spark_columns,
    storable_warnings,
    to_storable,
)
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid, NotFound
from flowcat_jupyter.shared.names import name_key

MODES = ("create", "overwrite", "append", "upsert", "update", "delete")
_ATTEMPTS = 6
_JITTER = SystemRandom()
# The library's own retries are immediate: enough to get past a burst, bounded all the same.
_APPEND_RETRIES = 30


def write_table(frame: pl.LazyFrame | pl.DataFrame, request: WriteRequest) -> int:
    """Carry out a write and return the version it made; see `LakeFormat.write`."""
    location = checked_location(request.location)
    if request.mode not in MODES:
        raise Invalid(f"{request.mode!r} is not a way to write.", hint=f"One of {MODES}.")
    # What goes into columns that are there may be NULL alone.
    fitted = request.mode != "create" and request.keep_columns is True
    lazy = (queryable if fitted else to_storable)(frame.lazy())
    if request.mode == "create":
        return create_table(lazy, location, request)
    if not has_log(location):
        raise NotFound("table data", location)
    if request.mode == "append":
        return append_rows(lazy, location, request)
    if request.mode == "overwrite":
        # Without partitions, all is one.
        parted = request.parts is not None and current(location).partition_columns
        return (replace_parts if parted else overwrite_table)(lazy, location, request)
    return merge_rows(lazy, location, request)


def lock_out_warnings(schema: pl.Schema, location: str) -> tuple[str, ...]:
    """What to tell whoever is about to write rows of ``schema``: that a feature the table has not
    had so far will keep older readers out of it. Nothing when it is there already.
    """
    texts = storable_warnings(schema)
    if not texts or not has_log(checked_location(location)):
        return texts
    with translated(location):
        features = DeltaTable(checked_location(location)).protocol().writer_features or ()
    return () if "timestampNtz" in features else texts


def create_table(frame: pl.LazyFrame, location: str, request: WriteRequest) -> int:
    """Write version 0 of a new table; a failure leaves nothing behind."""
    if has_log(location):
        raise AlreadyExists("table", f"at {location}")
    columns = spark_columns(frame.collect_schema())
    partition_by = partition_names(columns, request.partition_by)
    rows = assigned_rows(frame, plan_assignment(frame.collect_schema(), columns), partition_by)
    before = set(Path(location).glob("*")) if Path(location).exists() else None
    try:
        with committing(rows):
            write_deltalake(
                location,
                rows.reader(),
                mode="error",
                partition_by=list(partition_by) or None,
                commit_properties=request.commit(0),
            )
    except (Conflict, Invalid) as error:
        if rows.error is None and has_log(location):
            raise AlreadyExists("table", f"at {location}") from error
        raise
    finally:
        # Also on the way out of an interrupt.
        _remove_torn(location, before)
    return 0


def _remove_torn(location: str, before: set[Path] | None) -> None:
    """Remove what a create made, unless it, or a racing one, has committed."""
    if has_log(location):
        return
    if before is None:
        shutil.rmtree(location, ignore_errors=True)
        return
    for entry in set(Path(location).glob("*")) - before:
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def append_rows(frame: pl.LazyFrame, location: str, request: WriteRequest) -> int:
    """Add rows; a lost race is run again, a bounded number of times."""
    for attempt in range(_ATTEMPTS):
        snapshot = current(location)
        if request.seen is not None and request.seen != snapshot.columns:
            raise moved(request.base_version, location)
        columns = request.columns(frame.collect_schema(), snapshot)
        plans = plan_assignment(frame.collect_schema(), columns, defaults=left_out(snapshot))
        check_required(plans)
        check_computed(snapshot, plans)
        judged = judged_by(snapshot)
        rows = assigned_rows(frame, plans, snapshot.partition_columns, judged)
        try:
            with committing(rows):
                write_deltalake(
                    snapshot.table,
                    rows.reader(),
                    mode="append",
                    schema_mode="merge" if columns != snapshot.columns else None,
                    commit_properties=request.commit(_APPEND_RETRIES),
                )
        except Conflict:
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(_JITTER.uniform(0.5, 1.0) * 0.05 * 2**attempt)
        else:
            return snapshot.table.version()
    raise Conflict("The table is being written too often to append to it; try again.")


def overwrite_table(frame: pl.LazyFrame, location: str, request: WriteRequest) -> int:
    """Replace all rows, and the columns too unless the request, the frame or what the table says
    of its columns keeps them.
    """
    snapshot = current(location)
    base = base_of(snapshot, request)
    check_replaceable(snapshot, keeps=request.keep_columns is not False)
    schema = frame.collect_schema()
    fitted = request.keep_columns
    if fitted is None:
        fitted = _is_bound(snapshot, request)
    kept = fitted or (request.keep_columns is None and _keeps_schema(schema, snapshot, request))
    columns = snapshot.columns if kept else spark_columns(schema)
    partition_by = partition_names(columns, _partitions(snapshot, schema, request))
    defaults = left_out(snapshot) if fitted else {}
    plans = plan_assignment(schema, columns, defaults=defaults)
    if fitted:
        check_required(plans)
        check_computed(snapshot, plans)
    rows = assigned_rows(frame, plans, partition_by, judged_by(snapshot))
    try:
        with committing(rows):
            write_deltalake(
                snapshot.table,
                rows.reader(),
                mode="overwrite",
                schema_mode=None if kept else "overwrite",
                partition_by=None if kept else list(partition_by),
                # With retries the library would keep rows that somebody appended meanwhile.
                commit_properties=request.commit(0),
            )
    except Conflict as error:
        raise moved(base, location) from error
    return snapshot.table.version()


def _is_bound(snapshot: Snapshot, request: WriteRequest) -> bool:
    """Whether a table says more of its columns than their types, to which every write holds.

    :raises Invalid: other partitions are wanted, for which it would be another table.
    """
    required = any(not column.nullable for column in snapshot.columns)
    if not (required or left_out(snapshot) or judged_by(snapshot)):
        return False
    wanted = tuple(map(name_key, request.partition_by))
    if wanted and wanted != tuple(map(name_key, snapshot.partition_columns)):
        raise Invalid(
            "The table has constraints or defaults, and is partitioned otherwise.",
            hint="Leave the partitions out, or write CREATE OR REPLACE TABLE.",
        )
    return True


def _partitions(snapshot: Snapshot, schema: pl.Schema, request: WriteRequest) -> tuple[str, ...]:
    """The columns that an overwritten table is partitioned by."""
    if request.keep_columns:
        return snapshot.partition_columns
    own = () if request.keep_columns is False else snapshot.partition_columns
    return request.partition_by or tuple(name for name in own if name in schema.names())


def _keeps_schema(schema: pl.Schema, snapshot: Snapshot, request: WriteRequest) -> bool:
    wanted = tuple(map(name_key, request.partition_by))
    if wanted and wanted != tuple(map(name_key, snapshot.partition_columns)):
        return False
    given = {name_key(name): dtype for name, dtype in schema.items()}
    own = {name_key(column.name): polars_type(column.type) for column in snapshot.columns}
    return given == own
