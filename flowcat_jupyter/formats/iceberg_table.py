"""An Iceberg table as one job writes it: from one metadata file to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import polars as pl

from flowcat_jupyter.formats.iceberg_alter import add_columns, alter, move_columns, said_of
from flowcat_jupyter.formats.iceberg_change import change_rows, evolved, rehearsed, replace_rows
from flowcat_jupyter.formats.iceberg_facts import table_facts, table_history
from flowcat_jupyter.formats.iceberg_maintain import restore, vacuum
from flowcat_jupyter.formats.iceberg_open import open_at
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg
from flowcat_jupyter.formats.iceberg_write import (
    Base,
    Written,
    create_table,
    rehearsed_rows,
    replay,
    write_rows,
)
from flowcat_jupyter.formats.protocol import Parts, Scan
from flowcat_jupyter.formats.types import queryable, spark_columns, to_storable
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column, HistoryInfo, Source, TableFacts
from flowcat_jupyter.shared.wire_alter import Moved
from flowcat_jupyter.shared.wire_definitions import Definition
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowShape


class IcebergTable:
    """One table's `LakeFormat`, from ``pointer`` on: what is committed is what is read after it.

    Versions are numbers of snapshots, 0 where there is none.
    """

    name = "iceberg"

    def __init__(self, name: tuple[str, ...], pointer: str | None) -> None:
        """Begin at a metadata file; None: the table is yet to be made."""
        self._name = name
        self._pointer = pointer

    def _source(self, source: Source) -> Source:
        return replace(source, pointer=self._pointer, version=None)

    def open(self, source: Source) -> OpenedIceberg:
        """The table as this job has left it."""
        return OpenedIceberg(open_at(self._source(source)))

    def scan(self, source: Source) -> Scan:
        """All its rows."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and versions as this job has left it."""
        return table_facts(self.open(source).at)

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """At most ``limit`` snapshots, newest first."""
        return table_history(self.open(source).at, limit)

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
        **more: object,
    ) -> int:
        """Write rows in one snapshot; ``more`` is what only other formats know."""
        _check_known(more)
        made = write_rows(
            frame,
            self._base(location, commit_info),
            mode,
            partition_by,
            redefine=mode == "overwrite" and not keep_columns,
            evolves=add_columns,
            parts=parts,
        )
        return self._done(made) if made else base_version or 0

    def define(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
        **more: object,
    ) -> int:
        """Make a table without rows."""
        _check_known(more)
        base = self._base(location, commit_info)
        return self._done(create_table(None, columns, partition_by, base))

    def add_columns(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        commit_info: Mapping[str, str] | None = None,
        **more: object,
    ) -> int:
        """Give the table more columns."""
        _check_known(more)
        return self._done(add_columns(columns, self._base(location, commit_info)))

    def change(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        shape: RowShape,
        commit_info: Mapping[str, str] | None = None,
        add_columns: bool = False,
        **more: object,
    ) -> ChangedRows:
        """Change rows in one snapshot, and count them."""
        _check_known(more)
        base = self._base(location, commit_info)
        base = evolved(frame, shape, base) if add_columns else base
        made, told = change_rows(frame, shape, base)
        if made is not None:
            self._done(made)
        return told

    def define_with(
        self,
        columns: Sequence[Column],
        definition: Definition,
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a table without rows, of which properties are said."""
        base = self._base(location, commit_info)
        said = said_of(definition)
        return self._done(create_table(None, columns, partition_by, base, said))

    def make_with(
        self,
        frame: pl.LazyFrame,
        definition: Definition,
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a table of rows, of which properties are said."""
        base = self._base(location, commit_info)
        lazy, said = to_storable(frame), said_of(definition)
        columns = spark_columns(lazy.collect_schema())
        return self._done(create_table(lazy, columns, partition_by, base, said))

    def alter(
        self,
        change: Definition,
        *,
        location: str,
        base_version: int | None,
        commit_info: Mapping[str, str] | None = None,
        **_: object,
    ) -> int:
        """Change properties, and which columns must not be NULL."""
        made = alter(change, self._base(location, commit_info))
        return self._done(made) if made else base_version or 0

    def rewrite(
        self,
        columns: Sequence[Moved],
        *,
        location: str,
        base_version: int | None,
        commit_info: Mapping[str, str] | None = None,
        **_: object,
    ) -> int:
        """Give the table other columns; no row has to be written for it."""
        self._done(move_columns(columns, self._base(location, commit_info)))
        return 0

    def compact(self, **_: object) -> NoReturn:
        """Refuse: the library cannot commit files put together as upkeep that changes no row."""
        raise _refused("OPTIMIZE")

    def vacuum(
        self,
        *,
        location: str,
        base_version: int | None,
        hours: int | None,
        dry_run: bool = False,
        commit_info: Mapping[str, str] | None = None,
    ) -> Sequence[tuple[str, int]]:
        """Remove files that no young snapshot needs, or find them; each with its bytes."""
        return vacuum(self._base(location, commit_info), hours, dry_run=dry_run)

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
        """Make an old snapshot the newest again; which it was."""
        source = Source("base", "table", self._name, self.name, location, version, timestamp)
        made, found = restore(source, self._base(location, commit_info))
        if made is not None:
            self._done(made)
        return found

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
        """Put rows in place of others in one snapshot, and count both."""
        base = self._base(location, commit_info)
        made, told = replace_rows(queryable(frame), gone, keys, base, check)
        if made is not None:
            self._done(made)
        return told

    def rehearse_change(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        shape: RowShape,
        add_columns: bool = False,
    ) -> ChangedRows:
        """Count the rows that a change would change."""
        base = self._base(location, None)
        return rehearsed(frame, shape, base, evolves=add_columns)

    def rehearse_write(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        mode: str,
        base_version: int | None,
        add_columns: bool = False,
    ) -> int:
        """Count the rows that would be written."""
        return rehearsed_rows(frame, mode, self._base(location, None), evolves=add_columns)

    def replay(self, lost: str, *, location: str) -> int:
        """Add what an append added that lost a race; see `iceberg_write.replay`."""
        return self._done(replay(lost, self._base(location, None)))

    def warnings(self, schema: pl.Schema, location: str) -> tuple[str, ...]:
        """That a table to be made will have wider integers than are asked for."""
        narrow = [name for name, dtype in schema.items() if dtype in (pl.Int8, pl.Int16)]
        if self._pointer is not None or not narrow:
            return ()
        return (f"Iceberg has no integers narrower than INT, which {', '.join(narrow)} will be.",)

    def _base(self, location: str, commit_info: Mapping[str, str] | None) -> Base:
        return Base(location, self._pointer, self._name, dict(commit_info or {}))

    def _done(self, written: Written) -> int:
        self._pointer = written.pointer
        return written.version or 0


def _check_known(more: Mapping[str, object]) -> None:
    for name, value in more.items():
        if value:
            raise _refused(name.replace("_", " "))


def _refused(what: str) -> Invalid:
    return Invalid(
        f"Iceberg tables do not support this: {what}.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Make the change in a table USING delta, or rewrite the table with INSERT OVERWRITE.",
    )
