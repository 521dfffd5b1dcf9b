"""The same questions to the rows of a result and of a table, as a browser asks them."""

from __future__ import annotations

import csv
import io
import json
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import fastexcel
import polars as pl
import pytest

from tests.support.live import ARROW, LiveServer, Reply

COLUMNS = ("carrier", "name")


@dataclass
class Rows:
    """A result or a table, and how its columns are called in requests."""

    server: LiveServer
    path: str
    page: str
    stats: str
    by_name: bool

    def column(self, name: str) -> Any:
        return name if self.by_name else COLUMNS.index(name)

    def ask(self, what: str, **query: Any) -> Reply:
        return self.server.request("GET", f"{self.path}/{what}", **query)

    def get(self, what: str, **query: Any) -> Any:
        reply = self.ask(what, **query)
        assert reply.status == 200, reply.body
        return reply.json

    def term(self, column: str, op: str, **more: Any) -> str:
        return json.dumps([{"column": self.column(column), "op": op, **more}])


def result(server: LiveServer, query: str) -> str:
    query_id = str(uuid4())
    body = {"query": query, "query_id": query_id, "max_rows": None}
    assert server.request("POST", "sql/execute", body).status == 200
    return f"sql/{query_id}"


@pytest.fixture(params=["result", "table"])
def airlines(request, server: LiveServer) -> Rows:
    if request.param == "table":
        path = f"tables/{server.table('demo.nyc.airlines')['id']}"
        return Rows(server, path, "preview", "columns/{}/stats", by_name=True)
    path = result(server, "SELECT carrier, name FROM demo.nyc.airlines ORDER BY carrier DESC")
    return Rows(server, path, "rows", "columns/{}/summary", by_name=False)


def test_pages_are_filtered_and_sorted(airlines: Rows):
    page = airlines.get(
        airlines.page,
        filter=airlines.term("name", "contains", value="air lines"),
        sort=airlines.column("carrier"),
        desc="true",
        limit=2,
    )
    assert page["total"] == 2
    assert [row[0] for row in page["rows"]] == ["UA", "DL"]
    some = airlines.term("carrier", "in", values=["UA", "B6"])
    assert airlines.get(airlines.page, filter=some)["total"] == 2
    others = airlines.term("carrier", "not_in", values=["UA", None])
    assert airlines.get(airlines.page, filter=others)["total"] == 15


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ({"desc": "maybe"}, 400, "desc must be 0 or 1"),
        ({"filter": "nonsense"}, 400, "filter is not a list"),
        ({"filter": '[{"column": 0, "op": "like"}]'}, 400, "filter"),
        ({"filter": '[{"column": 0, "op": "=", "value": 1}]'}, 400, "filter"),
        ({"filter": '[{"column": 0, "op": "=", "valeu": "1"}]'}, 400, "filter"),
        ({"filter": '[{"column": 99, "op": "is_null"}]'}, 404, "column"),
        ({"sort": "99"}, 404, "column"),
        ({"offset": -1}, 400, "offset"),
    ],
)
def test_what_makes_no_sense_is_said(airlines: Rows, query, status, message):
    reply = airlines.ask(airlines.page, **query)
    assert reply.status == status, reply.body
    assert message in reply.json["message"]


def test_a_value_that_is_none_of_the_columns_type_is_named(server: LiveServer):
    table = server.table("demo.nyc.flights")["id"]
    term = json.dumps([{"column": "year", "op": "=", "value": "2013x"}])
    reply = server.request("GET", f"tables/{table}/preview", filter=term)
    assert reply.status == 400
    assert reply.json["message"].startswith("'2013x' is not a")
    assert "17" in reply.json["hint"]


def test_find_goes_through_every_row(airlines: Rows):
    order = {"sort": airlines.column("carrier")}
    first = airlines.get("find", text="AIRLINES", **order)
    assert first["column"] == 1
    rows = [first["row"]]
    while (found := airlines.get("find", text="airlines", after=rows[-1], **order))["row"] > rows[
        -1
    ]:
        rows.append(found["row"])
    assert len(rows) == first["matches"]
    back = airlines.get("find", text="airlines", after=rows[0], backwards=1, **order)
    assert back["row"] == rows[-1]
    nothing = airlines.get("find", text="airlines", case=1, **order)
    assert nothing == {"row": None, "column": None, "matches": 0}
    assert airlines.ask("find", text="").status == 400
    assert airlines.ask("find").status == 400


def test_a_cell_is_whole(airlines: Rows):
    column, order = airlines.column("name"), airlines.column("carrier")
    cell = airlines.get("cell", row=0, column=column, sort=order)
    assert cell == {"value": "Endeavor Air Inc.", "type": "string", "bytes": 17}
    assert airlines.ask("cell", row=99, column=column).status == 404
    assert airlines.ask("cell", row=0, column="nope").status in (400, 404)


