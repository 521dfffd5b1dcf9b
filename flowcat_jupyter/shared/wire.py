"""What the server and its workers say to each other.

Every message is a frozen dataclass and travels as JSON: see `encode` and `decode`. Data never do;
they lie in files whose paths the messages name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

from flowcat_jupyter.shared.wire_imports import Detected as Detected
from flowcat_jupyter.shared.wire_imports import Drift as Drift
from flowcat_jupyter.shared.wire_imports import DriftColumn as DriftColumn
from flowcat_jupyter.shared.wire_imports import ImportFile as ImportFile
from flowcat_jupyter.shared.wire_imports import ProposedColumn as ProposedColumn
from flowcat_jupyter.shared.wire_imports import Reject as Reject
from flowcat_jupyter.shared.wire_plans import Column as Column
from flowcat_jupyter.shared.wire_plans import OptionLayer as OptionLayer
from flowcat_jupyter.shared.wire_plans import QueryPlan as QueryPlan
from flowcat_jupyter.shared.wire_plans import Source as Source
from flowcat_jupyter.shared.wire_plans import UsedTable as UsedTable

PROTOCOL = 1


@dataclass(frozen=True)
class Job:
    """Base of everything a worker can be asked to do; ``kind`` names its function."""

    kind: ClassVar[str] = ""
    short: ClassVar[bool] = False
    """Runs on the slot kept for jobs a person is waiting for at each keystroke or scroll."""


@dataclass(frozen=True)
class QueryJob(Job):
    """Run a plan and spool its rows.

    Writes at most ``max_rows`` rows (None: as many as ``max_bytes`` allow) as an Arrow IPC file
    to ``spool`` and, when ``json_path`` is set, the same rows as strict JSON there.
    Answers a `ResultInfo`.
    """

    kind: ClassVar[str] = "query"
    plan: QueryPlan
    spool: str
    max_rows: int | None
    max_bytes: int
    json_path: str | None = None


@dataclass(frozen=True)
class ValuesJob(Job):
    """Spool rows that the server made itself (SHOW, DESCRIBE), as `QueryJob` does its own.

    ``rows`` hold JSON values, one list per row; times are ISO 8601. Many rows are in ``file``
    instead, a list on each line. ``names`` are what the columns are called in the spool, c0 … cn
    for none. Answers a `ResultInfo`.
    """

    kind: ClassVar[str] = "values"
    short: ClassVar[bool] = True
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    spool: str
    json_path: str | None = None
    names: tuple[str, ...] = ()
    file: str | None = None


@dataclass(frozen=True)
class ExplainJob(Job):
    """Explain a plan without running it, with ``extended`` in the engine's own words as well.
    Answers an `ExplainInfo`.
    """

    kind: ClassVar[str] = "explain"
    plan: QueryPlan
    extended: bool = False


@dataclass(frozen=True)
class InspectJob(Job):
    """Read a table's schema, counts and version from its log or footers; answers a `TableFacts`."""

    kind: ClassVar[str] = "inspect"
    short: ClassVar[bool] = True
    source: Source


@dataclass(frozen=True)
class HistoryJob(Job):
    """Read a table's commits, newest first, at most ``limit``; answers a `HistoryInfo`."""

    kind: ClassVar[str] = "history"
    short: ClassVar[bool] = True
    source: Source
    limit: int


@dataclass(frozen=True)
class PreviewImportJob(Job):
    """Look at files and propose types; answers an `ImportProposal`.

    ``paths`` are files, folders or patterns that together are one table; empty: ``path`` alone is.
    With ``location``, the drift from the table there at ``base_version`` is told.
    """

    kind: ClassVar[str] = "preview_import"
    path: str
    format: str | None
    options: dict[str, str]
    types: dict[str, str]
    rows: int = 50
    paths: tuple[str, ...] = ()
    location: str | None = None
    base_version: int | None = None


@dataclass(frozen=True)
class ImportJob(Job):
    """Ingest ``paths`` (empty: ``path``) into the Delta table at ``location``.

    ``mode``: ``create`` (nothing may be at ``location``), or from ``base_version`` ``append``,
    ``overwrite`` or ``upsert`` (by ``merge_keys``). With append and upsert a drift from the
    table's columns is a Conflict unless ``accept_drift``. Every line that becomes no row is
    written to ``rejects``, an Arrow IPC file of file, line, reason and text, which is only there
    when there are any. Reports progress in rows. Answers an `ImportOutcome`.
    """

    kind: ClassVar[str] = "import"
    path: str
    format: str | None
    options: dict[str, str]
    types: dict[str, str]
    location: str
    mode: str
    base_version: int | None
    commit_info: dict[str, str]
    paths: tuple[str, ...] = ()
    merge_keys: tuple[str, ...] = ()
    accept_drift: bool = False
    rejects: str | None = None


@dataclass(frozen=True)
class StreamJob(Job):
    """Write a whole table as an Arrow IPC file to ``out`` (real types); answers a `PageInfo`."""

    kind: ClassVar[str] = "stream"
    source: Source
    out: str


@dataclass(frozen=True, slots=True)
class ResultInfo:
    """What a query gave."""

    columns: tuple[Column, ...]
    row_count: int
    truncated: bool
    engine: str
    used_tables: tuple[UsedTable, ...]
    warnings: tuple[str, ...]
    worker_ms: float


