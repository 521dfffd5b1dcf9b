"""What the repositories return: frozen rows, stamped with what the caller may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.parameters import Parameter
from flowcat_jupyter.shared.wire import Column


@dataclass(frozen=True)
class Node:
    """A catalog, schema, table or view.

    ``access`` is ``owner``, ``manage``, ``use`` or ``browse``; None is an ancestor of something
    visible, shown for its name alone (then it has no description). Counts are None for those who
    may only browse.
    """

    id: int
    uuid: str
    kind: str
    name: str
    path: tuple[str, ...]
    parent_id: int
    owner: str
    description: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
    revision: int
    state: str
    access: str | None
    child_count: int | None = None
    row_count: int | None = None
    table_type: str | None = None
    data_version: int | None = None
    broken: str | None = None

    @property
    def sql_name(self) -> str:
        """The full name as SQL text."""
        return TableName(self.path).sql

    @property
    def manages(self) -> bool:
        """Whether the caller may change it."""
        return self.access in ("owner", "manage")

    @property
    def reads(self) -> bool:
        """Whether the caller may read its data."""
        return self.access in ("owner", "manage", "use")


@dataclass(frozen=True, kw_only=True)
class TableRow(Node):
    """A table, whole. ``location`` is for planning; replies show `public_location`.

    ``logged`` are the columns as the table's log has them, ``comments`` what the catalog says of
    them by folded name, and ``columns`` both together.
    """

    format: str
    location: str
    columns: tuple[Column, ...]
    logged: tuple[Column, ...]
    comments: dict[str, str]
    tags: tuple[str, ...]
    partition_columns: tuple[str, ...]
    size_bytes: int | None
    delta_version: int | None
    data_files_version: int | None
    file_count: int | None
    written_at: datetime | None
    options: dict[str, str]
    properties: dict[str, str]
    constraints: dict[str, str]
    pointer: str | None

    @property
    def public_location(self) -> str | None:
        """Where the data are, for those who manage the table."""
        return self.location if self.manages else None


@dataclass(frozen=True, kw_only=True)
class ViewRow(Node):
    """A view, whole: its query as it was written, in what dialect, and the catalog and schema in
    which names in it are looked for.

    The names of its ``columns`` are its own where they are ``listed``, else those of its query.
    """

    text: str
    dialect: str
    catalog: str
    schema: str
    columns: tuple[Column, ...]
    listed: bool
    properties: dict[str, str]

    @property
    def public_text(self) -> str | None:
        """The query, for those who manage the view: it may name what others do not see."""
        return self.text if self.manages else None


@dataclass(frozen=True, kw_only=True)
class FunctionRow(Node):
    """A function, whole: what it stands for as it was written, in what dialect, and the catalog
    and schema in which names in it are looked for; ``returns`` is a type as Spark's DDL.
    """

    parameters: tuple[Parameter, ...]
    returns: str | None
    body: str
    dialect: str
    catalog: str
    schema: str
    deterministic: bool

    @property
    def public_body(self) -> str | None:
        """The body, for those who manage the function: it may name what others do not see."""
        return self.body if self.manages else None


@dataclass(frozen=True)
class NamespaceRow:
    """What a namespace has beyond its securable."""

    level: int
    storage_uri: str | None
    connection_id: int | None


@dataclass(frozen=True)
class NodePage:
    """A page of nodes; ``after`` is the next page's cursor, None on the last."""

    items: tuple[Node, ...]
    total: int
    after: str | None


@dataclass(frozen=True)
class TablePage:
    """A page of tables; ``after`` is the next page's cursor, None on the last."""

    items: tuple[TableRow, ...]
    total: int
    after: str | None


@dataclass(frozen=True)
class Match:
    """Why something was found: its ``name``, or a ``tag``, ``column`` or ``comment`` of it.

    ``column`` is the column's name, None where the comment is the table's own.
    """

    field: str
    text: str
    column: str | None = None


@dataclass(frozen=True)
class Hit:
    """A node that matched a search, why, and the columns of it that did."""

    node: Node
    columns: tuple[Column, ...]
    matched: tuple[Match, ...]


@dataclass(frozen=True)
class HitPage:
    """The best matches, and how many there are in all."""

    items: tuple[Hit, ...]
    total: int


@dataclass(frozen=True)
class Run:
    """A background run. ``fence`` rises with every claim; a stale holder writes nothing."""

    id: int
    kind: str
    title: str
    state: str
    owner: str
    progress: dict[str, Any] | None
    attempt: int
    lease_holder: str | None
    lease_until: datetime | None
    fence: int
    cancel_requested: bool
    origin: dict[str, str]
    payload: dict[str, Any]
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    due_at: datetime
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class RunPage:
    """A page of runs, newest first."""

    items: tuple[Run, ...]
    total: int
    after: str | None


@dataclass(frozen=True)
class Ticket:
    """Leave to commit one change to one location until it expires."""

    id: str
    actor: str
    table_id: int
    creates: bool
    mode: str
    location: str
    base_version: int | None
    spec: dict[str, Any]
    run_id: int | None
    state: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class Rejects:
    """The file of a run's rejected lines. ``row_count`` is None until the run has ended."""

    run_id: int
    location: str
    row_count: int | None
    expires_at: datetime


@dataclass(frozen=True)
class Memory:
    """How somebody last had files of a source read. ``source`` is what their names share."""

    source: str
    format: str | None
    options: dict[str, str]
    types: dict[str, str]
    updated_at: datetime


@dataclass(frozen=True)
class SavedQuery:
    """A query that somebody saved. ``chart`` is what its result was last drawn as, any JSON."""

    id: int
    name: str
    text: str
    catalog: str | None
    schema: str | None
    dialect: str | None
    chart: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class SavedQueryPage:
    """A page of saved queries; ``after`` is the next page's cursor."""

    items: tuple[SavedQuery, ...]
    total: int
    after: str | None


@dataclass(frozen=True)
class Dropped:
    """A dropped table that can still come back."""

    id: int
    old_uuid: str
    parent_id: int
    path: tuple[str, ...]
    owner: str
    location: str
    snapshot: dict[str, Any]
    dropped_at: datetime
    dropped_by: str
    purge_at: datetime | None
    purge_run_id: int | None


@dataclass(frozen=True)
class Grant:
    """A group's level on an object."""

    id: int
    securable_id: int
    group_id: int
    group: str
    level: str
    granted_by: str
    granted_at: datetime


@dataclass(frozen=True)
class Change:
    """One line of the changes feed."""

    seq: int
    kind: str
    object_id: int
    object_uuid: str
    object_kind: str
    parent_id: int | None
    name: str
    at: datetime


@dataclass(frozen=True)
class Edit:
    """A change to what the catalog says of one object; ``detail`` is as its event's."""

    seq: int
    kind: str
    at: datetime
    by: str | None
    detail: dict[str, Any] | None


@dataclass(frozen=True)
class Changes:
    """Changes after a number; ``seq`` is where to go on from. ``reset``: reload everything."""

    seq: int
    items: tuple[Change, ...]
    reset: bool
