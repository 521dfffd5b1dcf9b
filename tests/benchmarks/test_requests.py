"""What a request costs beside its work, and that it does not grow with the catalog."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.live import ARROW, LiveServer
from tests.support.measure import Report, add_tables, interleaved

pytestmark = pytest.mark.benchmark

ROUNDS = 60
GROWTH = 1.2


class Client:
    """One kept connection, as a browser has."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.connection: HTTPConnection = server.connect()

    def sql(self, query: str, accept: str = "application/json") -> tuple[float, float]:
        """Seconds of the round trip, and those of them that the worker took."""
        body = json.dumps({"query": query, "query_id": str(uuid4())}).encode()
        headers = {"Authorization": f"token {self.server.token}", "Accept": accept}
        began = time.perf_counter()
        target = f"{self.server.base}flowcat/catalog/sql/execute"
        self.connection.request("POST", target, body=body, headers=headers)
        response = self.connection.getresponse()
        content = response.read()
        took = time.perf_counter() - began
        assert response.status == 200, content
        return took, float(response.headers["X-Flowcat-Worker-Ms"]) / 1000

    def over_worker(self, query: str) -> float:
        took, worker = self.sql(query)
        return took - worker

    def get(self, path: str) -> float:
        headers = {"Authorization": f"token {self.server.token}"}
        began = time.perf_counter()
        self.connection.request("GET", f"{self.server.base}{path}", headers=headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status == 200, content
        return time.perf_counter() - began


@pytest.fixture
def client(server: LiveServer) -> Iterator[Client]:
    made = Client(server)
    yield made
    made.connection.close()


def _small_table(server: LiveServer) -> tuple[str, str]:
    name = f"main.default.t{uuid4().hex}"
    run = server.import_text(name, "a,b\n1,x\n2,y\n")
    assert run["state"] == "succeeded"
    return name, server.table(name)["location"]


def test_a_one_row_query_costs_the_same_with_a_thousand_tables(client: Client, bench_home: Path):
    name, location = _small_table(client.server)
    query = f"SELECT b FROM {name} WHERE a = 1"  # noqa: S608 - a name of our own
    report = Report("one-row query over HTTP; baseline: Jupyter's own api/status")
    status, one, table, show = interleaved(
        ROUNDS,
        lambda: client.get("api/status"),
        lambda: client.sql("SELECT 1 AS one")[0],
        lambda: client.sql(query)[0],
        lambda: client.sql("SHOW CATALOGS")[0],
    )
    over, worker = interleaved(
        ROUNDS, lambda: client.over_worker(query), lambda: _worker(client, query)
    )
    report.line("GET api/status", status)
    report.line("SELECT 1", one)
    report.line("SHOW CATALOGS", show)
    report.line("one row of a table", table)
    report.line("  of which the worker", worker)
    report.line("  all but the worker", over)
    add_tables(bench_home, f"s{uuid4().hex[:8]}", 1000, location)
    more = [client.over_worker(query) for _ in range(2 * ROUNDS)]
    report = Report("the same, all but the worker; baseline: the small catalog")
    report.line("before", over)
    ratio = report.line("with 1,000 tables more", more)
    assert ratio <= GROWTH


def _worker(client: Client, query: str) -> float:
    return client.sql(query)[1]


def test_pages_of_the_tree_and_search(client: Client, bench_home: Path):
    _, location = _small_table(client.server)
    small, large = f"s{uuid4().hex[:8]}", f"l{uuid4().hex[:8]}"
    add_tables(bench_home, small, 10, location)
    add_tables(bench_home, large, 10_000, location)
    catalog = next(
        node["id"]
        for node in client.server.get("namespaces/tree")["items"]
        if node["name"] == "main"
    )
    schemas = {
        node["name"]: node["id"]
        for node in client.server.get("namespaces/tree", parent=catalog, limit=1000)["items"]
    }
    tree = "flowcat/catalog/namespaces/tree?limit=10&parent="
    search = "flowcat/catalog/search?limit=10&q="
    ten, first, wide, filtered, found = interleaved(
        20,
        lambda: client.get(f"{tree}{schemas[small]}"),
        lambda: client.get(f"{tree}{schemas[large]}"),
        lambda: client.get(f"{tree}{schemas[large]}&limit=200"),
        lambda: client.get(f"{tree}{schemas[large]}&q=_0999"),
        lambda: client.get(f"{search}{large}_0999"),
    )
    report = Report("the tree; baseline: a schema of 10 tables")
    report.line("10 of 10", ten)
    report.line("10 of 10,000", first)
    report.line("200 of 10,000", wide)
    report.line("10 of 10,000 filtered by name", filtered)
    report.line("search over all", found)


def test_arrow_beside_json(client: Client):
    query = "SELECT * FROM demo.nyc.flights LIMIT 10000"
    arrow, text = interleaved(7, lambda: client.sql(query, ARROW)[0], lambda: client.sql(query)[0])
    report = Report("10,000 rows of 19 columns; baseline: Arrow")
    report.line("Arrow", arrow)
    report.line("strict JSON", text)


def test_planning_is_a_small_part(client: Client):
    query = (
        "SELECT a.name, count(*) AS n FROM demo.nyc.flights f "
        "JOIN demo.nyc.airlines a ON f.carrier = a.carrier GROUP BY a.name"
    )
    measured = [client.sql(query) for _ in range(20)]
    report = Report("a join of 336,776 rows; baseline: the round trip")
    report.line("round trip", [took for took, _ in measured])
    report.line("worker: opening, typing, lowering, running", [worker for _, worker in measured])
    report.line("planning, HTTP and the rest", [took - worker for took, worker in measured])
