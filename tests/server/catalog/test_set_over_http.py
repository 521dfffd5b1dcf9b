"""SET and RESET against a real server, compared with what Spark answers."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.support import spark_answers
from tests.support.live import LiveServer, select

ZONE = "spark.sql.session.timeZone"


@pytest.fixture
def session() -> str:
    """A SQL session of the test's own."""
    return uuid4().hex


def shape(reply: Any) -> list[tuple[str, str, bool]]:
    return [(c["name"], c["type"], c["nullable"]) for c in reply["columns"]]


@pytest.mark.parametrize(
    "statement",
    [
        f"SET {ZONE} = UTC",
        "SET TIME ZONE 'Europe/Amsterdam'",
        "SET TIME ZONE INTERVAL '2' HOUR",
        "SET TIME ZONE '+02:00'",
        "RESET",
    ],
)
def test_what_is_set_is_told_as_by_spark(server: LiveServer, statement: str) -> None:
    reply = server.sql(statement)
    assert shape(reply) == spark_answers.shape(statement)
    assert reply["rows"] == spark_answers.rows(statement)
    assert reply["statement"] == statement.split()[0]


@pytest.mark.parametrize(
    "statement",
    [
        f"SET {ZONE} = nope",
        "SET spark.sql.ansi.enabled = maybe",
        "SET TIME ZONE 'nope'",
        "SET TIME ZONE INTERVAL 20 HOURS",
    ],
)
def test_wrong_values_have_sparks_condition(server: LiveServer, statement: str) -> None:
    reply = server.try_sql(statement)
    found = (reply.json["condition"], reply.json["sqlstate"])
    assert (reply.status, found) == (400, spark_answers.condition(statement))


def test_a_setting_holds_for_its_session_until_it_is_reset(
    server: LiveServer, session: str
) -> None:
    server.sql(f"SET {ZONE} = Asia/Tokyo", session=session)
    asked = f"SET {ZONE.upper()}"
    assert server.sql(asked, session=session)["rows"] == [[ZONE, "Asia/Tokyo"]]
    assert server.sql("SET", session=session)["rows"] == [[ZONE, "Asia/Tokyo"]]
    other = server.sql(asked, session=uuid4().hex)["rows"][0][1]
    assert other != "Asia/Tokyo"
    server.sql(f"RESET {ZONE}", session=session)
    assert server.sql(asked, session=session)["rows"] == [[ZONE, other]]
    assert server.sql("SET", session=session)["rows"] == []


def test_all_settings_are_listed_with_what_they_mean(server: LiveServer) -> None:
    reply = server.sql("SET -v")
    assert shape(reply) == spark_answers.shape("SET -v")
    assert [row[0] for row in reply["rows"] if "time zone" in row[2]] == [ZONE]
    assert all(row[2] and row[3] for row in reply["rows"])


def test_the_time_zone_counts_in_later_statements(server: LiveServer, session: str) -> None:
    asked = "SELECT hour(TIMESTAMP'2024-07-01 12:00:00Z') AS h, TIMESTAMP'2024-01-01' AS t"
    server.sql("SET TIME ZONE 'Asia/Tokyo'", session=session)
    assert server.sql(asked, session=session)["rows"] == [[21, "2023-12-31T15:00:00Z"]]
    # Within one text, too, and as an offset.
    assert server.sql(f"SET TIME ZONE '-03:00'; {asked}")["rows"][0][0] == 9


@pytest.mark.parametrize("format", ["delta", "iceberg", "csv", "json", "parquet"])
def test_instants_of_any_zone_are_written_to_every_kind_of_table(
    server: LiveServer, session: str, format: str
) -> None:
    name = f"zoned_{format}"
    server.sql("SET TIME ZONE 'America/New_York'", session=session)
    server.sql(f"CREATE TABLE {name} (a INT, t TIMESTAMP) USING {format} PARTITIONED BY (a)")
    midnight = "TIMESTAMP'2024-01-01 00:00:00'"
    server.sql(f"INSERT INTO {name} SELECT 1, {midnight}", session=session)
    copy = f"CREATE TABLE {name}_2 USING {format} PARTITIONED BY (t) AS SELECT * FROM {name}"  # noqa: S608
    server.sql(copy, session=session)
    for table in (name, f"{name}_2"):
        met = f"{select('t', table)} WHERE t = {midnight}"
        assert server.sql(met, session=session)["rows"] == [["2024-01-01T05:00:00Z"]]
        assert server.sql(select("t", table))["rows"] == [["2024-01-01T05:00:00Z"]]


