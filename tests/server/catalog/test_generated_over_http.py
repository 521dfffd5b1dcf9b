"""GENERATED ALWAYS AS: columns that are computed from others, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


def at(table: str, text: str) -> str:
    """Statements about a table, which is called ``{t}`` in them."""
    return text.replace("{t}", table)


@pytest.fixture
def table(server: LiveServer) -> Iterator[str]:
    """An empty table of the test's own, two of whose columns are computed."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; CREATE TABLE {name}.t (id INT, n BIGINT DEFAULT 3, "
        "twice BIGINT GENERATED ALWAYS AS (N * 2), name STRING, "
        "loud STRING GENERATED ALWAYS AS (upper(name)))"
    )
    yield f"{name}.t"
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY id")["rows"]


def test_what_is_left_out_is_computed(server: LiveServer, table: str) -> None:
    server.sql(
        at(
            table,
            "INSERT INTO {t} (id, n, name) VALUES (1, 5, 'a'), (2, NULL, NULL); "
            "INSERT INTO {t} (name, id) VALUES ('b', 3); "
            "INSERT INTO {t} VALUES (4, 1, 2, 'c', 'C')",
        )
    )
    assert rows(server, table) == [
        [1, 5, 10, "a", "A"],
        [2, None, None, None, None],
        [3, 3, 6, "b", "B"],
        [4, 1, 2, "c", "C"],
    ]


def test_what_changes_is_computed_again(server: LiveServer, table: str) -> None:
    server.sql(
        at(
            table,
            "INSERT INTO {t} (id, n, name) VALUES (1, 5, 'a'), (2, 6, 'b'); "
            "UPDATE {t} SET n = n + 1 WHERE id = 1; UPDATE {t} SET name = 'it' WHERE id = 2; "
            "MERGE INTO {t} AS t USING (SELECT 2 AS id UNION ALL SELECT 3) AS s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET n = 100 "
            "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')",
        )
    )
    assert rows(server, table) == [
        [1, 6, 12, "a", "A"],
        [2, 100, 200, "it", "IT"],
        [3, 3, 6, "new", "NEW"],
    ]


