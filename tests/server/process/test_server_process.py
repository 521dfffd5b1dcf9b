"""The server process stays small: no data engine in it, no table's rows, a light start."""

from __future__ import annotations

import subprocess
import sys
import time
from http.client import HTTPResponse
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.live import ARROW, LiveServer, clean_env
from tests.support.processes import mapped_engines, watching_rss

pytestmark = [pytest.mark.slow]

FLIGHTS = "SELECT * FROM demo.nyc.flights"
THREE_TIMES = f"{FLIGHTS} UNION ALL {FLIGHTS} UNION ALL {FLIGHTS}"
THREE_TIMES_ROWS = 1_010_328
GROWTH_MB = 50
HEAVY = ("sqlalchemy", "alembic", "sqlglot", "pydantic", "polars", "deltalake", "numpy")

LINK_AND_LOAD = f"""
import sys
from jupyter_server.serverapp import ServerApp
app = ServerApp()
app.initialize(argv=[
    "--ServerApp.port=0", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
    "--ServerApp.jpserver_extensions={{'flowcat_jupyter': True}}",
])
point = app.extension_manager.extensions["flowcat_jupyter"].extension_points["flowcat"]
assert point.linked and point.app is not None, "the extension is loaded"
assert "flowcat" in app.web_app.settings, "its settings are there"
print(*sorted(name for name in {HEAVY!r} if name in sys.modules))
app.http_server.stop()
"""


def test_linking_and_loading_the_extension_imports_nothing_heavy(tmp_path: Path):
    done = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-c", LINK_AND_LOAD],
        env=clean_env(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_the_server_maps_no_data_engine_whatever_it_was_asked(server: LiveServer):
    server.sql("SELECT carrier, count(*) FROM demo.nyc.flights GROUP BY carrier")
    server.sql("SHOW TABLES IN demo.nyc")
    server.sql("EXPLAIN SELECT 1 FROM demo.nyc.flights")
    arrow = {"Accept": ARROW}
    body = {"query": FLIGHTS, "query_id": str(uuid4()), "max_rows": 10}
    answer = server.request("POST", "sql/execute", body, headers=arrow)
    assert answer.status == 200
    assert 0 < float(answer.headers["X-Flowcat-Worker-Ms"]) < 60_000
    table = server.table("demo.nyc.airlines")
    for headers in ({}, arrow):
        page = server.request("GET", f"tables/{table['id']}/preview", headers=headers)
        assert page.status == 200
        rows = server.request("GET", f"sql/{body['query_id']}/rows", headers=headers)
        assert rows.status == 200
    server.get(f"tables/{table['id']}/history")
    server.post("sql/complete", {"text": "SELECT  FROM demo.nyc.flights", "position": 7})
    name = f"main.default.t{uuid4().hex}"
    assert server.import_text(name, "a,b\n1,2\n")["state"] == "succeeded"
    server.post("reads", {"table": name})
    assert mapped_engines(server.pid) == set()


def _read(response: HTTPResponse, pause_s: float) -> int:
    size = 0
    while part := response.read(1 << 20):
        size += len(part)
        time.sleep(pause_s)
    return size


@pytest.mark.parametrize("pause_s", [0.0, 0.02], ids=["fast reader", "slow reader"])
def test_a_million_rows_pass_through_a_server_that_does_not_grow(
    server: LiveServer, pause_s: float
):
    query_id = str(uuid4())
    body = {"query": THREE_TIMES, "query_id": query_id, "max_rows": None}
    with watching_rss(server.pid) as peak, server.stream("sql/execute", body) as response:
        size = _read(response, pause_s)
    envelope = server.get(f"sql/{query_id}")
    assert (envelope["row_count"], len(envelope["columns"])) == (THREE_TIMES_ROWS, 19)
    assert size == int(response.headers["Content-Length"]) > 100_000_000
    assert peak.grown_mb <= GROWTH_MB
