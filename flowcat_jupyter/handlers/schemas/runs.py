"""Background runs, imports and uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import ErrorReply, Reply, Request

ImportMode = Literal["error", "append", "overwrite"]
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


class ImportRequest(Request):
    """A file to ingest: a path under the Jupyter root, or an upload."""

    table: str
    path: str | None = None
    upload_id: str | None = None
    format: str | None = None
    mode: ImportMode = "error"
    options: dict[str, str] = Field(default_factory=dict)
    types: dict[str, str] = Field(
        default_factory=dict, description="column name to Spark DDL type, overriding"
    )


class ImportPreviewRequest(Request):
    """What to look at before an import."""

    path: str | None = None
    upload_id: str | None = None
    format: str | None = None
    options: dict[str, str] = Field(default_factory=dict)
    types: dict[str, str] = Field(default_factory=dict)


class ProposedColumn(Reply):
    """A proposed type and why."""

    name: str
    type: str
    reason: str
    examples: list[str]


class ImportPreview(Reply):
    """What an import would make of a file."""

    format: str
    options: dict[str, str]
    columns: list[ProposedColumn]
    rows: list[list[Any]]
    rows_read: int
    warnings: list[str] = Field(default_factory=list)


class UploadReply(Reply):
    """An upload in progress; chunks go to ``PUT uploads/{upload_id}?offset=``."""

    upload_id: str
    received: int
