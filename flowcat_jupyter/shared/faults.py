"""What the operating system refused, in words a person can act on."""

from __future__ import annotations

import errno
import re

from flowcat_jupyter.shared.errors import Unavailable

_RUST = re.compile(r"\(os error (\d+)\)")
_FREE = "Free some space on the disk that holds the catalog, then try again."
_FAULTS: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("There is no space left on the disk.", _FREE),
    errno.EDQUOT: ("Your quota of disk space is used up.", _FREE),
    errno.EFBIG: (
        "A file would be larger than the system permits.",
        "Raise the limit on the size of files (ulimit -f), or write fewer rows at once.",
    ),
    errno.EROFS: (
        "The disk can only be read.",
        "Mount it for writing, or set FLOWCAT_HOME to a folder on another one.",
    ),
    errno.EACCES: (
        "The operating system does not permit it: permission denied.",
        "Check who may read and write the catalog's folder and the file.",
    ),
    errno.EPERM: (
        "The operating system does not permit it.",
        "Check who may read and write the catalog's folder and the file.",
    ),
    errno.EMFILE: ("Too many files are open.", "Raise the limit on open files (ulimit -n)."),
    errno.ENFILE: ("The machine has too many files open.", "Close other programs."),
    errno.EIO: ("The disk reports an error.", "Look at the disk's health and the system's log."),
}


_DAMAGED = re.compile(r"out of specification|corrupt|thrift|file size is less", re.IGNORECASE)


def system_fault(error: BaseException) -> Unavailable | None:
    """What ``error`` says of the machine or its files, not of the product; None if nothing.

    Libraries written in Rust say the number in their text. Paths stay out of the answer.
    """
    number = error.errno if isinstance(error, OSError) else None
    if number is None:
        found = _RUST.search(str(error))
        number = int(found[1]) if found else None
    known = _FAULTS.get(number) if number is not None else None
    if known is None and _DAMAGED.search(str(error)):
        known = (
            "A data file is damaged.",
            "Restore it from a copy, or read a version of the table from before it was written.",
        )
    return Unavailable(known[0], hint=known[1]) if known else None