@pytest.mark.parametrize("format", ["delta", "iceberg"])
@pytest.mark.parametrize("said", ["TIMESTAMP'2024-01-01 00:00:00'", "'2024-01-01 00:00:00'"])
def test_a_partition_is_named_by_an_instant_of_any_zone(
    server: LiveServer, session: str, format: str, said: str
) -> None:
    name = f"zone_{uuid4().hex}"
    server.sql("SET TIME ZONE 'America/New_York'", session=session)
    server.sql(f"CREATE TABLE {name} (a INT, t TIMESTAMP) USING {format} PARTITIONED BY (t)")
    rows = "VALUES (1, TIMESTAMP'2024-01-01 05:00:00Z'), (2, NULL)"
    server.sql(f"INSERT INTO {name} {rows}", session=session)
    server.sql(f"INSERT OVERWRITE {name} PARTITION (t = {said}) SELECT 3", session=session)
    found = server.sql(select("a, t", name))["rows"]
    assert sorted(found) == [[2, None], [3, "2024-01-01T05:00:00Z"]]


def test_the_engine_and_the_most_rows_count_in_later_statements(
    server: LiveServer, session: str
) -> None:
    pytest.importorskip("duckdb")
    server.sql("SET flowcat.engine = DuckDB; SET flowcat.max_rows = 2", session=session)
    reply = server.sql("SELECT id FROM range(5)", session=session)
    assert (reply["engine"], reply["row_count"], reply["truncated"]) == ("duckdb", 2, True)
    assert server.sql("SELECT 1 AS a", session=session, engine="polars")["engine"] == "polars"


def test_the_default_catalog_is_the_current_one(server: LiveServer, session: str) -> None:
    reply = server.sql("SET spark.sql.defaultCatalog = demo", session=session)
    assert reply["current"]["catalog"] == "demo"
    assert server.sql("SHOW CURRENT SCHEMA", session=session)["rows"][0][0] == "demo"
    assert server.try_sql("SET spark.sql.defaultCatalog = nope").status == 400


@pytest.mark.parametrize(
    ("statement", "condition", "told"),
    [
        ("SET spark.sql.shuffle.partitions = 3", "SQL_CONF_NOT_FOUND", "shuffle.partitions"),
        ("SET spark.sql.session.timezon", "SQL_CONF_NOT_FOUND", f"Did you mean {ZONE}?"),
        ("RESET nope.nope", "SQL_CONF_NOT_FOUND", "SET -v"),
        ("SET spark.sql.ansi.enabled = false", "INVALID_CONF_VALUE.REQUIREMENT", "TRY_CAST"),
        ("SET spark.sql.caseSensitive = true", "INVALID_CONF_VALUE.REQUIREMENT", "by case"),
        ("SET flowcat.engine = oracle", "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", "duckdb"),
        ("SET flowcat.max_rows = many", "INVALID_CONF_VALUE.TYPE_MISMATCH", "number of rows"),
        ("SET TIME ZONE '+05:30'", "INVALID_CONF_VALUE.TIME_ZONE", "whole hours"),
        ("SET TIME ZONE", "PARSE_SYNTAX_ERROR", "needs a time zone"),
        ("SET flowcat.engine polars", "PARSE_SYNTAX_ERROR", "needs ="),
        ("SET flowcat.engine =", "PARSE_SYNTAX_ERROR", "value is missing"),
    ],
)
def test_what_is_not_understood_is_refused(
    server: LiveServer, statement: str, condition: str, told: str
) -> None:
    reply = server.try_sql(f"SELECT 1;\n{statement}")
    assert (reply.status, reply.json["condition"]) == (400, condition)
    assert told in reply.json["message"] + (reply.json.get("hint") or "")
    assert reply.json["line"] == 2


def test_instants_are_shown_in_the_zone_that_the_statement_was_run_in(
    server: LiveServer, session: str
) -> None:
    text = "SET TIME ZONE 'Europe/Berlin'; SELECT TIMESTAMP '2024-01-01 00:00:00' AS t"
    reply = server.sql(text, session=session)
    assert reply["time_zone"] == "Europe/Berlin"
    wanted = '[{"column": 0, "op": "=", "value": "2024-01-01 00:00:00"}]'
    assert server.get(f"sql/{reply['query_id']}/rows", filter=wanted)["total"] == 1
    assert server.sql("SELECT 1")["time_zone"] != "Europe/Berlin"
