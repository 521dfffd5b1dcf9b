"""CHECK and NOT NULL: what a table takes, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


def at(table: str, text: str) -> str:
    """Statements about a table, which is called ``{t}`` in them."""
    return text.replace("{t}", table)


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` of three rows."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        at(
            name,
            "CREATE SCHEMA {t}; USE {t}; "
            "CREATE TABLE t AS SELECT id, CAST(id AS STRING) AS name FROM range(1, 4)",
        )
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY id")["rows"]


def refused(server: LiveServer, statement: str) -> dict[str, Any]:
    reply = server.try_sql(statement)
    assert reply.status == 400, reply.body
    return reply.json


def test_rows_that_break_a_new_constraint_are_told_of(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    error = refused(server, f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (id < 3)")
    assert error["condition"] == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    assert "1 row of the table does not meet `id` < 3" in error["message"]
    assert "id = 3" in error["message"]
    assert server.table(f"main.{table}")["delta_version"] == 0
    server.sql(f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (ID < 10)")
    shown = server.table(f"main.{table}")
    assert (shown["delta_version"], shown["constraints"]) == (1, {"small": "`id` < 10"})


@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO {t} VALUES (2, 'ok'), (11, 'x')",
        "INSERT OVERWRITE {t} VALUES (11, 'x')",
        "INSERT INTO {t} VALUES (NULL, 'x')",
        "INSERT INTO {t} (name) VALUES ('x')",
        "UPDATE {t} SET id = 11 WHERE name = '2'",
        "UPDATE {t} SET id = id + 10",
        "MERGE INTO {t} USING (SELECT 11 AS id, 'x' AS name) AS s ON {t}.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *",
        "MERGE INTO {t} USING (SELECT '2' AS name) AS s ON {t}.name = s.name "
        "WHEN MATCHED THEN UPDATE SET id = 20",
    ],
)
def test_every_write_is_judged(server: LiveServer, schema: str, write: str) -> None:
    table = f"{schema}.t"
    server.sql(f"ALTER TABLE {table} ADD CONSTRAINT small CHECK (id < 10)")
    before = rows(server, table)
    error = refused(server, write.format(t=table))
    assert error["condition"] == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", error
    assert "small" in error["message"]
    assert "`id` < 10: id = " in error["message"]
    assert rows(server, table) == before
    assert server.table(f"main.{table}")["delta_version"] == 1


def test_a_constraint_that_is_dropped_judges_no_more(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"ALTER TABLE {table} ADD CONSTRAINT Small CHECK (id < 10)")
    again = refused(server, f"ALTER TABLE {table} ADD CONSTRAINT SMALL CHECK (id < 99)")
    assert again["condition"] == "DELTA_CONSTRAINT_ALREADY_EXISTS"
    server.sql(f"ALTER TABLE {table} DROP CONSTRAINT small")
    server.sql(at(table, "INSERT INTO {t} VALUES (11, 'x')"))
    gone = refused(server, f"ALTER TABLE {table} DROP CONSTRAINT small")
    assert gone["condition"] == "DELTA_CONSTRAINT_DOES_NOT_EXIST"
    done = server.sql(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS small")
    assert (done["changed"], len(done["warnings"])) == (False, 1)


def test_a_table_is_made_with_constraints(server: LiveServer, schema: str) -> None:
    table = f"{schema}.made"
    server.sql(
        f"CREATE TABLE {table} (id INT NOT NULL CHECK (id > 0), name STRING, "
        "CONSTRAINT named CHECK (name IS NULL OR length(name) > 1))"
    )
    shown = server.table(f"main.{table}")
    assert shown["constraints"] == {
        "id_check_1": "`id` > 0",
        "named": "(`name` IS NULL) OR (length(`name`) > 1)",
    }
    server.sql(at(table, "INSERT INTO {t} VALUES (1, 'ab'), (2, NULL)"))
    error = refused(server, at(table, "INSERT INTO {t} VALUES (3, 'a')"))
    assert "the constraint named" in error["message"]
    assert "name = 'a'" in error["message"]


def test_not_null_is_set_and_taken_away(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(at(table, "INSERT INTO {t} VALUES (NULL, 'none')"))
    error = refused(server, f"ALTER TABLE {table} ALTER COLUMN ID SET NOT NULL")
    assert error["condition"] == "DELTA_NEW_NOT_NULL_VIOLATION"
    assert "1 row" in error["message"]
    server.sql(at(table, "UPDATE {t} SET id = 4 WHERE id IS NULL"))
    server.sql(f"ALTER TABLE {table} ALTER COLUMN ID SET NOT NULL")
    for write in ("INSERT INTO {t} VALUES (NULL, 'x')", "UPDATE {t} SET id = NULL"):
        error = refused(server, write.format(t=table))
        assert error["condition"] == "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
    server.sql(f"ALTER TABLE {table} ALTER COLUMN id DROP NOT NULL")
    server.sql(at(table, "INSERT INTO {t} VALUES (NULL, 'x')"))
    assert len(rows(server, table)) == 5


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("id > (SELECT 1)", "UNSUPPORTED_FEATURE"),
        ("rand() > 0", "NON_DETERMINISTIC_CHECK_CONSTRAINT"),
        ("nope > 0", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("id", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
        ("md5(name) = 'x'", "UNSUPPORTED_FEATURE"),
        ("name = 1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("name = 'it''s'", "UNSUPPORTED_FEATURE"),
        ("id / 2 > 0", "UNSUPPORTED_FEATURE"),
    ],
)
def test_conditions_that_engines_read_otherwise_are_refused(
    server: LiveServer, schema: str, condition: str, told: str
) -> None:
    error = refused(server, f"ALTER TABLE {schema}.t ADD CONSTRAINT c CHECK ({condition})")
    assert error["condition"] == told, error
    assert server.table(f"main.{schema}.t")["delta_version"] == 0


def foreign_constraint(location: str, condition: str) -> None:
    """Give a table a constraint as another engine would."""
    log = Path(location) / "_delta_log"
    version = len(list(log.glob("*.json")))
    lines = (log / f"{0:020}.json").read_text("utf-8").splitlines()
    (metadata,) = (action for line in lines if "metaData" in (action := json.loads(line)))
    metadata["metaData"]["configuration"]["delta.constraints.other"] = condition
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 3}}
    told = {"commitInfo": {"timestamp": 1, "operation": "ADD CONSTRAINT"}}
    text = "\n".join(json.dumps(action) for action in (told, protocol, metadata))
    (log / f"{version:020}.json").write_text(text)


@pytest.mark.parametrize("condition", ["other_engines(id) > 0", "id / 2 > 0.4", "ID > 0"])
def test_a_table_with_a_constraint_that_cannot_be_judged_is_only_read(
    server: LiveServer, schema: str, condition: str
) -> None:
    table = f"{schema}.t"
    foreign_constraint(server.table(f"main.{table}")["location"], condition)
    assert [row[0] for row in rows(server, table)] == [1, 2, 3]
    for write in ("INSERT INTO {t} VALUES (4, 'x')", "DELETE FROM {t}", "UPDATE {t} SET id = 1"):
        error = refused(server, at(table, write))
        assert error["condition"] == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
        assert "other" in error["message"]
        assert condition in error["message"]
    server.sql(f"ALTER TABLE {table} DROP CONSTRAINT other")
    server.sql(at(table, "INSERT INTO {t} VALUES (4, 'x')"))
    assert len(rows(server, table)) == 4


def test_a_kernel_is_given_no_leave_to_write_past_what_cannot_be_judged(
    server: LiveServer, schema: str
) -> None:
    shown = server.table(f"main.{schema}.t")
    foreign_constraint(shown["location"], "other_engines(id) > 0")
    server.post(f"tables/{shown['id']}/refresh")
    asked = {"table": f"main.{schema}.t", "mode": "append", "columns": []}
    reply = server.request("POST", "writes", asked)
    assert (reply.status, reply.json["condition"]) == (400, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")


def test_an_import_is_judged_and_gets_the_defaults(server: LiveServer, schema: str) -> None:
    table = f"{schema}.made"
    server.sql(
        f"CREATE TABLE {table} (id BIGINT CHECK (id > 0), state STRING DEFAULT 'new', n INT)"
    )
    run = server.import_text(f"main.{table}", "id\n1\n2\n", mode="append", accept_drift=True)
    assert run["state"] == "succeeded", run
    assert rows(server, table) == [[1, "new", None], [2, "new", None]]
    run = server.import_text(f"main.{table}", "id\n-1\n", mode="append", accept_drift=True)
    assert run["state"] == "failed"
    assert "id_check_1, `id` > 0: id = -1" in json.dumps(run, ensure_ascii=False)
    assert len(rows(server, table)) == 2


def test_constraints_are_told_among_the_properties(server: LiveServer, schema: str) -> None:
    server.sql(f"ALTER TABLE {schema}.t ADD CONSTRAINT small CHECK (id < 10)")
    told = [["delta.constraints.small", "`id` < 10"]]
    assert server.sql(f"SHOW TBLPROPERTIES {schema}.t")["rows"] == told
    one = f"SHOW TBLPROPERTIES {schema}.t ('delta.constraints.small')"
    assert server.sql(one)["rows"] == told


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM {t} WHERE id > 100",
        "UPDATE {t} SET name = 'x' WHERE id > 100",
        "UPDATE {t} SET name = 'x' WHERE id + 0 > 100",
        "MERGE INTO {t} AS t USING (SELECT 100L AS id) AS s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE",
    ],
)
def test_rows_that_may_only_be_added_are_not_changed_even_where_there_are_none(
    server: LiveServer, schema: str, change: str
) -> None:
    server.sql(f"ALTER TABLE {schema}.t SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    error = refused(server, at(f"{schema}.t", change))
    assert error["condition"] == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
