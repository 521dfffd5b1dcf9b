"""Statements, their results and completion."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request


class SqlRequest(Request):
    """Statements to run; see docs/reference/http.md."""

    query: str
    query_id: str = Field(description="a UUID of the client's making")
    session: str | None = None
    origin: dict[str, str] = Field(default_factory=dict)
    max_rows: int | None = 10_000
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)


class UsedTable(Reply):
    """A table a statement read, and the version it was pinned to."""

    name: str
    version: int | None


class SqlReply(Reply):
    """The envelope of a result; ``rows`` only in the JSON answer."""

    query_id: str
    statement: str = Field(description="SELECT, SHOW, DESCRIBE, EXPLAIN …")
    columns: list[Column]
    rows: list[list[Any]] | None = None
    row_count: int
    truncated: bool
    affected_rows: int | None = None
    execution_time_ms: float
    engine: str | None
    used_tables: list[UsedTable]
    warnings: list[str]


class ExplainRequest(Request):
    """A query to explain, not to run."""

    query: str
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)


class ExplainReply(Reply):
    """The plan as lines of text."""

    engine: str
    lines: list[str]
    used_tables: list[UsedTable]


class CompleteRequest(Request):
    """Text and a cursor (offset in UTF-16 units, as editors count)."""

    text: str
    position: int
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
