"""SHOW in all its forms against a real server, compared with what Spark answers."""

from __future__ import annotations

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
        "d DATE) PARTITIONED BY (d) COMMENT 'what it''s';"
        "CREATE TABLE other (x INT, p INT, q STRING) PARTITIONED BY (p, q)"
    )
    server.sql(" ".join(("INSERT INTO", f"{name}.other", ROWS)))
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def shape(reply: Any) -> list[tuple[str, str, bool]]:
    return [(c["name"], c["type"], c["nullable"]) for c in reply["columns"]]


@pytest.mark.parametrize(
    ("statement", "recorded"),
    [
        ("SHOW CATALOGS", "SHOW CATALOGS"),
        ("SHOW SCHEMAS", "SHOW SCHEMAS"),
        ("SHOW NAMESPACES IN main", "SHOW NAMESPACES IN spark_catalog"),
        ("SHOW TABLES IN {s}", "SHOW TABLES"),
        ("SHOW TABLE EXTENDED IN {s} LIKE 't'", "SHOW TABLE EXTENDED LIKE 't'"),
        ("SHOW VIEWS IN {s}", "SHOW VIEWS"),
        ("SHOW COLUMNS IN {s}.t", "SHOW COLUMNS IN t"),
        ("SHOW TBLPROPERTIES {s}.t", "SHOW TBLPROPERTIES t"),
        ("SHOW PARTITIONS {s}.other", "SHOW PARTITIONS other"),
        ("SHOW CREATE TABLE {s}.t", "SHOW CREATE TABLE t"),
        ("SHOW FUNCTIONS LIKE 'ab*'", "SHOW FUNCTIONS LIKE 'ab*'"),
        ("SHOW CURRENT SCHEMA", "SHOW CURRENT SCHEMA"),
    ],
)
def test_columns_are_sparks(server: LiveServer, schema: str, statement: str, recorded: str) -> None:
    reply = server.sql(statement.format(s=schema))
    assert shape(reply) == spark_answers.shape(recorded)


@pytest.mark.parametrize(
    ("statement", "recorded"),
    [
        ("SHOW TABLES IN main.no_such", "SHOW TABLES IN nope"),
        ("SHOW COLUMNS IN {s}.nope", "SHOW COLUMNS IN nope"),
        ("SHOW COLUMNS IN {s}.t IN main.nyc", "SHOW COLUMNS IN s1.t IN s2"),
        ("SHOW PARTITIONS {s}.plain", "SHOW PARTITIONS defs"),
        ("SHOW PARTITIONS {s}.other PARTITION (zz = 1)", "SHOW PARTITIONS other PARTITION (zz=1)"),
        ("SHOW CREATE TABLE {s}.nope", "SHOW CREATE TABLE nope"),
        ("SHOW TABLE EXTENDED", "SHOW TABLE EXTENDED"),
    ],
)
def test_refusals_carry_sparks_condition(
    server: LiveServer, schema: str, statement: str, recorded: str
) -> None:
    server.sql(f"CREATE TABLE {schema}.plain AS SELECT 1 AS a")
    reply = server.try_sql(statement.format(s=schema))
    found = (reply.json["condition"], reply.json["sqlstate"])
    assert (reply.status, found) == (400, spark_answers.condition(recorded))
    assert reply.json["line"] == 1


def test_patterns_know_stars_alternatives_and_no_case(server: LiveServer, schema: str) -> None:
    found = server.sql(f"SHOW TABLES IN {schema} LIKE 'T|O*'")["rows"]
    assert [row[1] for row in found] == ["other", "t"]
    assert server.sql(f"SHOW TABLES IN {schema} 'x*'")["rows"] == []
    assert server.sql("SHOW FUNCTIONS LIKE 'abs|upp*'")["rows"] == [["abs"], ["upper"]]
    assert server.sql("SHOW USER FUNCTIONS LIKE 'abs'")["rows"] == []


def test_partitions_are_named_as_spark_names_them(server: LiveServer, schema: str) -> None:
    table = f"{schema}.other"
    assert server.sql(f"SHOW PARTITIONS {table}")["rows"] == spark_answers.rows(
        "SHOW PARTITIONS other"
    )
    for spec in ("(p=1)", "(q='a')"):
        assert server.sql(f"SHOW PARTITIONS {table} PARTITION {spec}")["rows"] == (
            spark_answers.rows(f"SHOW PARTITIONS other PARTITION {spec}")
        )


def test_a_property_that_is_not_there_is_told_as_spark_tells_it(
    server: LiveServer, schema: str
) -> None:
    table = f"main.{schema}.t"
    assert server.sql(f"SHOW TBLPROPERTIES {table} ('zz')")["rows"] == [
        ["zz", f"Table {table} does not have property: zz"]
    ]


