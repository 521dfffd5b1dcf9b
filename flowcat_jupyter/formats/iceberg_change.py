"""Changing rows of an Iceberg table.

Files that hold such a row are written anew, in one snapshot, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from polars.exceptions import PolarsError
from pyiceberg.manifest import DataFile
from pyiceberg.table import FileScanTask, Transaction
from pyiceberg.table.metadata import TableMetadata

from flowcat_jupyter.formats.delta_commit import Rows, not_computed, spooled
from flowcat_jupyter.formats.iceberg_alter import add_columns
from flowcat_jupyter.formats.iceberg_catalog import PointerCatalog
from flowcat_jupyter.formats.iceberg_changes import MARK, THERE, Changes
from flowcat_jupyter.formats.iceberg_facts import DELETED, INSERTED, UPDATED
from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_open import translated, unsupported
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg, total_rows
from flowcat_jupyter.formats.iceberg_write import (
    Base,
    Written,
    append_files,
    begin,
    data_files,
    files_of,
    fitted,
    replace_files,
    written,
)
from flowcat_jupyter.formats.types import exactly, polars_type, spark_type
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape


def change_rows(
    frame: pl.LazyFrame, shape: RowShape, base: Base
) -> tuple[Written | None, ChangedRows]:
    """Change rows of the table of ``base``, and count them; where there are none, nothing is
    committed.

    :raises Invalid: a value does not fit its column, or a row would change twice.
    """
    opened = base.opened()
    changes = Changes(opened, frame, shape)
    if changes.all_go:
        return _emptied(opened, base)
    with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        work = _Work(changes, opened, change.table_metadata, files)
        work.go()
        return _committed(work, work.told, catalog, change, base)


def replace_rows(
    frame: pl.LazyFrame,
    gone: pl.LazyFrame,
    keys: Sequence[str],
    base: Base,
    check: Callable[[Path], None],
) -> tuple[Written | None, ChangedRows]:
    """Put rows in place of those whose ``keys`` are in ``gone``, NULL included, and count both.

    ``check`` is given a file of the new rows as the table stores them, and raises if they may not
    be there.
    """
    opened = base.opened()
    rows = fitted(frame, opened.columns)
    delete = RowShape(tuple(keys), (RowAction("delete", new=False, columns=()),), once=False)
    with TemporaryDirectory(prefix="flowcat-replace-") as folder:
        file = Path(folder, "rows.arrow")
        spooled(rows, file)
        check(file)
        with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
            catalog, change = begin(base, files)
            work = _Work(Changes(opened, gone, delete), opened, change.table_metadata, files)
            work.go()
            kept = pl.scan_ipc(file)
            new = Rows(lambda: kept.collect_batches(lazy=True, maintain_order=True), rows.schema)
            work.made += data_files(new, change.table_metadata, files)
            inserted = kept.select(pl.len()).collect().item()
            told = replace(work.told, inserted=inserted)
            return _committed(work, told, catalog, change, base)


def _committed(
    work: _Work, told: ChangedRows, catalog: PointerCatalog, change: Transaction, base: Base
) -> tuple[Written | None, ChangedRows]:
    """Commit what was made, if there is anything to tell."""
    if not told.total:
        return None, told
    counts = {INSERTED: told.inserted, UPDATED: told.updated, DELETED: told.deleted}
    if work.gone:
        replace_files(change, work.gone, work.made, base, counts)
    else:
        append_files(change, work.made, base, counts)
    change.commit_transaction()
    return written(catalog), told


def rehearsed(frame: pl.LazyFrame, shape: RowShape, base: Base, *, evolves: bool) -> ChangedRows:
    """Count the rows that `change_rows` would change, with ``evolves`` after `evolved`.

    :raises Invalid: as they do.
    """
    if evolves:
        grown = evolved(frame, shape, base)
        told = rehearsed(frame, shape, grown, evolves=False)
        if grown.pointer is not None and grown.pointer != base.pointer:
            Path(grown.pointer).unlink()
        return told
    opened = base.opened()
    changes = Changes(opened, frame, shape)
    if changes.all_go:
        return ChangedRows(deleted=total_rows(opened.at.snapshot) or 0)
    work = _Work(changes, opened, opened.at.table.metadata, None)
    work.go()
    return work.told


def evolved(frame: pl.LazyFrame, shape: RowShape, base: Base) -> Base:
    """The table of ``base`` with the columns that an action fills and that it lacks."""
    schema = frame.collect_schema()
    known = {name_key(column.name) for column in base.opened().columns}
    given = [column for action in shape.actions for column in action.columns]
    types = schema.dtypes()[len(schema) - len(given) :]
    new: dict[str, Column] = {}
    for name, dtype in zip(given, types, strict=True):
        if name_key(name) not in known:
            new.setdefault(name_key(name), Column(name, spark_type(dtype, name)))
    if not new:
        return base
    return replace(base, pointer=add_columns(tuple(new.values()), base).pointer)


def _emptied(opened: OpenedIceberg, base: Base) -> tuple[Written | None, ChangedRows]:
    """Take every file out of a table."""
    gone = [task.file for task in opened.tasks()]
    if not gone:
        return None, ChangedRows()
    told = ChangedRows(deleted=total_rows(opened.at.snapshot) or 0)
    with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        replace_files(change, gone, (), base, {DELETED: told.deleted})
        change.commit_transaction()
        return written(catalog), told


@dataclass
class _Work:
    """Goes through a table's files, and writes those anew that hold a row to change; without
    ``files`` it only counts."""

    changes: Changes
    opened: OpenedIceberg
    metadata: TableMetadata
    files: LocalFiles | None
    gone: list[DataFile] = field(default_factory=list)
    made: list[DataFile] = field(default_factory=list)
    told: ChangedRows = field(default_factory=ChangedRows)

    def go(self) -> None:
        """Write the files.

        :raises Invalid: a value does not fit its column, or cannot be computed.
        """
        try:
            self._go()
        except PolarsError as error:
            raise not_computed(error) from error

    def _go(self) -> None:
        changes = self.changes
        rows = changes.rows
        wanted = rows if changes.shape.by_source else rows.filter(pl.col(THERE).is_not_null())
        met: list[pl.DataFrame] = []
        if wanted.height:
            for task in self.opened.tasks(changes.bounds(wanted)):
                if task.delete_files:
                    raise unsupported(self.opened.at.label, "deletes in files of their own")
                met += self._file(task, wanted)
        if met and changes.shape.by_source:
            rows = rows.join(pl.concat(met), on=changes.keys, how="anti", nulls_equal=False)
        for number, action in enumerate(changes.shape.actions, start=1):
            if action.new:
                new = changes.new(number, rows)
                self._store(new)
                self.told = replace(self.told, inserted=self.told.inserted + new.height)

    def _store(self, rows: pl.DataFrame) -> None:
        if self.files is not None:
            self.made += files_of(rows, self.metadata, self.files)

    def _file(self, task: FileScanTask, wanted: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Write a file anew if something is to become of a row in it; the keys that it has of the
        changes'.
        """
        frame = self.changes.keyed(self._declared(task))
        keys = self.changes.keys
        held = frame.select(keys).unique().collect()
        said = wanted.select(*keys, pl.col(THERE).is_not_null().alias(MARK))
        equal = not self.changes.shape.by_source
        found = said.join(held, on=keys, how="semi", nulls_equal=equal)
        if found.height:
            yield found.select(keys).unique()
        if found[MARK].any():
            self._rewrite(task, frame.collect())

    def _declared(self, task: FileScanTask) -> pl.LazyFrame:
        frame, _ = self.opened.frame([task])
        types = self.opened.schema
        stored = {column.name: polars_type(column.type) for column in self.changes.columns}
        return frame.with_columns(
            exactly(name).cast(dtype) for name, dtype in stored.items() if dtype != types[name]
        )

    def _rewrite(self, task: FileScanTask, rows: pl.DataFrame) -> None:
        """Write a file's rows with what becomes of them."""
        kept = pl.lit(value=True)
        for number, action in enumerate(self.changes.shape.actions, start=1):
            if action.new:
                continue
            mark = f"{MARK}{number}"
            said = self.changes.there(number).with_columns(pl.lit(value=True).alias(mark))
            rows = self._joined(rows, said)
            hit = pl.col(mark).is_not_null()
            count = rows.select(hit.sum()).item()
            if action.kind == "delete":
                kept &= ~hit
                self.told = replace(self.told, deleted=self.told.deleted + count)
            else:
                self.told = replace(self.told, updated=self.told.updated + count)
                rows = rows.with_columns(
                    pl.when(hit).then(pl.col(value)).otherwise(exactly(name)).alias(name)
                    for name, value in self.changes.stored(number).items()
                )
        names = [column.name for column in self.changes.columns]
        self._store(rows.filter(kept).select(exactly(*names)))
        self.gone.append(task.file)

    def _joined(self, rows: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
        equal = not self.changes.shape.by_source
        keys = self.changes.keys
        return rows.join(said, on=keys, how="left", nulls_equal=equal, maintain_order="left")
