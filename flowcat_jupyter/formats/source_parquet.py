"""Parquet files as a table whose options, columns or paths somebody said, and written ones."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from flowcat_jupyter.formats.options import (
    SESSION,
    Option,
    Options,
    flag,
    only,
    read_options,
)
from flowcat_jupyter.formats.parquet import (
    OpenedParquet,
    ParquetFormat,
    merged_schema,
    refuse_delta,
    refuse_version,
)
from flowcat_jupyter.formats.parquet_scan import Files
from flowcat_jupyter.formats.protocol import Scan, label_of
from flowcat_jupyter.formats.sink_columnar import ParquetWriter
from flowcat_jupyter.formats.sink_files import FileSink
from flowcat_jupyter.formats.source_columnar import fitted
from flowcat_jupyter.formats.source_listing import LISTING, Listed, list_files
from flowcat_jupyter.formats.source_table import facts_of, no_files
from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo, Source, TableFacts
from flowcat_jupyter.storage.patterns import SEPARATOR

_CALENDAR = "Days before 1582 are those of the calendar of today."
OPTIONS: tuple[Option, ...] = (
    flag("mergeSchema", True),
    only("datetimeRebaseMode", ("corrected",), _CALENDAR),
    only("int96RebaseMode", ("corrected",), _CALENDAR),
    only("binaryAsString", ("false",), "Cast the column: CAST(x AS STRING)."),
)


class ParquetFiles(FileSink):
    """Parquet files, read in one scan however they were named, and written."""

    def __init__(self) -> None:
        """Read and write."""
        super().__init__("parquet", ParquetWriter(), (*LISTING, *OPTIONS))
        self.read_options = (*LISTING, *OPTIONS)
        self._plain = ParquetFormat()

    def open(self, source: Source) -> OpenedParquet | OpenedFiles:
        """Find the files as they are now, and read their schemas.

        :raises Invalid: an option is unknown or wrong.
        """
        if _is_plain(source):
            return self._plain.open(source)
        label = label_of(source)
        refuse_version(source, label)
        others = self.write_options
        options = read_options(self.name, source.options, self.read_options, others=others)
        listed = list_files(source.location, options, label, source.columns)
        if not listed.files:
            if not source.columns:
                raise no_files(label)
            return OpenedFiles(None, source.columns, listed)
        paths = [file.path for file in listed.files]
        refuse_delta(paths, label)
        return OpenedFiles(_parquet(listed, options), source.columns, listed)

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and size from the files' footers."""
        if _is_plain(source):
            return self._plain.facts(source)
        opened = self.open(source)
        if not isinstance(opened, OpenedFiles):
            return self._plain.facts(source)
        rows = opened.scan().frame.select(pl.len()).collect().item()
        return facts_of(self.name, opened.columns, opened.listed, int(rows), source.options)

    def scan(self, source: Source) -> Scan:
        """All rows of the files."""
        return self.open(source).scan()

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Nothing: Parquet files keep no history."""
        self.open(source)
        return HistoryInfo(entries=(), total=0)


def _is_plain(source: Source) -> bool:
    said = any(layer.values for layer in source.options if layer.kind != SESSION)
    several = SEPARATOR in source.location or "{" in source.location
    return not (said or source.columns or several)


def _parquet(listed: Listed, options: Options) -> OpenedParquet:
    paths = [file.path for file in listed.files]
    partitions = pl.Schema({c.name: polars_type(c.type) for c in listed.partitions})
    looked_at = paths if options["mergeSchema"] else paths[:1]
    stored, warnings = merged_schema(looked_at, partitions)
    values = [file.values for file in listed.files]
    return OpenedParquet(Files("", paths, stored, partitions, values), warnings)


@dataclass(frozen=True)
class OpenedFiles:
    """See `Opened`; the columns are the ``declared`` ones, or those of the files."""

    files: OpenedParquet | None
    declared: tuple[Column, ...]
    listed: Listed
    version: None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in their order, those of folders' names last unless they were declared."""
        if not self.declared:
            return self.files.columns if self.files else ()
        given = {name_key(column.name) for column in self.declared}
        more = (c for c in self.listed.partitions if name_key(c.name) not in given)
        return (*self.declared, *more)

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows; a declared column that no file has is NULL.

        :raises Invalid: a file's column is of a type that is not read as the declared one.
        """
        if self.files is None:
            schema = {c.name: widened(polars_type(c.type)) for c in self.columns}
            return Scan(pl.LazyFrame(schema=schema), self.columns, None)
        if not self.declared:
            return self.files.scan(conditions)
        known = {c.name for c in self.files.columns}
        asked = all(condition.column in known for place in conditions for condition in place)
        scan = self.files.scan(conditions if asked else ())
        stored = {name_key(n): (n, dtype) for n, dtype in scan.frame.collect_schema().items()}
        parts = [
            fitted(column, stored.get(name_key(column.name)), "the files").cast(
                widened(polars_type(column.type))
            )
            for column in self.columns
        ]
        return Scan(scan.frame.select(parts), self.columns, None, scan.warnings, scan.reading)
