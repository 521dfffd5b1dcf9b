"""What kernels ask: reads and write tickets."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request
from flowcat_jupyter.handlers.schemas.tables import TableReply

WriteMode = Literal["overwrite", "error", "append", "upsert", "update", "delete"]


class ReadRequest(Request):
    """A table a kernel wants to read, at a version or the latest."""

    table: str
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    version: int | None = None
    timestamp: str | None = None


class ReadReply(Reply):
    """A ``path`` the kernel may scan at ``version``, or a ``stream`` to fetch (``href``)."""

    kind: Literal["path", "stream"]
    table: TableReply
    location: str | None
    href: str | None
    format: str
    version: int | None


class WriteRequest(Request):
    """A kernel's wish to write; ``columns`` is the frame's schema."""

    table: str
    mode: WriteMode
    columns: list[dict[str, Any]]
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    merge_keys: list[str] = Field(default_factory=list)
    partition_by: list[str] = Field(default_factory=list)
    description: str | None = None
    origin: dict[str, str] = Field(default_factory=dict)


class WriteTicket(Reply):
    """Where, from which version and how the kernel may commit."""

    write_id: str
    table: list[str]
    sql_name: str
    location: str
    base_version: int | None = Field(description="null: the table is to be created")
    mode: WriteMode
    columns: list[Column] | None
    partition_by: list[str]
    merge_keys: list[str]
    expires_at: datetime


class CommitRequest(Request):
    """The Delta version the kernel committed."""

    version: int


class FromDataRequest(Request):
    """A Delta folder a kernel wrote under the shared root, to be taken into the catalog."""

    table: str
    location: str
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    description: str | None = None
