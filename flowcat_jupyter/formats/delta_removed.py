"""How many rows the files held that a commit took away, as far as the log tells it cheaply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flowcat_jupyter.formats.delta_versions import commit_file

_BYTES = 8 << 20
"""How much of a log is read to count rows; what would take more is unknown."""


class RemovedRows:
    """Counts removed rows by what commits say of the files; no data file is looked into."""

    def __init__(self, location: str, budget: int = _BYTES) -> None:
        """Read at most ``budget`` bytes of the log at a location, over all counts."""
        self._location = location
        self._left = budget
        self._known: dict[int, _Commit | None] = {}

    def of(self, version: int) -> int | None:
        """The rows in the files that a commit removed; None where the log does not tell."""
        commit = self._commit(version)
        if commit is None:
            return None
        counts = dict(commit.removed)
        for older in range(version - 1, -1, -1):
            missing = [path for path, rows in counts.items() if rows is None]
            if not missing:
                break
            before = self._commit(older)
            if before is None:
                return None
            counts.update({path: before.added[path] for path in missing if path in before.added})
        known = [rows for rows in counts.values() if rows is not None]
        return sum(known) if len(known) == len(counts) else None

    def _commit(self, version: int) -> _Commit | None:
        if version not in self._known:
            self._known[version] = self._read(commit_file(self._location, version))
        return self._known[version]

    def _read(self, path: Path) -> _Commit | None:
        """None for a commit that was cleaned up, or that is beyond what may be read."""
        if not path.is_file():
            return None
        self._left -= path.stat().st_size
        return _Commit(path) if self._left >= 0 else None


class _Commit:
    """The rows of the files that a commit added and removed, by path; None: it does not say."""

    def __init__(self, path: Path) -> None:
        self.added: dict[str, int | None] = {}
        self.removed: dict[str, int | None] = {}
        for action in _actions(path):
            if "add" in action:
                self.added[action["add"]["path"]] = _rows(action["add"])
            elif "remove" in action:
                self.removed[action["remove"]["path"]] = _rows(action["remove"])


def _actions(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if '"add"' in line or '"remove"' in line:
                yield json.loads(line)


def _rows(file: dict[str, Any]) -> int | None:
    """The rows of a file less those its deletion vector hides."""
    records = json.loads(file.get("stats") or "{}").get("numRecords")
    hidden = (file.get("deletionVector") or {}).get("cardinality") or 0
    return None if records is None else int(records) - int(hidden)
