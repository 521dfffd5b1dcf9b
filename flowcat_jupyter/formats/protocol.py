"""What a table format can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import polars as pl

from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Column, HistoryInfo, OptionLayer, Source, TableFacts
from flowcat_jupyter.shared.wire_shows import DetailInfo
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowShape


def label_of(source: Source) -> str:
    """What people call a source: its name as SQL text, or where it lies."""
    return TableName(source.name).sql or source.location


@dataclass(frozen=True)
class Reading:
    """How a table is read, and how much of it.

    ``route`` says how in plain words. ``files`` and ``rows`` count the whole version (None: not
    known beforehand), ``files_skipped`` and ``rows_skipped`` what the conditions asked leave out.
    ``paths`` are the files to read when they hold the declared columns and nothing else has to
    be done to their rows, so that another engine may read them itself; else None.
    """

    route: str
    files: int | None = None
    files_skipped: int = 0
    rows: int | None = None
    rows_skipped: int | None = 0
    paths: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Parts:
    """The partitions whose rows an overwrite takes away: those that its rows are in, or, with
    ``fixed``, those that have its values, one row of partition columns. With ``unless_there``
    nothing is written if there are such rows.
    """

    fixed: pl.DataFrame | None = None
    unless_there: bool = False


@dataclass(frozen=True)
class Scan:
    """A table opened at one version.

    ``frame`` reads that version however late it is collected. ``columns`` are the *declared*
    Spark types, in the frame's order; the frame itself holds every integer as Int64 whatever its
    declared width, so that arithmetic on it cannot wrap before it is checked. ``version`` is None
    where the format has none. ``warnings`` are for the person reading; ``reading`` tells how the
    rows are got, for EXPLAIN.
    """

    frame: pl.LazyFrame
    columns: tuple[Column, ...]
    version: int | None
    warnings: tuple[str, ...] = ()
    reading: Reading | None = None

    def declared(self) -> pl.LazyFrame:
        """The frame in the declared types, narrow integers included."""
        schema = self.frame.collect_schema()
        narrow = [
            exactly(column.name).cast(dtype)
            for column in self.columns
            if (dtype := polars_type(column.type)) != schema[column.name]
        ]
        return self.frame.with_columns(narrow) if narrow else self.frame


class Opened(Protocol):
    """A table opened at one version, whose files nobody has looked into yet."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns."""
        ...

    @property
    def version(self) -> int | None:
        """The version it stays at; None where the format has none."""
        ...

    def scan(self, conditions: Conditions = ()) -> Scan:
        """Its rows; files without a row that meets ``conditions`` may be left out."""
        ...


