"""Runs SQL on the server and brings the rows into the kernel."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from flowcat_jupyter.kernel.client import ARROW, JSON, Client, unreachable_while_reading
from flowcat_jupyter.kernel.handover import handed_over
from flowcat_jupyter.kernel.listing import is_frame
from flowcat_jupyter.kernel.sending import sent
from flowcat_jupyter.kernel.stopping import Stopping
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, LimitExceeded
from flowcat_jupyter.shared.handover import RESULT_FILE

if TYPE_CHECKING:
    from http.client import HTTPResponse

    import polars as pl

# What a processor keeps close by: a larger one takes up to three times as long to be passed on.
CHUNK = 1 << 16


@dataclass(frozen=True)
class SqlOptions:
    """How a query is run; None means the server's default.

    ``frames`` are what its ``FROM :name`` mean, by name. A ``dry_run`` changes nothing.
    """

    dialect: str | None = None
    engine: str | None = None
    catalog: str | None = None
    schema: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Any] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True)
class SqlResult:
    """What a text of SQL gave: its last result.

    ``frame`` is None for a statement without rows, which tells how many it has ``written`` and
    whether it ``changed`` anything; ``current`` is the catalog and schema that USE made so,
    ``note`` what was done where rows do not tell it. After a ``dry_run`` it tells what would be.
    ``types`` are its columns' Spark types. ``truncated`` says that the server's limit on a
    result's size cut it. ``milliseconds`` is the time the server took.
    """

    frame: pl.DataFrame | None
    types: tuple[str, ...]
    statement: str
    written: Mapping[str, int] | None
    changed: bool
    current: Mapping[str, str] | None
    note: str | None
    truncated: bool
    milliseconds: float
    engine: str | None
    warnings: tuple[str, ...]
    dry_run: bool = False


def run_sql(client: Client, query: str, options: SqlOptions) -> SqlResult:
    """Run ``query`` exactly as it is written and fetch every row of its last result.

    Its frames are sent before, as they are now, and deleted after.

    :raises KeyboardInterrupt: interrupted; the query has been stopped on the server too, and the
        interrupt says what had become of it.
    :raises SqlError: the text is wrong, with the place where.
    :raises FlowcatError: anything else the server refuses.
    """
    query_id = str(uuid.uuid4())
    body = {
        "query": query,
        "query_id": query_id,
        "session": client.session,
        "origin": client.origin(),
        "max_rows": None,
        **_place(client, options),
        "dialect": options.dialect,
        "engine": options.engine,
        "dry_run": options.dry_run,
        "params": {name: bindable(name, value) for name, value in options.params.items()},
    }
    stopping = Stopping(client, query_id)
    try:
        with sent(client, options.frames) as frames:
            result = _fetch(client, query_id, {**body, "frames": frames.ids}, stopping)
    except KeyboardInterrupt as stop:
        if stop.args:
            raise
        if stopping.sent:
            stopping()
        raise stopping.unheard() from None
    except FlowcatError as error:
        if not stopping.called:
            raise
        raise stopping.failed(error) from None
    if result.current is not None:
        client.current = result.current
    return replace(result, warnings=(*frames.warnings, *result.warnings))


def _place(client: Client, options: SqlOptions) -> Mapping[str, str | None]:
    """The catalog and schema to ask in: those given, else what USE made current."""
    if options.catalog is not None:
        return {"catalog": options.catalog, "schema": options.schema}
    current = client.current or {}
    return {
        "catalog": current.get("catalog"),
        "schema": options.schema or current.get("schema"),
    }


def _fetch(client: Client, query_id: str, body: Mapping[str, Any], stopping: Stopping) -> SqlResult:
    envelope, frame = _answer(client, query_id, body, stopping)
    headings = [column["name"] for column in envelope["columns"]]
    warnings = list(envelope["warnings"])
    if not headings:
        frame = None
    if frame is not None:
        frame.columns, renamed = distinct(headings)
        warnings += renamed
    return SqlResult(
        frame=frame,
        types=tuple(column["type"] for column in envelope["columns"]),
        statement=envelope["statement"],
        written=envelope.get("written"),
        changed=bool(envelope.get("changed", True)),
        current=envelope.get("current"),
        note=envelope.get("note"),
        truncated=bool(envelope["truncated"]),
        milliseconds=float(envelope["execution_time_ms"]),
        engine=envelope.get("engine"),
        warnings=tuple(warnings),
        dry_run=bool(envelope.get("dry_run", False)),
    )


def _answer(
    client: Client, query_id: str, body: Mapping[str, Any], stopping: Stopping
) -> tuple[Mapping[str, Any], pl.DataFrame | None]:
    """The envelope and the rows of what ``body`` asks for."""
    path = f"catalog/sql/{query_id}"
    accept = f"{RESULT_FILE}, {ARROW}" if client.is_beside else ARROW
    frame, offer = None, None
    stopping.sent = True
    with client.stream(
        "POST", "catalog/sql/execute", body=body, accept=accept, stop=stopping
    ) as response:
        stopping.answered = True
        if stopping.called:
            raise stopping.done(client.get(path))
        if response.headers.get_content_type() == RESULT_FILE:
            offer = json.loads(response.read())
        else:
            frame = _streamed(response)
    if offer is None:
        return client.get(path), frame
    frame = handed_over(offer)
    if frame is None:
        client.is_beside = False
        with client.stream("GET", path) as response:
            frame = _streamed(response)
    return offer["result"], frame


def _streamed(response: HTTPResponse) -> pl.DataFrame | None:
    """The rows of an answer; None if it has none."""
    with NamedTemporaryFile(prefix="flowcat-", suffix=".arrow") as spool:
        save(response, spool)
        if response.headers.get_content_type() == JSON or response.status == 204:
            return None
        return read_stream(spool.name)


def save(response: HTTPResponse, file: IO[bytes]) -> None:
    """Write a response's body to ``file``, a chunk at a time.

    :raises Unavailable: the connection broke before its end.
    """
    from http.client import HTTPException

    chunk = memoryview(bytearray(CHUNK))
    try:
        while size := response.readinto(chunk):
            file.write(chunk[:size])
    except (OSError, HTTPException) as error:
        raise unreachable_while_reading(error) from error
    # http.client reports an early end of a body of known length by this alone.
    if response.length:
        raise unreachable_while_reading(EOFError(f"{response.length} bytes are missing"))
    file.flush()


def read_stream(path: str | Path) -> pl.DataFrame:
    """The frame in an Arrow IPC stream."""
    import polars as pl

    return pl.read_ipc_stream(path)


def distinct(headings: Iterable[str]) -> tuple[list[str], list[str]]:
    """Names that can be a frame's columns (``x``, ``x_2``), and a warning where one changed."""
    wanted = list(headings)
    taken, names, changed = set(wanted), list[str](), list[str]()
    for heading in wanted:
        name, number = heading, 2
        while name in names or (name != heading and name in taken):
            name, number = f"{heading}_{number}", number + 1
        if name != heading:
            changed.append(f"{heading} → {name}")
        names.append(name)
    if not changed:
        return names, []
    return names, [f"Columns of the same name were renamed: {', '.join(changed)}."]


def bindable(name: str, value: Any) -> Any:
    """``value`` as JSON that the server binds to ``:name`` with its type.

    :raises Invalid: it is not a number, a text, a truth value, a date, a time, None or a list of
        these.
    """
    if isinstance(value, (list, tuple)):
        return [bindable(name, item) for item in value]
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat(sep=" ")}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if hasattr(value, "item") and not isinstance(value, type) and not is_frame(value):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Invalid(
        f"Parameter {name} is a {type(value).__name__}, which cannot be bound.",
        hint=f"A frame stands after FROM or JOIN alone: FROM :{name}."
        if is_frame(value)
        else f"Bind a number or a text, and convert it in SQL: CAST(:{name} AS DATE).",
    )


def complete(result: SqlResult, name: str) -> SqlResult:
    """``result``, which holds every row.

    :raises LimitExceeded: it was cut, so ``name`` would silently hold too little.
    """
    if result.truncated:
        rows = 0 if result.frame is None else result.frame.height
        raise LimitExceeded(
            f"The result was cut at {rows:,} rows by the server's limit on its size "
            f"(result_max_bytes); {name} is not set.",
            hint="Select fewer columns or rows, or raise c.Flowcat.result_max_bytes.",
        )
    return result
