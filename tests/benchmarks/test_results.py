"""Looking at a result of a million rows, beside polars doing the same on the same file."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import psutil
import pytest

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.handover import handed_over
from flowcat_jupyter.kernel.queries import SqlOptions, run_sql
from flowcat_jupyter.kernel.server import Server
from flowcat_jupyter.shared.handover import RESULT_FILE
from tests.support.ledger import Ledger
from tests.support.live import ARROW, LiveServer, free_port
from tests.support.measure import Report, interleaved, seconds

pytestmark = pytest.mark.benchmark

FLIGHTS = "SELECT * FROM demo.nyc.flights"
MILLION = f"{FLIGHTS} UNION ALL {FLIGHTS} UNION ALL {FLIGHTS}"
DELAY, CARRIER, TAIL = 5, 9, 11
ROUNDS = 5
IN_THE_GRID, FIRST_PAGE, WHOLE = 1.5, 1.3, 1.3


class Result:
    """A result of a million rows and where it lies."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self.query_id = str(uuid4())
        body = {"query": MILLION, "query_id": self.query_id, "max_rows": None}
        with server.stream("sql/execute", body) as response:
            while response.read(1 << 20):
                pass
        results = server.log.parent / "flowcat" / "results"
        self.spool = max(results.glob("*/*"), key=lambda path: path.stat().st_size)

    def page(self, **query: Any) -> bytes:
        """A page as the grid gets it."""
        reply = self._server.request(
            "GET",
            f"sql/{self.query_id}/rows",
            headers={"Accept": ARROW},
            display=1,
            limit=200,
            **query,
        )
        assert reply.status == 200, reply.body
        return reply.body


@pytest.fixture(scope="module")
def result(server: LiveServer) -> Result:
    return Result(server)


def beside(
    ledger: Ledger,
    title: str,
    polars: Callable[[], object],
    ours: Callable[[], object],
    bound: float | None = IN_THE_GRID,
) -> None:
    """Print how long each takes, and hold their ratio to the bound."""
    theirs, mine = interleaved(ROUNDS, lambda: seconds(polars), lambda: seconds(ours))
    report = Report(f"{title}; baseline: polars alone on the same file")
    report.line("polars", theirs)
    ratio = report.line("over HTTP", mine)
    ledger.hold(f"a result of a million rows: {title}", "polars on the same file", ratio, bound)


@pytest.mark.parametrize("column", [DELAY, TAIL], ids=["numbers", "texts"])
def test_the_first_page_of_a_sorted_million(result: Result, column: int, ledger: Ledger) -> None:
    scan, name = pl.scan_ipc(result.spool), f"c{column}"
    beside(
        ledger,
        f"the first page by column {column}",
        lambda: scan.sort(name, nulls_last=False).collect().slice(0, 200),
        lambda: result.page(sort=column),
    )


@pytest.mark.parametrize("column", [DELAY, TAIL], ids=["numbers", "texts"])
def test_a_deep_page_of_a_sorted_million(result: Result, column: int, ledger: Ledger) -> None:
    scan, name = pl.scan_ipc(result.spool), f"c{column}"
    down = iter(range(1000))

    def anew() -> None:
        # A condition of its own each time, so that the order has to be found.
        term = [{"column": 0, "op": ">", "value": str(next(down))}]
        result.page(sort=column, offset=500_000, filter=json.dumps(term))

    beside(
        ledger,
        f"a page in the middle by column {column}, for the first time",
        lambda: scan.sort(name).collect().slice(500_000, 200),
        anew,
    )
    beside(
        ledger,
        f"a page in the middle by column {column}, again",
        lambda: scan.sort(name).collect().slice(500_000, 200),
        lambda: result.page(sort=column, offset=500_000),
    )


def test_a_filtered_million(result: Result, ledger: Ledger) -> None:
    scan = pl.scan_ipc(result.spool)
    term = json.dumps([{"column": CARRIER, "op": "=", "value": "UA"}])
    beside(
        ledger,
        "the first page where carrier = 'UA'",
        lambda: scan.filter(pl.col(f"c{CARRIER}") == "UA").collect(),
        lambda: result.page(filter=term),
    )


def test_the_whole_of_a_million_to_a_kernel(
    server: LiveServer, result: Result, tmp_path: Path, ledger: Ledger
) -> None:
    """Against the engine, which writes the file, and sending it through a bare Tornado."""
    frames = {"flights": pl.scan_delta(server.table("demo.nyc.flights")["location"])}
    query, file = MILLION.replace("demo.nyc.", ""), tmp_path / "polars.arrow"
    engine: list[float] = []
    engine_of_page: list[float] = []

    def polars() -> None:
        pl.SQLContext(frames).execute(query).sink_ipc(file, compression="uncompressed")

    def ours() -> None:
        body = {"query": MILLION, "query_id": str(uuid4()), "max_rows": None}
        with server.stream("sql/execute", body) as response:
            engine.append(float(response.headers["X-Flowcat-Worker-Ms"]) / 1000)
            while response.read(1 << 20):
                pass

    def first_page() -> None:
        query_id = str(uuid4())
        body = {"query": MILLION, "query_id": query_id, "max_rows": None}
        with server.stream("sql/execute", body) as response:
            engine_of_page.append(float(response.headers["X-Flowcat-Worker-Ms"]) / 1000)
            server.request("GET", f"sql/{query_id}/rows", limit=200)

    with bare_server(result.spool) as (port, _):
        alone, bare, page, mine = interleaved(
            ROUNDS,
            lambda: seconds(polars),
            lambda: seconds(lambda: _get(port)),
            lambda: seconds(first_page),
            lambda: seconds(ours),
        )
    report = Report("1,010,328 rows; baseline: the engine runs the query and writes the file")
    report.line("engine and Arrow write", engine)
    report.line("polars alone, which reads the table once for all three", alone)
    report.line("a bare Tornado sends the file", bare)
    report.line("first page of the result", page)
    report.line("the whole of it", mine)
    took, once, sent, whole = map(statistics.median, (engine, alone, bare, mine))
    # Each beside the engine's part of the same run, which differs from run to run.
    paged = statistics.median(
        mine / engines for mine, engines in zip(page, engine_of_page, strict=True)
    )
    title, writes = "a result of 1,010,328 rows", "the engine, writing it as Arrow"
    ledger.hold(f"{title}: the engine's part", "polars alone, text as written", took / once, None)
    sends = f"{writes}, and a bare Tornado that sends it"
    ledger.hold(f"{title}: all of it", sends, whole / (took + sent), WHOLE)
    ledger.hold(f"{title}: its first page", writes, paged, FIRST_PAGE)


