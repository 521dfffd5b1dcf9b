"""Files that are replaced whole: whoever looks, and whatever dies, sees the old one or the new."""

from __future__ import annotations

import os
from pathlib import Path


def can_replace(place: Path) -> bool:
    """Whether the file at ``place`` may be put in another's stead.

    A file with several names would part from the others, and a folder may be closed to its user.
    """
    try:
        found = place.stat()
    except FileNotFoundError:
        return os.access(place.parent, os.W_OK)
    return found.st_nlink == 1 and os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)


def replace_whole(place: Path, data: bytes, *, like: Path | None = None) -> None:
    """Put ``data`` at ``place``; links are followed, and permissions kept, or those of ``like``.

    It is on the disk when this returns.

    :raises OSError: it cannot be; what was there is as it was.
    """
    target = Path(os.path.realpath(place))
    # Always the same name: what a crash leaves is the next save's to write over.
    aside = target.with_name(f".{target.name}.saving")
    try:
        with aside.open("wb") as file:
            _keep_owner(like or target, file.fileno())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    except OSError:
        aside.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _keep_owner(target: Path, descriptor: int) -> None:
    try:
        found = target.stat()
    except FileNotFoundError:
        return
    os.fchmod(descriptor, found.st_mode & 0o7777)
    if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()) and os.geteuid() == 0:
        os.fchown(descriptor, found.st_uid, found.st_gid)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        # Some file systems cannot sync a folder; the file itself is safe.
        return
    finally:
        os.close(descriptor)
