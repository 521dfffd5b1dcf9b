"""Moving and computing rows, beside polars doing the same alone."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import LiveServer
from tests.support.measure import Report, interleaved, seconds
from tests.support.processes import watching_rss

pytestmark = pytest.mark.benchmark

FLIGHTS = "SELECT * FROM demo.nyc.flights"
JOIN = (
    "SELECT a.name, p.manufacturer, count(*) AS n, avg(f.arr_delay) AS delay "
    "FROM demo.nyc.flights f JOIN demo.nyc.airlines a ON f.carrier = a.carrier "
    "JOIN demo.nyc.planes p ON f.tailnum = p.tailnum "
    "WHERE f.month <= 6 GROUP BY a.name, p.manufacturer ORDER BY n DESC LIMIT 10"
)


def test_a_million_rows_and_what_others_feel_meanwhile(server: LiveServer):
    body = {
        "query": f"{FLIGHTS} UNION ALL {FLIGHTS} UNION ALL {FLIGHTS}",
        "query_id": str(uuid4()),
        "max_rows": None,
    }
    quiet = [_status(server) for _ in range(50)]
    lags, size, done = list[float](), 0, threading.Event()

    def ask() -> None:
        while not done.is_set():
            lags.append(_status(server))

    thread = threading.Thread(target=ask)
    thread.start()
    began = time.perf_counter()
    with watching_rss(server.pid) as peak, server.stream("sql/execute", body) as response:
        while part := response.read(1 << 20):
            size += len(part)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    report = Report("1,010,328 rows as Arrow; baseline: api/status of a quiet server")
    report.line("api/status, quiet", quiet)
    report.line("api/status, meanwhile", lags)
    report.note(f"{size / 1e6:.0f} MB in {took:.2f} s; the server grew by {peak.grown_mb:.1f} MB")


def _status(server: LiveServer) -> float:
    return seconds(lambda: server.request("GET", "status", root="api/"))


def test_a_join_beside_polars(server: LiveServer):
    names = ("flights", "airlines", "planes")
    folders = {name: server.table(f"demo.nyc.{name}")["location"] for name in names}

    def alone() -> pl.DataFrame:
        f, a, p = (pl.scan_delta(folders[name]) for name in names)
        joined = f.filter(pl.col("month") <= 6).join(a, on="carrier").join(p, on="tailnum")
        groups = joined.group_by("name", "manufacturer")
        counted = groups.agg(pl.len().alias("n"), pl.col("arr_delay").mean().alias("delay"))
        return counted.sort("n", descending=True).head(10).collect()

    rows = server.sql(JOIN)["rows"]
    assert [row[2] for row in rows] == alone()["n"].to_list()
    ours, theirs = interleaved(9, lambda: seconds(lambda: server.sql(JOIN)), lambda: seconds(alone))
    report = Report("a join of three tables; baseline: polars alone, in this process")
    report.line("polars", theirs)
    report.line("over HTTP", ours)


def test_an_import_beside_polars(server: LiveServer, tmp_path: Path):
    frame = pl.read_delta(server.table("demo.nyc.flights")["location"])
    path = server.root / f"{uuid4().hex}.csv"
    frame.write_csv(path)

    def alone() -> None:
        pl.read_csv(path, try_parse_dates=True).write_delta(str(tmp_path / uuid4().hex))

    def ours() -> None:
        body = {"table": f"main.default.t{uuid4().hex}", "path": path.name}
        run = server.run_to_end(server.post("tables/import", body, 202))
        assert run["state"] == "succeeded", run

    mine, theirs = interleaved(3, lambda: seconds(ours), lambda: seconds(alone))
    report = Report("importing 336,776 rows of CSV; baseline: polars read_csv and write_delta")
    report.line("polars", theirs)
    report.line("import over HTTP", mine)
