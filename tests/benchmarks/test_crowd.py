"""Thirty-two clients at once: nothing goes wrong, the event loop stays free, memory stays flat."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.crowd import Crowd
from tests.support.ledger import Ledger
from tests.support.live import LiveServer, live_server
from tests.support.processes import rss, settle, workers

pytestmark = pytest.mark.benchmark

CLIENTS = 32
MOST_WORKERS = 4
LAG_BOUND, MEMORY_BOUND = 3.0, 1.1
ALLOCATOR_SLACK = 8_000_000
ROOT = Path(__file__).parents[2]


@contextmanager
def _probed(home: Path, root: Path) -> Iterator[LiveServer]:
    probe = "tests.support.lag_probe"
    with live_server(home, root, extensions=probe, PYTHONPATH=str(ROOT)) as server:
        settle(server.pid, MOST_WORKERS)
        _lags(server)
        yield server


def _lags(server: LiveServer) -> list[float]:
    """Milliseconds that the loop was late, since this was last asked."""
    reply = server.request("GET", "lag", root="probe/")
    assert reply.status == 200
    found: list[float] = json.loads(reply.body)["lags"]
    return found


def _p99(lags: list[float]) -> float:
    return statistics.quantiles(lags, n=100)[98]


def test_a_crowd_of_clients(
    bench_home: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    ledger: Ledger,
) -> None:
    seconds = int(request.config.getoption("--seconds"))
    idle_home = tmp_path_factory.mktemp("idle-home")
    with (
        _probed(bench_home, tmp_path_factory.mktemp("crowd-root")) as server,
        _probed(idle_home, tmp_path_factory.mktemp("idle-root")) as idle,
    ):
        crowd = Crowd(server, CLIENTS)
        warm, most = 0, 0
        for passed in crowd.run(seconds, 0.5):
            most = max(most, len(workers(server.pid)))
            if not warm and passed > seconds / 4:
                warm = rss(server.pid)
        busy, beside, held = _lags(server), _lags(idle), rss(server.pid)
        assert not crowd.told.wrong, crowd.told.wrong
        assert most <= MOST_WORKERS, f"{most} workers"
    requests = f"{6 * crowd.told.rounds:,} requests for queries, pages, the tree, tables, search"
    note = f"{CLIENTS} clients, {seconds} s, {requests}: no error"
    ledger.hold(
        "Memory of the server after 32 clients",
        "after a quarter of the time",
        max(held - ALLOCATOR_SLACK, 0) / warm,
        MEMORY_BOUND,
        note=f"{warm / 1e6:.0f} MB became {held / 1e6:.0f} MB; at most {most} workers",
    )
    p99 = _p99(busy), _p99(beside)
    ledger.hold(
        "Lateness of the event loop under 32 clients, 99th percentile",
        "an idle server's beside it at the same time",
        p99[0] / p99[1],
        LAG_BOUND,
        note=f"{p99[0]:.1f} ms against {p99[1]:.1f} ms; {note}",
    )
