"""Iceberg tables against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with an Iceberg table ``t`` of two rows."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; USE {name};"
        "CREATE TABLE t USING iceberg AS SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, NULL"
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str, order: str = "1") -> Any:
    return server.sql(f"{select('*', table)} ORDER BY {order}")["rows"]


def insert(table: str, values: str) -> str:
    return " ".join(("INSERT INTO", table, values))


def test_a_table_made_of_a_query_is_read_and_added_to(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    assert rows(server, table) == [[1, "a"], [2, None]]
    done = server.sql(insert(table, "VALUES (3, 'c')"))
    assert done["statement"] == "INSERT"
    assert rows(server, table) == [[1, "a"], [2, None], [3, "c"]]
    told = server.table(f"main.{table}")
    assert (told["format"], told["row_count"]) == ("iceberg", 3)
