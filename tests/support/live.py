"""A real Jupyter Server in a process of its own, and a client that says what it said."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from sqlalchemy import text

from flowcat_jupyter.catalog.store.engine import connect, open_engine

ARROW = "application/vnd.apache.arrow.stream"
START_S = 60
TOKEN = uuid4().hex


@dataclass
class Reply:
    """An answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body, parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not strict JSON")


class LiveServer:
    """A running server of one catalog."""

    def __init__(
        self, process: subprocess.Popen[bytes], root: Path, port: int, base: str, log: Path
    ) -> None:
        self.process = process
        self.root = root
        self.port = port
        self.base = base
        self.log = log
        self.token = TOKEN

    @property
    def url(self) -> str:
        """Where the catalog's routes are."""
        return f"http://127.0.0.1:{self.port}{self.base}flowcat/"

    @property
    def pid(self) -> int:
        return self.process.pid

    def connect(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=120)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        headers: dict[str, str] | None = None,
        root: str = "flowcat/catalog/",
        **query: Any,
    ) -> Reply:
        connection = self.connect()
        content = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        sent = {} if token is None else {"Authorization": f"token {token or self.token}"}
        target = f"{self.base}{root}{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            connection.request(method, target, body=content, headers={**sent, **(headers or {})})
            response = connection.getresponse()
            return Reply(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    @contextmanager
    def stream(self, path: str, body: Any) -> Iterator[HTTPResponse]:
        """The answer to a POST for Arrow, its body not yet read."""
        connection = self.connect()
        headers = {"Authorization": f"token {self.token}", "Accept": ARROW}
        target = f"{self.base}flowcat/catalog/{path}"
        try:
            connection.request("POST", target, body=json.dumps(body).encode(), headers=headers)
            response = connection.getresponse()
            assert response.status == 200, response.read()
            yield response
        finally:
            connection.close()

    def get(self, path: str, **query: Any) -> Any:
        reply = self.request("GET", path, **query)
        assert reply.status == 200, reply.body
        return reply.json

    def post(self, path: str, body: Any = None, status: int | None = None) -> Any:
        reply = self.request("POST", path, {} if body is None else body)
        assert reply.status in ({status} if status else {200, 201, 202}), reply.body
        return reply.json

    def sql(self, query: str, **options: Any) -> Any:
        """The JSON answer of statements that work."""
        reply = self.try_sql(query, **options)
        assert reply.status == 200, reply.body
        return reply.json

    def try_sql(self, query: str, **options: Any) -> Reply:
        body = {"query": query, "query_id": str(uuid4()), **options}
        return self.request("POST", "sql/execute", body)

    def table(self, name: str) -> Any:
        return self.get("tables/resolve", name=name)

    def run_to_end(self, run: Any) -> Any:
        """The run once it has ended."""
        for _ in range(1200):
            if run["state"] not in ("queued", "running"):
                return run
            time.sleep(0.1)
            run = self.get(f"runs/{run['id']}")
        raise AssertionError("the run does not end")

    def import_text(self, table: str, text: str, name: str = "file.csv", **body: Any) -> Any:
        """Upload ``text`` and import it; the ended run."""
        content = text.encode()
        upload = self.request("POST", "uploads", name=name).json["upload_id"]
        reply = self.request("PUT", f"uploads/{quote(upload)}", content, offset=0)
        assert reply.json["received"] == len(content)
        run = self.post("tables/import", {"table": table, "upload_id": upload, **body}, 202)
        return self.run_to_end(run)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def select(what: str, table: str) -> str:
    """``SELECT what FROM table``, for tables whose names a test made up."""
    return " ".join(["SELECT", what, "FROM", table])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean_env(home: Path, **more: str) -> dict[str, str]:
    """The environment of a person who has set nothing but where the catalog is."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLOWCAT_", "JUPYTER", "JPY"))}
    folders = {
        "JUPYTER_CONFIG_DIR": str(home / "jupyter-config"),
        "JUPYTER_DATA_DIR": str(home / "jupyter-data"),
        "JUPYTER_RUNTIME_DIR": str(home / "jupyter-runtime"),
    }
    return {**kept, **folders, "FLOWCAT_HOME": str(home / "flowcat"), **more}


@contextmanager
def live_server(
    home: Path,
    root: Path,
    *arguments: str,
    base: str = "/",
    token: str = TOKEN,
    extensions: str = "",
    **env: str,
) -> Iterator[LiveServer]:
    """Start a server on a free port of the loopback interface; stop it at the end.

    ``extensions`` are server extensions to load beside ours, with commas between them.
    """
    loaded = {
        "flowcat_jupyter": True,
        "jupyterlab_jupytext": False,
        **dict.fromkeys(filter(None, extensions.split(",")), True),
    }
    port, log = free_port(), home / f"server-{uuid4().hex}.log"
    command = [
        sys.executable,
        "-m",
        "jupyter_server",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.base_url={base}",
        f"--ServerApp.root_dir={root}",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.jpserver_extensions={loaded}",
        *arguments,
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - words of our own
            command, stdout=output, stderr=output, env=clean_env(home, **env), cwd=root
        )
    server = LiveServer(process, root, port, base, log)
    server.token = token
    try:
        _wait(server)
        yield server
    finally:
        server.stop()


def _wait(server: LiveServer) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert server.process.poll() is None, server.log.read_text()
        try:
            if server.request("GET", "status").json["state"] in ("ready", "failed"):
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {server.log.read_text()}")


def with_demo(home: Path) -> Path:
    """A home whose catalog now holds the demo, loaded as a user would."""
    done = flowcat(home, "demo")
    assert done.returncode == 0, done.stderr
    return home


def flowcat(home: Path, *arguments: str, **env: str) -> Any:
    """Run the command line as a process of its own."""
    return subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-m", "flowcat_jupyter.cli", *arguments],
        env=clean_env(home, **env),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def grant(home: Path, group: str, members: list[str], securable: int, level: str) -> None:
    """Make a group of ``members`` and give it ``level`` on something."""
    engine = open_engine(f"sqlite:///{home / 'flowcat' / 'catalog.db'}")
    with connect(engine, write=True) as connection, connection.begin():
        key = {"name": group}
        connection.execute(
            text(
                "INSERT INTO groups (name, name_key, created_at) "
                "VALUES (:name, :name, '2026-01-01 00:00:00')"
            ),
            key,
        )
        found = text("SELECT id FROM groups WHERE name = :name")
        group_id = connection.execute(found, key).scalar_one()
        for member in members:
            connection.execute(
                text("INSERT INTO memberships (group_id, member) VALUES (:g, :m)"),
                {"g": group_id, "m": member},
            )
        connection.execute(
            text(
                "INSERT INTO grants (securable_id, group_id, level, granted_by, granted_at) "
                "VALUES (:s, :g, :l, 'local', '2026-01-01 00:00:00')"
            ),
            {"s": securable, "g": group_id, "l": level},
        )
    engine.dispose()