class Kernel(Client):
    """A kernel's client beside the server, which notes how long the engine took each time."""

    def __init__(self, server: LiveServer) -> None:
        super().__init__(lambda: Server(server.url, server.token))
        self.engine: list[float] = []

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[HTTPResponse]:
        with super().stream(method, path, **options) as response:
            if "X-Flowcat-Worker-Ms" in response.headers:
                self.engine.append(float(response.headers["X-Flowcat-Worker-Ms"]) / 1000)
            yield response


def test_the_whole_of_a_million_as_a_frame_of_a_kernel(
    server: LiveServer, result: Result, ledger: Ledger
) -> None:
    """By its path, against reading the file; as a stream, against a bare Tornado that sends it."""
    beside, apart = Kernel(server), Kernel(server)
    apart.is_beside = False
    accept = f"{RESULT_FILE}, {ARROW}"

    def handed() -> None:
        path = f"catalog/sql/{result.query_id}"
        with beside.stream("GET", path, accept=accept) as response:
            offer = json.loads(response.read())
        assert handed_over(offer) is not None

    def whole(client: Kernel) -> None:
        found = run_sql(client, MILLION, SqlOptions())
        assert found.frame is not None
        assert client.is_beside is (client is beside)

    with bare_server(result.spool) as (port, bare_pid):
        cpu = Processors(server.pid, bare_pid)
        works: dict[str, Callable[[], object]] = {
            "polars reads the file": lambda: pl.read_ipc(result.spool),
            "a kernel reads a finished result by its path": handed,
            "the query and its frame, by the path": lambda: whole(beside),
            "a bare Tornado sends the file": lambda: _get(port),
            "the query and its frame, as a stream": lambda: whole(apart),
        }
        taken = interleaved(
            ROUNDS, *(partial(cpu.seconds, name, work) for name, work in works.items())
        )
    report = Report("1,010,328 rows as a frame of a kernel; baseline: polars reads the file")
    for name, values in zip(works, taken, strict=True):
        report.line(name, values)
    report.line("of it the engine and Arrow write", apart.engine)
    read, told, by_path, sent, streamed = map(statistics.median, taken)
    title, writes = (
        "a result of 1,010,328 rows as a kernel's frame",
        "the engine, writing it as Arrow",
    )
    ledger.hold(f"{title}: a finished one by its path", "reading the file", told / read, WHOLE)
    took = statistics.median(beside.engine)
    reads = f"{writes}, and reading the file"
    ledger.hold(f"{title}: all of it by its path", reads, by_path / (took + read), WHOLE)
    took = statistics.median(apart.engine)
    # The engine's processor time is not told; it is what a query by its path takes beyond the path.
    _, told_cpu, path_cpu, sent_cpu, streamed_cpu = map(cpu.median, works)
    ledger.hold(
        f"{title}: all of it as a stream",
        f"{writes}, and a bare Tornado that sends it",
        streamed / (took + sent),
        WHOLE,
        cpu=streamed_cpu / (path_cpu - told_cpu + sent_cpu),
    )


class Processors:
    """The processor time that this process, the others, and what they started have worked."""

    def __init__(self, *others: int) -> None:
        self._others = others
        self._taken: dict[str, list[float]] = {}

    def seconds(self, name: str, work: Callable[[], object]) -> float:
        """How long ``work`` takes; its processor time is kept under ``name``."""
        before = self._spent()
        took = seconds(work)
        self._taken.setdefault(name, []).append(self._spent() - before)
        return took

    def median(self, name: str) -> float:
        return statistics.median(self._taken[name])

    def _spent(self) -> float:
        every = [psutil.Process(pid) for pid in self._others]
        every += [child for one in every for child in one.children(recursive=True)]
        return time.process_time() + sum(sum(one.cpu_times()[:2]) for one in every)


_BARE = """
import asyncio, sys
from tornado.web import Application, RequestHandler

class Sender(RequestHandler):
    async def get(self):
        with open(sys.argv[2], "rb") as file:
            while chunk := file.read(1 << 20):
                self.write(chunk)
                await self.flush()

async def main():
    Application([("/", Sender)]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()

asyncio.run(main())
"""


@contextmanager
def bare_server(file: Path) -> Iterator[tuple[int, int]]:
    """A Tornado which does nothing but send a file; its port and process id."""
    port = free_port()
    process = subprocess.Popen(  # noqa: S603 - words of our own
        [sys.executable, "-c", _BARE, str(port), str(file)]
    )
    try:
        for _ in range(100):
            time.sleep(0.1)
            try:
                _get(port)
                break
            except ConnectionRefusedError:
                continue
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


def _get(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port)
    try:
        connection.request("GET", "/")
        response = connection.getresponse()
        while response.read(1 << 20):
            pass
    finally:
        connection.close()
