"""No query takes the server down, and nothing outlives it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from tests.support.live import LiveServer, Reply, live_server
from tests.support.processes import busy_worker, eventually, settle, workers

pytestmark = [pytest.mark.slow]

RUNAWAY = (
    "SELECT count(*) FROM demo.nyc.flights a JOIN demo.nyc.flights b ON a.origin = b.origin "
    "JOIN demo.nyc.flights c ON b.dest = c.dest WHERE a.distance + b.distance + c.distance < 0"
)
SMALL = "SELECT name FROM demo.nyc.airlines WHERE carrier = 'UA'"
UNITED = [["United Air Lines Inc."]]
CANCEL_S = 3.0
# Slots for queries, the one for short jobs, and the spare.
WORKERS, WORKERS_OF_ONE = 4, 3


# Computes for hours in little memory.
SLOW = "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))"


@pytest.fixture
def one_worker(process_home: Path, tmp_path: Path) -> Iterator[LiveServer]:
    """A server with a single slot for queries."""
    with live_server(process_home, tmp_path, FLOWCAT_WORKERS="1") as running:
        yield running


def _in_background(server: LiveServer, query: str, query_id: str | None = None) -> Future[Reply]:
    pool = ThreadPoolExecutor(1)
    options = {"query_id": query_id or str(uuid4())}
    answer = pool.submit(server.try_sql, query, **options)
    pool.shutdown(wait=False)
    return answer


def _error(answer: Future[Reply]) -> dict[str, Any]:
    reply = answer.result(60)
    assert reply.status >= 400, reply.body[:200]
    error: dict[str, Any] = reply.json
    return error


def test_a_runaway_join_dies_at_its_ceiling_while_others_are_answered(
    process_home: Path, tmp_path: Path
):
    with live_server(process_home, tmp_path, FLOWCAT_WORKER_MEMORY="1G") as server:
        settle(server.pid, WORKERS)
        runaway = _in_background(server, RUNAWAY)
        answered = 0
        while not runaway.done() or not answered:
            assert server.sql(SMALL)["rows"] == UNITED
            answered += 1
        error = _error(runaway)
        assert error["code"] == "LimitExceeded"
        assert "1 GB of memory" in error["message"]
        assert "join" in error["hint"]
        assert server.sql(SMALL)["rows"] == UNITED


def test_a_deadline_ends_a_query_whether_it_runs_or_waits(process_home: Path, tmp_path: Path):
    limits = {"FLOWCAT_QUERY_TIMEOUT": "3", "FLOWCAT_WORKERS": "1"}
    with live_server(process_home, tmp_path, **limits) as server:
        settle(server.pid, WORKERS_OF_ONE)
        began = time.monotonic()
        errors = [_error(answer) for answer in [_in_background(server, SLOW) for _ in range(3)]]
        took = time.monotonic() - began
        assert {error["code"] for error in errors} == {"LimitExceeded"}
        assert all("3 seconds" in error["message"] and error["hint"] for error in errors)
        assert 3 <= took < 3 + CANCEL_S
        # A new worker takes its time where the machine is busy, and the limit holds for it as well.
        settle(server.pid, WORKERS_OF_ONE)
        assert server.sql(SMALL)["rows"] == UNITED


def test_a_killed_worker_fails_its_query_clearly_and_no_other(server: LiveServer):
    settle(server.pid, WORKERS)
    victim = _in_background(server, SLOW)
    busy_worker(server.pid).kill()
    error = _error(victim)
    assert error["code"] in ("LimitExceeded", "Unavailable")
    assert "worker" in error["message"]
    assert error["hint"]
    assert server.sql(SMALL)["rows"] == UNITED


def test_cancel_stops_a_running_query_within_three_seconds(server: LiveServer):
    settle(server.pid, WORKERS)
    query_id = str(uuid4())
    running = _in_background(server, SLOW, query_id)
    worker = busy_worker(server.pid)
    began = time.monotonic()
    assert server.request("DELETE", f"sql/{query_id}").status == 204
    assert _error(running)["code"] == "Cancelled"
    assert eventually(lambda: not worker.is_running(), CANCEL_S)
    assert time.monotonic() - began < CANCEL_S
    assert server.request("DELETE", f"sql/{query_id}").status == 204, "it may be said twice"


def test_cancel_reaches_a_query_that_waits_for_a_worker(one_worker: LiveServer):
    settle(one_worker.pid, WORKERS_OF_ONE)
    first, second = str(uuid4()), str(uuid4())
    running = _in_background(one_worker, SLOW, first)
    busy_worker(one_worker.pid)
    waiting = _in_background(one_worker, SLOW, second)
    assert eventually(lambda: one_worker.request("GET", f"sql/{second}").status == 404)
    time.sleep(0.3)
    began = time.monotonic()
    assert one_worker.request("DELETE", f"sql/{second}").status == 204
    assert _error(waiting)["code"] == "Cancelled"
    assert time.monotonic() - began < CANCEL_S
    assert not running.done(), "the other query goes on"
    assert one_worker.request("DELETE", f"sql/{first}").status == 204
    assert _error(running)["code"] == "Cancelled"


def test_a_client_that_leaves_takes_its_query_along(server: LiveServer):
    settle(server.pid, WORKERS)
    connection = server.connect()
    body = f'{{"query": "{SLOW}", "query_id": "{uuid4()}"}}'.encode()
    headers = {"Authorization": f"token {server.token}"}
    connection.request("POST", f"{server.base}flowcat/catalog/sql/execute", body, headers)
    try:
        worker = busy_worker(server.pid)
    finally:
        connection.close()
    assert eventually(lambda: not worker.is_running(), CANCEL_S)
    assert server.sql(SMALL)["rows"] == UNITED


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
def test_no_worker_outlives_its_server(process_home: Path, tmp_path: Path, how: signal.Signals):
    with live_server(process_home, tmp_path) as server:
        settle(server.pid, WORKERS)
        threading.Thread(target=_ignore, args=(server,), daemon=True).start()
        busy_worker(server.pid)
        left = workers(server.pid)
        assert left
        server.process.send_signal(how)
        server.process.wait(30)
        _, alive = psutil.wait_procs(left, timeout=5)
        assert alive == []


def _ignore(server: LiveServer) -> None:
    """Ask, and never mind how it ends."""
    try:
        server.try_sql(SLOW)
    except (OSError, AssertionError):
        return
    except Exception:  # noqa: BLE001 - a half answer is any error of http.client's
        return