class TableFormat(Protocol):
    """A way tables are stored, for reading.

    Every method raises `NotFound` when there is no table at the source's location, `Gone` when
    the data of the version asked for have been removed, and `Invalid` when the version does not
    exist or the table needs a feature that would make its rows come out wrong.
    """

    @property
    def name(self) -> str:
        """The word for it in ``USING …`` and in a source."""
        ...

    def open(self, source: Source) -> Opened:
        """Open a table; a source without a version is pinned to the newest one now."""
        ...

    def scan(self, source: Source) -> Scan:
        """Open a table, for all its rows."""
        ...

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and versions, without reading data."""
        ...

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """At most ``limit`` commits, newest first."""
        ...


@runtime_checkable
class LakeFormat(TableFormat, Protocol):
    """A format that can also be written, one atomic version at a time."""

    def write(
        self,
        frame: pl.LazyFrame | pl.DataFrame,
        *,
        location: str,
        mode: str,
        base_version: int | None,
        merge_keys: Sequence[str] = (),
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
        add_columns: bool = False,
        keep_columns: bool | None = None,
        seen: Sequence[Column] | None = None,
        parts: Parts | None = None,
    ) -> int:
        """Write rows and return the version they became.

        ``mode`` is ``create``, ``overwrite``, ``append``, ``upsert``, ``update`` or ``delete``;
        the last three match rows by ``merge_keys``. ``base_version`` is the version the caller
        read: every mode but ``append`` refuses when the table has moved past it. With
        ``add_columns`` an append or upsert gives the table the columns that it lacks, in the same
        version; they are NULL in the rows it has. An overwrite with ``keep_columns`` fits the rows
        to the table's columns, without it gives the table those of the rows and ``partition_by``;
        None keeps the table's where the rows have the same. With ``parts`` it takes away the rows
        of these partitions alone; the answer is ``base_version`` if there is nothing to write. An
        append that is made for the columns ``seen`` refuses a table that has others by now.

        :raises AlreadyExists: ``create``, and there is a table at ``location``.
        :raises Conflict: somebody else committed meanwhile.
        :raises Invalid: rows, columns or keys do not fit; nothing has been committed.
        """
        ...

    def define(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a table of ``columns`` without rows, or with a ``base_version`` replace one by it;
        the version made.

        :raises AlreadyExists: there is a table, and none is to be replaced.
        :raises Conflict: somebody else committed since ``base_version``.
        """
        ...

    def add_columns(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Give a table more columns, NULL in the rows it has; the version made.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: it has one of them, or one may not be NULL.
        """
        ...

    def change(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        shape: RowShape,
        commit_info: Mapping[str, str] | None = None,
        add_columns: bool = False,
    ) -> ChangedRows:
        """Commit changes of rows, as ``shape`` says ``frame`` holds them, and count them. With
        ``add_columns`` the table gets the columns that an action fills and that it lacks.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: a value does not fit its column, or a row would change twice; nothing has
            been committed.
        """
        ...

    def compact(
        self,
        *,
        location: str,
        base_version: int | None,
        order_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> tuple[int, int]:
        """Put small files together, or sort the rows along columns; files taken and made."""
        ...

    def vacuum(
        self,
        *,
        location: str,
        base_version: int | None,
        hours: int | None,
        dry_run: bool = False,
        commit_info: Mapping[str, str] | None = None,
    ) -> Sequence[tuple[str, int]]:
        """Remove files that no version younger than ``hours`` needs, None for the table's own
        rule; each with its bytes. With ``dry_run`` they are only found.

        :raises Invalid: ``hours`` are fewer than is safe.
        """
        ...

    def restore(
        self,
        *,
        location: str,
        base_version: int | None,
        label: str,
        version: int | None = None,
        timestamp: str | None = None,
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a version, or what was current at a time, the newest again; which it was.

        ``label`` is what people call the table. What is the newest already stays so.

        :raises Gone: its files have been removed.
        """
        ...

    def warnings(self, schema: pl.Schema, location: str) -> tuple[str, ...]:
        """What to tell whoever is about to write rows of ``schema`` to ``location``."""
        ...


@runtime_checkable
class SinkFormat(Protocol):
    """A format that rows can be saved in, at a place of their own or wherever it takes them."""

    @property
    def name(self) -> str:
        """The word for it in ``USING …`` and in a source."""
        ...

    def save(
        self,
        frame: pl.LazyFrame,
        *,
        location: str | None,
        mode: str,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str],
        columns: Sequence[Column],
    ) -> int:
        """Write all rows of ``frame``, whose declared types are ``columns``; how many they were.

        ``mode`` is ``error`` (nothing may be there), ``ignore`` (nothing is written if something
        is, and the answer is 0), ``append`` or ``overwrite``. ``location`` is None for a sink
        that has no place. What fails leaves nothing that a reader would read.

        :raises AlreadyExists: ``error``, and something is there.
        :raises Invalid: an option is unknown or wrong, or the rows do not fit the format.
        """
        ...


@runtime_checkable
class PointedFormat(TableFormat, Protocol):
    """A format whose tables are what one file says, which our catalog points to: a write makes
    another such file, and whoever asked for it moves the pointer.
    """

    def written_from(self, name: tuple[str, ...], pointer: str | None) -> LakeFormat:
        """The table called ``name`` for one job to write, from what ``pointer`` says, None for one
        that is yet to be made. Its ``facts`` are those of what the job has written last.
        """
        ...


@runtime_checkable
class ReplayingFormat(Protocol):
    """A `LakeFormat` of one job that can add what another added."""

    def replay(self, lost: str, *, location: str) -> int:
        """Add what an append added whose pointer is ``lost``; the version made.

        :raises Conflict: the table's columns have changed since.
        """
        ...


@runtime_checkable
class ReplacingFormat(Protocol):
    """A format whose rows can be put in place of others in one version."""

    def replace_rows(
        self,
        frame: pl.LazyFrame,
        gone: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        keys: Sequence[str],
        check: Callable[[Path], None],
        commit_info: Mapping[str, str] | None = None,
    ) -> ChangedRows:
        """Put the rows of ``frame`` in place of those whose ``keys`` are in ``gone``, NULL
        included, and count both. Its columns are the keys and one more.

        ``check`` is given a file of the new rows as the table stores them, and raises if they may
        not be there.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: the rows do not fit; nothing has been committed.
        """
        ...


@runtime_checkable
class DetailedFormat(TableFormat, Protocol):
    """A format whose log says more of a table than its facts."""

    def detail(self, source: Source) -> DetailInfo:
        """A table's facts and what its log says beside them."""
        ...
