"""ALTER TABLE and COMMENT ON against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` of one row."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}; USE {name}; CREATE TABLE t AS SELECT 1 AS a")
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY a")["rows"]


def test_new_columns_are_null_in_the_rows_there_are(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    done = server.sql(f"ALTER TABLE {table} ADD COLUMNS (b STRING COMMENT 'new', C DECIMAL(5,2))")
    assert (done["statement"], done["changed"]) == ("ALTER TABLE", True)
    server.sql(" ".join(("INSERT INTO", table, "VALUES (2, 'x', 1.5)")))
    assert rows(server, table) == [[1, None, None], [2, "x", "1.50"]]
    assert server.sql(f"DESCRIBE {table}")["rows"] == [
        ["a", "int", None],
        ["b", "string", "new"],
        ["C", "decimal(5,2)", None],
    ]


def test_a_column_that_is_there_is_not_added_again(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    reply = server.try_sql(f"ALTER TABLE {table} ADD COLUMN A INT")
    assert (reply.status, reply.json["condition"]) == (400, "COLUMN_ALREADY_EXISTS")
    done = server.sql(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS A INT")
    assert (done["changed"], len(done["warnings"])) == (False, 1)
    assert server.table(f"main.{table}")["delta_version"] == 0
    done = server.sql(f"ALTER TABLE IF EXISTS {schema}.nope ADD COLUMN A INT")
    assert (done["changed"], len(done["warnings"])) == (False, 1)


def test_a_table_goes_by_another_name_and_into_another_schema(
    server: LiveServer, schema: str
) -> None:
    server.sql(f"ALTER TABLE {schema}.t RENAME TO u")
    assert rows(server, f"{schema}.u") == [[1]]
    other = f"{schema}_2"
    server.sql(f"CREATE SCHEMA {other}")
    server.sql(f"ALTER TABLE {schema}.u RENAME TO {other}.v")
    assert rows(server, f"{other}.v") == [[1]]
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == []
    server.sql(f"CREATE TABLE {other}.w AS SELECT 1 AS a")
    reply = server.try_sql(f"ALTER TABLE {other}.v RENAME TO w")
    assert (reply.status, reply.json["condition"]) == (400, "TABLE_OR_VIEW_ALREADY_EXISTS")
    server.sql(f"DROP SCHEMA {other} CASCADE")


def test_comments_show_where_people_look(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        f"COMMENT ON TABLE {table} IS 'all of it'; COMMENT ON COLUMN {table}.A IS 'the key'; "
        f"COMMENT ON SCHEMA {schema} IS 'mine'"
    )
    assert server.table(f"main.{table}")["description"] == "all of it"
    assert server.sql(f"DESCRIBE {table}")["rows"] == [["a", "int", "the key"]]
    assert ["Comment", "mine"] in [
        row[:2] for row in server.sql(f"DESCRIBE SCHEMA {schema}")["rows"]
    ]
    server.sql(f"COMMENT ON TABLE {table} IS NULL; COMMENT ON COLUMN {table}.a IS NULL")
    assert server.table(f"main.{table}")["description"] is None
    assert server.sql(f"DESCRIBE {table}")["rows"][0][2] in (None, "")


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("ALTER TABLE {s}.nope ADD COLUMN a INT", "TABLE_OR_VIEW_NOT_FOUND"),
        ("ALTER TABLE {s}.nope RENAME TO u", "TABLE_OR_VIEW_NOT_FOUND"),
        ("ALTER TABLE {s}.t RENAME TO nope.u", "SCHEMA_NOT_FOUND"),
        ("COMMENT ON COLUMN {s}.t.nope IS 'x'", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("COMMENT ON SCHEMA nope IS 'x'", "SCHEMA_NOT_FOUND"),
        ("COMMENT ON CATALOG nope IS 'x'", "CATALOG_NOT_FOUND"),
    ],
)
def test_what_is_not_there_is_told(
    server: LiveServer, schema: str, statement: str, condition: str
) -> None:
    reply = server.try_sql(statement.format(s=schema))
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert reply.json["line"] == 1
