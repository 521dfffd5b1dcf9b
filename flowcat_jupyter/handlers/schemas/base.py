"""What every body shares, and what is said of the catalog as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Request(BaseModel):
    """A request body; a key nobody knows is an error, never ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Reply(BaseModel):
    """A reply body."""

    model_config = ConfigDict(extra="forbid")


class ErrorReply(Reply):
    """What every failed request answers."""

    code: str
    message: str
    condition: str | None = None
    sqlstate: str | None = None
    line: int | None = Field(default=None, description="1-based line in the text that was sent")
    column: int | None = Field(default=None, description="1-based column in that line")
    hint: str | None = None


class Column(Reply):
    """A column; ``type`` is a Spark DDL string."""

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None


class StatusReply(Reply):
    """How the server's catalog is doing; answered even when it could not start."""

    state: Literal["starting", "upgrading", "ready", "failed"]
    message: str | None = None
    notices: list[str] = Field(
        default_factory=list, description="what whoever runs the server should know"
    )
    version: str
    protocol: int
    session_timezone: str
    default_catalog: str
    default_schema: str
    demo_loaded: bool
    demo_available: bool
    active_runs: int
    seq: int
    engines: list[str] = Field(description="what SQL can run on here")
    default_engine: str = Field(description="what runs SQL where nobody says")
    result_max_bytes: int = Field(description="the size a result, or a frame sent, may have")


class Change(Reply):
    """Something in the catalog changed."""

    seq: int
    kind: str
    object_id: int
    object_kind: str
    parent_id: int | None
    name: str
    at: datetime


class ChangesReply(Reply):
    """Changes after a sequence number; ``seq`` is where to go on from."""

    seq: int
    items: list[Change]
    reset: bool = Field(description="too far behind: reload everything")
