"""Writing an Iceberg table: data files, manifests and a new metadata file, in one snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from secrets import randbelow
from typing import Any
from uuid import uuid4

import polars as pl
from polars.exceptions import PolarsError
from pyiceberg.expressions import And
from pyiceberg.io.pyarrow import _dataframe_to_data_files, schema_to_pyarrow
from pyiceberg.manifest import DataFile
from pyiceberg.table import FileScanTask, Table, Transaction
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update.snapshot import UpdateSnapshot, _SnapshotProducer

from flowcat_jupyter.formats.delta_assign import assign, check_required, plan_assignment
from flowcat_jupyter.formats.delta_commit import Rows, assigned_rows, not_computed
from flowcat_jupyter.formats.iceberg_catalog import PointerCatalog, metadata_number
from flowcat_jupyter.formats.iceberg_facts import DELETED, INSERTED
from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_install import INSTALL
from flowcat_jupyter.formats.iceberg_open import open_at, translated
from flowcat_jupyter.formats.iceberg_partitions import partition_spec
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg, equal
from flowcat_jupyter.formats.iceberg_types import iceberg_schema, iceberg_type, spark_columns_of
from flowcat_jupyter.formats.protocol import Parts
from flowcat_jupyter.formats.types import queryable, spark_columns, to_storable
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid, NotInstalled
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, Source
from flowcat_jupyter.storage.paths import local_path

CHUNK_BYTES = 256 << 20
"""Rows are made files of when they are about this many bytes in memory."""
_PROPERTIES = {"commit.manifest-merge.enabled": "true"}
# A number that JavaScript, too, can hold.
_SNAPSHOTS = 1 << 53


@dataclass(frozen=True)
class Written:
    """A commit that the server has yet to record: the metadata file that is the table after it."""

    pointer: str
    version: int | None


@dataclass(frozen=True)
class Base:
    """What a write builds on: the table at ``pointer``, None where it is yet to be made."""

    location: str
    pointer: str | None
    name: tuple[str, ...]
    commit_info: Mapping[str, str]

    @property
    def label(self) -> str:
        """What people call the table."""
        return TableName(self.name).sql

    def opened(self) -> OpenedIceberg:
        """The table.

        :raises Invalid: it is of a kind that is only read.
        """
        source = Source("base", "table", self.name, "iceberg", self.location, pointer=self.pointer)
        return OpenedIceberg(open_at(source))


def create_table(
    frame: pl.LazyFrame | None,
    columns: Sequence[Column],
    partition_by: Sequence[str],
    base: Base,
    properties: Mapping[str, str] | None = None,
) -> Written:
    """Make a table, with rows or without; with a pointer in ``base`` it begins anew in the place
    of the one there.

    :raises Invalid: a value does not fit its column; nothing has been made.
    """
    location = local_path(base.location)
    schema = iceberg_schema(columns)
    spec = partition_spec(schema, partition_by)
    number = 0 if base.pointer is None else metadata_number(base.pointer) + 1
    with LocalFiles(location, base.label) as files, translated(base.label):
        catalog = PointerCatalog(files, None, number)
        change = catalog.new_table(schema, location, spec, {**_PROPERTIES, **(properties or {})})
        if frame is not None:
            # Its integers are four bytes wide at least.
            stored = spark_columns_of(change.table_metadata.schema())
            rows = assigned_rows(frame, plan_assignment(frame.collect_schema(), stored), ())
            made = list(data_files(rows, change.table_metadata, files))
            counts = {INSERTED: _count(made)}
            with _snapshot(change, base, counts).fast_append() as append:
                _add(append, made)
        change.commit_transaction()
        return written(catalog)


def append_rows(frame: pl.LazyFrame, base: Base, *, evolves: bool = False) -> Written:
    """Add rows; with ``evolves`` the table gets the columns of theirs that it lacks."""
    at = base.opened().at
    schema = frame.collect_schema()
    known = {name_key(column.name) for column in at.columns}
    new = [name for name in schema.names() if name_key(name) not in known] if evolves else []
    rows = None if new else fitted(frame, at.columns)
    with LocalFiles(at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        if rows is None:
            stage_columns(change, spark_columns(pl.Schema({name: schema[name] for name in new})))
            rows = fitted(frame, spark_columns_of(change.table_metadata.schema()))
        made = list(data_files(rows, change.table_metadata, files))
        append_files(change, made, base, {INSERTED: _count(made)})
        change.commit_transaction()
        return written(catalog)


def rehearsed_rows(frame: pl.LazyFrame, mode: str, base: Base, *, evolves: bool) -> int:
    """How many rows an append or an overwrite would write.

    :raises Invalid: they do not fit.
    """
    lazy = queryable(frame)
    columns = None if mode == "create" else base.opened().columns
    if columns is None or evolves:
        known = {name_key(column.name) for column in columns or ()}
        given = spark_columns(lazy.collect_schema())
        new = (column for column in given if name_key(column.name) not in known)
        columns = (*(columns or ()), *new)
    try:
        return sum(rows.height for rows in fitted(lazy, columns).frames())
    except PolarsError as error:
        raise not_computed(error) from error


def stage_columns(change: Transaction, columns: Sequence[Column]) -> None:
    """Stage more columns."""
    with change.update_schema() as update:
        for column in columns:
            update.add_column((column.name,), iceberg_type(column.type), column.comment)


def overwrite_rows(frame: pl.LazyFrame, base: Base, parts: Parts | None = None) -> Written | None:
    """Put rows in the place of all there are, or of those of some partitions; None: nothing was
    to be written.
    """
    opened = base.opened()
    rows = fitted(frame, opened.columns)
    found = opened.tasks() if parts is None or parts.fixed is None else _held(opened, parts.fixed)
    if parts is not None and parts.unless_there and found:
        return None
    with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        made = list(data_files(rows, change.table_metadata, files))
        if parts is not None and parts.fixed is None:
            places = {_place(file) for file in made}
            found = [task for task in found if _place(task.file) in places]
        gone = [task.file for task in found]
        replace_files(change, gone, made, base, {INSERTED: _count(made), DELETED: _count(gone)})
        change.commit_transaction()
        return written(catalog)


def _place(file: DataFile) -> tuple[object, ...]:
    """The partition that a file is in."""
    return tuple(file.partition[at] for at in range(len(file.partition)))


def _held(opened: OpenedIceberg, values: pl.DataFrame) -> list[FileScanTask]:
    """The files of the partitions that have some values of columns."""
    plans = plan_assignment(values.schema, opened.columns, partial=True)
    (row,) = assign(values, plans).rows(named=True)
    tests = (equal(name, value) for name, value in row.items())
    return opened.tasks_where(reduce(And, tests))


def replay(lost: str, base: Base) -> Written:
    """Add the files of an append that lost a race, whose metadata file is ``lost``, to the table
    as it is now.

    :raises Conflict: the table's columns or partitions are others by now.
    """
    location = local_path(base.location)
    with LocalFiles(location, base.label) as files, translated(base.label):
        late = PointerCatalog(files, lost).load_table()
        catalog, change = begin(base, files)
        if (late.schema(), late.spec()) != (
            change.table_metadata.schema(),
            change.table_metadata.spec(),
        ):
            raise Conflict(
                "The table's columns have changed while rows were added to it.",
                hint="Run the statement again.",
            )
        made, told = _added(late, files)
        append_files(change, made, replace(base, commit_info=told), {})
        change.commit_transaction()
        return written(catalog)


def _added(late: Table, files: LocalFiles) -> tuple[list[DataFile], dict[str, str]]:
    """The files that a table's newest snapshot added, and what it says of itself."""
    snapshot = late.metadata.current_snapshot()
    if snapshot is None:
        return [], {}
    made = [
        entry.data_file
        for manifest in snapshot.manifests(files)
        if manifest.added_snapshot_id == snapshot.snapshot_id
        for entry in manifest.fetch_manifest_entry(files, discard_deleted=True)
        if entry.snapshot_id == snapshot.snapshot_id
    ]
    told = snapshot.summary.additional_properties if snapshot.summary else {}
    kept = ("user", "run_id")
    return made, {n: v for n, v in told.items() if n.startswith("flowcat_") or n in kept}


