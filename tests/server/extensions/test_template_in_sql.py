"""Tables of the template's data source, made, read and written by SQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.kernels import LiveKernel
from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}")
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def test_a_table_is_made_filled_read_and_filled_anew(
    server: LiveServer, schema: str, tmp_path: Path
) -> None:
    def ask(query: str, **more: Any) -> Any:
        return server.sql(query, schema=schema, **more)

    made = ask(
        "CREATE TABLE visits (id BIGINT, place STRING, day DATE, cost DECIMAL(6,2)) "
        f"USING jsonl_demo OPTIONS (path '{tmp_path / 'visits'}')"
    )
    assert (made["statement"], made["changed"]) == ("CREATE TABLE", True)
    assert ask("SELECT * FROM visits")["rows"] == []
    done = ask(
        "INSERT INTO visits VALUES (1, 'Oslo', DATE'2026-01-02', 1.50), (2, NULL, NULL, NULL)"
    )
    assert done["written"]["inserted"] == 2
    ask("INSERT INTO visits (place, id) VALUES ('Rome', 3)")
    assert ask("SELECT * FROM visits WHERE id <> 2 ORDER BY id")["rows"] == [
        [1, "Oslo", "2026-01-02", "1.50"],
        [3, "Rome", None, None],
    ]
    ask("INSERT OVERWRITE visits SELECT id, upper(place), day, cost FROM visits")
    got = ask("SELECT place FROM visits ORDER BY id", engine="duckdb")["rows"]
    assert got == [["OSLO"], [None], ["ROME"]]
    assert len(list((tmp_path / "visits").glob("*.jsonl"))) == 1
    assert server.table(f"main.{schema}.visits")["format"] == "jsonl_demo"


def test_columns_that_nobody_lists_are_those_of_the_data(
    server: LiveServer, schema: str, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "name": "x"}\n')
    server.sql(f"CREATE TABLE {schema}.a USING jsonl_demo OPTIONS (path '{tmp_path}')")
    assert server.sql(f"DESCRIBE {schema}.a")["rows"][:2] == [
        ["id", "bigint", None],
        ["name", "string", None],
    ]
    reply = server.try_sql(
        f"CREATE TABLE {schema}.b USING jsonl_demo OPTIONS (path '{tmp_path / 'none'}')"
    )
    assert reply.status == 400
    assert "list the columns" in reply.json["message"]


def test_its_options_are_told(server: LiveServer, schema: str, tmp_path: Path) -> None:
    server.sql(
        f"CREATE TABLE {schema}.o (id INT) USING jsonl_demo OPTIONS (path '{tmp_path}', Size '3')"
    )
    told = dict(row[:2] for row in server.sql(f"DESCRIBE EXTENDED {schema}.o")["rows"])
    assert (told["Provider"], told["Storage Properties"]) == ("jsonl_demo", "[Size=3]")
    assert "Table Properties" not in told
    ((text,),) = server.sql(f"SHOW CREATE TABLE {schema}.o")["rows"]
    assert "USING jsonl_demo\nOPTIONS (" in text
    server.sql(f"DROP TABLE {schema}.o")
    server.sql(text)
    ((again,),) = server.sql(f"SHOW CREATE TABLE {schema}.o")["rows"]
    assert again == text


def test_what_fails_names_the_source_and_leaves_nothing(
    server: LiveServer, schema: str, tmp_path: Path
) -> None:
    table = f"{schema}.t"
    (tmp_path / "a.jsonl").write_text('{"id": "seven"}\n{broken\n')
    server.sql(f"CREATE TABLE {table} (id INT) USING jsonl_demo OPTIONS (path '{tmp_path}')")
    reply = server.try_sql(select("*", table))
    assert (reply.status, reply.json["condition"]) == (400, "DATA_SOURCE_FAILED")
    assert "JSONDecodeError" in reply.json["message"]
    (tmp_path / "a.jsonl").write_text('{"id": "seven"}\n')
    reply = server.try_sql(select("*", table))
    assert "Column id of the data source jsonl_demo" in reply.json["message"]
    assert "row 1 has 'seven' (str)" in reply.json["message"]
    before = list(tmp_path.iterdir())
    for statement in (
        "INSERT INTO t SELECT id FROM t",
        "INSERT INTO t VALUES (99999999999)",
        "DELETE FROM t",
        "OPTIMIZE t",
    ):
        assert server.try_sql(statement, schema=schema).status == 400, statement
    assert list(tmp_path.iterdir()) == before


def test_statements_that_it_has_no_part_in_are_refused(
    server: LiveServer, schema: str, tmp_path: Path
) -> None:
    make = f"CREATE TABLE {schema}.t (id INT) USING"
    for using, told in (
        (f"jsonl_demo PARTITIONED BY (id) OPTIONS (path '{tmp_path}')", "not partitioned"),
        ("jsonl_demo OPTIONS (api_key 'x')", "looks like a secret"),
        ("broken", "broken-extension 3.1 cannot be used"),
        ("nowhere", "There is no format nowhere"),
    ):
        reply = server.try_sql(f"{make} {using}")
        assert reply.status == 400, reply.body
        assert told in reply.json["message"]
    server.sql(f"{make} jsonl_demo OPTIONS (path '{tmp_path}')")
    reply = server.try_sql(f"{select('*', f'{schema}.t')} VERSION AS OF 0")
    assert reply.status == 400
    assert server.try_sql(f"DESCRIBE HISTORY {schema}.t").status == 400


def test_a_class_of_a_notebook_is_not_for_sql(
    server: LiveServer, kernel: LiveKernel, schema: str
) -> None:
    kernel.text(
        "from flowcat_jupyter.formats.data_source import DataSource, DataSourceReader\n"
        "class Shelf(DataSource):\n"
        "    @classmethod\n"
        "    def name(cls): return 'shelf'\n"
        "    def schema(self): return 'id INT'\n"
        "    def reader(self, schema):\n"
        "        class Reader(DataSourceReader):\n"
        "            def read(self, partition):\n"
        "                yield (7,)\n"
        "        return Reader()\n"
        "flowfile_ctx.register_data_source(Shelf)"
    )
    assert kernel.text("flowfile_ctx.read.format('shelf').load().collect().item()") == "7"
    asked = (
        "shelf = flowfile_ctx.read.format('shelf').load()\n"
        "flowfile_ctx.sql('SELECT id + 1 AS n FROM :shelf', shelf=shelf).item()"
    )
    assert kernel.text(asked) == "8"
    failed = kernel.run(f"flowfile_ctx.sql('CREATE TABLE {schema}.t USING shelf')")
    assert failed["status"] == "error"
    shown = "\n".join(failed["traceback"])
    assert "There is no format shelf" in shown
    assert "works in its kernel alone" in shown
