"""The names and parts of statements that change something, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, in the catalog main."""
    name = f"n{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}")
    yield name
    server.sql(f"DROP SCHEMA {name} CASCADE")


def schemas(server: LiveServer) -> set[str]:
    return {row[0] for row in server.sql("SHOW SCHEMAS IN main")["rows"]}


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY 1")["rows"]


def refused(server: LiveServer, query: str, **options: Any) -> str:
    """The condition of the error that a statement ends in, which says its place."""
    reply = server.try_sql(query, **options)
    assert reply.status == 400, reply.body
    assert reply.json["code"] == "SqlError", reply.body
    assert reply.json["line"] == 1, reply.body
    return str(reply.json["condition"])


@pytest.mark.parametrize(
    "name", ["w.main.{s}", "x.y.main.{s}", "IDENTIFIER('{s}')", ".{s}", "main..{s}", "'{s}'"]
)
def test_no_schema_is_dropped_by_a_part_of_its_name(
    server: LiveServer, schema: str, name: str
) -> None:
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    for dropping in ("DROP SCHEMA", "DROP SCHEMA IF EXISTS", "DROP DATABASE"):
        condition = refused(server, f"{dropping} {name.format(s=schema)} CASCADE")
        assert condition in ("REQUIRES_SINGLE_PART_NAMESPACE", "PARSE_SYNTAX_ERROR")
    assert rows(server, f"{schema}.t") == [[1]]


@pytest.mark.parametrize("name", ["w.main.deep", "w.x.main.deep", "IDENTIFIER('deep')", ":deep"])
def test_no_schema_is_made_by_a_part_of_its_name(server: LiveServer, name: str) -> None:
    assert refused(server, f"CREATE SCHEMA {name}") == "REQUIRES_SINGLE_PART_NAMESPACE"
    assert "deep" not in schemas(server)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {} SELECT 1",
        "INSERT INTO {} (a) SELECT 1",
        "INSERT OVERWRITE {} SELECT 1",
        "CREATE TABLE {} AS SELECT 1 AS a",
        "CREATE TABLE IF NOT EXISTS {} AS SELECT 1 AS a",
        "DROP TABLE {}",
        "DROP TABLE IF EXISTS {}",
    ],
)
def test_a_table_of_four_parts_is_a_mistake_of_the_statement(
    server: LiveServer, schema: str, statement: str
) -> None:
    name = f"w.main.{schema}.t"
    assert refused(server, statement.format(name)) == "REQUIRES_SINGLE_PART_NAMESPACE"
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 7 AS a")
    assert refused(server, statement.format(name)) == "REQUIRES_SINGLE_PART_NAMESPACE"
    assert rows(server, f"{schema}.t") == [[7]]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {} SELECT 1",
        "INSERT INTO {} (a) SELECT 1",
        "CREATE OR REPLACE TABLE {} AS SELECT 1 AS a",
        "DROP TABLE {}",
        "DROP TABLE IF EXISTS {}",
    ],
)
@pytest.mark.parametrize("name", [":t", "main..t", "'t'", "default.:t"])
def test_a_frame_a_text_or_a_gap_is_no_table(server: LiveServer, statement: str, name: str) -> None:
    made = server.sql("CREATE OR REPLACE TABLE t AS SELECT 7 AS a; SELECT * FROM t")
    assert made["rows"] == [[7]]
    refused(server, statement.format(name))
    assert rows(server, "t") == [[7]]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("WITH a AS (SELECT 7 AS x) CREATE TABLE {s}.u AS SELECT * FROM a", [[7]]),
        ("WITH a AS (SELECT 7 AS x) CREATE TABLE {s}.u AS (SELECT * FROM a)", [[7]]),
        (
            "WITH a AS (SELECT 7 AS x) CREATE TABLE {s}.u AS SELECT * FROM a UNION SELECT 8",
            [[7], [8]],
        ),
        (
            "CREATE TABLE {s}.u AS SELECT 1 AS x; "
            "WITH a AS (SELECT 7 AS x) INSERT INTO {s}.u (SELECT * FROM a)",
            [[1], [7]],
        ),
        (
            "CREATE TABLE {s}.u AS SELECT 1 AS x; "
            "WITH a AS (SELECT 7 AS x) INSERT OVERWRITE {s}.u SELECT * FROM a",
            [[7]],
        ),
        ("CREATE TABLE {s}.u AS (VALUES (7), (8) AS v(x))", [[7], [8]]),
    ],
)
def test_a_cte_is_meant_and_not_a_table_of_its_name(
    server: LiveServer, schema: str, statement: str, expected: Any
) -> None:
    server.sql(f"CREATE TABLE {schema}.a AS SELECT 666 AS x")
    server.sql(statement.format(s=schema), schema=schema)
    assert rows(server, f"{schema}.u") == expected


