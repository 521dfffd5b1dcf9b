"""Moving and computing rows, beside polars doing the same alone."""

from __future__ import annotations

import threading
import time
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
