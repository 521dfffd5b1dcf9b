"""Reading a Delta snapshot's files: by which route, and which of them.

A plain table is one scan of our own, because polars' ``scan_delta`` cannot open a root with a
space or an accent in it and offers no schema to widen integers with; files that cannot hold a
wanted row are left out beforehand. Very many files are left to ``scan_delta`` where it can open
them, since it leaves out more by conditions that are not simple. Files with deleted rows are read
one by one while they are few, and by ``scan_delta`` when they are many. Mapped columns go through
the Delta library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from glob import has_magic
from os.path import isfile

import polars as pl

from flowcat_jupyter.formats.delta_log import DataFile, Snapshot, gone
from flowcat_jupyter.formats.delta_mapped import scan_mapped
from flowcat_jupyter.formats.parquet_scan import (
    Files,
    partitioned_by_path,
    read_parquet,
    scan_files,
)
from flowcat_jupyter.formats.protocol import Reading, Scan
from flowcat_jupyter.formats.skipping import Known, wanted_files
from flowcat_jupyter.formats.types import exactly, literal, polars_type, widened
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.storage.paths import check_inside

OWN = "its Parquet files, in one scan"
WITHOUT = "its Parquet files, those with deleted rows one by one without them"
SCAN_DELTA = "polars' own Delta reader, which leaves deleted rows out"
MAPPED = "the Delta library's query engine, because the files name the columns otherwise"
FEW = 32
MANY = 1_000
_ROW = "__flowcat_row"
_MOST_SCANS = 16
# What `scan_delta` finds again after it has made a URL of it.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/_.=-]+\Z")


@dataclass(frozen=True)
class OpenedDelta:
    """See `Opened`."""

    snapshot: Snapshot
    label: str

    @cached_property
    def files(self) -> list[DataFile]:
        """The version's files, in the log's order."""
        return self.snapshot.files()

    @cached_property
    def _known(self) -> Known:
        return Known(
            files=self.snapshot.actions,
            types={column.name: column.type for column in self.columns},
            partitions=self.snapshot.partition_columns,
            physical=self.snapshot.physical_names(),
        )

    @cached_property
    def _frames(self) -> dict[tuple[str, ...], tuple[pl.LazyFrame, str]]:
        """Scans made so far, by their files: an engine knows again the one it was given before."""
        return {}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns."""
        return self.snapshot.columns

    @property
    def version(self) -> int:
        """The version it stays at."""
        return self.snapshot.version

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows, integers widened to Int64, columns in the declared order.

        :raises Gone: a file that is needed is no longer there.
        :raises Forbidden: one that is needed lies outside the table's folder.
        """
        files = self.files
        wanted = self._wanted(conditions)
        kept = [file for file, keep in zip(files, wanted, strict=True) if keep]
        self._check(kept)
        frame, route = self._frame(kept, conditions)
        left_out = [file for file, keep in zip(files, wanted, strict=True) if not keep]
        reading = Reading(
            route=route,
            files=len(files),
            files_skipped=len(left_out),
            rows=_rows(files),
            rows_skipped=_rows(left_out),
            paths=self._plain_paths(kept, route),
        )
        return Scan(frame, self.columns, self.version, reading=reading)

    def rows_of(self, files: list[DataFile]) -> pl.LazyFrame:
        """The rows of some of the version's files, as `scan` gives them.

        :raises Gone: one is no longer there.
        :raises Forbidden: one lies outside the table's folder.
        """
        self._check(files)
        frame, _ = self._frame(files, ())
        return frame

    def _check(self, files: list[DataFile]) -> None:
        check_inside((file.path for file in files), self.snapshot.location, self.label)
        if not all(map(isfile, (file.path for file in files))):
            raise gone(self.label)

    def _wanted(self, conditions: Conditions) -> list[bool]:
        """For each file, whether it may hold a wanted row."""
        if not conditions:
            return [True] * len(self.files)
        return wanted_files(self._known, conditions)

    def _frame(self, kept: list[DataFile], conditions: Conditions) -> tuple[pl.LazyFrame, str]:
        whole = len(kept) == len(self.files)
        paths = tuple(file.path for file in kept)
        if self.snapshot.mapping != "none":
            return self._routed(kept, conditions, whole=whole)
        if paths not in self._frames:
            if len(self._frames) >= _MOST_SCANS:
                self._frames.clear()
            self._frames[paths] = self._routed(kept, conditions, whole=whole)
        return self._frames[paths]

    def _routed(
        self, kept: list[DataFile], conditions: Conditions, *, whole: bool
    ) -> tuple[pl.LazyFrame, str]:
        schema = frame_schema(self.snapshot)
        if not kept:
            return pl.LazyFrame(schema=schema), OWN
        if self.snapshot.mapping != "none":
            return scan_mapped(self.snapshot, schema, self.label, conditions), MAPPED
        deletions = self.snapshot.deletions
        holed = [file for file in kept if file.path in deletions]
        many = len(holed) > FEW or len(kept) > MANY
        if whole and many and self._suits_scan_delta(kept, schema):
            return _by_scan_delta(self.snapshot, schema), SCAN_DELTA
        if not holed:
            frame = scan_files(_as_files(self.snapshot, kept, schema))
            return frame.select(exactly(*schema.names())), OWN
        return _without_deleted(self.snapshot, kept, schema), WITHOUT

    def _suits_scan_delta(self, files: list[DataFile], schema: pl.Schema) -> bool:
        """Whether `scan_delta` finds the files, and takes the right partition values from paths."""
        if not all(_PLAIN_PATH.match(file.path) for file in files):
            return False
        partitioned = bool(self.snapshot.partition_columns)
        return not partitioned or partitioned_by_path(_as_files(self.snapshot, files, schema))

    def _plain_paths(self, kept: list[DataFile], route: str) -> tuple[str, ...] | None:
        paths = tuple(file.path for file in kept)
        # An engine that is given a list of files takes some letters of a name for a pattern.
        if route != OWN or self.snapshot.partition_columns or any(map(has_magic, paths)):
            return None
        return paths


def frame_schema(snapshot: Snapshot) -> pl.Schema:
    """The polars schema of a snapshot's rows as a scan gives them."""
    return pl.Schema(
        {column.name: widened(polars_type(column.type)) for column in snapshot.columns}
    )