def test_a_column_is_summarized(airlines: Rows):
    summary = airlines.get(airlines.stats.format(airlines.column("carrier")))
    assert (summary["name"], summary["rows"], summary["distinct"]) == ("carrier", 16, 16)
    assert (summary["min"], summary["max"], summary["nulls"]) == ("9E", "YV", 0)
    assert len(summary["top"]) == 16
    assert airlines.ask(airlines.stats.format("99")).status == 404


def test_numbers_of_a_real_table_are_summarized(server: LiveServer):
    table = server.table("demo.nyc.flights")["id"]
    stats = server.get(f"tables/{table}/columns/dep_delay/stats")
    assert (stats["rows"], stats["nulls"], stats["min"], stats["max"]) == (
        336776, 8255, "-43", "1301",
    )  # fmt: skip
    assert sum(part["count"] for part in stats["histogram"]) == 336776 - 8255
    assert set(stats["histogram"][0]) == {"from", "to", "count"}
    term = json.dumps([{"column": "carrier", "op": "=", "value": "UA"}])
    assert server.get(f"tables/{table}/columns/DEP_DELAY/stats", filter=term)["rows"] == 58665


def test_a_chart_is_chosen_and_drawn(airlines: Rows, server: LiveServer):
    chart = server.post(f"{airlines.path}/chart", {"x": str(airlines.column("carrier"))})
    assert chart["chosen"]["mark"] == "bar"
    assert len(chart["spec"]["data"]["values"]) == 16
    assert chart["rows"] == 16
    wrong = server.request("POST", f"{airlines.path}/chart", {"mark": "pie"})
    assert (wrong.status, wrong.json["code"]) == (400, "Invalid")


def test_a_key_that_is_there_twice_is_refused(airlines: Rows, server: LiveServer):
    reply = server.request("POST", f"{airlines.path}/chart", b'{"x": "0", "x": "1"}')
    assert reply.status == 400
    assert "twice" in reply.json["message"]


FORMATS = ("csv", "tsv", "json", "ndjson", "parquet", "arrow", "xlsx", "markdown")


@pytest.mark.parametrize("format", FORMATS)
def test_every_row_is_exported(airlines: Rows, format):
    reply = airlines.ask(
        "export",
        format=format,
        sort=airlines.column("carrier"),
        columns=json.dumps([airlines.column("name"), airlines.column("carrier")]),
        name='Fluglinien ü/☃"',
    )
    assert reply.status == 200, reply.body
    head = reply.headers["Content-Disposition"]
    assert head.startswith('attachment; filename="Fluglinien u_')
    assert "filename*=UTF-8''Fluglinien%20%C3%BC_%E2%98%83" in head
    assert int(reply.headers["Content-Length"]) == len(reply.body)
    assert reply.headers["X-Flowcat-Total"] == "16"
    read = {
        "csv": lambda body: list(csv.reader(io.StringIO(body.decode()))),
        "tsv": lambda body: list(csv.reader(io.StringIO(body.decode()), delimiter="\t")),
        "json": lambda body: _objects(json.loads(body)),
        "ndjson": lambda body: _objects([json.loads(line) for line in body.splitlines()]),
        "parquet": lambda body: _frame(pl.read_parquet(io.BytesIO(body))),
        "arrow": lambda body: _frame(pl.read_ipc(io.BytesIO(body))),
        "xlsx": lambda body: _frame(fastexcel.read_excel(body).load_sheet(0).to_polars()),
        "markdown": lambda body: [
            line.strip("| ").split(" | ")
            for line in body.decode().splitlines()
            if "---" not in line
        ],
    }[format]
    rows = read(reply.body)
    assert rows[:2] == [["name", "carrier"], ["Endeavor Air Inc.", "9E"]]
    assert len(rows) == 17


def _objects(items: list[dict[str, Any]]) -> list[list[Any]]:
    return [list(items[0]), *(list(item.values()) for item in items)]


def _frame(frame: pl.DataFrame) -> list[list[Any]]:
    return [frame.columns, *(list(row) for row in frame.rows())]


def test_a_table_gives_its_export_its_name(server: LiveServer):
    table = server.table("demo.nyc.airlines")["id"]
    reply = server.request("GET", f"tables/{table}/export", format="csv")
    assert 'filename="airlines.csv"' in reply.headers["Content-Disposition"]
    empty = json.dumps([{"column": "carrier", "op": "is_null"}])
    nothing = server.request("GET", f"tables/{table}/export", format="ndjson", filter=empty)
    assert (nothing.status, nothing.body) == (200, b"")
    assert nothing.headers["Content-Type"] == "application/x-ndjson"


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"format": "docx"},
        {"format": "csv", "columns": "0"},
        {"format": "csv", "columns": "[1.5]"},
        {"format": "csv", "formula_safe": "perhaps"},
    ],
)
def test_an_export_that_makes_no_sense_is_refused(airlines: Rows, query):
    assert airlines.ask("export", **query).status == 400


