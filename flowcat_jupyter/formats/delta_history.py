"""What a Delta log says about a table: counts, commits, and which of them changed its rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import polars as pl

from flowcat_jupyter.formats.delta_defaults import defaults_of
from flowcat_jupyter.formats.delta_generated import expressions_of
from flowcat_jupyter.formats.delta_log import DataFile, Snapshot
from flowcat_jupyter.formats.delta_properties import constraints_of, properties_of
from flowcat_jupyter.formats.delta_removed import RemovedRows
from flowcat_jupyter.formats.delta_versions import (
    commit_count,
    commit_millis,
    commits,
    iso_utc,
    known_versions,
)
from flowcat_jupyter.shared.wire import HistoryEntry, HistoryInfo, TableFacts

# Commits that leave every row as it was: triggers and stale marks must not see them.
MAINTENANCE = frozenset(
    {
        "OPTIMIZE",
        "VACUUM START",
        "VACUUM END",
        "FSCK",
        "CHECKPOINT",
        "ADD CONSTRAINT",
        "DROP CONSTRAINT",
        "CHANGE COLUMN",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "ADD FEATURE",
        "UPGRADE PROTOCOL",
        "UPDATE TABLE METADATA",
        "UPDATE FIELD METADATA",
        "COMPUTE STATS",
        "REORG",
    }
)
_ADDED = (
    ("num_added_rows",),
    ("num_target_rows_inserted", "num_target_rows_updated"),
    ("numTargetRowsInserted", "numTargetRowsUpdated"),
    ("num_updated_rows",),
    ("numUpdatedRows",),
    ("numOutputRows",),
)
_MODES = {
    "append": "append",
    "overwrite": "overwrite",
    "errorifexists": "create",
    "ignore": "create",
}
_REMOVED = (
    ("num_deleted_rows",),
    ("numDeletedRows",),
    ("num_target_rows_deleted", "num_target_rows_updated"),
    ("numTargetRowsDeleted", "numTargetRowsUpdated"),
    ("num_updated_rows",),
    ("numUpdatedRows",),
)


def table_facts(snapshot: Snapshot) -> TableFacts:
    """Schema, row count, size and versions of a snapshot.

    Rows are counted from the log; only files whose writer recorded no count have their Parquet
    footers read. The count is None when a footer is gone.
    """
    files = snapshot.files()
    newest = _newest_data_commit(snapshot)
    return TableFacts(
        format="delta",
        columns=snapshot.columns,
        partition_columns=snapshot.partition_columns,
        row_count=_row_count(snapshot, files),
        size_bytes=sum(file.size for file in files),
        version=snapshot.version,
        data_files_version=known_versions(snapshot.location)[0]
        if newest is None
        else int(newest["version"]),
        files=len(files),
        written_at=None if newest is None else _when(snapshot.location, newest),
        constraints=constraints_of(snapshot),
        properties=properties_of(snapshot),
        defaults=defaults_of(snapshot),
        generated=expressions_of(snapshot),
    )


def _row_count(snapshot: Snapshot, files: list[DataFile]) -> int | None:
    unknown = [file.path for file in files if file.rows is None]
    known = sum(file.rows for file in files if file.rows is not None)
    if not unknown:
        return known
    try:
        footers = pl.scan_parquet(unknown, glob=False, hive_partitioning=False)
        stored = int(footers.select(pl.len()).collect().item())
    except OSError:
        return None
    deletions = snapshot.deletions
    return known + stored - sum(int((~deletions[p]).sum()) for p in unknown if p in deletions)


def _newest_data_commit(snapshot: Snapshot) -> dict[str, Any] | None:
    """None if the log of older commits was cleaned up: only maintenance is on record."""
    for commit in commits(snapshot.location, snapshot.version):
        if commit.get("operation") not in MAINTENANCE:
            return commit
    return None


def _when(location: str, commit: dict[str, Any]) -> str | None:
    """When a commit was made; None if what its writer noted is no time."""
    try:
        return iso_utc(commit_millis(location, commit))
    except (ValueError, OverflowError, OSError):
        return None


def table_history(snapshot: Snapshot, limit: int) -> HistoryInfo:
    """The newest ``limit`` commits up to the snapshot's version; ``total`` counts all of them."""
    location = snapshot.location
    newest = islice(commits(location, snapshot.version), max(limit, 0))
    removed = RemovedRows(location)
    entries = tuple(_entry(location, commit, removed) for commit in newest)
    return HistoryInfo(entries=entries, total=commit_count(location, snapshot.version))


def _entry(location: str, commit: dict[str, Any], removed: RemovedRows) -> HistoryEntry:
    metrics = commit.get("operationMetrics") or {}
    operation = _operation(commit)
    maintenance = operation in MAINTENANCE
    mode = _mode(commit, operation)
    user = commit.get("userName") or commit.get("user") or None
    gone = None if maintenance else _metric(metrics, _REMOVED)
    if gone is None and mode in ("overwrite", "replace") and "predicate" not in _told(commit):
        gone = removed.of(int(commit["version"]))
    return HistoryEntry(
        version=int(commit["version"]),
        timestamp=iso_utc(commit_millis(location, commit)),
        operation=operation,
        user=None if user is None else str(user),
        rows_added=None if maintenance else _metric(metrics, _ADDED),
        rows_removed=gone,
        maintenance=maintenance,
        run_id=_text(commit, "run_id"),
        write_id=_text(commit, "flowcat_write"),
        mode=mode,
    )


def _operation(commit: dict[str, Any]) -> str:
    """The log's own word; for our statements that the library commits as a merge, theirs."""
    operation = _text(commit, "operation") or "UNKNOWN"
    return (_text(commit, "flowcat_statement") or operation) if operation == "MERGE" else operation


def _mode(commit: dict[str, Any], operation: str) -> str | None:
    """Whether a commit made the table, added rows, or put others in place of all there were.

    ``replace`` is an overwrite by a statement that makes the table anew.
    """
    if "REPLACE" in operation:
        return "create" if commit["version"] == 0 else "replace"
    if operation.startswith("CREATE TABLE"):
        return "create"
    if operation != "WRITE":
        return None
    if commit["version"] == 0:
        return "create"
    mode = _MODES.get(str(_told(commit).get("mode")).lower())
    anew = (_text(commit, "flowcat_statement") or "").startswith("CREATE")
    return "replace" if mode == "overwrite" and anew else mode


def _told(commit: dict[str, Any]) -> dict[str, Any]:
    parameters = commit.get("operationParameters")
    return parameters if isinstance(parameters, dict) else {}


def _text(commit: dict[str, Any], name: str) -> str | None:
    return None if commit.get(name) is None else str(commit[name])


def _metric(metrics: dict[str, Any], groups: Iterable[tuple[str, ...]]) -> int | None:
    for names in groups:
        found = [int(metrics[name]) for name in names if metrics.get(name) is not None]
        if found:
            return sum(found)
    return None
