"""The catalog ``memory`` against a real server."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def session() -> str:
    """A SQL session of the test's own."""
    return uuid4().hex


def test_a_table_lives_as_long_as_its_session(server: LiveServer, session: str) -> None:
    made = "CREATE TABLE memory.default.t COMMENT 'mine' AS SELECT 1 AS a, 'x' AS b"
    assert server.sql(made, session=session)["changed"]
    rows = f"{select('*', 'memory.default.t')} ORDER BY a"
    assert server.sql(rows, session=session)["rows"] == [[1, "x"]]
    done = server.sql("INSERT INTO memory.default.t VALUES (2, 'y')", session=session)
    assert done["written"]["inserted"] == 1
    server.sql("UPDATE memory.default.t SET b = 'z' WHERE a = 1", session=session)
    server.sql("ALTER TABLE memory.default.t ADD COLUMN c INT", session=session)
    assert server.sql(rows, session=session)["rows"] == [[1, "z", None], [2, "y", None]]
    assert (
        server.sql("DELETE FROM memory.default.t WHERE a = 2", session=session)["written"][
            "deleted"
        ]
        == 1
    )
    # Nobody else sees it, nor does a text without a session.
    for other in ({"session": uuid4().hex}, {}):
        reply = server.try_sql(rows, **other)
        assert reply.json["condition"] == "TABLE_OR_VIEW_NOT_FOUND"


def test_it_is_listed_and_described(server: LiveServer, session: str) -> None:
    server.sql(
        "CREATE SCHEMA memory.s; CREATE TABLE memory.s.t (a INT NOT NULL COMMENT 'key', b STRING) "
        "PARTITIONED BY (b)",
        session=session,
    )
    assert server.sql("SHOW SCHEMAS IN memory", session=session)["rows"] == [["default"], ["s"]]
    assert server.sql("SHOW TABLES IN memory.s", session=session)["rows"] == [["s", "t", False]]
    assert server.sql("DESCRIBE memory.s.t", session=session)["rows"][0] == ["a", "int", "key"]
    ((text,),) = server.sql("SHOW CREATE TABLE memory.s.t", session=session)["rows"]
    server.sql(text.replace("memory.s.t", "memory.s.u", 1), session=session)
    ((again,),) = server.sql("SHOW CREATE TABLE memory.s.u", session=session)["rows"]
    assert again == text.replace("memory.s.t", "memory.s.u", 1)
    reply = server.try_sql("DROP SCHEMA memory.s", session=session)
    assert reply.json["condition"] == "SCHEMA_NOT_EMPTY"
    server.sql("DROP SCHEMA memory.s CASCADE", session=session)
    assert server.sql("SHOW SCHEMAS IN memory", session=session)["rows"] == [["default"]]


def test_it_can_be_the_current_catalog_and_be_joined(server: LiveServer, session: str) -> None:
    server.sql(
        "USE memory; CREATE TABLE codes AS SELECT 'UA' AS carrier; "
        "CREATE OR REPLACE TABLE codes AS SELECT 'AA' AS carrier",
        session=session,
    )
    joined = "SELECT name FROM codes JOIN demo.nyc.airlines USING (carrier)"
    assert server.sql(joined, session=session)["rows"] == [["American Airlines Inc."]]
    table = f"main.default.t_{uuid4().hex[:8]}"
    server.sql(f"CREATE TABLE {table} AS {select('*', 'codes')}", session=session)
    assert server.sql(select("*", table))["rows"] == [["AA"]]
    server.sql(f"DROP TABLE {table}; DROP TABLE codes", session=session)
    assert server.sql("SHOW TABLES", session=session)["rows"] == []
    again = server.sql("DROP TABLE IF EXISTS codes", session=session)
    assert (again["changed"], len(again["warnings"])) == (False, 1)


def test_what_fails_leaves_nothing(server: LiveServer, session: str) -> None:
    failing = "CREATE TABLE memory.default.t AS SELECT 1 / (id - 3) AS a FROM range(5)"
    assert server.try_sql(failing, session=session).status == 400
    assert server.sql("SHOW TABLES IN memory.default", session=session)["rows"] == []
    made = "CREATE TABLE memory.default.t AS SELECT 1 AS a"
    server.sql(made, session=session)
    reply = server.try_sql(made, session=session)
    assert reply.json["condition"] == "TABLE_OR_VIEW_ALREADY_EXISTS"
    again = server.sql(made.replace("TABLE", "TABLE IF NOT EXISTS"), session=session)
    assert (again["changed"], len(again["warnings"])) == (False, 1)
    reply = server.try_sql("INSERT INTO memory.default.t VALUES ('abc')", session=session)
    assert reply.status == 400
    assert server.sql(select("*", "memory.default.t"), session=session)["rows"] == [[1]]


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("ALTER TABLE memory.default.t RENAME TO u", "ALTER TABLE"),
        ("ALTER TABLE memory.default.t DROP COLUMN a", "ALTER TABLE"),
        ("VACUUM memory.default.t DRY RUN", "VACUUM … DRY RUN"),
        ("CREATE TABLE memory.default.u USING csv AS SELECT 1 AS a", "CREATE TABLE"),
        ("CREATE VIEW memory.default.v AS SELECT 1 AS a", "CREATE VIEW"),
        ("COMMENT ON TABLE memory.default.t IS 'x'", "COMMENT ON"),
        ("CREATE TABLE memory.default.u USING iceberg AS SELECT 1 AS a", "iceberg"),
    ],
)
def test_what_it_has_no_place_for_is_refused_by_name(
    server: LiveServer, session: str, statement: str, named: str
) -> None:
    server.sql("CREATE TABLE memory.default.t AS SELECT 1 AS a", session=session)
    reply = server.try_sql(statement, session=session)
    assert (reply.status, reply.json["condition"]) == (
        400,
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    )
    assert named in reply.json["message"]


def test_it_has_versions_and_rules_as_any_delta_table(server: LiveServer, session: str) -> None:
    table = "memory.default.t"
    made = "(a INT, CONSTRAINT low CHECK (a > 0)) TBLPROPERTIES ('k' = 'v')"
    server.sql(f"CREATE TABLE {table} {made}", session=session)
    reply = server.try_sql("INSERT INTO memory.default.t VALUES (-1)", session=session)
    assert reply.status == 400
    server.sql("INSERT INTO memory.default.t VALUES (1), (2)", session=session)
    merge = "MERGE INTO memory.default.t AS t USING (SELECT 2 AS a) s ON t.a = s.a"
    server.sql(f"{merge} WHEN MATCHED THEN DELETE", session=session)
    assert server.sql(f"SHOW TBLPROPERTIES {table} ('k')", session=session)["rows"] == [["k", "v"]]
    told = server.sql(f"DESCRIBE HISTORY {table} LIMIT 1", session=session)["rows"]
    assert [row[0] for row in told] == [2]
    before = f"{select('*', table)} VERSION AS OF 1"
    assert server.sql(before, session=session)["row_count"] == 2
    server.sql(f"RESTORE {table} TO VERSION AS OF 1", session=session)
    assert server.sql(select("*", table), session=session)["row_count"] == 2