def test_formulas_are_disarmed_on_the_way_out(server: LiveServer):
    path = result(server, "SELECT '=1+1' AS a, -1 AS b")
    reply = server.request("GET", f"{path}/export", format="csv", formula_safe=1)
    assert reply.body == b"a,b\n'=1+1,-1\n"


def test_an_old_version_is_asked_about_in_its_own_columns(server: LiveServer):
    name = f"main.default.t{uuid4().hex}"
    for text, mode in (("a\n1\n2\n", "error"), ("a\n7\n", "overwrite")):
        run = server.import_text(name, text, mode=mode)
        assert run["state"] == "succeeded", run
    table = server.table(name)["id"]
    assert server.get(f"tables/{table}/columns/a/stats", version=0)["rows"] == 2
    assert server.get(f"tables/{table}/columns/a/stats")["rows"] == 1
    assert server.get(f"tables/{table}/cell", row=0, column="a", version=0)["value"] == "1"


def test_names_of_columns_travel_in_paths(server: LiveServer):
    name = f"main.default.t{uuid4().hex}"
    odd = "a/b %?ü"
    assert server.import_text(name, f'"{odd}"\n1\n')["state"] == "succeeded"
    table = server.table(name)["id"]
    stats = server.get(f"tables/{table}/columns/{quote(odd, safe='')}/stats")
    assert stats["name"] == odd


def test_a_deep_page_of_a_sorted_result_joins_up_with_the_first(server: LiveServer):
    path = result(server, "SELECT dep_delay, flight FROM demo.nyc.flights")
    pages = [
        server.get(f"{path}/rows", offset=offset, limit=50, sort=0, desc=1)["rows"]
        for offset in (0, 50, 300_000, 336_770)
    ]
    first = [row[0] for row in pages[0] + pages[1]]
    assert first == sorted(first, reverse=True)
    assert first[0] == 1301
    assert pages[3][-1][0] is None
    again = server.get(f"{path}/rows", offset=300_000, limit=50, sort=0, desc=1)["rows"]
    assert again == pages[2]


def test_the_status_of_a_query(server: LiveServer):
    path = result(server, "SELECT 1 AS one")
    status = server.get(f"{path}/status")
    assert (status["state"], status["rows"], status["position"]) == ("done", 1, None)
    assert status["elapsed_ms"] > 0
    assert server.request("GET", f"sql/{uuid4()}/status").status == 404


def test_a_client_that_leaves_during_an_export_leaves_no_file_and_no_work(server: LiveServer):
    path = result(server, "SELECT * FROM demo.nyc.flights")
    spools = [p for p in server.log.parent.glob("flowcat/results/*") if p.is_dir()]
    before = {p for spool in spools for p in spool.iterdir()}
    connection = server.connect()
    headers = {"Authorization": f"token {server.token}"}
    connection.request(
        "GET", f"{server.base}flowcat/catalog/{path}/export?format=xlsx", headers=headers
    )
    threading.Event().wait(1.0)
    connection.close()
    left = before
    for _ in range(100):
        threading.Event().wait(0.1)
        left = {p for spool in spools for p in spool.iterdir()} - before
        if not left:
            break
    assert not left
    assert server.sql("SELECT 1 AS one")["rows"] == [[1]]


def test_a_page_for_a_grid_is_cut_where_the_cell_is_whole(server: LiveServer):
    path = result(server, "SELECT rpad('x', 5000, 'x') AS long")
    reply = server.request("GET", f"{path}/rows", display=1, headers={"Accept": ARROW})
    shown = pl.read_ipc_stream(reply.body).item()
    assert (len(shown), shown[-1]) == (2001, "…")
    assert server.get(f"{path}/cell", row=0, column=0)["bytes"] == 5000


def test_a_page_for_a_grid_shows_what_find_and_cell_show(server: LiveServer):
    """Times of the session's zone, bytes and nested values have one spelling everywhere."""
    zone = server.get("status")["session_timezone"]
    values = "TIMESTAMP '2024-07-01 00:30:00.5' AS t, unhex('00ff') AS b, array(1, 2) AS l"
    path = result(server, f"SELECT {values}")
    reply = server.request("GET", f"{path}/rows", display=1, headers={"Accept": ARROW})
    shown = pl.read_ipc_stream(reply.body).row(0)
    cells = [server.get(f"{path}/cell", row=0, column=at)["value"] for at in range(3)]
    assert list(shown) == cells, zone
    assert shown[0] == "2024-07-01 00:30:00.5"
    assert server.get(f"{path}/find", text="00:30:00.5")["column"] == 0
