"""Two versions of a Delta table, held against each other by their logs.

Files that both versions have cancel each other out, so that a small change to a large table is
found in the few files it rewrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.comparing import Side
from flowcat_jupyter.formats.delta_history import MAINTENANCE
from flowcat_jupyter.formats.delta_log import DataFile
from flowcat_jupyter.formats.delta_scan import OpenedDelta
from flowcat_jupyter.formats.delta_versions import commits, known_versions
from flowcat_jupyter.shared.errors import Gone, Invalid
from flowcat_jupyter.shared.wire import Source

Open = Callable[[Source], OpenedDelta]
FileKey = tuple[str, bytes | None]


def compare_versions(before: Source, after: Source, opened: Open) -> tuple[Side, Side]:
    """See `ComparableFormat.compare`."""
    new = opened(after)
    if before.version is None and before.timestamp is None:
        before = replace(before, version=_previous(new))
    old = opened(before)
    if _only_upkeep(old, new):
        return _side(old, []), _side(new, [])
    old_files, new_files = _by_key(old), _by_key(new)
    if {old.snapshot.mapping, new.snapshot.mapping} != {"none"}:
        # A mapped column may get other values without its file being written again.
        return _side(old, old.files), _side(new, new.files)
    gone = [file for key, file in old_files.items() if key not in new_files]
    come = [file for key, file in new_files.items() if key not in old_files]
    return _side(old, gone), _side(new, come)


def _previous(opened: OpenedDelta) -> int:
    oldest, _ = known_versions(opened.snapshot.location)
    if opened.version <= oldest:
        raise Invalid(
            f"Version {opened.version} is the first one that can be read; there is none before it "
            "to compare it with.",
            hint="Choose a newer version.",
        )
    return opened.version - 1


def _only_upkeep(old: OpenedDelta, new: OpenedDelta) -> bool:
    """Whether every commit between two versions left every row as it was."""
    first, last = sorted((old.version, new.version))
    seen = 0
    for commit in commits(old.snapshot.location, last):
        if commit["version"] <= first:
            break
        if commit.get("operation") not in MAINTENANCE:
            return False
        seen += 1
    return seen == last - first


def _by_key(opened: OpenedDelta) -> dict[FileKey, DataFile]:
    """The files; one of which other rows are deleted is another one."""
    masks = opened.snapshot.deletions
    return {(file.path, _mask(masks, file.path)): file for file in opened.files}


def _mask(masks: dict[str, pl.Series], path: str) -> bytes | None:
    mask = masks.get(path)
    return None if mask is None else bytes(mask.cast(pl.UInt8).to_list())


def _side(opened: OpenedDelta, own: list[DataFile]) -> Side:
    if not all(Path(file.path).is_file() for file in own):
        raise _vacuumed(opened)
    return Side(
        version=opened.version,
        columns=opened.columns,
        settings=dict(opened.snapshot.table.metadata().configuration),
        rows=_rows(opened.files),
        files=len(opened.files),
        frame=opened.rows_of(own),
        own_rows=_rows(own),
        own_bytes=sum(file.size for file in own),
        own_files=len(own),
    )


def _rows(files: list[DataFile]) -> int | None:
    counts = [file.rows for file in files]
    return None if None in counts else sum(count or 0 for count in counts)


def _vacuumed(opened: OpenedDelta) -> Gone:
    return Gone(
        f"The rows of version {opened.version} of {opened.snapshot.label} cannot be compared: "
        "some of its data files were removed.",
        condition="DELTA_FILE_NOT_FOUND",
        sqlstate="42K03",
        hint="VACUUM removes the files that only old versions need; compare newer versions.",
    )
