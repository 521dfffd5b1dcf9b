"""The catalog ``system`` against a real server."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select

QUERIES = "system.execution.queries"


@pytest.fixture
def session() -> str:
    """A SQL session of the test's own."""
    return uuid4().hex


def test_it_is_a_catalog_with_schemas_and_tables(server: LiveServer) -> None:
    assert ["system"] in server.sql("SHOW CATALOGS")["rows"]
    assert server.sql("SHOW SCHEMAS IN system")["rows"] == [
        ["execution"],
        ["information_schema"],
        ["runtime"],
        ["session"],
        ["telemetry"],
    ]
    shown = server.sql("SHOW TABLES IN system.execution LIKE '*s'")["rows"]
    assert [row[1] for row in shown] == ["locks", "queries", "runs", "workers"]
    described = server.sql("DESCRIBE EXTENDED System.Execution.QUERIES")["rows"]
    assert described[0][:2] == ["query_id", "string"]
    assert ["Provider", "system", ""] in described
    assert server.sql(f"DESCRIBE {QUERIES} state")["rows"][1] == ["data_type", "string"]
    assert ["state"] in server.sql(f"SHOW COLUMNS IN {QUERIES}")["rows"]


def test_a_query_sees_itself_running_and_others_done(server: LiveServer) -> None:
    before, itself = str(uuid4()), str(uuid4())
    server.sql("SELECT 1 AS a", query_id=before)
    query = f"{select('query_id, state, statement', QUERIES)} WHERE query_id IN (:a, :b)"
    reply = server.sql(query, query_id=itself, params={"a": before, "b": itself})
    assert sorted(reply["rows"], key=lambda row: str(row[1])) == [
        [before, "done", "SELECT"],
        [itself, "running", None],
    ]
    query = f"{select('text, started_at', QUERIES)} WHERE query_id = :a"
    ((text, started),) = server.sql(query, params={"a": before})["rows"]
    assert text == "SELECT 1 AS a"
    assert started.endswith("Z")


def test_its_tables_are_joined_and_stored_as_any_others(server: LiveServer) -> None:
    joined = (
        "SELECT q.state, count(*) AS n FROM system.execution.queries q "
        "JOIN system.execution.queries p ON q.query_id = p.query_id "
        "LEFT JOIN system.session.sessions s ON s.actor = q.actor GROUP BY q.state"
    )
    assert ["running"] in [row[:1] for row in server.sql(joined)["rows"]]
    table = f"main.default.kept_{uuid4().hex[:8]}"
    server.sql(f"CREATE TABLE {table} AS {select('*', 'system.runtime.extensions')}")
    kept = server.sql(f"{select('name', table)} WHERE kind = 'engine' ORDER BY name")["rows"]
    assert ["polars"] in kept
    view = f"main.default.v_{uuid4().hex[:8]}"
    server.sql(f"CREATE VIEW {view} AS {select('count(*) AS n', 'system.telemetry.metrics')}")
    assert server.sql(select("n", view))["rows"][0][0] > 3
    assert server.sql(f"EXPLAIN {select('*', QUERIES)}")["row_count"] > 1
    server.sql(f"DROP TABLE {table}; DROP VIEW {view}")


@pytest.mark.parametrize(
    "table",
    [
        "session.sessions",
        "session.settings",
        "session.variables",
        "execution.queries",
        "execution.workers",
        "execution.runs",
        "execution.locks",
        "telemetry.metrics",
        "runtime.extensions",
        "information_schema.schemata",
        "information_schema.tables",
        "information_schema.columns",
        "information_schema.views",
    ],
)
def test_each_table_has_the_columns_it_says(server: LiveServer, table: str) -> None:
    described = server.sql(f"DESCRIBE system.{table}")["rows"]
    reply = server.sql(select("*", f"system.{table}"))
    assert [[c["name"], c["type"]] for c in reply["columns"]] == [row[:2] for row in described]
    assert all(row[2] for row in described)


