"""Which local paths the Delta library can hold a table under.

The library turns a path into a URL and back. Spaces, accents, ``#``, ``?``, ``{`` survive that;
what does not either panics or lands in a look-alike folder, so it is refused by name beforehand.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from flowcat_jupyter.shared.errors import Forbidden, Invalid

_LOST = re.compile(r"%[0-9A-Fa-f]{2}|[\[\]^|\\]|[\x00-\x1f\x7f]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def local_path(location: str) -> str:
    """``location`` as an absolute local path.

    :raises Invalid: it is a URL of something other than this machine's file system.
    """
    if location.startswith("file://") or not _URL.match(location):
        return str(Path(location.removeprefix("file://")).absolute())
    raise Invalid(
        "Only tables on this machine's own file system can be read and written.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Copy the table into a folder, or mount the bucket as one.",
    )


def check_inside(paths: Iterable[str], root: str, label: str) -> None:
    """Let pass files that really lie below ``root``, symbolic links resolved.

    A table's folder is what somebody was allowed to read; a log or a link in it may name any file.

    :raises Forbidden: one of them lies elsewhere.
    """
    real_root = os.path.realpath(root)
    within = real_root.rstrip("/") + "/"
    folders: dict[str, str] = {}
    # Plain strings and one look at each file: a table may have thousands.
    for path in paths:
        folder, name = os.path.split(path)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        real = os.path.realpath(path) if _is_link(path) else f"{folders[folder]}/{name}"
        if not (real.startswith(within) or real == real_root):
            raise Forbidden(
                "read",
                "table",
                label,
                hint="One of its files lies outside its folder, and nobody has allowed to read it.",
            )


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def check_delta_path(path: str) -> str:
    """Return ``path`` unchanged when a Delta table can lie under it.

    :raises Invalid: it holds a character that the Delta library would lose; the message names it.
    """
    lost = _LOST.search(path)
    if lost:
        raise Invalid(
            f"No Delta table can lie under a folder whose name holds {lost.group()!r}: {path!r}.",
            condition="INVALID_LOCATION",
            sqlstate="42K03",
            hint="Rename the folder, or choose another one.",
        )
    return path
