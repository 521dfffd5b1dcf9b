"""A small Flowcat server on a real socket and real Delta folders."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import AlreadyExists, Cancelled, FlowcatError, NotFound
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Source

DEFAULTS = {"default_catalog": "main", "default_schema": "default"}
ARROW = "application/vnd.apache.arrow.stream"
STATUS = {"NotFound": 404, "AlreadyExists": 409, "Conflict": 409, "Invalid": 400, "SqlError": 400}


@dataclass
class Answer:
    """What a query gives; ``headings`` are the columns' names, ``frame`` None for no rows."""

    frame: pl.DataFrame | None
    headings: list[str] | None = None
    statement: str = "SELECT"
    written: dict[str, int] | None = None
    changed: bool = True
    current: dict[str, str] | None = None
    note: str | None = None
    dry_run: bool = False
    truncated: bool = False
    warnings: tuple[str, ...] = ()


def echo(body: dict[str, Any]) -> Answer:
    """The text of the query and its parameters, as the server got them."""
    return Answer(pl.DataFrame({"query": [body["query"]], "params": [json.dumps(body["params"])]}))


@dataclass
class FakeFlowcat:
    """The routes a kernel uses. Tables are Delta folders under ``root``."""

    root: Path
    answer: Callable[[dict[str, Any]], Answer] = echo
    seen: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    tables: dict[tuple[str, ...], Path] = field(default_factory=dict)
    tickets: dict[str, dict[str, Any]] = field(default_factory=dict)
    aborted: list[str] = field(default_factory=list)
    running: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    stream_reads: bool = False
    fail_commit: FlowcatError | None = None
    cut_body: bool = False
    port: int = 0
    envelopes: dict[str, dict[str, Any]] = field(default_factory=dict)
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    frames_gone: list[str] = field(default_factory=list)
    result_max_bytes: int = 1 << 31

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/a%40b/flowcat/"

    def block(self, _body: dict[str, Any]) -> Answer:
        """A query that runs until it is cancelled."""
        self.running.set()
        self.stop.wait(60)
        self.running.clear()
        raise Cancelled("Nothing was changed: the statement")

    def finish(self, _body: dict[str, Any]) -> Answer:
        """A statement that is done just when somebody cancels it."""
        self.running.set()
        self.stop.wait(60)
        self.running.clear()
        return Answer(None, statement="INSERT", written={"inserted": 3, "updated": 0, "deleted": 0})

    def full(self, name: str) -> tuple[str, ...]:
        parts = TableName.parse(name).parts
        return ("main", "default", *parts)[-3:] if len(parts) == 1 else ("main", *parts)[-3:]

    def location(self, name: tuple[str, ...]) -> str:
        if name not in self.tables:
            raise NotFound("table", ".".join(name), hint="See flowfile_ctx.list_catalogs().")
        return str(self.tables[name])

    def table_reply(self, name: tuple[str, ...]) -> dict[str, Any]:
        facts = DeltaFormat().facts(Source("r1", "table", name, "delta", self.location(name)))
        return {
            "id": list(self.tables).index(name) + 1,
            "full_name": list(name),
            "columns": [{"name": c.name, "type": c.type} for c in facts.columns],
            "row_count": facts.row_count,
            "delta_version": facts.version,
        }

    def get(self, path: str, query: dict[str, str]) -> Any:
        if path == "catalog/status":
            return {
                "default_catalog": "main",
                "default_schema": "default",
                "session_timezone": "Asia/Tokyo",
                "result_max_bytes": self.result_max_bytes,
            }
        if path == "catalog/tables/resolve":
            return self.table_reply(self.full(query["name"]))
        if path == "catalog/namespaces/tree":
            return self.tree(query)
        if path.startswith("catalog/sql/"):
            return self.envelopes[path.rsplit("/", 1)[1]]
        raise NotFound("page", path)

    def tree(self, query: dict[str, str]) -> Any:
        """Pages of one node, so that a client that reads only the first is found out."""
        levels = {
            None: [["demo"], ["main"]],
            "1": [["demo", "nyc"]],
            "2": [["main", "default"], ["main", "my schema"]],
            "11": [],
            "21": [list(name) for name in sorted(self.tables)],
            "22": [],
        }
        names = levels[query.get("parent")]
        start = int(query.get("after", "0"))
        items = [
            {"id": int(f"{query.get('parent', '')}{i + 1}"), "name": n[-1], "full_name": n}
            for i, n in enumerate(names)
        ][start : start + 1]
        after = str(start + 1) if start + 1 < len(names) else None
        return {"items": items, "total": len(names), "after": after}

    def post(self, path: str, body: dict[str, Any]) -> Any:
        if path == "catalog/reads":
            name = self.full(body["table"])
            reply = {
                "kind": "stream" if self.stream_reads else "path",
                "table": self.table_reply(name),
                "location": None if self.stream_reads else self.location(name),
                "href": "catalog/streams/1" if self.stream_reads else None,
                "format": "delta",
            }
            version = body["version"]
            return {**reply, "version": version}
        if path == "catalog/writes":
            return self.ticket(body)
        if path == "catalog/tables/from-data":
            name = self.full(body["table"])
            self.tables[name] = Path(body["location"])
            return self.table_reply(name)
        if path.endswith("/refresh"):
            return self.table_reply(list(self.tables)[int(path.split("/")[2]) - 1])
        return self.commit(path.split("/")[2], body["version"])

    def _version(self, name: tuple[str, ...]) -> int | None:
        version: int | None = self.table_reply(name)["delta_version"]
        return version

    def ticket(self, body: dict[str, Any]) -> Any:
        name = self.full(body["table"])
        known = self.tables.get(name)
        if known and body["mode"] == "error":
            raise AlreadyExists("table", ".".join(name))
        location = known or self.root / f"{name[-1]}_{len(self.tickets)}"
        write_id = f"w{len(self.tickets)}"
        self.tickets[write_id] = {"name": name, "location": location, "body": body}
        return {
            "write_id": write_id,
            "location": str(location),
            "base_version": self._version(name) if known else None,
            **{key: body[key] for key in ("mode", "merge_keys", "partition_by", "columns")},
        }

    def commit(self, write_id: str, version: int) -> Any:
        if self.fail_commit:
            raise self.fail_commit
        ticket = self.tickets[write_id]
        self.tables[ticket["name"]] = ticket["location"]
        reply = self.table_reply(ticket["name"])
        assert reply["delta_version"] == version
        return reply

    def delete(self, path: str) -> None:
        key = path.rsplit("/", 1)[1]
        if "/writes/" in path:
            self.aborted.append(key)
        elif "/frames/" in path:
            self.frames_gone.append(key)
        else:
            self.cancelled.append(key)
            self.stop.set()


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, fake: FakeFlowcat, *args: Any) -> None:
        self.fake = fake
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self.serve("GET")

    def do_POST(self) -> None:
        self.serve("POST")

    def do_DELETE(self) -> None:
        self.serve("DELETE")

    def serve(self, method: str) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        content = self.rfile.read(length)
        is_frame = self.path.endswith("/sql/frames")
        body = content if is_frame else json.loads(content) if length else None
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/a%40b/flowcat/")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.fake.seen.append((method, path, dict(self.headers), body))
        try:
            self.dispatch(method, path, query, body)
        except FlowcatError as error:
            self.send(json.dumps(error.to_wire()).encode(), STATUS.get(error.code, 503))

    def dispatch(self, method: str, path: str, query: dict[str, str], body: Any) -> None:
        if self.headers.get("Authorization") != "token kernel-token":
            self.send(b"<html>403</html>", 403, "text/html")
        elif method == "DELETE":
            self.fake.delete(path)
            self.send(b"", 204)
        elif path == "catalog/sql/execute":
            self.query(body)
        elif path == "catalog/sql/frames":
            frame_id = f"frame-{len(self.fake.frames) + 1}"
            self.fake.frames[frame_id] = pl.read_ipc(BytesIO(body))
            self.send(json.dumps({"frame_id": frame_id}).encode(), 201)
        elif path == "catalog/streams/1":
            name = next(iter(self.fake.tables))
            scan = DeltaFormat().scan(Source("r", "table", name, "delta", self.fake.location(name)))
            self.send(arrow(scan.frame.collect()), 200, ARROW)
        elif method == "POST":
            self.send(json.dumps(self.fake.post(path, body)).encode())
        else:
            self.send(json.dumps(self.fake.get(path, query)).encode())

    def query(self, body: dict[str, Any]) -> None:
        answer = self.fake.answer(body)
        frame = pl.DataFrame() if answer.frame is None else answer.frame
        columns = [
            {"name": name, "type": str(dtype).lower()}
            for name, dtype in zip(answer.headings or frame.columns, frame.dtypes, strict=True)
        ]
        self.fake.envelopes[body["query_id"]] = {
            "query_id": body["query_id"],
            "statement": answer.statement,
            "columns": columns,
            "row_count": frame.height,
            "truncated": answer.truncated,
            "written": answer.written,
            "changed": answer.changed,
            "current": answer.current,
            "note": answer.note,
            "dry_run": answer.dry_run,
            "execution_time_ms": 12.3,
            "engine": "polars",
            "used_tables": [],
            "warnings": list(answer.warnings),
        }
        frame.columns = [f"c{number}" for number in range(frame.width)]
        self.send(arrow(frame), 200, ARROW)

    def send(self, body: bytes, status: int = 200, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.fake.cut_body else body)


def arrow(frame: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getvalue()


@contextmanager
def serving(root: Path) -> Iterator[FakeFlowcat]:
    """A server with its tables under ``root``."""
    flowcat = FakeFlowcat(root)
    flowcat.root.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, flowcat)) as server:
        flowcat.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield flowcat
        flowcat.stop.set()
        server.shutdown()
        thread.join()