def test_the_information_schema_tells_of_the_catalogs(server: LiveServer) -> None:
    query = (
        "SELECT column_name, data_type FROM system.information_schema.columns "
        "WHERE table_catalog = 'demo' AND table_name = 'airlines' ORDER BY ordinal_position"
    )
    described = server.sql("DESCRIBE demo.nyc.airlines")["rows"]
    assert server.sql(query)["rows"] == [row[:2] for row in described]


def test_a_sessions_settings_are_told_in_it(server: LiveServer, session: str) -> None:
    server.sql("SET flowcat.max_rows = 7; USE demo.nyc", session=session)
    query = "SELECT value FROM system.session.settings WHERE is_set"
    assert server.sql(query, session=session)["rows"] == [["7"]]
    query = "SELECT catalog, schema, running FROM system.session.sessions WHERE current"
    assert server.sql(query, session=session)["rows"] == [["demo", "nyc", 1]]


def test_it_can_be_the_current_catalog(server: LiveServer, session: str) -> None:
    reply = server.sql("USE system.execution; SELECT count(*) > 0 AS b FROM queries")
    assert reply["rows"] == [[True]]
    server.sql("USE system", session=session)
    assert server.sql("SHOW CURRENT SCHEMA", session=session)["rows"][0][0] == "system"
    assert server.sql("SHOW SCHEMAS", session=session)["row_count"] == 5
    assert server.try_sql("USE system.nope").status == 400


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SCHEMA system.mine",
        "CREATE TABLE system.session.t AS SELECT 1 AS a",
        "INSERT INTO system.session.settings VALUES (1)",
        "DELETE FROM system.execution.queries",
        "DROP TABLE system.execution.queries",
        "DROP SCHEMA system.execution CASCADE",
        "ALTER TABLE system.execution.queries ADD COLUMN a INT",
        "OPTIMIZE system.execution.queries",
        "COMMENT ON TABLE system.execution.queries IS 'x'",
    ],
)
def test_nothing_in_it_can_be_changed(server: LiveServer, statement: str) -> None:
    reply = server.try_sql(statement)
    assert (reply.status, reply.json["condition"]) == (
        400,
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    )
    assert "can only be read" in reply.json["message"]


def test_what_is_not_there_is_not_found(server: LiveServer) -> None:
    for statement in (select("*", "system.execution.nope"), "DESCRIBE system.execution.nope"):
        reply = server.try_sql(statement)
        assert reply.json["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    reply = server.try_sql("SHOW TABLES IN system.nope")
    assert reply.json["condition"] == "SCHEMA_NOT_FOUND"
    reply = server.try_sql(f"{select('*', QUERIES)} VERSION AS OF 1")
    assert "has no versions" in reply.json["message"]


def test_no_catalog_can_be_made_of_its_name(server: LiveServer) -> None:
    for name in ("System", "memory"):
        reply = server.request("POST", "namespaces", {"name": name})
        assert reply.status in (400, 409, 422)
        assert "built-in" in reply.json["message"]


def test_what_else_is_shown_of_the_current_schema_works_in_it(
    server: LiveServer, session: str
) -> None:
    server.sql("USE system.execution", session=session)
    assert ["abs"] in server.sql("SHOW FUNCTIONS LIKE 'a*'", session=session)["rows"]
    assert server.sql("SHOW TABLES LIKE 'q*'", session=session)["rows"] == [
        ["execution", "queries", False]
    ]
    assert server.sql("DESCRIBE SCHEMA execution", session=session)["rows"][0][1] == "system"
    assert server.sql("DESCRIBE queries", session=session)["row_count"] > 5
    # Names that it has not are looked for elsewhere, as from any schema.
    assert server.sql("DESCRIBE airlines", session=session)["row_count"] == 2
    assert server.sql("SELECT count(*) AS n FROM airlines", session=session)["row_count"] == 1
    for statement in ("DESCRIBE CATALOG system.x", "SHOW TABLES IN system.execution.queries"):
        assert server.try_sql(statement, session=session).status == 400
    reply = server.try_sql("SHOW PARTITIONS queries", session=session)
    assert "tells nothing of the catalog system" in reply.json["message"]
