"""How long files have been as they are, by a clock that nobody sets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class Ages:
    """Watches files: the times on them are a clock's that may have been wrong."""

    def __init__(self) -> None:
        """Nothing has been seen yet."""
        self._seen: dict[str, tuple[tuple[int, int], float]] = {}

    def older(self, paths: Iterable[Path], seconds: float, now: float) -> list[Path]:
        """Those of ``paths`` that have been seen without any change for so many seconds.

        ``now`` is of a clock that only goes forward. Files that are not asked about any more are
        forgotten.
        """
        before, self._seen = self._seen, {}
        old: list[Path] = []
        for path in paths:
            state = _state(path)
            if state is None:
                continue
            # Not the path itself, which takes five times the memory of its text.
            known, since = before.get(str(path), (state, now))
            since = since if known == state else now
            self._seen[str(path)] = (state, since)
            if now - since >= seconds:
                old.append(path)
        return old


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when somebody writes to a file, or into a folder."""
    try:
        found = path.stat()
    except OSError:
        # It was removed meanwhile.
        return None
    return found.st_mtime_ns, found.st_size
