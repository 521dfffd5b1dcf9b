"""Whether a path is a folder or a file, for any path a person may write.

`pathlib` raises for some of them, such as names that are too long.
"""

from __future__ import annotations

import stat
from pathlib import Path


def is_folder(path: Path) -> bool:
    """Whether there is a folder; what cannot be looked at is none."""
    return stat.S_ISDIR(_mode(path))


def is_file(path: Path) -> bool:
    """Whether there is a regular file; what cannot be looked at is none."""
    return stat.S_ISREG(_mode(path))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
