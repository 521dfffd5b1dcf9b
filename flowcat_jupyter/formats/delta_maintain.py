"""Upkeep of a Delta table's files: compacting them, removing old ones, going back to a version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deltalake.exceptions import DeltaError

from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    base_of,
    check_replaceable,
    committing_to,
    current,
)
from flowcat_jupyter.formats.delta_log import Snapshot, checked_location, gone
from flowcat_jupyter.formats.delta_versions import check_version, has_log, version_at
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.names import name_key


def compact(location: str, request: WriteRequest, order_by: Sequence[str]) -> tuple[int, int]:
    """Put small files together, or sort rows along several columns; files taken and made.

    :raises Conflict: somebody else committed since ``base_version``.
    """
    snapshot = _current(location, request)
    optimizer = snapshot.table.optimize
    with committing_to(snapshot.location, request):
        if order_by:
            columns = _columns(snapshot, order_by)
            metrics = optimizer.z_order(columns, commit_properties=request.commit(0))
        else:
            metrics = optimizer.compact(commit_properties=request.commit(0))
    return int(metrics["numFilesRemoved"]), int(metrics["numFilesAdded"])


def vacuum(
    location: str, request: WriteRequest, hours: int | None, *, dry_run: bool = False
) -> list[tuple[str, int]]:
    """Remove files that no version needs which is younger than ``hours``; each with its bytes.

    :raises Invalid: ``hours`` are fewer than the table keeps.
    """
    snapshot = _current(location, request)
    with committing_to(snapshot.location, request):
        try:
            found = snapshot.table.vacuum(hours, dry_run=True)
        except DeltaError as error:
            if "retention" not in str(error).lower():
                raise
            raise Invalid(
                "So young files are kept: somebody may be reading them, or writing them still.",
                condition="DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
                sqlstate="22003",
                hint="Leave RETAIN out: a week, or the table's delta.deletedFileRetentionDuration.",
            ) from error
        sizes = [(name, _size(snapshot.location, name)) for name in found]
        if found and not dry_run:
            snapshot.table.vacuum(hours, dry_run=False, commit_properties=request.commit(0))
    return sizes


def restore(
    location: str, request: WriteRequest, label: str, version: int | None, timestamp: str | None
) -> int:
    """Let a table be what it was at a version, or at a time; the version gone back to. Going back
    to the newest makes none. ``label`` is what people call the table.

    :raises Gone: files of that version have been removed.
    """
    snapshot = _current(location, request)
    check_replaceable(snapshot)
    if version is None and timestamp is not None:
        version = version_at(snapshot.location, timestamp, label)
    wanted = snapshot.version if version is None else version
    check_version(snapshot.location, wanted, label)
    if wanted == snapshot.version:
        return wanted
    with committing_to(snapshot.location, request):
        try:
            snapshot.table.restore(wanted, commit_properties=request.commit(0))
        except DeltaError as error:
            if "not found" not in str(error).lower() and "missing" not in str(error).lower():
                raise
            raise gone(label) from error
    return wanted


def _current(location: str, request: WriteRequest) -> Snapshot:
    location = checked_location(location)
    if not has_log(location):
        raise NotFound("table data", location)
    snapshot = current(location)
    base_of(snapshot, request)
    if "deletionVectors" in (snapshot.table.protocol().reader_features or ()):
        # The library knows nothing of the files that hold them.
        raise Invalid(
            "The table uses deletion vectors, which its upkeep here would lose.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Use the engine that made it, or write a copy without them.",
        )
    return snapshot


def _columns(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    known = {name_key(column.name): column.name for column in snapshot.columns}
    missing = [name for name in names if name_key(name) not in known]
    if missing:
        raise Invalid(
            f"There is no column {', '.join(missing)}.",
            condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            sqlstate="42703",
            hint=f"There are: {', '.join(known.values())}.",
        )
    return [known[name_key(name)] for name in names]


def _size(location: str, name: str) -> int:
    path = Path(location, name)
    return path.stat().st_size if path.is_file() else 0
