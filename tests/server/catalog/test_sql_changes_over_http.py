"""Statements that change something, against a real server: what they write, refuse and leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, live_server, select

SLOW = (
    "SELECT count(*) AS n FROM demo.nyc.flights a JOIN demo.nyc.flights b ON a.origin = b.origin "
    "JOIN demo.nyc.flights c ON b.dest = c.dest WHERE a.distance + b.distance + c.distance < 0"
)


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}")
    yield name
    server.sql(f"DROP SCHEMA {name} CASCADE")


def add(table: str, what: str) -> str:
    """The statement that adds rows."""
    return " ".join(("INSERT INTO", table, what))


def rows(server: LiveServer, table: str, order: str = "1") -> Any:
    return server.sql(f"{select('*', table)} ORDER BY {order}")["rows"]


def condition(server: LiveServer, query: str) -> str:
    """Of the error that a statement ends in."""
    reply = server.try_sql(query)
    assert reply.status == 400, reply.body
    assert reply.json["code"] == "SqlError"
    assert reply.json["line"] == 1
    return str(reply.json["condition"])


def folders(server: LiveServer, home: Path) -> set[str]:
    return {entry.name for entry in (home / "flowcat" / "data").iterdir()}


def test_a_table_is_made_of_a_query_and_rows_are_added(server: LiveServer, schema: str) -> None:
    made = server.sql(f"CREATE TABLE {schema}.t COMMENT 'two' AS SELECT 1 AS id, 'a' AS s")
    assert (made["statement"], made["affected_rows"], made["columns"]) == ("CREATE TABLE", 1, [])
    added = server.sql(add(f"{schema}.t", "VALUES (2, 'b'), (3, NULL)"))
    assert (added["statement"], added["affected_rows"]) == ("INSERT", 2)
    assert rows(server, f"{schema}.t") == [[1, "a"], [2, "b"], [3, None]]
    table = server.table(f"main.{schema}.t")
    assert (table["description"], table["data_version"], table["row_count"]) == ("two", 2, 3)


def test_a_table_is_made_of_a_list_of_columns(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    columns = "(id INT NOT NULL COMMENT 'key', s STRING)"
    made = server.sql(f"CREATE TABLE {table} {columns} COMMENT 'two'")
    assert (made["statement"], made["written"], made["changed"]) == ("CREATE TABLE", None, True)
    assert server.sql(f"DESCRIBE {table}")["rows"] == [["id", "int", "key"], ["s", "string", None]]
    assert condition(server, add(table, "(s) VALUES ('a')")) == "DELTA_SCHEMA_MISMATCH"
    server.sql(add(table, "VALUES (1, 'a')"))
    assert rows(server, table) == [[1, "a"]]
    again = server.sql(f"CREATE TABLE IF NOT EXISTS {table} (x INT)")
    assert (again["changed"], len(again["warnings"])) == (False, 1)
    server.sql(f"CREATE OR REPLACE TABLE {table} (x INT)")
    assert rows(server, table) == []
    assert server.table(f"main.{table}")["description"] is None


@pytest.mark.parametrize(
    ("insert", "row"),
    [
        ("(s) SELECT 'x'", [None, "x"]),
        ("(S, ID) SELECT 'x', 9", [9, "x"]),
        ("BY NAME SELECT 'x' AS s, 9 AS ID", [9, "x"]),
        ("SELECT 9, 'x'", [9, "x"]),
        ("SELECT CAST(9 AS BIGINT), 'x'", [9, "x"]),
        ("WITH c AS (SELECT 9 AS n) SELECT n, 'x' FROM c", [9, "x"]),
        ("SELECT max(id) + 8, 'x' FROM {t}", [9, "x"]),
    ],
)
def test_columns_are_matched_by_place_by_list_and_by_name(
    server: LiveServer, schema: str, insert: str, row: list[Any]
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 1 AS id, 'a' AS s")
    server.sql(add(table, insert.format(t=table)))
    assert row in rows(server, table)


def test_a_with_clause_may_come_before_insert(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS id")
    statement = add(f"{schema}.t", select("n", "c"))
    server.sql(" ".join(("WITH c AS (SELECT 2 AS n)", statement)))
    assert rows(server, f"{schema}.t") == [[1], [2]]


@pytest.mark.parametrize(
    ("insert", "expected"),
    [
        ("SELECT 1", "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
        ("SELECT 1, 'a', 2", "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"),
        ("(id, id) SELECT 1, 2", "COLUMN_ALREADY_EXISTS"),
        ("(nope) SELECT 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("BY NAME SELECT 1 AS nope", "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS"),
        ("SELECT 3.7, 'a'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("SELECT 99999999999, 'a'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("SELECT 'x', 'a'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("SELECT 1 / 0, 'a'", "DIVIDE_BY_ZERO"),
        ("SELECT nope, 'a'", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("SELECT 1, 'a' FROM nowhere", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    server: LiveServer, schema: str, insert: str, expected: str
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 1 AS id, 'a' AS s")
    assert condition(server, add(table, insert)) == expected
    assert condition(server, f"INSERT OVERWRITE {table} {insert}") == expected
    assert rows(server, table) == [[1, "a"]]
    assert server.table(f"main.{schema}.t")["data_version"] == 1


def test_overwriting_keeps_the_columns_and_may_read_the_table_itself(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT CAST(1 AS BIGINT) AS id, 'a' AS s")
    server.sql(add(table, "VALUES (2, 'b'), (3, 'c')"))
    query = select("id + 10, s", table)
    done = server.sql(f"INSERT OVERWRITE {table} {query} WHERE id > 1")
    assert done["affected_rows"] == 2
    assert rows(server, table) == [[12, "b"], [13, "c"]]
    types = {column["name"]: column["type"] for column in server.table(f"main.{table}")["columns"]}
    assert types == {"id": "bigint", "s": "string"}


def test_replacing_takes_the_querys_columns_and_keeps_the_history(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} COMMENT 'old' AS SELECT 1 AS id, 'a' AS s")
    query = select("s, 2.5D AS x", table)
    server.sql(f"CREATE OR REPLACE TABLE {table} COMMENT 'new' AS {query}")
    assert rows(server, table) == [["a", 2.5]]
    assert rows(server, f"{table} VERSION AS OF 0") == [[1, "a"]]
    assert server.table(f"main.{table}")["description"] == "new"


def test_a_table_has_the_types_of_its_query(server: LiveServer, schema: str) -> None:
    wanted = {
        "tinyint": "CAST(1 AS TINYINT)",
        "smallint": "CAST(1 AS SMALLINT)",
        "int": "1",
        "bigint": "count(*)",
        "decimal(3,2)": "1.50",
        "float": "CAST(1 AS FLOAT)",
        "double": "1.5D",
        "date": "DATE'2024-01-01'",
        "timestamp": "TIMESTAMP'2024-01-01 00:00:00'",
        "array<int>": "array(1, 2)",
        "struct<x:int,y:string>": "struct(1 AS x, 'a' AS y)",
        "boolean": "TRUE",
        "binary": "unhex('00ff')",
    }
    listed = ", ".join(f"{text} AS c{at}" for at, text in enumerate(wanted.values()))
    server.sql(f"CREATE TABLE {schema}.t AS SELECT {listed}")
    columns = server.table(f"main.{schema}.t")["columns"]
    assert [column["type"] for column in columns] == list(wanted)


def test_what_locks_older_readers_out_is_said(server: LiveServer, schema: str) -> None:
    moment = "CAST('2024-01-01 00:00:00' AS TIMESTAMP_NTZ)"
    made = server.sql(f"CREATE TABLE {schema}.t AS SELECT {moment} AS at")
    assert made["affected_rows"] == 1
    assert any("timestamp_ntz" in text for text in made["warnings"])


def test_if_not_exists_changes_nothing(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 1 AS id")
    assert condition(server, f"CREATE TABLE {table} AS SELECT 2 AS id") == (
        "TABLE_OR_VIEW_ALREADY_EXISTS"
    )
    done = server.sql(f"CREATE TABLE IF NOT EXISTS {table} AS SELECT 2 AS id")
    assert done["affected_rows"] is None
    assert done["warnings"] == [f"There is already a table main.{table}."]
    assert rows(server, table) == [[1]]
    server.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    assert condition(server, f"CREATE SCHEMA {schema}") == "SCHEMA_ALREADY_EXISTS"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 1 / 0 AS x", "DIVIDE_BY_ZERO"),
        ("SELECT 1 AS a, 2 AS A", "COLUMN_ALREADY_EXISTS"),
        ("SELECT NULL AS a", "UNSUPPORTED_DATATYPE"),
        ("SELECT 1 AS __flowcat_a", "INVALID_IDENTIFIER"),
        ("SELECT nope", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ],
)
def test_a_table_that_cannot_be_made_leaves_no_row_and_no_folder(
    server: LiveServer, demo_home: Path, schema: str, query: str, expected: str
) -> None:
    before = folders(server, demo_home)
    assert condition(server, f"CREATE TABLE {schema}.t AS {query}") == expected
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == []
    assert folders(server, demo_home) == before
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    assert rows(server, f"{schema}.t") == [[1]]


def test_a_table_may_be_partitioned(server: LiveServer, schema: str) -> None:
    query = "AS SELECT 1 AS a, 'k' AS p"
    server.sql(f"CREATE TABLE {schema}.t USING delta PARTITIONED BY (p) {query}")
    assert server.table(f"main.{schema}.t")["partition_columns"] == ["p"]
    reply = server.try_sql(f"CREATE TABLE {schema}.u PARTITIONED BY (nope) {query}")
    assert reply.status == 400


def test_dropping_says_what_is_not_there_or_not_empty(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    assert condition(server, f"DROP SCHEMA {schema}") == "SCHEMA_NOT_EMPTY"
    server.sql(f"DROP TABLE {schema}.t")
    assert condition(server, f"DROP TABLE {schema}.t") == "TABLE_OR_VIEW_NOT_FOUND"
    assert condition(server, "DROP SCHEMA not_there") == "SCHEMA_NOT_FOUND"
    server.sql(f"DROP TABLE IF EXISTS {schema}.t; DROP SCHEMA IF EXISTS not_there")
    dropped = server.get("tables/dropped")["items"]
    assert any(item["full_name"][-2:] == [schema, "t"] for item in dropped)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {s}.t USING parquet CLUSTERED BY (a) INTO 2 BUCKETS AS SELECT 1 AS a",
        "CREATE TABLE {s}.t LOCATION '/somewhere' AS SELECT 1 AS a",
        "CREATE TABLE {s}.t CLUSTER BY (a) AS SELECT 1 AS a",
        "CREATE TEMPORARY TABLE {s}.t AS SELECT 1 AS a",
        "CREATE VIEW {s}.t PARTITIONED BY (a) AS SELECT 1 AS a",
        "DROP TABLE {s}.there PURGE",
    ],
)
def test_what_is_not_understood_is_refused_by_name(
    server: LiveServer, schema: str, statement: str
) -> None:
    server.sql(f"CREATE TABLE {schema}.there AS SELECT 1 AS a")
    told = condition(server, statement.format(s=schema))
    assert told == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == [[schema, "there", False]]
    assert rows(server, f"{schema}.there") == [[1]]


def test_a_cancelled_write_leaves_nothing(server: LiveServer, schema: str) -> None:
    query_id = str(uuid4())
    replies: list[int] = []

    def ask() -> None:
        body = {"query": f"CREATE TABLE {schema}.t AS {SLOW}", "query_id": query_id}
        replies.append(server.request("POST", "sql/execute", body).status)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(1.0)
    assert server.request("DELETE", f"sql/{query_id}").status == 204
    thread.join(60)
    assert replies == [409]
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == []
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS n")


def test_what_a_write_read_is_told(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 1 AS id")
    added = server.sql(add(table, select("id + 1", table)))
    assert added["used_tables"] == [{"name": f"main.{table}", "version": 0}]
    changed = server.sql(" ".join(("UPDATE", table, "SET id = id + 1")))
    assert changed["used_tables"] == [{"name": f"main.{table}", "version": 1}]


def test_eight_writers_add_every_row(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 0 AS writer, 0 AS n")
    wrong: list[Any] = []

    def write(writer: int) -> None:
        for n in range(5):
            reply = server.try_sql(add(table, f"VALUES ({writer}, {n})"))
            if reply.status != 200:
                wrong.append(reply.json)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    assert server.sql(select("count(*), count(DISTINCT writer * 10 + n)", table))["rows"] == [
        [41, 41]
    ]


def test_one_text_may_make_use_and_drop_a_table(server: LiveServer, schema: str) -> None:
    name = f"{schema}.z"
    text = (f"CREATE TABLE {name} AS SELECT 1 AS one", select("*", name), f"DROP TABLE {name}")
    assert server.sql("; ".join(text))["statement"] == "DROP TABLE"
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == []


def test_a_committed_table_is_there_after_kill_9(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    home.mkdir()
    root.mkdir()
    with live_server(home, root) as first:
        first.sql("CREATE TABLE t AS SELECT 1 AS id; INSERT INTO t VALUES (2)")
        first.process.kill()
        first.process.wait()
    with live_server(home, root) as second:
        assert rows(second, "t") == [[1], [2]]
