"""Folders that belong to a living process, whichever machine or container it runs in.

A process number says nothing once it is used again, or of another container on the same home; a
lock on a file goes with its process, whatever ends that.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from pathlib import Path

LOCK = ".lock"
YOUNG_S = 60.0


def hold(folder: Path) -> int:
    """Lock a folder as this process's own; the descriptor that holds it.

    :raises OSError: the file system takes no locks, or is full.
    """
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_abandoned(folder: Path) -> bool:
    """Whether the process whose folder it is is gone."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        # Made and not yet locked, or by a version that locked nothing.
        return time.time() - _made(folder) > YOUNG_S
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def remove_abandoned(parent: Path, prefix: str) -> int:
    """Delete the folders below ``parent`` whose processes are gone; how many that were."""
    found = [path for path in parent.glob(f"{prefix}*") if path.is_dir() and is_abandoned(path)]
    for path in found:
        shutil.rmtree(path, ignore_errors=True)
    return len(found)


def _made(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()
