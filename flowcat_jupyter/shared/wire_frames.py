"""What workers are asked about the frames that kernels send with their queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job


@dataclass(frozen=True)
class FrameJob(Job):
    """Check the Arrow IPC data at ``path``, a file or a stream, which is then a file there.

    Answers a `FrameInfo`.
    """

    kind: ClassVar[str] = "frame"
    path: str


@dataclass(frozen=True)
class FrameInfo:
    """What a frame holds, in the types a query sees."""

    columns: tuple[Column, ...]
    row_count: int


wire.register(dict(globals()))
