"""Tables, their rows and their past."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request
from flowcat_jupyter.handlers.schemas.catalog import Access, ObjectPatch, TableType


class Freshness(Reply):
    """When a table's rows last changed, and their version since; upkeep does not count."""

    last_write_at: datetime
    data_version: int


class TablePatch(ObjectPatch):
    """What may change of a table; absent keys stay."""

    tags: list[str] | None = Field(default=None, description="all tags, in place of those it has")
    column_comments: dict[str, str | None] | None = Field(
        default=None, description="by column; null brings the comment in the data's own log back"
    )
    owner: str | None = Field(default=None, description="only its owner may give a table away")


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
    tags: list[str]
    row_count: int | None
    size_bytes: int | None
    files: int | None = Field(description="how many files hold the rows")
    constraints: dict[str, str] = Field(
        default_factory=dict, description="conditions by name, which every row meets"
    )
    properties: dict[str, str] = Field(default_factory=dict, description="the table's own")
    options: dict[str, str] = Field(
        default_factory=dict, description="how its files are read, where that is not by a log"
    )
    freshness: Freshness | None = Field(description="null until a write was seen")
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


class EditDetail(Reply):
    """Which part of a table an edit was about."""

    columns: list[str] | None = None
    added: list[str] | None = None
    removed: list[str] | None = None
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None


class TableEdit(Reply):
    """A change to what the catalog says of a table."""

    seq: int
    kind: str
    at: datetime
    by: str | None
    detail: EditDetail | None


class EditList(Reply):
    """Changes to what the catalog says of a table, newest first, as far as they are kept."""

    items: list[TableEdit]


class RegisterTable(Request):
    """An existing Delta folder, file, or folder of files, left where it is and never deleted.

    Without a ``format`` it is Parquet, JSON, Avro or Arrow where the name ends so, else Delta.
    ``options`` are those of ``CREATE TABLE … USING format OPTIONS (…)``, for formats of files.
    """

    table: str = Field(description="catalog.schema.table")
    location: str
    format: Literal["delta", "parquet", "csv", "json", "text", "avro", "arrow"] | None = None
    options: dict[str, str] = Field(default_factory=dict)
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
    run_id: int | None = Field(description="the import that made it, if it was one")
    mode: Literal["create", "append", "overwrite", "replace"] | None = Field(
        None, description="what a write of whole rows did; null for every other commit"
    )


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