def _rows(files: list[DataFile]) -> int | None:
    counts = [file.rows for file in files]
    return None if None in counts else sum(count or 0 for count in counts)


def _parts(snapshot: Snapshot, schema: pl.Schema) -> tuple[pl.Schema, pl.Schema]:
    """The columns in the files, and those in the log."""
    partitions = pl.Schema({name: schema[name] for name in snapshot.partition_columns})
    return pl.Schema({n: t for n, t in schema.items() if n not in partitions}), partitions


def _as_files(snapshot: Snapshot, files: list[DataFile], schema: pl.Schema) -> Files:
    stored, partitions = _parts(snapshot, schema)
    return Files(
        root=snapshot.location,
        paths=[file.path for file in files],
        stored=stored,
        partitions=partitions,
        values=[file.partition for file in files],
    )


def _by_scan_delta(snapshot: Snapshot, schema: pl.Schema) -> pl.LazyFrame:
    frame = pl.scan_delta(snapshot.table).select(exactly(*schema.names()))
    stored = {column.name: polars_type(column.type) for column in snapshot.columns}
    # A cast keeps predicates from the files' statistics: only where it is needed.
    narrow = [exactly(name).cast(schema[name]) for name in schema if stored[name] != schema[name]]
    return frame.with_columns(narrow) if narrow else frame


def _without_deleted(snapshot: Snapshot, files: list[DataFile], schema: pl.Schema) -> pl.LazyFrame:
    deletions = snapshot.deletions
    plain = [file for file in files if file.path not in deletions]
    frames = [scan_files(_as_files(snapshot, plain, schema))] if plain else []
    stored, partitions = _parts(snapshot, schema)
    frames += [
        _without(file, deletions[file.path], stored, partitions)
        for file in files
        if file.path in deletions
    ]
    return pl.concat([frame.select(exactly(*schema.names())) for frame in frames])


def _without(
    file: DataFile, keep: pl.Series, stored: pl.Schema, partitions: pl.Schema
) -> pl.LazyFrame:
    """One file without its deleted rows."""
    deleted = (~keep).arg_true().implode()
    frame = read_parquet([file.path], stored, row_column=_ROW)
    values = zip(partitions.items(), file.partition, strict=True)
    return (
        frame.filter(~pl.col(_ROW).is_in(deleted))
        .with_columns(literal(value, dtype).alias(name) for (name, dtype), value in values)
        .drop(_ROW)
    )
