"""Flowfile, another catalog with SQL over polars, run as a server of its own to be measured.

It runs queries in its own process, with no limit on time or memory and no way to cancel: so it is
started with a limit on its address space, and a query past its deadline ends the server, which is
started anew for the next one.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import polars as pl
import psutil

# It listens on no other.
PORT = 63578
MEMORY = 10 << 30
START_S, STOP_S = 120, 20
_LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


class NoAnswer(Exception):
    """A query was refused, failed, or took too long; the text says which."""


@dataclass(frozen=True)
class Answer:
    """Rows as JSON carries them, with polars' names of their types."""

    rows: list[list[Any]]
    types: list[str]

    def plain(self) -> list[list[Any]]:
        """The rows with decimals, which come as texts, as numbers."""
        decimal = [kind.startswith("Decimal") for kind in self.types]
        return [
            [
                float(cell) if number and cell is not None else cell
                for number, cell in zip(decimal, row, strict=True)
            ]
            for row in self.rows
        ]


class Flowfile:
    """A running Flowfile with a catalog ``bench.main``; ``venv`` is where it is installed."""

    def __init__(self, venv: Path, home: Path) -> None:
        self._program = venv / "bin" / "flowfile"
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._token = ""
        self._schema: int | None = None

    @property
    def version(self) -> str:
        """What is installed."""
        (found,) = self._program.parents[1].glob(
            "lib/python*/site-packages/[Ff]lowfile-*.dist-info"
        )
        return found.name.removesuffix(".dist-info").partition("-")[2]

    def start(self) -> None:
        """Start the server and log in; what was registered before is there again."""
        with socket.socket() as probe:
            taken = probe.connect_ex(("127.0.0.1", PORT)) == 0
        assert not taken, f"port {PORT}, the only one that Flowfile uses, is taken"
        self._home.mkdir(exist_ok=True)
        command = [sys.executable, "-c", _LIMITED, str(MEMORY)]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - words of our own
                [*command, str(self._program), "run", "ui", "--no-browser"],
                env=self._env(),
                cwd=self._home,
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + START_S
        while not self._logged_in():
            assert self._process.poll() is None, (self._home / "log").read_text()[-2000:]
            assert time.monotonic() < end, "Flowfile does not start"
            time.sleep(0.5)

    def stop(self) -> None:
        """End the server and what it has started."""
        if self._process is None:
            return
        own = psutil.Process(self._process.pid) if self._process.poll() is None else None
        every = [*own.children(recursive=True), own] if own else []
        for process in every:
            process.terminate()
        for process in psutil.wait_procs(every, STOP_S)[1]:
            process.kill()
        self._process.wait()
        self._process = None

    def register(self, name: str, folder: Path) -> None:
        """Make a Delta table, hard-linked into its storage, a table of ``bench.main``."""
        if self._schema is None:
            catalog = self._post("/catalog/namespaces", {"name": "bench"})["id"]
            wish = {"name": "main", "parent_id": catalog}
            self._schema = self._post("/catalog/namespaces", wish)["id"]
        place = self._storage / "catalog_tables" / name
        shutil.copytree(folder, place, copy_function=os.link)
        scan = pl.scan_delta(str(place))
        schema = scan.collect_schema()
        self._post(
            "/catalog/tables/from-data",
            {
                "name": name,
                "table_path": str(place),
                "namespace_id": self._schema,
                "schema_columns": [{"name": n, "dtype": str(kind)} for n, kind in schema.items()],
                "row_count": scan.select(pl.len()).collect().item(),
                "column_count": len(schema),
                "size_bytes": sum(file.stat().st_size for file in place.glob("*.parquet")),
            },
        )

    def ask(self, query: str, seconds: float) -> Answer:
        """The rows of a query.

        :raises NoAnswer: there are none within ``seconds``.
        """
        try:
            said = self._post(
                "/catalog/sql/execute", {"query": query, "max_rows": 100_000}, seconds
            )
        except TimeoutError as error:
            self._again()
            raise NoAnswer(f"no answer within {seconds:.0f} s") from error
        except (OSError, HTTPException) as error:
            self._again()
            raise NoAnswer(
                f"the server ended; its memory is limited to {MEMORY >> 30} GB"
            ) from error
        if said["error"]:
            raise NoAnswer(said["error"])
        return Answer(said["rows"], said["dtypes"])

    def cpu(self) -> float:
        """Seconds that its processes have worked."""
        assert self._process is not None
        own = psutil.Process(self._process.pid)
        times = [one.cpu_times() for one in (own, *own.children(recursive=True))]
        return sum(one.user + one.system for one in times)

    @property
    def _storage(self) -> Path:
        return self._home / ".flowfile"

    def _env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "FLOWFILE_STORAGE_DIR": str(self._storage),
            "FLOWFILE_MODE": "electron",
            "FLOWFILE_TELEMETRY": "0",
            "FLOWFILE_KERNEL_WARMUP": "0",
            "WORKER_HOST": "127.0.0.1",
        }

    def _again(self) -> None:
        self.stop()
        self.start()

    def _logged_in(self) -> bool:
        try:
            self._token = self._post("/auth/token", None)["access_token"]
        except (OSError, HTTPException, ValueError):
            return False
        return True

    def _post(self, path: str, body: Mapping[str, Any] | None, seconds: float = 60) -> Any:
        connection = HTTPConnection("127.0.0.1", PORT, timeout=seconds)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request("POST", path, content, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        assert response.status < 300, text
        return json.loads(text)


@contextmanager
def flowfile(venv: Path, home: Path) -> Iterator[Flowfile]:
    """Flowfile as installed in ``venv``, with ``home`` for all it keeps; stopped at the end."""
    peer = Flowfile(venv, home)
    try:
        peer.start()
        yield peer
    finally:
        peer.stop()
