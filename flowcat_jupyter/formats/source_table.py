"""Files of one format as a table that is read: found, their columns known, their rows one scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

import polars as pl
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.options import PROPERTIES, Option, Options, read_options
from flowcat_jupyter.formats.protocol import Reading, Scan, label_of
from flowcat_jupyter.formats.skipping import Known, wanted_files
from flowcat_jupyter.formats.source_listing import LISTING, DataFile, Listed, list_files
from flowcat_jupyter.formats.types import exactly, polars_type, widened
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.errors import Gone, Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo, OptionLayer, Source, TableFacts


class FileReader(Protocol):
    """What a format knows of its files."""

    @property
    def name(self) -> str:
        """The format's name."""
        ...

    @property
    def options(self) -> Sequence[Option]:
        """The options it has beside those by which files are found."""
        ...

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """The columns inside the files, which are at least one."""
        ...

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Let pass columns that somebody declared.

        :raises Invalid: the format's files cannot hold one of them.
        """
        ...

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """A file's rows, some at a time: just these columns in their declared types."""
        ...


class FileFormat:
    """A table format made of a `FileReader`; there are no versions."""

    def __init__(self, reader: FileReader, others: Sequence[Option] = ()) -> None:
        """Read tables by ``reader``; ``others`` are the options for writing them."""
        self.reader = reader
        self.name = reader.name
        self.read_options = (*LISTING, *reader.options)
        self._others = others

    def open(self, source: Source) -> OpenedFiles:
        """Find the files as they are now, and their columns.

        :raises NotFound: a path leads to nothing.
        :raises Invalid: an option is unknown or wrong, or the columns cannot be told.
        """
        label = label_of(source)
        refuse_version(source, label)
        options = read_options(self.name, source.options, self.read_options, others=self._others)
        listed = list_files(source.location, options, label, source.columns)
        return OpenedFiles(self.reader, options, listed, label, source.columns)

    def scan(self, source: Source) -> Scan:
        """All rows of the files."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """Columns and sizes; rows are not counted, which would take reading all of them."""
        opened = self.open(source)
        return facts_of(self.name, opened.columns, opened.listed, None, source.options)

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Files keep no history.

        :raises Invalid: always.
        """
        raise no_history(source)


def refuse_version(source: Source, label: str) -> None:
    """Refuse to read files as of a version or a time.

    :raises Invalid: the source says one.
    """
    if source.version is not None or source.timestamp is not None:
        raise Invalid(
            f"{label} is made of {source.format} files, which have no versions.",
            condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
            sqlstate="0A000",
            hint="Copy it into a Delta table to read old versions.",
        )


def no_history(source: Source) -> Invalid:
    """The error of asking rows that have no versions for their history."""
    return Invalid(
        f"{label_of(source) or source.format} is read as {source.format}, which keeps no history.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Copy it into a Delta table to have one: CREATE TABLE … AS SELECT.",
    )


def no_files(label: str) -> Invalid:
    """The error of a place without files, whose columns nobody declared."""
    return Invalid(
        f"The columns of {label} cannot be told: there is no file.",
        condition="UNABLE_TO_INFER_SCHEMA",
        sqlstate="42KD9",
        hint="Declare the columns, or name a place where files are; names that begin with _ or . "
        "do not count.",
    )


def facts_of(
    format: str,
    columns: tuple[Column, ...],
    listed: Listed,
    rows: int | None,
    layers: Sequence[OptionLayer],
) -> TableFacts:
    """What is known of a table of files without reading them."""
    properties = [layer.values for layer in layers if layer.kind == PROPERTIES]
    stats = [Path(file.path).stat() for file in listed.files]
    newest = max((stat.st_mtime for stat in stats), default=None)
    return TableFacts(
        format=format,
        columns=columns,
        partition_columns=tuple(column.name for column in listed.partitions),
        row_count=rows,
        size_bytes=sum(stat.st_size for stat in stats),
        version=None,
        data_files_version=None,
        files=len(stats),
        written_at=None if newest is None else datetime.fromtimestamp(newest, UTC).isoformat(),
        properties=dict(properties[-1]) if properties else {},
    )


