"""DESCRIBE in all its forms against a real server, compared with what Spark answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support import spark_answers
from tests.support.live import LiveServer, select

ROWS = "VALUES (1, 1, 'a'), (2, 2, 'b/c'), (3, 1, NULL)"


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own with two tables, one of them partitioned."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name} COMMENT 'first'; USE {name};"
        "CREATE TABLE t (a INT NOT NULL COMMENT 'the key', b STRING, `odd name` DECIMAL(5,2), "
        "`it''s` ARRAY<STRUCT<x:INT,y:STRING>>, d DATE) PARTITIONED BY (d) COMMENT 'what it''s';"
        "CREATE TABLE other (x INT, p INT, q STRING) PARTITIONED BY (p, q)"
    )
    server.sql(" ".join(("INSERT INTO", f"{name}.other", ROWS)))
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def shape(reply: Any) -> list[tuple[str, str, bool]]:
    return [(c["name"], c["type"], c["nullable"]) for c in reply["columns"]]


@pytest.mark.parametrize("recorded", ["DESCRIBE t", "DESC TABLE t", "DESCRIBE other"])
def test_a_tables_columns_and_partitions_are_told_as_by_spark(
    server: LiveServer, schema: str, recorded: str
) -> None:
    *words, table = recorded.split()
    reply = server.sql(f"{' '.join(words)} {schema}.{table}")
    assert shape(reply) == spark_answers.shape(recorded)
    assert reply["rows"] == spark_answers.rows(recorded)


def test_extended_has_sparks_facts_in_sparks_order(server: LiveServer, schema: str) -> None:
    recorded = spark_answers.rows("DESCRIBE EXTENDED t")
    reply = server.sql(f"DESCRIBE EXTENDED {schema}.t")
    assert shape(reply) == spark_answers.shape("DESCRIBE EXTENDED t")
    start = recorded.index(["# Detailed Table Information", "", ""]) + 1
    assert reply["rows"][:start] == recorded[:start]
    # What Spark could not know of its table: properties.
    wanted = [row[0] for row in recorded[start:] if row[0] != "Table Properties"]
    found = {row[0]: row[1] for row in reply["rows"][start:]}
    assert [name for name in found if name in wanted] == wanted
    assert (found["Database"], found["Type"], found["Provider"]) == (schema, "MANAGED", "delta")
    assert found["Comment"] == "what it's"
    assert server.sql(f"DESCRIBE FORMATTED {schema}.t")["rows"] == reply["rows"]


@pytest.mark.parametrize(
    ("column", "recorded"),
    [("a", "DESCRIBE t a"), ("`odd name`", "DESCRIBE t `odd name`"), ("b", "DESCRIBE t b")],
)
def test_one_column_is_told_as_by_spark(
    server: LiveServer, schema: str, column: str, recorded: str
) -> None:
    reply = server.sql(f"DESCRIBE {schema}.t {column}")
    assert (shape(reply), reply["rows"]) == (
        spark_answers.shape(recorded),
        spark_answers.rows(recorded),
    )


def test_a_columns_name_is_found_whatever_its_case(server: LiveServer, schema: str) -> None:
    assert server.sql(f"DESCRIBE {schema}.t A")["rows"][0] == ["col_name", "a"]
    extended = server.sql(f"DESCRIBE EXTENDED {schema}.t a")["rows"]
    assert extended == spark_answers.rows("DESCRIBE EXTENDED t a")


@pytest.mark.parametrize(
    ("statement", "recorded"),
    [
        ("DESCRIBE {s}.nope", "DESCRIBE nope"),
        ("DESCRIBE {s}.t nope", "DESCRIBE t nope"),
        ("DESCRIBE EXTENDED {s}.other PARTITION (p=9, q='a')", None),
        ("DESCRIBE {s}.t AS JSON", "DESCRIBE t AS JSON"),
        ("DESCRIBE SCHEMA main.nope", "DESCRIBE SCHEMA nope"),
        ("DESCRIBE FUNCTION nope_fn", "DESC FUNCTION nope_fn"),
    ],
)
def test_refusals_carry_sparks_condition(
    server: LiveServer, schema: str, statement: str, recorded: str | None
) -> None:
    reply = server.try_sql(statement.format(s=schema))
    recorded = recorded or "DESCRIBE other PARTITION (p=9,q='a')"
    found = (reply.json["condition"], reply.json["sqlstate"])
    assert (reply.status, found) == (400, spark_answers.condition(recorded))


def test_a_partition_is_told_as_by_spark(server: LiveServer, schema: str) -> None:
    statement = "DESCRIBE EXTENDED other PARTITION (p=1,q='a')"
    reply = server.sql(statement.replace("other", f"{schema}.other"))
    recorded = spark_answers.rows(statement)
    assert shape(reply) == spark_answers.shape(statement)
    told = [row[0] for row in reply["rows"]]
    where = told.index("# Detailed Partition Information")
    assert told[: where + 4] == [row[0] for row in recorded][: where + 4]
    assert told[-3:] == [row[0] for row in recorded][-3:]
    assert ["Partition Values", "[p=1, q=a]", ""] in reply["rows"]
    reply = server.try_sql(f"DESCRIBE {schema}.other PARTITION (p=1)")
    assert "names 1 of the 2 columns" in reply.json["message"]


def test_a_query_is_described_without_being_run(server: LiveServer, schema: str) -> None:
    for recorded in (
        "DESCRIBE SELECT 1 AS x, CAST(NULL AS STRING) AS y",
        "DESCRIBE WITH q AS (SELECT 1 AS z) SELECT * FROM q",
    ):
        reply = server.sql(recorded)
        assert shape(reply) == spark_answers.shape(recorded)
        assert reply["rows"] == spark_answers.rows(recorded)
        assert reply["statement"] == "DESCRIBE"
    query = f"DESCRIBE QUERY {select('a, d AS e', f'{schema}.t')} WHERE 1 / 0 = 1"
    assert server.sql(query)["rows"] == [["a", "int", None], ["e", "date", None]]
    assert server.sql("DESCRIBE QUERY SELECT :n AS n", params={"n": 1})["rows"] == [
        ["n", "int", None]
    ]


def test_a_table_may_be_called_as_what_describe_knows(server: LiveServer, schema: str) -> None:
    server.sql(
        f"USE {schema}; CREATE TABLE query AS SELECT 1 AS a; CREATE TABLE history AS SELECT 1 AS b"
    )
    assert server.sql(f"USE {schema}; DESCRIBE query")["rows"][0][0] == "a"
    assert server.sql(f"USE {schema}; DESCRIBE history")["rows"][0][0] == "b"
    assert server.sql(f"USE {schema}; DESCRIBE TABLE history b")["rows"][0] == ["col_name", "b"]


def test_schemas_and_catalogs_are_told_as_by_spark(server: LiveServer, schema: str) -> None:
    recorded = "DESCRIBE SCHEMA s1"
    reply = server.sql(f"DESCRIBE SCHEMA {schema}")
    assert shape(reply) == spark_answers.shape(recorded)
    assert [row[0] for row in reply["rows"]] == [
        row[0] for row in spark_answers.rows(recorded) if row[0] != "Location"
    ]
    assert ["Comment", "first"] in reply["rows"]
    extended = server.sql(f"DESCRIBE DATABASE EXTENDED {schema}")["rows"]
    assert ["Properties", ""] in extended
    assert server.sql("DESCRIBE CATALOG main")["rows"][0] == ["Catalog Name", "main"]


def test_a_function_says_what_it_takes_and_gives(server: LiveServer) -> None:
    reply = server.sql("DESCRIBE FUNCTION abs")
    assert shape(reply) == spark_answers.shape("DESCRIBE FUNCTION abs")
    assert reply["rows"][0] == ["Function: abs"]
    assert reply["rows"][1][0].startswith("Usage: abs(number)")
    extended = server.sql("DESCRIBE FUNCTION EXTENDED sum")["rows"]
    assert "rows of a group" in extended[2][0]
    assert "Did you mean upper?" in server.try_sql("DESCRIBE FUNCTION uper").json["hint"]


def test_json_tells_what_sparks_does(server: LiveServer, schema: str) -> None:
    recorded = "DESCRIBE EXTENDED t AS JSON"
    reply = server.sql(f"DESCRIBE EXTENDED {schema}.t AS JSON")
    assert shape(reply) == spark_answers.shape(recorded)
    told = json.loads(reply["rows"][0][0])
    wanted = json.loads(spark_answers.rows(recorded)[0][0])
    # Spark reads files that may hold NULL whatever the table says.
    wanted["columns"][0]["nullable"] = False
    assert told["columns"] == wanted["columns"]
    assert told["partition_columns"] == wanted["partition_columns"]
    assert set(wanted) - set(told) <= {"table_properties", "collation"}


def test_history_lists_as_many_versions_as_asked_for(server: LiveServer, schema: str) -> None:
    table = f"{schema}.other"
    assert [row[0] for row in server.sql(f"DESCRIBE HISTORY {table}")["rows"]] == [1, 0]
    assert [row[0] for row in server.sql(f"DESCRIBE HISTORY {table} LIMIT 1")["rows"]] == [1]
    assert server.sql(f"DESCRIBE HISTORY {table} LIMIT 0")["rows"] == []


def test_detail_tells_what_the_log_says_of_a_table(server: LiveServer, schema: str) -> None:
    reply = server.sql(f"DESCRIBE DETAIL {schema}.other")
    names = [column["name"] for column in reply["columns"]]
    assert names == [
        "format",
        "id",
        "name",
        "description",
        "location",
        "createdAt",
        "lastModified",
        "partitionColumns",
        "clusteringColumns",
        "numFiles",
        "sizeInBytes",
        "properties",
        "minReaderVersion",
        "minWriterVersion",
        "tableFeatures",
    ]
    found = dict(zip(names, reply["rows"][0], strict=True))
    assert (found["format"], found["name"]) == ("delta", f"main.{schema}.other")
    assert found["partitionColumns"] == ["p", "q"]
    assert (found["numFiles"], found["minReaderVersion"]) == (3, 1)
    assert found["createdAt"].endswith("Z")


def test_a_view_is_told_as_by_spark(server: LiveServer, schema: str) -> None:
    session = uuid4().hex
    server.sql(
        f"CREATE VIEW {schema}.v COMMENT 'a view' AS {select('a, b', f'main.{schema}.t')}; "
        "CREATE TEMPORARY VIEW tv AS SELECT 1 AS one",
        session=session,
    )
    assert server.sql("DESCRIBE tv", session=session)["rows"] == spark_answers.rows("DESCRIBE tv")
    reply = server.sql(f"DESCRIBE TABLE EXTENDED {schema}.v")
    recorded = [row[0] for row in spark_answers.rows("DESCRIBE TABLE EXTENDED v")]
    told = [row[0] for row in reply["rows"] if row[0] != "Owner"]
    assert told == [name for name in recorded if name != "View Schema Mode"]
    assert server.sql(f"DESCRIBE {schema}.v b")["rows"] == spark_answers.rows("DESCRIBE t b")


def test_defaults_and_conditions_are_told(server: LiveServer, schema: str) -> None:
    table = f"{schema}.defs"
    server.sql(
        f"CREATE TABLE {table} (a INT DEFAULT 3, b STRING DEFAULT 'x', CONSTRAINT c CHECK (a > 0))"
    )
    told = server.sql(f"DESCRIBE EXTENDED {table}")["rows"]
    recorded = spark_answers.rows("DESCRIBE EXTENDED defs")
    start = recorded.index(["# Column Default Values", "", ""])
    assert told[-3:] == recorded[start:]
    assert ["# Constraints", "", ""] in told
