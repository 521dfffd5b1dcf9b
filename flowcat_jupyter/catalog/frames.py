"""Frames that were sent to be queried: whose they are, and how long they are kept.

Their rows lie in files with names of the server's own making; this is the directory of them.
"""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.catalog.results import MOST_BYTES, Files
from flowcat_jupyter.shared.errors import LimitExceeded, NotFound
from flowcat_jupyter.shared.wire import Column

MOST = 100
KEPT_FREE = 256 << 20


@dataclass(frozen=True)
class Frame:
    """A frame that is whole; ``path`` is an Arrow IPC file."""

    frame_id: str
    path: Path
    columns: tuple[Column, ...]
    row_count: int
    size: int
    expires: float


class Frames:
    """The frames of everybody, each its sender's alone.

    :param ttl_s: how long a frame stays, in seconds.
    :param most_bytes: what all of them may take on disk.
    """

    def __init__(
        self,
        files: Files,
        *,
        ttl_s: float,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep frames in ``files``; ``clock`` counts seconds."""
        self.files = files
        self._ttl_s = ttl_s
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._frames: dict[tuple[str, str], Frame] = {}

    def check_room(self, actor: str, path: Path, size: int) -> None:
        """Check that ``size`` bytes more can be kept at ``path``.

        :raises LimitExceeded: they cannot.
        """
        with self._lock:
            self._sweep()
            kept = sum(frame.size for frame in self._frames.values())
            count = sum(owner == actor for owner, _ in self._frames)
        if count >= MOST:
            raise LimitExceeded(
                f"There are {MOST} frames that nobody has deleted.",
                hint="Delete some: DELETE catalog/sql/frames/{frame_id}.",
            )
        room = self._most_bytes - kept
        if size > room or shutil.disk_usage(path.parent).free - size < KEPT_FREE:
            raise LimitExceeded(
                "The server has no room for this frame now.",
                hint="Send fewer columns or rows, or try again later.",
            )

    def add(self, actor: str, path: Path, columns: tuple[Column, ...], rows: int) -> Frame:
        """Note a frame that has come and has been checked."""
        frame_id = str(uuid.uuid4())
        expires = self._clock() + self._ttl_s
        frame = Frame(frame_id, path, columns, rows, path.stat().st_size, expires)
        with self._lock:
            self._frames[(actor, frame_id)] = frame
        return frame

    def get(self, actor: str, frame_id: str) -> Frame:
        """A frame of the actor's.

        :raises NotFound: there is none, it expired, or it is somebody else's.
        """
        with self._lock:
            self._sweep()
            frame = self._frames.get((actor, frame_id))
        if frame is None:
            raise NotFound("frame", frame_id, hint="Frames expire; send it again.")
        return frame

    def remove(self, actor: str, frame_id: str) -> None:
        """Forget a frame of the actor's.

        :raises NotFound: there is none.
        """
        frame = self.get(actor, frame_id)
        with self._lock:
            self._frames.pop((actor, frame_id), None)
        self.files.remove(frame.path)

    def _sweep(self) -> None:
        now = self._clock()
        # Oldest first.
        while self._frames and next(iter(self._frames.values())).expires <= now:
            self.files.remove(self._frames.pop(next(iter(self._frames))).path)