def begin(base: Base, files: LocalFiles) -> tuple[PointerCatalog, Transaction]:
    """A transaction on the table of ``base``."""
    catalog = PointerCatalog(files, base.pointer)
    return catalog, catalog.load_table().transaction()


def written(catalog: PointerCatalog) -> Written:
    """What a catalog's last commit made."""
    table = catalog.load_table()
    return Written(table.metadata_location, table.metadata.current_snapshot_id)


def append_files(
    change: Transaction, made: Sequence[DataFile], base: Base, counts: Mapping[str, int]
) -> None:
    """Stage a snapshot with more files."""
    with _snapshot(change, base, counts).merge_append() as append:
        _add(append, made)


def replace_files(
    change: Transaction,
    gone: Sequence[DataFile],
    made: Sequence[DataFile],
    base: Base,
    counts: Mapping[str, int],
) -> None:
    """Stage a snapshot with other files in the place of some."""
    with _snapshot(change, base, counts).overwrite() as overwrite:
        for file in gone:
            overwrite.delete_data_file(file)
        _add(overwrite, made)


def _snapshot(change: Transaction, base: Base, counts: Mapping[str, int]) -> UpdateSnapshot:
    told = {name: str(count) for name, count in counts.items()}
    return change.update_snapshot(snapshot_properties={**base.commit_info, **told})


