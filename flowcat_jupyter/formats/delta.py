"""The Delta table format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.comparing import Side
from flowcat_jupyter.formats.delta_alter import alter_table
from flowcat_jupyter.formats.delta_change import change_rows
from flowcat_jupyter.formats.delta_commit import WriteRequest, check_replaceable, current
from flowcat_jupyter.formats.delta_define import add_columns, define_table
from flowcat_jupyter.formats.delta_define_with import define_with, make_with
from flowcat_jupyter.formats.delta_detail import table_detail
from flowcat_jupyter.formats.delta_diff import compare_versions
from flowcat_jupyter.formats.delta_direct import change_directly
from flowcat_jupyter.formats.delta_history import table_facts, table_history
from flowcat_jupyter.formats.delta_kept import KeptTables
from flowcat_jupyter.formats.delta_log import checked_location, open_snapshot
from flowcat_jupyter.formats.delta_maintain import compact, restore, vacuum
from flowcat_jupyter.formats.delta_rehearse import rehearse_change, rehearse_write
from flowcat_jupyter.formats.delta_replace import replace_rows
from flowcat_jupyter.formats.delta_rewrite import rewrite_table
from flowcat_jupyter.formats.delta_scan import OpenedDelta
from flowcat_jupyter.formats.delta_write import lock_out_warnings, write_table
from flowcat_jupyter.formats.protocol import Parts, Scan
from flowcat_jupyter.shared.wire import Column, HistoryInfo, Source, TableFacts
from flowcat_jupyter.shared.wire_alter import Definition, Moved
from flowcat_jupyter.shared.wire_shows import DetailInfo
from flowcat_jupyter.shared.wire_writes import ChangedRows, DirectChange, RowShape


class DeltaFormat:
    """Delta tables in folders of this machine: see `LakeFormat` for what each method promises."""

    name = "delta"

    def __init__(self) -> None:
        """No table is open yet."""
        self._kept = KeptTables()

    def open(self, source: Source) -> OpenedDelta:
        """Open a table, pinned to its files as of one version."""
        return self._kept.opened(source, _opened)

    def scan(self, source: Source) -> Scan:
        """All rows of a table."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and versions from the log."""
        return table_facts(open_snapshot(source))

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """At most ``limit`` commits, newest first."""
        return table_history(open_snapshot(source), limit)

    def detail(self, source: Source) -> DetailInfo:
        """The facts, and what the log says beside them."""
        return table_detail(open_snapshot(source))

    def compare(self, before: Source, after: Source) -> tuple[Side, Side]:
        """Two versions of one table, files that both have left out."""
        return compare_versions(before, after, self.open)

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
        """Commit one version and return its number."""
        request = WriteRequest(
            location=location,
            mode=mode,
            base_version=base_version,
            merge_keys=tuple(merge_keys),
            partition_by=tuple(partition_by),
            commit_info=dict(commit_info or {}),
            add_columns=add_columns,
            keep_columns=keep_columns,
            seen=None if seen is None else tuple(seen),
            parts=parts,
        )
        return write_table(frame, request)

    def define(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a table without rows and return its version."""
        request = WriteRequest(
            location=location,
            mode="define",
            base_version=base_version,
            partition_by=tuple(partition_by),
            commit_info=dict(commit_info or {}),
        )
        return define_table(columns, location, request)

    def add_columns(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        base_version: int | None,
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Give a table more columns and return the version made."""
        return add_columns(columns, location, _upkeep(location, base_version, commit_info))

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
        """Make a table without rows, of which more is said, and return its version."""
        request = _upkeep(location, base_version, commit_info)
        return define_with(columns, definition, location, request, partition_by)

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
        """Make a table of rows, of which more is said, and return its version."""
        request = _upkeep(location, base_version, commit_info)
        return make_with(frame, definition, location, request, partition_by)

    def alter(
        self,
        change: Definition,
        *,
        location: str,
        base_version: int | None,
        operation: str,
        parameters: Mapping[str, str],
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Change what the log says of a table beside its columns; the version made."""
        request = _upkeep(location, base_version, commit_info)
        return alter_table(location, request, change, operation, parameters)

    def rewrite(
        self,
        columns: Sequence[Moved],
        *,
        location: str,
        base_version: int | None,
        operation: str,
        parameters: Mapping[str, str],
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Write all rows again in other columns; how many they are."""
        request = _upkeep(location, base_version, commit_info)
        return rewrite_table(location, request, columns, operation, parameters)

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
        """Commit changes of rows and count them."""
        info = dict(commit_info or {})
        return change_rows(frame, shape, location, base_version, info, adds=add_columns)

    def check_changeable(self, location: str) -> None:
        """Check that the newest version's rows may be changed or taken away."""
        check_replaceable(current(checked_location(location)))

    def change_directly(
        self,
        change: DirectChange,
        *,
        location: str,
        base_version: int,
        commit_info: Mapping[str, str] | None = None,
    ) -> ChangedRows | None:
        """Commit a plain change of rows and count them, where the library may."""
        return change_directly(change, location, _upkeep(location, base_version, commit_info))

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
        """Put rows in place of others and count both."""
        request = WriteRequest(
            location, "replace", base_version, commit_info=dict(commit_info or {})
        )
        return replace_rows(frame, gone, keys, checked_location(location), request, check)

    def rehearse_change(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        shape: RowShape,
        add_columns: bool = False,
    ) -> ChangedRows:
        """Count the rows that `change` would change."""
        return rehearse_change(frame, shape, location, base_version, adds=add_columns)

    def rehearse_write(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        mode: str,
        base_version: int | None,
        add_columns: bool = False,
    ) -> int:
        """Count the rows that an append or overwrite would add."""
        request = WriteRequest(
            location, mode, base_version, add_columns=add_columns, keep_columns=True
        )
        return rehearse_write(frame, request)

    def compact(
        self,
        *,
        location: str,
        base_version: int | None,
        order_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> tuple[int, int]:
        """Put small files together; files taken and made."""
        return compact(location, _upkeep(location, base_version, commit_info), order_by)

    def vacuum(
        self,
        *,
        location: str,
        base_version: int | None,
        hours: int | None,
        dry_run: bool = False,
        commit_info: Mapping[str, str] | None = None,
    ) -> Sequence[tuple[str, int]]:
        """Remove files that no young version needs, or find them; each with its bytes."""
        request = _upkeep(location, base_version, commit_info)
        return vacuum(location, request, hours, dry_run=dry_run)

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
        """Make an old version the newest again; which it was."""
        request = _upkeep(location, base_version, commit_info)
        return restore(location, request, label, version, timestamp)

    def warnings(self, schema: pl.Schema, location: str) -> tuple[str, ...]:
        """What to tell whoever is about to write rows of ``schema`` to ``location``."""
        return lock_out_warnings(schema, location)


def _upkeep(
    location: str, base_version: int | None, commit_info: Mapping[str, str] | None
) -> WriteRequest:
    return WriteRequest(location, "upkeep", base_version, commit_info=dict(commit_info or {}))


def _opened(source: Source) -> OpenedDelta:
    snapshot = open_snapshot(source)
    return OpenedDelta(snapshot, f"{snapshot.label} version {snapshot.version}")


FORMAT = DeltaFormat()
"""The one instance; all it keeps is tables that are open, each until its log has changed."""
