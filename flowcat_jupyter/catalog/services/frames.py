"""Frames: taken as they come, checked by a worker, kept for a while."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.frames import Frame
from flowcat_jupyter.shared.errors import LimitExceeded, Unavailable
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.shared.wire_frames import FrameInfo, FrameJob


@dataclass
class Arriving:
    """A frame on its way: what has come of it lies at ``path``. Its functions may block."""

    path: Path
    file: BinaryIO
    most_bytes: int
    size: int = 0

    def write(self, chunk: bytes) -> None:
        """Add what has come.

        :raises LimitExceeded: the frame is larger than one may be.
        :raises Unavailable: the disk takes no more.
        """
        self.size += len(chunk)
        check_size(self.size, self.most_bytes)
        try:
            self.file.write(chunk)
        except OSError as error:
            raise system_fault(error) or Unavailable("The frame cannot be kept.") from error


def check_size(size: int, most: int) -> None:
    """Check that a frame may be of ``size`` bytes.

    :raises LimitExceeded: it may not.
    """
    if size > most:
        raise LimitExceeded(
            f"A frame to query may have {most:,} bytes, and this one has more.",
            hint="Select the columns and rows the query needs, or raise "
            "c.Flowcat.result_max_bytes.",
        )


class FrameService:
    """One actor's frames."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._frames = deps.frames

    async def begin(self, size: int | None) -> Arriving:
        """Make ready for a frame of ``size`` bytes (None: nobody knows yet).

        :raises LimitExceeded: it is too large, or there is no room.
        """
        most = self._deps.settings.result_max_bytes
        check_size(size or 0, most)

        def make() -> Arriving:
            path = self._frames.files.new_path()
            self._frames.check_room(self._actor.name, path, size or 0)
            return Arriving(path, path.open("xb"), most)

        return await self._deps.threads.run(make)

    async def finish(self, arriving: Arriving) -> Frame:
        """Keep a frame that has come whole.

        :raises Invalid: it is no Arrow data, or a column is of a type that cannot be queried.
        """
        await self._deps.threads.run(arriving.file.close)
        info: FrameInfo = await self._deps.executor.run(
            FrameJob(str(arriving.path)),
            job_id=f"frame-{uuid4().hex}",
            deadline_s=self._deps.deadline_s,
        )
        return await self._deps.threads.run(
            lambda: self._frames.add(self._actor.name, arriving.path, info.columns, info.row_count)
        )

    def discard(self, arriving: Arriving) -> None:
        """Forget a frame that does not come whole, or is none."""
        arriving.file.close()
        self._frames.files.remove(arriving.path)

    async def remove(self, frame_id: str) -> None:
        """Forget a frame.

        :raises NotFound: the actor has no such frame.
        """
        await self._deps.threads.run(lambda: self._frames.remove(self._actor.name, frame_id))
