"""ALTER TABLE and COMMENT ON against a real server."""

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


def columns(server: LiveServer, table: str) -> list[list[Any]]:
    return [row[:2] for row in server.sql(f"DESCRIBE {table}")["rows"]]


@pytest.fixture
def wide(server: LiveServer, schema: str) -> str:
    """A table of three rows and as many columns."""
    table = f"{schema}.wide"
    server.sql(
        at(
            table,
            "CREATE TABLE {t} (id INT NOT NULL, Name STRING COMMENT 'who', day DATE DEFAULT "
            "DATE '2026-01-31') PARTITIONED BY (day) TBLPROPERTIES ('team' = 'it'); "
            "INSERT INTO {t} VALUES (1, 'a', DATE '2026-01-01'), (2, 'b', NULL), (3, NULL, NULL)",
        )
    )
    return table


def test_columns_are_renamed_and_keep_all_that_is_said_of_them(
    server: LiveServer, wide: str
) -> None:
    server.sql(f"COMMENT ON COLUMN {wide}.id IS 'the key'")
    done = server.sql(f"ALTER TABLE {wide} RENAME COLUMN ID TO `order id`")
    assert done["note"] == "3 rows were rewritten."
    server.sql(f"ALTER TABLE {wide} RENAME COLUMN day TO made_on")
    assert server.sql(f"DESCRIBE {wide}")["rows"][:3] == [
        ["order id", "int", "the key"],
        ["Name", "string", "who"],
        ["made_on", "date", None],
    ]
    shown = server.table(f"main.{wide}")
    assert shown["partition_columns"] == ["made_on"]
    assert shown["properties"] == {"team": "it"}
    server.sql(at(wide, "INSERT INTO {t} (`order id`) VALUES (4)"))
    found = server.sql(f"{select('*', wide)} ORDER BY 1")["rows"]
    assert found == [
        [1, "a", "2026-01-01"],
        [2, "b", None],
        [3, None, None],
        [4, None, "2026-01-31"],
    ]
    reply = server.try_sql(at(wide, "INSERT INTO {t} (Name) VALUES ('x')"))
    assert reply.status == 400
    old = server.sql(f"{select('id, day', wide)} VERSION AS OF 1 ORDER BY 1")
    assert old["rows"] == [[1, "2026-01-01"], [2, None], [3, None]]


def test_columns_are_dropped_moved_and_added_at_a_place(server: LiveServer, wide: str) -> None:
    server.sql(f"ALTER TABLE {wide} ADD COLUMNS (first INT FIRST, mid STRING AFTER ID, last INT)")
    assert [row[0] for row in columns(server, wide)][:6] == [
        "first",
        "id",
        "mid",
        "Name",
        "day",
        "last",
    ]
    server.sql(f"ALTER TABLE {wide} ALTER COLUMN last AFTER first")
    server.sql(f"ALTER TABLE {wide} ALTER COLUMN NAME FIRST")
    server.sql(f"ALTER TABLE {wide} DROP COLUMNS (first, MID)")
    assert [row[0] for row in columns(server, wide)][:4] == ["Name", "last", "id", "day"]
    server.sql(f"ALTER TABLE {wide} DROP COLUMN last")
    found = server.sql(f"{select('*', wide)} ORDER BY id")["rows"]
    assert found == [["a", 1, "2026-01-01"], ["b", 2, None], [None, 3, None]]
    done = server.sql(f"ALTER TABLE {wide} DROP COLUMN IF EXISTS nope")
    assert (done["changed"], len(done["warnings"])) == (False, 1)


def test_columns_get_another_type_if_every_value_is_kept(server: LiveServer, wide: str) -> None:
    server.sql(f"ALTER TABLE {wide} ALTER COLUMN id TYPE BIGINT")
    assert columns(server, wide)[0] == ["id", "bigint"]
    server.sql(f"ALTER TABLE {wide} ALTER COLUMN id TYPE STRING")
    server.sql(f"ALTER TABLE {wide} CHANGE COLUMN id id SMALLINT")
    assert columns(server, wide)[0] == ["id", "smallint"]
    reply = server.try_sql(f"ALTER TABLE {wide} ALTER COLUMN Name TYPE INT")
    assert reply.json["condition"] == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
    reply = server.try_sql(f"ALTER TABLE {wide} ALTER COLUMN id TYPE DATE")
    assert reply.json["condition"] == "DELTA_ALTER_TABLE_CHANGE_COL_NOT_SUPPORTED"
    assert "CAST(id AS DATE)" in reply.json["hint"]
    assert server.table(f"main.{wide}")["delta_version"] == 4


def test_all_columns_are_replaced_by_name(server: LiveServer, wide: str) -> None:
    server.sql(f"ALTER TABLE {wide} REPLACE COLUMNS (day DATE, more INT, ID BIGINT)")
    found = server.sql(f"{select('*', wide)} ORDER BY id")["rows"]
    assert found == [["2026-01-01", None, 1], [None, None, 2], [None, None, 3]]


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        ("DROP COLUMN nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("DROP COLUMN day", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("DROP COLUMN id", "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"),
        ("RENAME COLUMN id TO b", "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"),
        ("ALTER COLUMN id TYPE BIGINT", "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"),
        ("RENAME COLUMN name TO DAY", "COLUMN_ALREADY_EXISTS"),
        ("ALTER COLUMN name AFTER nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("ADD COLUMN more INT NOT NULL", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("ADD COLUMN name.more INT", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("SET LOCATION '/tmp/x'", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("ADD PARTITION (day = DATE '2026-01-01')", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("SET SERDE 'x'", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("CLUSTER BY (id)", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("ADD CONSTRAINT pk PRIMARY KEY (id)", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_changes_that_would_lose_something_are_refused(
    server: LiveServer, wide: str, change: str, condition: str
) -> None:
    server.sql(f"ALTER TABLE {wide} ADD CONSTRAINT positive CHECK (id > 0)")
    reply = server.try_sql(f"ALTER TABLE {wide} {change}")
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert server.table(f"main.{wide}")["delta_version"] == 2
