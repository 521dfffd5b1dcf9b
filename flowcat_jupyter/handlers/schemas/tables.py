"""Tables, their rows and their past."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request
from flowcat_jupyter.handlers.schemas.catalog import Access, TableType


class TableReply(Reply):
    """One table, whole."""

    id: int
    uuid: str
    name: str
    full_name: list[str]
    sql_name: str
    description: str | None
    access: Access
    table_type: TableType
    format: str
    location: str | None = Field(description="where the data is; only for those who manage it")
    columns: list[Column]
    partition_columns: list[str]
    row_count: int | None
    size_bytes: int | None
    delta_version: int | None
    data_version: int
    owner: str
    created_at: datetime
    updated_at: datetime
    updated_by: str


class TableList(Reply):
    """A page of tables."""

    items: list[TableReply]
    total: int
    after: str | None


class RegisterTable(Request):
    """An existing Delta folder or Parquet file, left where it is and never deleted."""

    table: str = Field(description="catalog.schema.table")
    location: str
    format: Literal["delta", "parquet"] | None = None
    description: str | None = None


class DropReply(Reply):
    """What a drop leaves behind; ``dropped_id`` undoes it until ``purge_at``."""

    dropped_id: int | None
    purge_at: datetime | None


class DroppedTable(Reply):
    """A dropped table that can still come back."""

    dropped_id: int
    full_name: list[str]
    dropped_at: datetime
    dropped_by: str
    purge_at: datetime | None


class DroppedList(Reply):
    """All dropped tables the caller may bring back."""

    items: list[DroppedTable]
    total: int


class HistoryEntry(Reply):
    """One commit of a table."""

    version: int
    timestamp: datetime
    operation: str
    user: str | None
    rows_added: int | None
    rows_removed: int | None
    maintenance: bool


class HistoryReply(Reply):
    """A table's commits, newest first."""

    items: list[HistoryEntry]
    total: int


class PageReply(Reply):
    """Rows as strict JSON: integers past 2^53, decimals and non-finite floats are strings."""

    columns: list[Column]
    rows: list[list[Any]]
    offset: int
    total: int
    version: int | None
