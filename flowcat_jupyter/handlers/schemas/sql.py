"""Statements, their results and completion."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request


class SqlRequest(Request):
    """Statements to run; see docs/reference/http.md."""

    query: str
    query_id: str = Field(description="a UUID of the client's making")
    session: str | None = Field(
        default=None, description="an id of the client's making, shared by texts of one session"
    )
    origin: dict[str, str] = Field(default_factory=dict)
    max_rows: int | None = 10_000
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    frames: dict[str, str] = Field(
        default_factory=dict, description="frame ids by name, for FROM :name"
    )
    dry_run: bool = Field(
        default=False,
        description="count what one INSERT, UPDATE, DELETE or MERGE would do, and do nothing",
    )


class UsedTable(Reply):
    """A table a statement read, and the version it was pinned to."""

    name: str
    version: int | None


class WrittenRows(Reply):
    """How many rows a statement wrote."""

    inserted: int
    updated: int
    deleted: int


class CurrentSchema(Reply):
    """Where names of fewer parts are looked for from now on."""

    catalog: str
    schema_: str = Field(alias="schema")


class SqlReply(Reply):
    """The envelope of a result; ``rows`` only in the JSON answer."""

    query_id: str
    statement: str = Field(description="SELECT, SHOW, DESCRIBE, EXPLAIN …")
    columns: list[Column]
    rows: list[list[Any]] | None = None
    row_count: int
    truncated: bool
    affected_rows: int | None = Field(None, description="how many rows were written in all")
    written: WrittenRows | None = None
    current: CurrentSchema | None = Field(
        None, description="what USE made so: to be sent with what is asked next"
    )
    note: str | None = Field(None, description="what was done, where rows do not tell it")
    changed: bool = Field(True, description="false: what was asked for was there already")
    dry_run: bool = Field(False, description="true: `written` is what would be written")
    time_zone: str = Field("UTC", description="in which instants are to be shown")
    execution_time_ms: float
    engine: str | None
    used_tables: list[UsedTable]
    warnings: list[str]


class ResultFile(Reply):
    """Where the rows of a result lie, for who is asking from the server's own machine.

    The file is an Arrow IPC file, is gone when the result expires, and is not to be changed.
    """

    path: str
    identity: str = Field(description="the file's device, number, size and time of change")
    result: SqlReply


class ExplainRequest(Request):
    """A query to explain, not to run."""

    query: str
    session: str | None = None
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    frames: dict[str, str] = Field(
        default_factory=dict, description="frame ids by name, for FROM :name"
    )


class FrameReply(Reply):
    """A frame that was sent; it is its sender's alone and expires as results do."""

    frame_id: str
    columns: list[Column]
    row_count: int


class ExplainSource(Reply):
    """How a source is read, and how much of it; what was skipped cannot hold a wanted row."""

    name: str
    format: str
    version: int | None
    route: str = Field(description="By which way it is read, in plain words.")
    files: int | None
    files_skipped: int
    rows: int | None
    rows_skipped: int | None
    columns: list[str] = Field(description="The columns that are named, or taken by a star.")
    columns_total: int


class ExplainStep(Reply):
    """A step; deeper ones are done before it."""

    depth: int
    text: str


class ExplainReply(Reply):
    """How a query would run: as lines of text, and the same in parts."""

    engine: str
    reason: str = Field(description="Why this engine.")
    lines: list[str]
    used_tables: list[UsedTable]
    sources: list[ExplainSource]
    steps: list[ExplainStep]


class CompleteRequest(Request):
    """Text and a cursor (offset in UTF-16 units, as editors count)."""

    text: str
    position: int
    session: str | None = None
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")


class Completion(Reply):
    """One proposal; ``insert`` is already quoted."""

    label: str
    insert: str
    kind: Literal["column", "table", "schema", "catalog", "function", "keyword"]
    detail: str | None


class CompleteReply(Reply):
    """Proposals for the text between ``start`` and ``end``."""

    start: int
    end: int
    items: list[Completion]
