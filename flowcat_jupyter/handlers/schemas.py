"""The bodies of the HTTP interface under ``{base_url}flowcat/``.

``docs/reference/openapi.json`` and the browser's ``api/types.ts`` are generated from these models;
a test compares all three.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Access = Literal["owner", "manage", "use", "browse"]
NodeKind = Literal["catalog", "schema", "table", "view"]
TableType = Literal["managed", "external"]
ImportMode = Literal["error", "append", "overwrite"]
WriteMode = Literal["overwrite", "error", "append", "upsert", "update", "delete"]
RunState = Literal["queued", "running", "succeeded", "failed", "timed_out", "cancelled", "lost"]


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
    version: str
    protocol: int
    session_timezone: str
    default_catalog: str
    default_schema: str
    demo_loaded: bool
    demo_available: bool
    active_runs: int
    seq: int


class Node(Reply):
    """One row of the catalog tree."""

    id: int
    uuid: str
    kind: NodeKind
    name: str
    full_name: list[str]
    sql_name: str = Field(description="the name as SQL text, quoted where it must be")
    description: str | None
    access: Access | None = Field(description="null on an ancestor shown for its name only")
    child_count: int | None
    row_count: int | None
    table_type: TableType | None
    broken: str | None
    data_version: int | None
    updated_at: datetime


class NodeList(Reply):
    """A page of the tree; ``after`` is the cursor of the next page, null on the last."""

    items: list[Node]
    total: int
    after: str | None


class SearchHit(Reply):
    """A node that matched, and the columns of it that matched."""

    node: Node
    columns: list[Column]


class SearchReply(Reply):
    """The best matches, and how many there are in all."""

    items: list[SearchHit]
    total: int


class NamespaceCreate(Request):
    """A catalog (no parent) or a schema (parent is a catalog's id)."""

    name: str
    parent_id: int | None = None
    description: str | None = None


class ObjectPatch(Request):
    """What may change of a namespace or a table; absent keys stay."""

    name: str | None = None
    description: str | None = None
    parent_id: int | None = None


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


class ImportRequest(Request):
    """A file to ingest: a path under the Jupyter root, or an upload."""

    table: str
    path: str | None = None
    upload_id: str | None = None
    format: str | None = None
    mode: ImportMode = "error"
    options: dict[str, str] = {}
    types: dict[str, str] = Field(
        default={}, description="column name to Spark DDL type, overriding"
    )


class ImportPreviewRequest(Request):
    """What to look at before an import."""

    path: str | None = None
    upload_id: str | None = None
    format: str | None = None
    options: dict[str, str] = {}
    types: dict[str, str] = {}


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
    warnings: list[str] = []


class UploadReply(Reply):
    """An upload in progress; chunks go to ``PUT uploads/{upload_id}?offset=``."""

    upload_id: str
    received: int


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


class SqlRequest(Request):
    """Statements to run; see docs/reference/http.md."""

    query: str
    query_id: str = Field(description="a UUID of the client's making")
    session: str | None = None
    origin: dict[str, str] = {}
    max_rows: int | None = 10_000
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = {}


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
    params: dict[str, Any] = {}


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
    merge_keys: list[str] = []
    partition_by: list[str] = []
    description: str | None = None
    origin: dict[str, str] = {}


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
