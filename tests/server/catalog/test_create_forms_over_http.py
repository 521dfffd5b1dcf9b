"""CREATE TABLE … LIKE and REPLACE TABLE against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


class Made:
    """A schema of the test's own."""

    def __init__(self, server: LiveServer, schema: str) -> None:
        self.server = server
        self.schema = schema

    def run(self, text: str) -> Any:
        return self.server.sql(text.replace("{s}", self.schema))

    def refused(self, text: str) -> Any:
        reply = self.server.try_sql(text.replace("{s}", self.schema))
        assert reply.status >= 400, reply.json
        return reply.json

    def table(self, name: str) -> Any:
        return self.server.table(f"main.{self.schema}.{name}")

    def rows(self, name: str) -> Any:
        return self.server.sql(f"{select('*', self.schema)}.{name}")["rows"]

    @property
    def names(self) -> list[str]:
        return [row[1] for row in self.run("SHOW TABLES IN {s}")["rows"]]


@pytest.fixture
def made(server: LiveServer) -> Iterator[Made]:
    """A schema with a table ``u`` that says a lot of its rows, and holds one."""
    name = f"s{uuid4().hex[:12]}"
    found = Made(server, name)
    found.run("CREATE SCHEMA {s}")
    found.run(
        "CREATE TABLE {s}.u (id INT NOT NULL COMMENT 'key', p STRING, at DATE DEFAULT "
        "DATE '2020-01-01', CONSTRAINT positive CHECK (id > 0)) PARTITIONED BY (p) "
        "COMMENT 'all of it' TBLPROPERTIES ('a' = 'b')"
    )
    found.run("INSERT INTO {s}.u VALUES (1, 'x', DATE '2021-01-01')")
    yield found
    server.sql(f"DROP SCHEMA {name} CASCADE")


def test_a_table_is_like_another_without_its_rows(made: Made) -> None:
    done = made.run("CREATE TABLE {s}.t LIKE {s}.u TBLPROPERTIES ('c' = 'd')")
    assert (done["statement"], done["changed"]) == ("CREATE TABLE", True)
    own, other = made.table("t"), made.table("u")
    assert own["columns"] == other["columns"]
    assert own["description"] == "all of it"
    assert made.rows("t") == []
    made.run("INSERT INTO {s}.t (id, p) VALUES (2, 'y')")
    assert made.rows("t") == [[2, "y", "2020-01-01"]]
    assert made.refused("INSERT INTO {s}.t (id) VALUES (-1)")["condition"].startswith("DELTA_VIOL")
    assert made.refused("INSERT INTO {s}.t (p) VALUES ('z')")["code"] == "SqlError"
    made.run("INSERT OVERWRITE {s}.t PARTITION (p = 'y') SELECT 3, NULL")
    assert made.rows("t") == [[3, "y", None]]
    assert made.rows("u") == [[1, "x", "2021-01-01"]]


def test_a_table_that_is_there_stays_as_it_is(made: Made) -> None:
    made.run("CREATE TABLE {s}.t AS SELECT 1 AS a")
    error = made.refused("CREATE TABLE {s}.t LIKE {s}.u")
    assert error["condition"] == "TABLE_OR_VIEW_ALREADY_EXISTS"
    done = made.run("CREATE TABLE IF NOT EXISTS {s}.t LIKE {s}.u")
    assert (done["changed"], len(done["warnings"])) == (False, 1)
    assert made.rows("t") == [[1]]


def test_a_table_is_like_a_view(made: Made) -> None:
    made.run("CREATE VIEW {s}.v AS SELECT id + 1 AS more, p FROM {s}.u")
    made.run("CREATE TABLE {s}.t LIKE {s}.v")
    columns = [(c["name"], c["type"]) for c in made.table("t")["columns"]]
    assert columns == [("more", "int"), ("p", "string")]
    made.run("CREATE TEMPORARY VIEW w AS SELECT 'x' AS q; CREATE TABLE {s}.r LIKE w")
    assert [c["name"] for c in made.table("r")["columns"]] == ["q"]


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("LIKE {s}.nope", "TABLE_OR_VIEW_NOT_FOUND"),
        ("LIKE {s}.u LOCATION '/somewhere'", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("LIKE {s}.u USING parquet", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("LIKE {s}.u COMMENT 'mine'", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("(x INT) LIKE {s}.u", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("(x INT) CLUSTERED BY (x) INTO 2 BUCKETS", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        (
            "(x INT) CLUSTERED BY (x) SORTED BY (x) INTO 2 BUCKETS",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        ),
        ("(x INT) CLUSTER BY (x)", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("(x INT) AS SELECT 1 AS x", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_what_is_not_done_is_refused_by_name(made: Made, statement: str, condition: str) -> None:
    assert made.refused(f"CREATE TABLE {{s}}.t {statement}")["condition"] in (
        condition,
        "PARSE_SYNTAX_ERROR",
    )
    assert made.names == ["u"]


@pytest.mark.parametrize(
    "statement",
    ["CREATE OR REPLACE TABLE {s}.u LIKE {s}.u", "CREATE EXTERNAL TABLE {s}.t (x INT)"],
)
def test_other_forms_are_refused(made: Made, statement: str) -> None:
    assert made.refused(statement)["condition"] == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert made.names == ["u"]


def test_a_table_is_replaced_that_is_there(made: Made) -> None:
    made.run("DROP TABLE {s}.u; CREATE TABLE {s}.u AS SELECT 1 AS a")
    made.run("REPLACE TABLE {s}.u AS SELECT 'x' AS b")
    assert made.rows("u") == [["x"]]
    made.run("REPLACE TABLE {s}.u (c INT COMMENT 'new')")
    assert made.rows("u") == []
    assert made.table("u")["columns"][0]["comment"] == "new"
    assert made.table("u")["delta_version"] == 2


@pytest.mark.parametrize("definition", ["AS SELECT 1 AS a", "(a INT)"])
def test_no_table_is_made_by_replacing(made: Made, definition: str) -> None:
    error = made.refused(f"REPLACE TABLE {{s}}.nope {definition}")
    assert error["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert made.names == ["u"]


def test_nothing_else_is_replaced(made: Made) -> None:
    for statement in (
        "REPLACE TABLE IF NOT EXISTS {s}.u (a INT)",
        "REPLACE TABLE {s}.u LIKE {s}.u",
        "REPLACE TABLE {s}.u USING parquet AS SELECT 1 AS a",
        "REPLACE INTO {s}.u VALUES (1)",
    ):
        error = made.refused(statement)
        assert error["condition"] == "UNSUPPORTED_FEATURE.TABLE_OPERATION", error
    assert len(made.rows("u")) == 1
