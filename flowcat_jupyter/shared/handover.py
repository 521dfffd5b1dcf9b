"""How a result's file is handed over to a kernel that can read it where it lies.

The server says where the file is and what it is; whoever finds a file there that is not the very
same one stands elsewhere, or is somebody else, and takes the rows as a stream instead.
"""

from __future__ import annotations

import os

RESULT_FILE = "application/vnd.flowcat.result-file+json"
"""What a client accepts that would rather have the place of a result's file than its bytes."""


def identity(found: os.stat_result) -> str:
    """What tells a file from any other, also from one of the same name on another machine."""
    return f"{found.st_dev}-{found.st_ino}-{found.st_size}-{found.st_mtime_ns}"
