"""Which file system a folder lies on, where that matters: locks over a network do not all hold."""

from __future__ import annotations

import os
import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
ADVICE = (
    "SQLite keeps a rollback journal there, for its write-ahead log is not safe on a network: "
    "writers wait for readers. Put home on a local disk, or set db_url to PostgreSQL."
)
_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|lustre|gpfs|beegfs|glusterfs|virtiofs|vboxsf|drvfs|ncpfs|davfs"
)
# A file system of a program's own: almost always another machine's or a store's.
_FUSE = re.compile(r"fuse(\..+)?")
_LOCAL_FUSE = ("fuse.lxcfs", "fuse.portal", "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuse.mergerfs")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def network_kind(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The kind of the network's file system that ``path`` lies on; None where it is local.

    ``mounts`` is a table as Linux shows it; where there is none nothing is known, and None said.
    """
    kind = _kind(os.path.realpath(path), mounts)
    if kind is None:
        return None
    if _FUSE.fullmatch(kind):
        return None if kind in _LOCAL_FUSE else kind
    return kind if _NETWORK.fullmatch(kind) else None


def _kind(real: str, mounts: Path) -> str | None:
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    found, kind = "", None
    for line in lines:
        place, _, rest = line.partition(" - ")
        fields, kinds = place.split(" "), rest.split(" ")
        if len(fields) < 5 or not kinds[0]:
            continue
        point = _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), fields[4])
        # Of several mounts on one point the last is what is seen.
        if len(point) >= len(found) and _is_below(real, point):
            found, kind = point, kinds[0]
    return kind


def _is_below(real: str, point: str) -> bool:
    return real == point or real.startswith(point.rstrip("/") + "/")
