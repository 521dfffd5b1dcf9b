"""Tables of a data source where tables are looked at, taken along, and dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.kernels import LiveKernel
from tests.support.live import LiveServer


@pytest.fixture(scope="module")
def visits(server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the table ``elsewhere.visits``."""
    folder = tmp_path_factory.mktemp("elsewhere") / "visits"
    server.sql("CREATE SCHEMA elsewhere")
    server.sql(
        "CREATE TABLE visits USING jsonl_demo "
        f"OPTIONS (path '{folder}') AS SELECT 1 AS id, 'Oslo' AS place UNION ALL SELECT 2, NULL",
        schema="elsewhere",
    )
    return folder


def table(server: LiveServer) -> Any:
    return server.table("main.elsewhere.visits")


def test_a_table_made_of_a_query_has_its_rows(server: LiveServer, visits: Path) -> None:
    assert len(list(visits.glob("*.jsonl"))) == 1
    got = server.sql("SELECT * FROM elsewhere.visits ORDER BY id")["rows"]
    assert got == [[1, "Oslo"], [2, None]]
    reply = server.try_sql(
        f"CREATE TABLE again USING jsonl_demo OPTIONS (path '{visits}') AS SELECT 1 AS id",
        schema="elsewhere",
    )
    assert reply.status == 400
    assert "already" in reply.json["message"]
    assert server.sql("SELECT count(*) FROM elsewhere.visits")["rows"] == [[2]]


@pytest.mark.usefixtures("visits")
def test_its_page_shows_rows_and_what_is_in_a_column(server: LiveServer) -> None:
    known = table(server)
    assert (known["format"], known["row_count"], known["delta_version"]) == (
        "jsonl_demo",
        None,
        None,
    )
    page = server.get(f"tables/{known['id']}/preview", limit=1)
    assert (len(page["rows"]), page["total"]) == (1, 2)
    stats = server.get(f"tables/{known['id']}/columns/place/stats")
    assert stats["nulls"] == 1
    assert server.request("GET", f"tables/{known['id']}/history").status == 400
    assert server.post(f"tables/{known['id']}/refresh")["format"] == "jsonl_demo"


@pytest.mark.usefixtures("visits")
def test_a_kernel_reads_the_table_by_name(kernel: LiveKernel) -> None:
    read = "flowfile_ctx.read_catalog_table('elsewhere.visits').sort('id').collect().rows()"
    assert kernel.text(read) == "[(1, 'Oslo'), (2, None)]"


@pytest.mark.usefixtures("visits")
def test_a_kernel_does_not_write_to_it_behind_the_server(kernel: LiveKernel) -> None:
    reply = kernel.run(
        "flowfile_ctx.write_catalog_table(pl.DataFrame({'id': [3]}), 'elsewhere.visits', "
        "write_mode='append')"
    )
    assert reply["status"] == "error"
    assert "jsonl_demo" in reply["evalue"]


def test_dropping_the_table_leaves_the_data(server: LiveServer, visits: Path) -> None:
    server.sql("DROP TABLE elsewhere.visits")
    assert len(list(visits.glob("*.jsonl"))) == 1
