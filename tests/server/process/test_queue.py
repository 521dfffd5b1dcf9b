"""Many queries at once keep their order, can be cancelled, and hold nothing when they end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from tests.support.live import ARROW, LiveServer, Reply, live_server
from tests.support.processes import busy_worker, eventually

pytestmark = [pytest.mark.slow]

MANY = 200
SLOW = "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))"


@pytest.fixture
def one_worker(process_home: Path, tmp_path: Path) -> Iterator[LiveServer]:
    """A server with a single slot for queries, and a limit on values."""
    limits = {"FLOWCAT_WORKERS": "1", "FLOWCAT_MAX_CELL_BYTES": "1M", "FLOWCAT_QUERY_TIMEOUT": "0"}
    with live_server(process_home, tmp_path, **limits) as running:
        yield running


def _waits(server: LiveServer, query_id: str) -> bool:
    return _position(server, query_id) is not None


def _position(server: LiveServer, query_id: str) -> int | None:
    reply = server.request("GET", f"sql/{query_id}/status")
    return reply.json["position"] if reply.status == 200 else None


def test_two_hundred_queries_wait_in_order_and_are_all_answered(one_worker: LiveServer) -> None:
    server, first = one_worker, str(uuid4())
    ids = [str(uuid4()) for _ in range(MANY)]
    with ThreadPoolExecutor(MANY + 1) as pool:
        running = pool.submit(server.try_sql, SLOW, query_id=first)
        busy_worker(server.pid)
        answers: list[Future[Reply]] = []
        for number, query_id in enumerate(ids):
            answers.append(pool.submit(server.try_sql, f"SELECT {number} AS n", query_id=query_id))
            assert eventually(partial(_waits, server, query_id), 20)
        places = [_position(server, query_id) for query_id in ids]
        assert places == sorted(places, key=lambda place: place or 0)
        assert len(set(places)) == MANY
        gone = ids[::10]
        for query_id in gone:
            assert server.request("DELETE", f"sql/{query_id}").status == 204
        assert server.request("DELETE", f"sql/{first}").status == 204
        assert running.result(30).json["code"] == "Cancelled"
        for number, (query_id, answer) in enumerate(zip(ids, answers, strict=True)):
            reply = answer.result(60)
            if query_id in gone:
                assert reply.json["code"] == "Cancelled"
            else:
                assert reply.json["rows"] == [[number]]


def test_a_value_beyond_the_limit_is_refused_and_the_server_goes_on(one_worker: LiveServer) -> None:
    for query in (
        "SELECT repeat('x', 2000000)",
        "SELECT repeat(carrier, 2000000) FROM demo.nyc.airlines",
        "SELECT concat(x, x) AS c FROM (SELECT repeat('x', 900000) AS x)",
        "SELECT array_repeat(1, 10000000)",
    ):
        reply = one_worker.try_sql(query)
        assert (reply.status, reply.json["code"]) == (400, "LimitExceeded"), reply.body[:300]
        assert "max_cell_bytes" in reply.json["hint"]
    assert one_worker.sql("SELECT length(repeat('x', 900000)) AS n")["rows"] == [[900000]]


def test_a_client_that_reads_nothing_holds_neither_memory_nor_a_worker(
    one_worker: LiveServer,
) -> None:
    server, query_id = one_worker, str(uuid4())
    server.sql("SELECT * FROM demo.nyc.flights", query_id=query_id, max_rows=None)
    process = psutil.Process(server.pid)
    before = process.memory_info().rss
    headers = {"Authorization": f"token {server.token}", "Accept": ARROW}
    waiting = []
    for _ in range(8):
        connection = server.connect()
        target = f"{server.base}flowcat/catalog/sql/{query_id}/export?format=csv"
        connection.request("GET", target, headers=headers)
        waiting.append(connection)
    assert eventually(lambda: server.sql("SELECT 1 AS n")["rows"] == [[1]], 60)
    time.sleep(1)
    assert server.sql("SELECT 2 AS n")["rows"] == [[2]]
    assert process.memory_info().rss - before < 200 << 20
    for connection in waiting:
        connection.close()
