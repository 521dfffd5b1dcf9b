"""Nothing that clients ask for keeps the server's event loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.live import ARROW, LiveServer, live_server, select
from tests.support.loop_probe import WHERE
from tests.support.processes import eventually

ROOT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow]


@pytest.fixture
def long_callbacks(tmp_path: Path) -> Path:
    return tmp_path / "long-callbacks.txt"


@pytest.fixture
def probed(process_home: Path, tmp_path: Path, long_callbacks: Path) -> Iterator[LiveServer]:
    """A server whose loop is watched."""
    root = tmp_path / "root"
    root.mkdir()
    with live_server(
        process_home,
        root,
        extensions="tests.support.loop_probe",
        PYTHONPATH=str(ROOT),
        **{WHERE: str(long_callbacks)},
    ) as server:
        # The first second is JupyterLab's own: extensions load, templates compile.
        server.sql("SELECT 1 AS one")
        time.sleep(1)
        long_callbacks.write_text("")
        yield server


def test_no_callback_keeps_the_loop_under_a_mixed_load(
    probed: LiveServer, long_callbacks: Path
) -> None:
    wide = ", ".join(f"'{'x' * 200}' AS c{n}" for n in range(500))
    chain = " + ".join(str(n) for n in range(2000))
    flights = int(probed.table("demo.nyc.flights")["id"])

    def large_result(_: int) -> None:
        sent = {"query": "SELECT * FROM demo.nyc.flights", "query_id": str(uuid4())}
        reply = probed.request(
            "POST", "sql/execute", {**sent, "max_rows": None}, headers={"Accept": ARROW}
        )
        assert reply.status == 200

    def tasks(number: int) -> None:
        probed.try_sql(f"SELECT {wide}")
        probed.try_sql(f"SELECT {chain}")
        probed.post("sql/complete", {"text": select(wide, ""), "position": 1000})
        probed.get("namespaces/tree")
        probed.get("search", q="dep")
        probed.get(f"tables/{flights}/preview", limit=5000, offset=number)
        probed.import_text(f"main.default.t{uuid4().hex}", "a,b\n" + "1,x\n" * 200_000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(large_result, range(3)))
        list(pool.map(tasks, range(8)))
    assert long_callbacks.read_text() == ""


def test_no_garbage_collection_looks_at_what_was_loaded_at_the_start(probed: LiveServer) -> None:
    assert probed.request("GET", "frozen", root="probe/").json["frozen"] > 100_000


def test_the_probe_sees_a_callback_that_keeps_the_loop(
    probed: LiveServer, long_callbacks: Path
) -> None:
    assert probed.request("GET", "block", root="probe/").status == 200
    assert eventually(lambda: "RequestHandler._execute" in long_callbacks.read_text(), 5)