def test_extended_tells_of_a_table_in_lines(server: LiveServer, schema: str) -> None:
    ((namespace, name, temporary, text),) = server.sql(f"SHOW TABLE EXTENDED IN {schema} LIKE 't'")[
        "rows"
    ]
    assert (namespace, name, temporary) == (schema, "t", False)
    assert f"\nDatabase: {schema}\nTable: t\n" in text
    assert "\nComment: what it's\n" in text
    assert "\nPartition Columns: [`d`]\nSchema: root\n |-- a: integer (nullable = false)\n" in text
    assert text.endswith(" |-- d: date (nullable = true)\n\n")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {t} (a INT NOT NULL COMMENT 'it''s \\\\ the key', `odd ``name` DECIMAL(5,2), "
        "`select` ARRAY<STRUCT<x: INT, `y z`: STRING>>, `Übung` STRING, d DATE) "
        "USING delta PARTITIONED BY (d, `Übung`) COMMENT 'two\\nlines, it''s'",
        "CREATE TABLE {t} (a INT NOT NULL, b STRING DEFAULT 'it\\'s' COMMENT 'x', "
        "CONSTRAINT low CHECK (a > 0), CONSTRAINT `big b` CHECK (b <> 'xy')) "
        "TBLPROPERTIES ('delta.appendOnly' = 'false', 'my.name' = 'it''s \\\\ mine')",
        "CREATE TABLE {t} (a INT, at TIMESTAMP) USING iceberg "
        "PARTITIONED BY (days(at), bucket(4, a))",
        "CREATE TABLE {t} AS "
        "SELECT 1 AS a, TIMESTAMP'2024-01-01' AS b, CAST(NULL AS STRING) AS c, TRUE AS e",
    ],
)
def test_create_table_makes_the_same_table_again(
    server: LiveServer, schema: str, statement: str
) -> None:
    table = f"main.{schema}.made"
    server.sql(statement.format(t=table))
    ((text,),) = server.sql(f"SHOW CREATE TABLE {table}")["rows"]
    assert text.startswith(f"CREATE TABLE {table} (\n  a INT")
    server.sql(text.replace(table, f"main.{schema}.second", 1))
    for what in ("description", "columns", "partition_columns", "format"):
        assert server.table(f"main.{schema}.second")[what] == server.table(table)[what], what
    ((again,),) = server.sql(f"SHOW CREATE TABLE main.{schema}.second")["rows"]
    assert again.replace("second", "made", 1) == text


def test_the_current_schema_follows_use(server: LiveServer, schema: str) -> None:
    assert server.sql(f"USE {schema}; SHOW CURRENT NAMESPACE")["rows"] == [["main", schema]]


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("SHOW CURRENT CATALOG", "SHOW CURRENT CATALOG"),
        ("SHOW LOCKS", "SHOW LOCKS"),
        ("SHOW", "SHOW"),
        ("SHOW CREATE VIEW v", "SHOW CREATE VIEW"),
        ("SHOW CREATE TABLE t AS SERDE", "AS SERDE"),
        ("SHOW TABLE EXTENDED LIKE 't' PARTITION (a = 1)", "PARTITION"),
        ("SHOW COLUMNS", "SHOW COLUMNS needs IN"),
        ("SHOW TABLES LIKE t", "LIKE needs a pattern"),
        ("SHOW TABLES IN s BANANAS", "BANANAS is not expected"),
        ("SHOW PARTITIONS t PARTITION (a = )", "a number, a text or NULL"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(
    server: LiveServer, statement: str, named: str
) -> None:
    reply = server.try_sql(statement)
    assert reply.status == 400
    assert named in reply.json["message"]


def test_views_are_listed_and_made_again(server: LiveServer, schema: str) -> None:
    session = uuid4().hex
    view = f"main.{schema}.v"
    server.sql(
        f"CREATE VIEW {view} COMMENT 'a view' AS {select('a, b', f'main.{schema}.t')}; "
        "CREATE TEMPORARY VIEW tv AS SELECT 1 AS one; "
        "CREATE GLOBAL TEMPORARY VIEW gv AS SELECT 1 AS one",
        session=session,
    )
    shown = server.sql(f"SHOW TABLES IN {schema}", session=session)["rows"]
    assert [row[1:] for row in shown] == [
        ["other", False],
        ["t", False],
        ["v", False],
        ["tv", True],
    ]
    assert server.sql(f"SHOW VIEWS IN {schema}", session=session)["rows"] == [
        [schema, "v", False],
        ["", "tv", True],
    ]
    assert server.sql("SHOW VIEWS IN global_temp", session=session)["rows"] == (
        spark_answers.rows("SHOW VIEWS IN global_temp")
    )
    assert server.sql(f"SHOW COLUMNS IN {view}")["rows"] == [["a"], ["b"]]
    ((text,),) = server.sql(f"SHOW CREATE TABLE {view}")["rows"]
    server.sql(text.replace(view, f"{view}2", 1))
    ((again,),) = server.sql(f"SHOW CREATE TABLE {view}2")["rows"]
    assert again.replace(f"{view}2", view, 1) == text
    information = server.sql(f"SHOW TABLE EXTENDED IN {schema} LIKE 'v'")["rows"][0][3]
    assert "\nType: VIEW\nComment: a view\nView Text: SELECT a, b FROM" in information
    reply = server.try_sql("SHOW CREATE TABLE tv", session=session)
    assert reply.json["condition"] == spark_answers.condition("SHOW CREATE TABLE tv")[0]
    reply = server.try_sql(f"SHOW PARTITIONS {view}")
    assert reply.json["condition"] == spark_answers.condition("SHOW PARTITIONS v")[0]
    server.sql("DROP VIEW global_temp.gv", session=session)


def test_a_table_of_files_is_made_again_over_the_same_files(
    server: LiveServer, schema: str
) -> None:
    folder = server.root / f"files-{schema}"
    folder.mkdir()
    (folder / "a.csv").write_text("1;x\n2;y\n")
    table = f"main.{schema}.files"
    server.sql(
        f"CREATE TABLE {table} (a INT, b STRING) USING csv OPTIONS (sep = ';') LOCATION '{folder}'"
    )
    ((text,),) = server.sql(f"SHOW CREATE TABLE {table}")["rows"]
    server.sql(f"DROP TABLE {table}")
    server.sql(text)
    assert server.sql(f"{select('*', table)} ORDER BY a")["rows"] == [[1, "x"], [2, "y"]]
    assert server.sql(f"SHOW CREATE TABLE {table}")["rows"] == [[text]]
    assert server.sql(f"DESCRIBE DETAIL {table}")["rows"][0][0] == "csv"
