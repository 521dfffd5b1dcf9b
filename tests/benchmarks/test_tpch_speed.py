"""TPC-H over Delta tables: through HTTP beside polars, lowered text beside the text as written."""

from __future__ import annotations

import io
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import psutil
import pytest

from flowcat_jupyter.engines.polars import ENGINE
from flowcat_jupyter.formats.delta import FORMAT
from flowcat_jupyter.shared.wire import Source
from tests.support.engines import Tables, numbers, plan_for
from tests.support.ledger import Ledger, geometric_mean
from tests.support.live import ARROW, LiveServer
from tests.support.tpch import QUERIES, TABLES, delta_tables, generate, generator, near, plain

duckdb = pytest.importorskip("duckdb")
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(generator() is None, reason="tpchgen-cli is not installed"),
]

OVER_HTTP, LOWERED, ARITHMETIC = 1.15, 1.1, 1.3
POLARS = "polars in this process on the same Delta tables, text as written, result as Arrow"
ROWS = 6_000_000


@pytest.fixture(scope="module")
def lake(lake_folder: Path, request: pytest.FixtureRequest) -> Path:
    """The folder with the eight tables, made where they are not there yet."""
    if not (lake_folder / TABLES[-1] / "_delta_log").exists():
        parquet = lake_folder / "parquet"
        parquet.mkdir(parents=True, exist_ok=True)
        generate(parquet, request.config.getoption("--scale"))
        delta_tables(parquet, lake_folder)
    return lake_folder


@pytest.fixture(scope="module")
def tables(lake: Path) -> Tables:
    """The tables as the engine gets them."""
    found: Tables = {}
    for name in TABLES:
        scan = FORMAT.scan(Source("r1", "table", (name,), "delta", str(lake / name)))
        found[name] = (scan.frame, scan.columns)
    return found


@pytest.fixture(scope="module")
def database(lake: Path) -> Iterator[Any]:
    """DuckDB over the files of the tables."""
    connection = duckdb.connect()
    for name in TABLES:
        files = [str(path) for path in sorted((lake / name).glob("*.parquet"))]
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({files})")
    yield connection
    connection.close()


@dataclass
class Asked:
    """How long something took, and how much of it processors worked."""

    wall: float
    cpu: float


def timed(work: Callable[[], object], cpu: Callable[[], float] = time.process_time) -> Asked:
    spent, began = cpu(), time.perf_counter()
    work()
    took = time.perf_counter() - began
    return Asked(took, max(cpu() - spent, 1e-4))