def _add(producer: _SnapshotProducer[Any], made: Sequence[DataFile]) -> None:
    producer._snapshot_id = randbelow(_SNAPSHOTS - 1) + 1
    for file in made:
        producer.append_data_file(file)


def _count(made: Sequence[DataFile]) -> int:
    return sum(file.record_count for file in made)


def fitted(frame: pl.LazyFrame, columns: Sequence[Column]) -> Rows:
    """Rows in a table's columns.

    :raises Invalid: they do not fit.
    """
    plans = plan_assignment(frame.collect_schema(), columns)
    check_required(plans)
    return assigned_rows(frame, plans, ())


def data_files(rows: Rows, metadata: TableMetadata, files: LocalFiles) -> Iterator[DataFile]:
    """Rows as files of a table.

    :raises Invalid: a value does not fit its column, or the rows cannot be computed.
    """
    try:
        for chunk in _chunks(rows.frames()):
            yield from files_of(chunk, metadata, files)
    except PolarsError as error:
        raise not_computed(error) from error


def files_of(chunk: pl.DataFrame, metadata: TableMetadata, files: LocalFiles) -> Iterator[DataFile]:
    """Rows in a table's own types as files of it."""
    if not chunk.height:
        return
    try:
        arrow = chunk.to_arrow(compat_level=pl.CompatLevel.oldest())
    except ModuleNotFoundError as error:
        raise NotInstalled("pyarrow, which Iceberg needs,", INSTALL) from error
    arrow = arrow.cast(schema_to_pyarrow(metadata.schema(), include_field_ids=False))
    # Files of two calls with one uuid would have the same names.
    yield from _dataframe_to_data_files(metadata, arrow, files, write_uuid=uuid4())


def _chunks(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    held: list[pl.DataFrame] = []
    size = 0
    for frame in frames:
        held.append(frame)
        size += int(frame.estimated_size())
        if size >= CHUNK_BYTES:
            yield pl.concat(held)
            held, size = [], 0
    if held:
        yield pl.concat(held)


def write_rows(
    frame: pl.LazyFrame | pl.DataFrame,
    base: Base,
    mode: str,
    partition_by: Sequence[str],
    *,
    redefine: bool,
    evolves: bool = False,
    parts: Parts | None = None,
) -> Written | None:
    """Create, overwrite or append, as `LakeFormat.write` says; None: nothing was to be written.

    :raises AlreadyExists: there is a table, and none is to be replaced.
    """
    if mode not in ("create", "append", "overwrite"):
        raise Invalid(f"{mode!r} is not a way to write an Iceberg table.", hint="Use MERGE INTO.")
    if mode == "create" and base.pointer is not None:
        raise AlreadyExists("table", base.label)
    if mode == "create" or redefine:
        lazy = to_storable(frame.lazy())
        return create_table(lazy, spark_columns(lazy.collect_schema()), partition_by, base)
    lazy = queryable(frame.lazy())
    if mode == "append":
        return append_rows(lazy, base, evolves=evolves)
    return overwrite_rows(lazy, base, parts)