def test_two_with_clauses_are_refused(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.a AS SELECT 666 AS x")
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    query = "WITH a AS (SELECT 1 AS x) INSERT INTO t WITH b AS (SELECT 2 AS y) SELECT x FROM a, b"
    assert refused(server, query, schema=schema) == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert rows(server, f"{schema}.t") == [[1]]


def test_replacing_unless_there_is_refused(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    query = f"CREATE OR REPLACE TABLE IF NOT EXISTS {schema}.t AS SELECT 2 AS x"
    assert refused(server, query) == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert refused(server, query.replace("REPLACE", "ALTER").replace("IF NOT EXISTS ", ""))
    assert rows(server, f"{schema}.t") == [[1]]


@pytest.mark.parametrize(
    ("insert", "expected"),
    [
        ("INSERT INTO {t} BY NAME VALUES (2, 1) AS v(b, a)", [[1, 2]]),
        ("INSERT INTO {t} VALUES (1, 2) AS v(b, a)", [[1, 2]]),
        ("INSERT INTO {t} VALUES (1, 2) AS v", [[1, 2]]),
        ("INSERT INTO {t} (b, a) VALUES (2, 1)", [[1, 2]]),
        ("INSERT INTO {t} (SELECT 1, 2) LIMIT 0", []),
    ],
)
def test_rows_keep_the_names_and_limits_that_are_given_to_them(
    server: LiveServer, schema: str, insert: str, expected: Any
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} AS SELECT 1 AS a, 2 AS b WHERE false")
    server.sql(insert.format(t=table))
    assert rows(server, table) == expected


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("CREATE TABLE {s}.u AS SELECT FROM {s}.t", "PARSE_SYNTAX_ERROR"),
        ("INSERT INTO {s}.t SELECT FROM {s}.t", "PARSE_SYNTAX_ERROR"),
        (
            "CREATE TABLE {s}.u PARTITIONED BY (a, A) AS SELECT * FROM {s}.t",
            "COLUMN_ALREADY_EXISTS",
        ),
        (
            "CREATE TABLE {s}.u PARTITIONED BY (x) AS SELECT * FROM {s}.t",
            "COLUMN_NOT_DEFINED_IN_TABLE",
        ),
        (
            "CREATE TABLE {s}.u PARTITIONED BY (a, b) AS SELECT * FROM {s}.t",
            "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
        ),
        ("INSERT INTO {s}.t (a, A) SELECT 1, 2", "COLUMN_ALREADY_EXISTS"),
        ("INSERT INTO {s}.t (b.a) SELECT 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT INTO {s}.t (a, b) BY NAME SELECT 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT INTO {s}.t SELECT 1, 2 INTO {s}.u", "UNSUPPORTED_FEATURE"),
        ("CREATE TABLE {s}.u AS WITH x AS (DROP TABLE {s}.t) SELECT 1 AS a", "UNSUPPORTED_FEATURE"),
        ("DROP TABLE {s}.t CASCADE", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_a_mistake_is_named_and_changes_nothing(
    server: LiveServer, schema: str, statement: str, condition: str
) -> None:
    server.sql(f"CREATE TABLE {schema}.t AS SELECT 1 AS a, 2 AS b")
    assert refused(server, statement.format(s=schema)) == condition
    assert rows(server, f"{schema}.t") == [[1, 2]]
    assert server.sql(f"SHOW TABLES IN {schema}")["row_count"] == 1
