"""Whoever leaves takes what was being done for them along."""

from __future__ import annotations

import json

import pytest

from tests.support.live import LiveServer
from tests.support.processes import busy_worker, eventually, settle

pytestmark = [pytest.mark.slow]


def test_a_preview_ends_when_nobody_waits_for_it(server: LiveServer):
    with (server.root / "large.csv").open("w") as file:
        file.write("a,b,c,d\n")
        for number in range(1_500_000):
            file.write(f"{number},{number}.5,x{number},2024-01-01\n")
    settle(server.pid, 4)
    connection = server.connect()
    body = json.dumps({"path": "large.csv"}).encode()
    headers = {"Authorization": f"token {server.token}"}
    target = f"{server.base}flowcat/catalog/tables/import/preview"
    connection.request("POST", target, body, headers)
    try:
        worker = busy_worker(server.pid)
    finally:
        connection.close()
    assert eventually(lambda: not worker.is_running(), 3)
    assert server.sql("SELECT 1 AS one")["rows"] == [[1]]