@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO {t} VALUES (2, 1, 3, 'c', 'C')",
        "UPDATE {t} SET TWICE = 7",
        "INSERT INTO {t} (id, loud) VALUES (2, 'X')",
    ],
)
def test_another_value_is_refused(server: LiveServer, table: str, write: str) -> None:
    server.sql(at(table, "INSERT INTO {t} (id, n, name) VALUES (1, 5, 'a')"))
    reply = server.try_sql(at(table, write))
    assert reply.status == 400
    assert reply.json["condition"] == "DELTA_GENERATED_COLUMNS_VALUE_MISMATCH", reply.body
    assert len(rows(server, table)) == 1


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        ("b STRING GENERATED ALWAYS AS (a * 2)", "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH"),
        ("b INT GENERATED ALWAYS AS (rand())", "NON_DETERMINISTIC_CHECK_CONSTRAINT"),
        ("b INT GENERATED ALWAYS AS (b + 1)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("b INT GENERATED ALWAYS AS (a / 2)", "UNSUPPORTED_FEATURE"),
        ("B BIGINT GENERATED ALWAYS AS (a * 2)", "UNSUPPORTED_FEATURE"),
        ("b BIGINT GENERATED ALWAYS AS IDENTITY", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_what_cannot_be_computed_alike_is_refused(
    server: LiveServer, table: str, column: str, condition: str
) -> None:
    reply = server.try_sql(f"CREATE TABLE {table}2 (a INT, {column})")
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body


def test_a_table_like_it_computes_the_same(server: LiveServer, table: str) -> None:
    server.sql(
        at(table, "CREATE TABLE {t}2 LIKE {t}; INSERT INTO {t}2 (id, n, name) VALUES (1, 5, 'a')")
    )
    assert rows(server, f"{table}2") == [[1, 5, 10, "a", "A"]]


def test_a_table_like_it_of_a_format_that_computes_nothing_is_refused(
    server: LiveServer, table: str
) -> None:
    reply = server.try_sql(at(table, "CREATE TABLE {t}2 LIKE {t} USING iceberg"))
    assert (reply.status, reply.json["condition"]) == (400, "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    assert "generated columns" in reply.json["message"]


def test_the_statement_shown_makes_the_same_table(server: LiveServer, table: str) -> None:
    shown = server.sql(at(table, "SHOW CREATE TABLE {t}"))["rows"][0][0]
    assert shown.count("GENERATED ALWAYS AS (") == 2
    schema = table.partition(".")[0]
    server.sql(shown.replace(f"{schema}.t ", f"{schema}.u ", 1))
    server.sql(at(f"{schema}.u", "INSERT INTO {t} (id, n, name) VALUES (1, 5, 'a')"))
    assert rows(server, f"{schema}.u") == [[1, 5, 10, "a", "A"]]
    again = server.sql(f"SHOW CREATE TABLE {schema}.u")["rows"][0][0]
    assert again == shown.replace(f"{schema}.t ", f"{schema}.u ", 1)


@pytest.mark.parametrize("evolves", ["", "WITH SCHEMA EVOLUTION "])
def test_all_of_a_source_that_lacks_it_is_merged_with_it_computed(
    server: LiveServer, table: str, evolves: str
) -> None:
    server.sql(
        at(
            table,
            "INSERT INTO {t} (id, n, name) VALUES (1, 5, 'a'); "
            "MERGE {evolves}INTO {t} AS t USING (SELECT 1 AS id, 7L AS n, 'b' AS name "
            "UNION ALL SELECT 2, 8L, 'c') AS s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        ).replace("{evolves}", evolves)
    )
    assert rows(server, table) == [[1, 7, 14, "b", "B"], [2, 8, 16, "c", "C"]]


@pytest.mark.parametrize(
    ("source", "condition"),
    [
        ("1L AS n, 3L AS twice, 'b' AS name", "DELTA_GENERATED_COLUMNS_VALUE_MISMATCH"),
        ("1L AS n", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ],
)
def test_all_of_a_source_is_merged_only_if_it_fits(
    server: LiveServer, table: str, source: str, condition: str
) -> None:
    reply = server.try_sql(
        at(
            table,
            f"MERGE INTO {{t}} AS t USING (SELECT 9 AS id, {source}) AS s ON t.id = s.id "
            "WHEN NOT MATCHED THEN INSERT *",
        )
    )
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert rows(server, table) == []


def test_a_column_is_computed_by_cases(server: LiveServer, table: str) -> None:
    text = (
        "CREATE TABLE {t} (id INT, d DOUBLE, name STRING, "
        "size INT GENERATED ALWAYS AS (CASE WHEN id > 5 THEN 1 WHEN id > 3 THEN id ELSE 0 END), "
        "kind STRING GENERATED ALWAYS AS (CASE WHEN id > 5 THEN 'big' WHEN id > 3 THEN name END), "
        "part DECIMAL(4,1) GENERATED ALWAYS AS (CASE WHEN id > 5 THEN 2.5 ELSE 1 END), "
        "real DOUBLE GENERATED ALWAYS AS (CASE WHEN id > 5 THEN d ELSE 1.5 END), "
        "CONSTRAINT c CHECK (CASE WHEN id > 5 THEN 1 ELSE id END >= 1)); "
        "INSERT INTO {t} (id, d, name) VALUES (9, 7.5, 'x'), (4, NULL, 'y'); "
        "INSERT INTO {t} (id) VALUES (1); UPDATE {t} SET id = 7 WHERE id = 9"
    )
    server.sql(at(f"{table}2", text))
    assert rows(server, f"{table}2") == [
        [1, None, None, 0, None, "1.0", 1.5],
        [4, None, "y", 4, "y", "1.0", 1.5],
        [7, 7.5, "x", 1, "big", "2.5", 7.5],
    ]
    reply = server.try_sql(at(f"{table}2", "INSERT INTO {t} (id) VALUES (0)"))
    assert reply.json["condition"] == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", reply.body