@dataclass(frozen=True)
class OpenedFiles:
    """See `Opened`; there is no version."""

    reader: FileReader
    options: Options
    listed: Listed
    label: str
    declared: tuple[Column, ...] = ()
    version: None = field(default=None, init=False)

    @cached_property
    def _inside(self) -> tuple[Column, ...]:
        """The columns inside the files."""
        if self.declared:
            apart = {name_key(column.name) for column in self.listed.partitions}
            inside = tuple(c for c in self.declared if name_key(c.name) not in apart)
            self.reader.check(inside, self.options)
            return inside
        if not self.listed.files:
            raise no_files(self.label)
        return self.reader.columns(self.listed, self.options)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns in their order; else those inside the files, then the folders'."""
        apart = {name_key(column.name): column for column in self.listed.partitions}
        if not self.declared:
            inside = (c for c in self._inside if name_key(c.name) not in apart)
            return (*inside, *self.listed.partitions)
        given = {name_key(column.name) for column in self.declared}
        known = (apart.get(name_key(column.name), column) for column in self.declared)
        return (*known, *(c for key, c in apart.items() if key not in given))

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows; folders whose values do not meet ``conditions`` are left out."""
        kept = self._kept(conditions)
        schema = pl.Schema({c.name: widened(polars_type(c.type)) for c in self.columns})
        rows = _Rows(self.reader, self.options, kept, self._inside, schema)
        files, skipped = len(self.listed.files), len(self.listed.files) - len(kept.files)
        reading = Reading(
            route=f"its {self.reader.name} files, one after the other",
            files=files,
            files_skipped=skipped,
            rows_skipped=None if skipped else 0,
        )
        return Scan(register_io_source(rows.read, schema=schema), self.columns, None, (), reading)

    def _kept(self, conditions: Conditions) -> Listed:
        if not self.listed.partitions or not self.listed.files:
            return self.listed
        names = {column.name: column.name for column in self.columns}
        known = Known(
            files=pl.DataFrame(list(self.listed.values)).select(
                pl.struct(exactly(*(c.name for c in self.listed.partitions))).alias("partition")
            ),
            types={column.name: column.type for column in self.columns},
            partitions=[column.name for column in self.listed.partitions],
            physical=names,
        )
        return self.listed.kept(wanted_files(known, conditions))


@dataclass(frozen=True)
class _Rows:
    """The rows of files, for the engine to take as it needs them."""

    reader: FileReader
    options: Options
    listed: Listed
    inside: tuple[Column, ...]
    schema: pl.Schema

    def read(
        self,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        left = n_rows
        for number, file in enumerate(self.listed.files):
            for frame in self._frames(file):
                shaped = self._shaped(frame, number, with_columns)
                if predicate is not None:
                    shaped = shaped.filter(predicate)
                if left is not None:
                    shaped = shaped.head(left)
                    left -= shaped.height
                yield shaped
                if left == 0:
                    return

    def _frames(self, file: DataFile) -> Iterator[pl.DataFrame]:
        try:
            yield from self.reader.frames(file, self.inside, self.options)
        except FileNotFoundError as error:
            if not self.options["ignoreMissingFiles"]:
                raise Gone(
                    f"{Path(file.path).name} has been removed while the files were read.",
                    hint="Run it again, or set ignoreMissingFiles to true.",
                ) from error

    def _shaped(
        self, frame: pl.DataFrame, number: int, with_columns: list[str] | None
    ) -> pl.DataFrame:
        apart = {
            column.name: series[number]
            for column, series in zip(self.listed.partitions, self.listed.values, strict=True)
        }
        parts = []
        for name, dtype in self.schema.items():
            if with_columns is not None and name not in with_columns:
                continue
            if name in apart:
                part = pl.repeat(apart[name], pl.len(), dtype=dtype)
            else:
                part = exactly(name).cast(dtype)
            parts.append(part.alias(name))
        return frame.select(parts)