@dataclass(frozen=True)
class ExplainedSource:
    """How a source is read: ``route`` in plain words, and how much of it.

    ``files`` and ``rows`` count the whole (None: not known beforehand), those skipped are not
    read because of what the query asks; ``columns`` are those that are named or taken by ``*``.
    """

    name: tuple[str, ...]
    format: str
    version: int | None
    route: str
    files: int | None
    files_skipped: int
    rows: int | None
    rows_skipped: int | None
    columns: tuple[str, ...]
    columns_total: int


@dataclass(frozen=True)
class ExplainStep:
    """A step; deeper ones are done before it."""

    depth: int
    text: str


@dataclass(frozen=True)
class ExplainInfo:
    """A plan as lines of text, and the same in parts; ``reason`` says why this engine."""

    engine: str
    lines: tuple[str, ...]
    used_tables: tuple[UsedTable, ...]
    reason: str = ""
    sources: tuple[ExplainedSource, ...] = ()
    steps: tuple[ExplainStep, ...] = ()


@dataclass(frozen=True)
class PageInfo:
    """What a page holds; ``total`` counts all rows after filters."""

    columns: tuple[Column, ...]
    row_count: int
    total: int
    version: int | None


@dataclass(frozen=True)
class TableFacts:
    """What a table's own log or footers say. ``data_files_version`` is the newest version that
    was not maintenance, which is what triggers compare; ``written_at`` is when that was, ISO 8601.
    ``files`` counts the files that hold the rows. ``pointer`` is an Iceberg table's metadata file.
    ``constraints`` are conditions by name that every row meets, ``properties`` the table's own,
    ``defaults`` by column the SQL of what a new row gets that says no value for it, ``generated``
    by column what it is computed from.
    """

    format: str
    columns: tuple[Column, ...]
    partition_columns: tuple[str, ...]
    row_count: int | None
    size_bytes: int | None
    version: int | None
    data_files_version: int | None
    warnings: tuple[str, ...] = ()
    files: int | None = None
    written_at: str | None = None
    pointer: str | None = None
    constraints: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    generated: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryEntry:
    """One commit; ``timestamp`` is ISO 8601 in UTC, ``run_id`` and ``write_id`` say the run or
    write ticket behind it, ``mode`` is ``create``, ``append``, ``overwrite`` or ``replace``.
    """

    version: int
    timestamp: str
    operation: str
    user: str | None
    rows_added: int | None
    rows_removed: int | None
    maintenance: bool
    run_id: str | None = None
    write_id: str | None = None
    mode: str | None = None


@dataclass(frozen=True)
class HistoryInfo:
    """Commits, newest first."""

    entries: tuple[HistoryEntry, ...]
    total: int


@dataclass(frozen=True)
class ImportProposal:
    """What an import would make of its files; ``rows`` are strict JSON values.

    ``options`` are all options as they were used; given back they take the same reading again.
    ``choices`` are the values a person may pick for each option (none listed: free text).
    Of ``rejected`` lines ``rejects`` are the first; ``notes`` are the warnings beside them.
    """

    format: str
    options: dict[str, str]
    columns: tuple[ProposedColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    rows_read: int
    warnings: tuple[str, ...] = ()
    files: tuple[ImportFile, ...] = ()
    rejected: int = 0
    rejects: tuple[Reject, ...] = ()
    detected: tuple[Detected, ...] = ()
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    drift: Drift | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportOutcome(TableFacts):
    """What an import did: the table's facts afterwards, ``loaded`` rows and ``rejected`` lines.

    ``lines`` counts the records in the files: loaded and rejected together. ``rejects`` is the
    file the rejected lines are in, if there are any. ``read_as`` (the format), ``options`` and
    ``types`` take the same reading again. ``drift`` is the one that was accepted.
    """

    loaded: int = 0
    rejected: int = 0
    lines: int = 0
    rejects: str | None = None
    read_as: str = ""
    options: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    drift: Drift | None = None


def encode(message: Any) -> Any:
    """A message as JSON-ready values; dataclasses carry their class name under ``"@"``."""
    if message is None or isinstance(message, (str, int, float)):
        # First: most of a message are these.
        return message
    if is_dataclass(message) and not isinstance(message, type):
        body = {item.name: encode(getattr(message, item.name)) for item in fields(message)}
        return {"@": type(message).__name__, **body}
    if isinstance(message, (tuple, list)):
        return [encode(item) for item in message]
    if isinstance(message, dict):
        return {key: encode(value) for key, value in message.items()}
    return message


def decode(body: Any) -> Any:
    """The message that `encode` was given; lists inside a message come back as tuples.

    :raises KeyError: the class name is not one of this module's.
    """
    if isinstance(body, dict) and "@" in body:
        kind = _MESSAGES[body["@"]]
        return kind(**{key: decode(value) for key, value in body.items() if key != "@"})
    if isinstance(body, dict):
        return {key: decode(value) for key, value in body.items()}
    if isinstance(body, list):
        return tuple(decode(item) for item in body)
    return body


_MESSAGES: dict[str, Any] = {}


def register(names: dict[str, Any]) -> None:
    """Let the messages among a module's ``names`` be decoded."""
    for name, item in names.items():
        if isinstance(item, type) and is_dataclass(item) and item is not Job:
            _MESSAGES[name] = item


register(dict(globals()))