class Http:
    """A client of the server, and what the server's processes have worked."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self._connection: HTTPConnection = server.connect()

    def ask(self, query: str) -> bytes:
        body: dict[str, Any] = {"query": query, "query_id": str(uuid4()), "max_rows": 100_000}
        body |= {"catalog": "main", "schema": "tpch"}
        headers = {"Authorization": f"token {self._server.token}", "Accept": ARROW}
        target = f"{self._server.base}flowcat/catalog/sql/execute"
        self._connection.request("POST", target, body=json.dumps(body).encode(), headers=headers)
        response = self._connection.getresponse()
        content = response.read()
        assert response.status == 200, content
        return content

    def close(self) -> None:
        self._connection.close()

    def cpu(self) -> float:
        """Seconds that this thread, the server and its workers have worked.

        Other threads of this process end what polars alone did before.
        """
        process = psutil.Process(self._server.pid)
        every = [process, *process.children(recursive=True)]
        return time.thread_time() + sum(sum(one.cpu_times()[:2]) for one in every)


@pytest.fixture(scope="module")
def http(server: LiveServer, lake: Path) -> Iterator[Http]:
    """The tables registered where they lie."""
    catalogs = server.get("namespaces/tree")["items"]
    parent = next(node["id"] for node in catalogs if node["name"] == "main")
    server.post("namespaces", {"parent_id": parent, "name": "tpch"}, 201)
    for name in TABLES:
        body = {"table": f"main.tpch.{name}", "location": str(lake / name), "format": "delta"}
        server.post("tables/register", body, 201)
    client = Http(server)
    yield client
    client.close()


def alone(lake: Path, query: str) -> None:
    """Do with polars alone what a query over HTTP does."""
    frames = {name: pl.scan_delta(str(lake / name)) for name in TABLES if name in query}
    pl.SQLContext(frames).execute(query).collect().write_ipc_stream(io.BytesIO())


def medians(found: list[Asked]) -> Asked:
    return Asked(
        statistics.median(one.wall for one in found), statistics.median(one.cpu for one in found)
    )


def per_query(
    rounds: int, works: Mapping[str, Callable[[str], Asked]]
) -> dict[str, dict[str, Asked]]:
    """Medians of each of ``works`` for each query, taken in turns after a round that warms up."""
    made: dict[str, dict[str, Asked]] = {name: {} for name in works}
    for query in QUERIES:
        found: dict[str, list[Asked]] = {name: [] for name in works}
        for at in range(rounds + 1):
            for name, work in works.items():
                measured = work(query)
                if at:
                    found[name].append(measured)
        for name, several in found.items():
            made[name][query] = medians(several)
    return made


def ratios(ours: dict[str, Asked], base: dict[str, Asked]) -> tuple[float, float, str]:
    """Geometric means of the ratios of wall and processor times, and the worst query."""
    wall = {name: ours[name].wall / base[name].wall for name in ours}
    cpu = {name: ours[name].cpu / base[name].cpu for name in ours}
    worst = max(cpu, key=cpu.__getitem__)
    each = ", ".join(f"{name} {wall[name]:.2f}/{cpu[name]:.2f}" for name in wall)
    sys.stdout.write(f"  wall/processor time: {each}\n")
    note = f"worst by processor time: {worst} x {cpu[worst]:.2f}"
    return geometric_mean(wall.values()), geometric_mean(cpu.values()), note


def test_every_answer_over_http_is_duckdbs(http: Http, database: Any) -> None:
    for name, query in QUERIES.items():
        wanted = database.execute(query).fetchall()
        got = pl.read_ipc_stream(http.ask(query)).rows()
        assert near(plain(got), plain(wanted)), name


def test_tpch_over_http(
    http: Http, lake: Path, database: Any, request: pytest.FixtureRequest, ledger: Ledger
) -> None:
    found = per_query(
        request.config.getoption("--rounds"),
        {
            "polars": lambda name: timed(lambda: alone(lake, QUERIES[name])),
            "http": lambda name: timed(lambda: http.ask(QUERIES[name]), http.cpu),
            "duckdb": lambda name: timed(lambda: database.execute(QUERIES[name]).fetchall()),
        },
    )
    scale = request.config.getoption("--scale")
    wall, cpu, note = ratios(found["duckdb"], found["polars"])
    ledger.hold(
        f"TPC-H scale {scale} on DuckDB over the list of files, no Delta",
        POLARS,
        wall,
        None,
        cpu=cpu,
    )
    wall, cpu, note = ratios(found["http"], found["polars"])
    title = f"TPC-H scale {scale} over HTTP, geometric mean of 22 queries"
    ledger.hold(title, POLARS, wall, OVER_HTTP, cpu=cpu, note=note)


def test_tpch_by_the_delta_scan_of_duckdb(
    lake: Path, request: pytest.FixtureRequest, ledger: Ledger
) -> None:
    """For the reader; where the extension is installed, as `duckdb-extension-delta` of PyPI."""
    package = pytest.importorskip("duckdb_extension_delta")
    (extension,) = Path(package.__file__).parent.glob("extensions/*/delta.duckdb_extension")
    connection = duckdb.connect()
    connection.load_extension(str(extension))

    def scanned(name: str) -> Asked:
        def work() -> None:
            for table in (one for one in TABLES if one in QUERIES[name]):
                path = (lake / table).as_uri()
                connection.execute(f"CREATE OR REPLACE VIEW {table} AS FROM delta_scan('{path}')")
            connection.execute(QUERIES[name]).fetchall()

        return timed(work)

    works = {"polars": lambda name: timed(lambda: alone(lake, QUERIES[name])), "scan": scanned}
    found = per_query(request.config.getoption("--rounds"), works)
    connection.close()
    wall, cpu, note = ratios(found["scan"], found["polars"])
    scale = request.config.getoption("--scale")
    name = f"TPC-H scale {scale} on DuckDB by its delta_scan"
    ledger.hold(name, POLARS, wall, None, cpu=cpu, note=note)


def test_lowered_text(
    lake: Path, tables: Tables, request: pytest.FixtureRequest, ledger: Ledger
) -> None:
    raw = pl.SQLContext({name: pl.scan_delta(str(lake / name)) for name in TABLES})

    def as_written(name: str) -> Asked:
        frame = raw.execute(QUERIES[name])
        return timed(frame.collect)

    def lowered(name: str) -> Asked:
        prepared = ENGINE.prepare(*plan_for(QUERIES[name], tables))
        return timed(lambda: prepared.frame.collect(optimizations=prepared.flags()))

    works = {"raw": as_written, "lowered": lowered}
    found = per_query(request.config.getoption("--rounds"), works)
    wall, cpu, note = ratios(found["lowered"], found["raw"])
    scale = request.config.getoption("--scale")
    title = f"TPC-H scale {scale}, lowered text on polars, geometric mean of 22 queries"
    baseline = "the text as written, by polars' own Delta reader"
    ledger.hold(title, baseline, wall, LOWERED, cpu=cpu, note=note)


SUMS = {
    "INT by INT": ("int", "SELECT max(x * y) AS r FROM t"),
    "BIGINT by BIGINT": ("bigint", "SELECT max(x * y) AS r FROM t"),
    "BIGINT + BIGINT": ("bigint", "SELECT max(x + y) AS r FROM t"),
    "sum(BIGINT)": ("bigint", "SELECT sum(x) AS r FROM t"),
    "BIGINT / BIGINT": ("bigint", "SELECT max(x / y) AS r FROM t"),
}


def test_the_worst_arithmetic(tmp_path: Path, ledger: Ledger) -> None:
    path = tmp_path / "numbers.parquet"
    row = pl.int_range(ROWS, eager=True)
    pl.DataFrame({"x": row % 40_000, "y": row % 39_989 + 1}).write_parquet(path)
    worst: tuple[float, float, str] = (0.0, 0.0, "")
    for title, (kind, query) in SUMS.items():
        _, columns = numbers([], kind=kind)["t"]
        pair = tuple(type(columns[0])(name, kind) for name in ("x", "y"))
        frame = pl.scan_parquet(path)
        prepared = ENGINE.prepare(*plan_for(query, {"t": (frame, pair)}))
        raw = pl.SQLContext({"t": frame}).execute(query)
        found: tuple[list[Asked], list[Asked]] = ([], [])
        for _ in range(7):
            found[0].append(timed(raw.collect))
            found[1].append(timed(partial(prepared.frame.collect, optimizations=prepared.flags())))
        base, ours = map(medians, found)
        worst = max(worst, (ours.cpu / base.cpu, ours.wall / base.wall, title))
    cpu, wall, title = worst
    baseline = "the text as written on polars, which wraps around and divides by zero in silence"
    name = f"the worst arithmetic of five, on {ROWS:,} rows"
    ledger.hold(name, baseline, wall, ARITHMETIC, cpu=cpu, note=title)
