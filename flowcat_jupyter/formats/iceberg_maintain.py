"""Upkeep of an Iceberg table: going back to a snapshot, and removing files that nothing needs.

Files that nothing needs are those of snapshots that are old and no branch's or tag's, and those
of writes that were never recorded: their workers died, or somebody else's was recorded first.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyiceberg.table import Table
from pyiceberg.table.refs import MAIN_BRANCH
from pyiceberg.table.snapshots import Snapshot

from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_open import open_at, translated
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg
from flowcat_jupyter.formats.iceberg_write import Base, Written, begin, written
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Source

KEPT_HOURS = 168
"""Younger files may be read still, or belong to a write that is about to be recorded."""


def restore(source: Source, base: Base) -> tuple[Written | None, int]:
    """Let a table be what it was at the snapshot that ``source`` asks for; which that is. Going
    back to the newest commits nothing.

    :raises Gone: files of that snapshot have been removed.
    """
    now = base.opened().at
    wanted = OpenedIceberg(open_at(replace(source, pointer=base.pointer)))
    version = wanted.version or 0
    if wanted.version is None or wanted.version == now.version:
        return None, version
    wanted.tasks()
    with LocalFiles(now.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        change._apply(*change._set_ref_snapshot(version, MAIN_BRANCH, "branch"))
        change.commit_transaction()
        return written(catalog), version


def vacuum(base: Base, hours: int | None, *, dry_run: bool) -> list[tuple[str, int]]:
    """Remove files that no snapshot needs which is younger than ``hours``; each with its bytes.

    Old snapshots stay in the history, and cannot be read any more.

    :raises Invalid: ``hours`` are fewer than is safe.
    """
    if hours is not None and hours < KEPT_HOURS:
        raise Invalid(
            "So young files are kept: somebody may be reading them, or writing them still.",
            condition="DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
            sqlstate="22003",
            hint=f"Leave RETAIN out: {KEPT_HOURS} hours.",
        )
    at = base.opened().at
    until = time.time() - (hours or KEPT_HOURS) * 3600
    with translated(base.label):
        needed = {os.path.realpath(path) for path in _needed(at.table, at.files, until)}
        found = list(_old(at.location, until, needed))
        if not dry_run:
            for name, _ in found:
                Path(at.location, name).unlink(missing_ok=True)
    return found


def _needed(table: Table, files: LocalFiles, until: float) -> Iterator[Path]:
    """The files of the table as it is, and of the snapshots that are kept."""
    heads = {ref.snapshot_id for ref in table.metadata.refs.values()}
    yield files.path(table.metadata_location)
    for statistics in table.metadata.statistics:
        yield files.path(statistics.statistics_path)
    for snapshot in table.metadata.snapshots:
        if snapshot.snapshot_id in heads or snapshot.timestamp_ms >= until * 1000:
            yield from _files(snapshot, files)


def _files(snapshot: Snapshot, files: LocalFiles) -> Iterator[Path]:
    yield files.path(snapshot.manifest_list)
    for manifest in snapshot.manifests(files):
        yield files.path(manifest.manifest_path)
        for entry in manifest.fetch_manifest_entry(files, discard_deleted=True):
            yield files.path(entry.data_file.file_path)


def _old(location: str, until: float, needed: set[str]) -> Iterator[tuple[str, int]]:
    for folder, _, names in os.walk(location):
        for name in names:
            path = Path(folder, name)
            known = path.stat(follow_symlinks=False)
            if known.st_mtime < until and os.path.realpath(path) not in needed:
                yield str(path.relative_to(location)), known.st_size
