"""MERGE WITH SCHEMA EVOLUTION and DEFAULT as a value against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select

BOTH = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


class Merged:
    """A schema with a table ``t`` of two rows, whose key may not be NULL, and a source ``u``."""

    def __init__(self, server: LiveServer, schema: str) -> None:
        self.server = server
        self.schema = schema

    def run(self, text: str) -> Any:
        return self.server.sql(text.format(s=self.schema))

    def refused(self, text: str) -> Any:
        before = self.version
        reply = self.server.try_sql(text.format(s=self.schema))
        assert reply.status == 400, reply.json
        assert self.version == before
        return reply.json

    @property
    def version(self) -> Any:
        return self.server.table(f"main.{self.schema}.t")["delta_version"]

    @property
    def rows(self) -> Any:
        return self.server.sql(f"{select('*', self.schema)}.t ORDER BY id")["rows"]

    @property
    def columns(self) -> Any:
        listed = self.server.table(f"main.{self.schema}.t")["columns"]
        return [(c["name"], c["type"], c["nullable"]) for c in listed]


@pytest.fixture
def merged(server: LiveServer) -> Iterator[Merged]:
    """The tables."""
    name = f"s{uuid4().hex[:12]}"
    made = Merged(server, name)
    made.run("CREATE SCHEMA {s}")
    made.run("CREATE TABLE {s}.t (id INT NOT NULL COMMENT 'key', name STRING)")
    made.run("INSERT INTO {s}.t VALUES (1, 'a'), (2, 'b')")
    made.run(
        "CREATE TABLE {s}.u AS SELECT * FROM VALUES (2, 'B', CAST(7 AS SMALLINT), 1.50), "
        "(3, 'C', NULL, 2.25) AS v(ID, name, Size, cost)"
    )
    yield made
    server.sql(f"DROP SCHEMA {name} CASCADE")


OWN = [("id", "int", False), ("name", "string", True)]


def test_columns_of_the_source_are_added_in_one_version(merged: Merged) -> None:
    before = merged.version
    done = merged.run("MERGE WITH SCHEMA EVOLUTION INTO {s}.t USING {s}.u ON t.id = u.id " + BOTH)
    assert done["written"] == {"inserted": 1, "updated": 1, "deleted": 0}
    assert merged.columns == [*OWN, ("Size", "smallint", True), ("cost", "decimal(3,2)", True)]
    assert merged.rows == [[1, "a", None, None], [2, "B", 7, "1.50"], [3, "C", None, "2.25"]]
    assert merged.version == before + 1
    assert merged.server.sql(f"DESCRIBE {merged.schema}.t")["rows"][0] == ["id", "int", "key"]


def test_no_column_is_added_that_was_not_asked(merged: Merged) -> None:
    merged.run("MERGE INTO {s}.t USING {s}.u ON t.id = u.id " + BOTH)
    assert merged.columns == OWN
    assert merged.rows == [[1, "a"], [2, "B"], [3, "C"]]
    error = merged.refused(
        "MERGE INTO {s}.t USING {s}.u ON t.id = u.id WHEN MATCHED THEN UPDATE SET size = u.size"
    )
    assert error["condition"].startswith("UNRESOLVED_COLUMN")


def test_columns_that_the_source_lacks_stay_or_are_null(merged: Merged) -> None:
    source = "(SELECT ID, cost FROM {s}.u) v ON t.id = v.id "
    merged.run(f"MERGE WITH SCHEMA EVOLUTION INTO {{s}}.t USING {source} {BOTH}")
    assert merged.rows == [[1, "a", None], [2, "b", "1.50"], [3, None, "2.25"]]


def test_a_column_may_be_named_that_the_table_gets(merged: Merged) -> None:
    merged.run(
        "MERGE WITH SCHEMA EVOLUTION INTO {s}.t USING {s}.u ON t.id = u.id "
        "WHEN MATCHED THEN UPDATE SET cost = u.cost * 2 "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (u.id, 'new') "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )
    assert merged.rows == [[2, "b", "3.00"], [3, "new", None]]


def test_matched_rows_alone_may_bring_a_column(merged: Merged) -> None:
    merged.run(
        "MERGE WITH SCHEMA EVOLUTION INTO {s}.t USING {s}.u ON t.id = u.id "
        "WHEN MATCHED THEN UPDATE SET cost = u.cost"
    )
    assert merged.rows == [[1, "a", None], [2, "b", "1.50"]]
    assert merged.columns[:2] == OWN


@pytest.mark.parametrize(
    ("source", "clauses", "condition"),
    [
        ("(SELECT 4 AS id, 'x' AS NAME, NULL AS more) v", BOTH, "UNSUPPORTED_DATATYPE"),
        ("(SELECT NULL AS id, 'x' AS name, 1 AS more) v", BOTH, "DELTA_NOT_NULL_CONSTRAINT"),
        ("(SELECT 'x' AS name, 4 AS id, 1 AS `Id`) v", BOTH, "AMBIGUOUS"),
        ("(SELECT 4 AS id, 1 AS __flowcat_x) v", BOTH, "INVALID_IDENTIFIER"),
        ("(SELECT 1 AS id, 2 AS more UNION ALL SELECT 1, 3) v", BOTH, "MERGE_CARDINALITY"),
        ("(SELECT 99999999999 AS id, 2 AS more) v", BOTH, "INCOMPATIBLE_DATA_FOR_TABLE"),
        ("(SELECT 5 AS more) v", BOTH, "UNRESOLVED_COLUMN"),
    ],
)
def test_a_merge_that_fails_adds_no_column(
    merged: Merged, source: str, clauses: str, condition: str
) -> None:
    error = merged.refused(
        f"MERGE WITH SCHEMA EVOLUTION INTO {{s}}.t USING {source} ON t.id = v.id {clauses}"
    )
    assert error["condition"].startswith(condition), error
    assert merged.columns == OWN
    assert merged.rows == [[1, "a"], [2, "b"]]


@pytest.fixture
def defaulted(merged: Merged) -> Merged:
    """The table, with a column that has a default."""
    merged.run("DROP TABLE {s}.t")
    merged.run(
        "CREATE TABLE {s}.t (id INT NOT NULL, name STRING DEFAULT 'nobody', n INT DEFAULT 2)"
    )
    merged.run("INSERT INTO {s}.t VALUES (1, 'a', 5), (2, 'b', 6)")
    return merged


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("INSERT INTO {s}.t VALUES (3, DEFAULT, default)", [3, "nobody", 2]),
        ("INSERT INTO {s}.t SELECT 3, DEFAULT, 4", [3, "nobody", 4]),
        ("INSERT INTO {s}.t (n, id) VALUES (DEFAULT, 3)", [3, "nobody", 2]),
        ("INSERT INTO {s}.t BY NAME SELECT 3 AS id", [3, "nobody", 2]),
        ("INSERT INTO {s}.t BY NAME SELECT 3 AS id, NULL AS name", [3, None, 2]),
        (
            "MERGE INTO {s}.t USING (SELECT 3 AS id) v ON t.id = v.id "
            "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (v.id, DEFAULT)",
            [3, "nobody", 2],
        ),
    ],
)
def test_what_no_value_is_said_for_gets_its_default(
    defaulted: Merged, statement: str, row: list[Any]
) -> None:
    defaulted.run(statement)
    assert defaulted.rows == [[1, "a", 5], [2, "b", 6], row]


def test_a_value_goes_back_to_its_default(defaulted: Merged) -> None:
    defaulted.run("UPDATE {s}.t SET name = DEFAULT, n = default WHERE id = 2")
    assert defaulted.rows == [[1, "a", 5], [2, "nobody", 2]]
    defaulted.run(
        "MERGE INTO {s}.t USING (SELECT 1 AS id) v ON t.id = v.id "
        "WHEN MATCHED THEN UPDATE SET t.name = DEFAULT"
    )
    assert defaulted.rows == [[1, "nobody", 5], [2, "nobody", 2]]


def test_a_default_stands_alone(defaulted: Merged) -> None:
    error = defaulted.refused("INSERT INTO {s}.t VALUES (3, upper(DEFAULT), 1)")
    assert error["condition"] == "DEFAULT_PLACEMENT_INVALID"
    error = defaulted.refused("INSERT INTO {s}.t VALUES (3, 'a', 1, DEFAULT)")
    assert error["condition"] in (
        "DEFAULT_PLACEMENT_INVALID",
        "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
    )


def test_a_column_without_a_default_gets_null(merged: Merged) -> None:
    merged.run(
        "INSERT INTO {s}.t VALUES (3, DEFAULT); UPDATE {s}.t SET name = DEFAULT WHERE id = 1"
    )
    assert merged.rows == [[1, None], [2, "b"], [3, None]]
