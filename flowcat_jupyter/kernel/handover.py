"""Reads a result from where the server keeps it, when this kernel stands beside it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flowcat_jupyter.shared.handover import identity

if TYPE_CHECKING:
    import polars as pl

# A name that turns out to be a link, or to be something to wait at, is not followed.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_OPENED = "/dev/fd"


def handed_over(offer: Mapping[str, Any]) -> pl.DataFrame | None:
    """The rows in the file that ``offer`` (a `ResultFile`) tells of.

    None when this kernel has no such file: it runs elsewhere or as somebody else, or the result is
    gone. The file is read once, through what was opened and looked at, so it may be deleted, or
    another put in its place, at any time.
    """
    try:
        opened = os.open(offer["path"], _FLAGS)
    except OSError:
        return None
    try:
        return _read(opened, offer["result"]["row_count"]) if _is_it(opened, offer) else None
    finally:
        os.close(opened)


def _is_it(opened: int, offer: Mapping[str, Any]) -> bool:
    found = os.fstat(opened)
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_uid == os.geteuid()
        and identity(found) == offer["identity"]
    )


def _read(opened: int, rows: int) -> pl.DataFrame | None:
    import polars as pl

    try:
        frame = pl.read_ipc(f"{_OPENED}/{opened}")
    except (OSError, pl.exceptions.PolarsError):
        return None
    return frame if frame.height == rows else None
