"""Background runs and uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from flowcat_jupyter.handlers.schemas.base import ErrorReply, Reply

RunState = Literal["queued", "running", "succeeded", "failed", "timed_out", "cancelled", "lost"]


class Progress(Reply):
    """How far a run is."""

    done: int
    total: int | None
    unit: str
    message: str | None = None


class RunReply(Reply):
    """A background run."""

    id: int
    kind: str
    title: str
    state: RunState
    progress: Progress | None
    attempt: int
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    result: dict[str, Any] | None
    error: ErrorReply | None
    origin: dict[str, str]


class RunList(Reply):
    """A page of runs, newest first."""

    items: list[RunReply]
    total: int
    after: str | None


class UploadReply(Reply):
    """An upload in progress; chunks go to ``PUT uploads/{upload_id}?offset=``."""

    upload_id: str
    received: int
