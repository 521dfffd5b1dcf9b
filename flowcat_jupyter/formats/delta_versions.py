"""Which versions a Delta log holds, and when each was committed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.moments import BadText, instant

# A moment called now may be read by a clock that is a little behind.
_CLOCKS_APART_MS = 5_000


def has_log(location: str) -> bool:
    """Whether there is a committed Delta log at a local path."""
    return any(_log(location).glob("*.json")) or any(_log(location).glob("*.checkpoint*"))


def _log(location: str) -> Path:
    return Path(location) / "_delta_log"


def commit_file(location: str, version: int) -> Path:
    """Where a commit is recorded, if it still is."""
    return _log(location) / f"{version:020}.json"


def commit_count(location: str, newest: int) -> int:
    """How many commits up to a version are on record."""
    return sum(version <= newest for version in _committed(location))


def _committed(location: str) -> list[int]:
    return sorted(int(p.stem) for p in _log(location).glob("*.json") if p.stem.isdigit())


def known_versions(location: str) -> tuple[int, int]:
    """The oldest version that can be opened, and the newest."""
    committed = _committed(location)
    marks = {
        int(path.name.split(".", 1)[0])
        for path in _log(location).glob("*.checkpoint*")
        if path.name.split(".", 1)[0].isdigit()
    }
    newest = max([*committed, *marks], default=-1)
    oldest = 0 if committed[:1] == [0] else min(marks, default=newest)
    return oldest, newest


def check_version(location: str, version: int, label: str) -> None:
    """Check that a version can be opened.

    :raises Invalid: it cannot; the hint says which ones can.
    """
    oldest, newest = known_versions(location)
    if oldest <= version <= newest:
        return
    raise Invalid(
        f"There is no version {version} of {label}.",
        condition="DELTA_VERSION_NOT_FOUND",
        sqlstate="22003",
        hint=f"Versions {oldest} to {newest} can be read.",
    )


def version_at(location: str, timestamp: str, label: str) -> int:
    """The newest version committed at or before a time; without a zone of its own it is UTC.

    :raises Invalid: it is not a time, lies in the future, or before the oldest version on record.
    """
    try:
        moment = instant(timestamp, ZoneInfo("UTC"))
    except BadText as error:
        raise Invalid(
            f"{timestamp!r} is not a time.",
            condition="INVALID_TIMESTAMP_FORMAT",
            sqlstate="22007",
            hint="Write it as 2026-01-31 12:00:00.",
        ) from error
    # Commits are stamped in whole milliseconds.
    wanted = int(moment.timestamp() * 1000)
    oldest, newest = known_versions(location)
    first: int | None = None
    for commit in commits(location, newest):
        made = commit_millis(location, commit)
        if first is None and wanted > max(made, int(time.time() * 1000) + _CLOCKS_APART_MS):
            raise _not_yet(label, moment, newest, made)
        if commit["version"] < oldest:
            break
        first = made
        if first <= wanted:
            return int(commit["version"])
    raise _too_early(label, moment, oldest, first)


def _not_yet(label: str, moment: datetime, newest: int, made: int) -> Invalid:
    return Invalid(
        f"{_shown(moment)} lies in the future, so that {label} has no version of that time yet.",
        condition="DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        sqlstate="42816",
        hint=f"Its newest version is {newest}, of {iso_utc(made)}.",
    )


def _too_early(label: str, moment: datetime, oldest: int, made: int | None) -> Invalid:
    of = "" if made is None else f", of {iso_utc(made)}"
    return Invalid(
        f"{label} has no version as old as {_shown(moment)}.",
        condition="DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        sqlstate="42816",
        hint=f"The oldest version that can be read is {oldest}{of}.",
    )


def _shown(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="auto")


def commits(location: str, newest: int) -> Iterator[dict[str, Any]]:
    """What is recorded of each commit up to a version, newest first, with its ``version``.

    Read here because the library's own history is empty under some folder names, and counts
    wrongly from an old version.
    """
    for version in range(newest, -1, -1):
        path = commit_file(location, version)
        if path.is_file():
            yield {**_commit_info(path), "version": version}


def _commit_info(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if '"commitInfo"' in line:
                info = json.loads(line).get("commitInfo")
                if isinstance(info, dict):
                    return info
    return {}


def commit_millis(location: str, commit: dict[str, Any]) -> int:
    """When a commit was made, in milliseconds since 1970; the file's own time as a last resort."""
    stamp = commit.get("inCommitTimestamp") or commit.get("timestamp")
    if stamp is not None:
        return int(stamp)
    return int(commit_file(location, commit["version"]).stat().st_mtime * 1000)


def iso_utc(millis: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="milliseconds")
