"""USE and SET CATALOG against a real server: for the statements after it, and for who asks next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` of one row."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}; USE {name}; CREATE TABLE t AS SELECT 7 AS n")
    yield name
    server.sql(f"DROP SCHEMA {name} CASCADE")


def test_statements_after_it_are_meant_there(server: LiveServer, schema: str) -> None:
    text = "; ".join(
        (f"USE {schema}", "CREATE TABLE u AS SELECT n + 1 AS n FROM t", "SELECT n FROM u")
    )
    assert server.sql(text)["rows"] == [[8]]
    assert server.sql(f"SHOW TABLES IN {schema}")["rows"] == [
        [schema, "t", False],
        [schema, "u", False],
    ]


@pytest.mark.parametrize("statement", ["USE {s}", "USE main.{s}", "USE SCHEMA {s}", "USE {S}"])
def test_who_asks_is_told_what_to_send_next(
    server: LiveServer, schema: str, statement: str
) -> None:
    reply = server.sql(statement.format(s=schema, S=schema.upper()))
    assert (reply["statement"], reply["columns"]) == ("USE", [])
    assert reply["current"] == {"catalog": "main", "schema": schema}
    assert server.sql("SELECT n FROM t", **reply["current"])["rows"] == [[7]]
    assert server.sql("SELECT 1 AS one")["current"] is None


@pytest.mark.parametrize("statement", ["USE demo", "USE CATALOG demo", "SET CATALOG demo"])
def test_of_a_catalog_its_default_or_first_schema_is_current(
    server: LiveServer, statement: str
) -> None:
    current = server.sql(statement)["current"]
    assert current == {"catalog": "demo", "schema": "nyc"}


@pytest.mark.parametrize(
    ("statement", "condition", "column"),
    [
        ("USE nope", "SCHEMA_NOT_FOUND", 5),
        ("USE nope.nyc", "CATALOG_NOT_FOUND", 5),
        ("USE CATALOG nope", "CATALOG_NOT_FOUND", 13),
        ("SELECT 1; USE SCHEMA demo", "SCHEMA_NOT_FOUND", 22),
    ],
)
def test_what_is_not_there_is_told_at_its_place(
    server: LiveServer, statement: str, condition: str, column: int
) -> None:
    told: dict[str, Any] = server.try_sql(statement).json
    assert (told["condition"], told["column"]) == (condition, column)
