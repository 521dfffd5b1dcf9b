"""TBLPROPERTIES: what a table is given to keep, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


def at(table: str, text: str) -> str:
    """Statements about a table, which is called ``{t}`` in them."""
    return text.replace("{t}", table)


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` of one row."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}; CREATE TABLE {name}.t AS SELECT 1 AS a")
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def test_properties_are_set_and_taken_away(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        f"ALTER TABLE {table} SET TBLPROPERTIES "
        "('team' = 'sales', quality.level = 3, 'DELTA.appendonly' = true)"
    )
    shown = server.table(f"main.{table}")
    assert shown["properties"] == {
        "delta.appendOnly": "true",
        "quality.level": "3",
        "team": "sales",
    }
    reply = server.try_sql(at(table, "DELETE FROM {t}"))
    assert reply.json["condition"] == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    server.sql(at(table, "INSERT INTO {t} VALUES (2)"))
    server.sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('delta.appendOnly', 'TEAM')")
    assert server.table(f"main.{table}")["properties"] == {"quality.level": "3"}
    server.sql(at(table, "DELETE FROM {t}"))
    reply = server.try_sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('team')")
    assert reply.json["condition"] == "UNSET_NONEXISTENT_PROPERTIES"
    done = server.sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES IF EXISTS ('team')")
    assert done["changed"] is False


def test_a_table_is_made_with_properties(server: LiveServer, schema: str) -> None:
    table = f"{schema}.made"
    server.sql(f"CREATE TABLE {table} (a INT) TBLPROPERTIES ('team' = 'sales')")
    assert server.table(f"main.{table}")["properties"] == {"team": "sales"}
    server.sql(f"CREATE TABLE {table}2 TBLPROPERTIES ('team' = 'it') AS SELECT 1 AS a")
    assert server.table(f"main.{table}2")["properties"] == {"team": "it"}
    server.sql(at(table, "INSERT INTO {t} VALUES (1); INSERT INTO {t}2 VALUES (2)"))
    server.sql(f"CREATE OR REPLACE TABLE {table} (b INT) TBLPROPERTIES ('owner.team' = 'x')")
    shown = server.table(f"main.{table}")
    assert (shown["properties"], shown["row_count"]) == ({"owner.team": "x"}, 0)
    server.sql(f"CREATE OR REPLACE TABLE {table}2 TBLPROPERTIES ('a' = 'b') AS SELECT 1 AS b")
    assert server.table(f"main.{table}2")["properties"] == {"a": "b"}
    assert server.sql(select("*", f"{table}2"))["rows"] == [[1]]


def test_of_a_table_that_is_replaced_nothing_is_left(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        f"ALTER TABLE {table} ADD CONSTRAINT one CHECK (a = 1); "
        f"ALTER TABLE {table} SET TBLPROPERTIES ('team' = 'it')"
    )
    server.sql(f"CREATE OR REPLACE TABLE {table} AS SELECT 'x' AS b")
    shown = server.table(f"main.{table}")
    assert (shown["constraints"], shown["properties"]) == ({}, {})
    assert server.sql(select("*", table))["rows"] == [["x"]]
    assert server.sql(f"{select('*', table)} VERSION AS OF 0")["rows"] == [[1]]


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("delta.columnMapping.mode", "name", "UNSUPPORTED_FEATURE"),
        ("delta.enableDeletionVectors", "true", "UNSUPPORTED_FEATURE"),
        ("delta.minWriterVersion", "7", "UNSUPPORTED_FEATURE"),
        ("delta.feature.columnMapping", "supported", "UNSUPPORTED_FEATURE"),
        ("delta.constraints.x", "a > 0", "UNSUPPORTED_FEATURE"),
        ("delta.apendOnly", "true", "DELTA_UNKNOWN_CONFIGURATION"),
        ("delta.appendOnly", "maybe", "INVALID_PROPERTY_VALUE"),
        ("fs.s3a.secret.key", "x", "UNSUPPORTED_FEATURE"),
        ("provider", "x", "UNSUPPORTED_FEATURE"),
    ],
)
def test_properties_that_would_not_be_held_to_are_refused(
    server: LiveServer, schema: str, name: str, value: str, condition: str
) -> None:
    statement = f"ALTER TABLE {schema}.t SET TBLPROPERTIES ('{name}' = '{value}')"
    reply = server.try_sql(statement)
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert server.table(f"main.{schema}.t")["delta_version"] == 0


def test_a_misspelt_property_is_told_the_nearest(server: LiveServer, schema: str) -> None:
    statement = f"ALTER TABLE {schema}.t SET TBLPROPERTIES ('delta.apendOnly' = 'true')"
    assert "delta.appendOnly" in server.try_sql(statement).json["hint"]
