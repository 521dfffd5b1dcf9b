"""Views of the catalog against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` of ten rows and a view ``v`` of it."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; USE {name}; "
        f"CREATE TABLE t AS {select('id AS a, id * 2 AS b', 'range(10)')}; "
        f"CREATE VIEW v AS {select('a, b', 't')} WHERE a > 6"
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, schema: str, query: str) -> Any:
    return server.sql(query, schema=schema)["rows"]


def refused(server: LiveServer, schema: str, query: str, **options: Any) -> Any:
    reply = server.try_sql(query, schema=schema, **options)
    assert reply.status == 400, reply.body
    return reply.json


def view_of(server: LiveServer, schema: str, name: str) -> Any:
    main = next(n for n in server.get("namespaces/tree")["items"] if n["name"] == "main")
    schemas = server.get("namespaces/tree", parent=main["id"], q=schema)["items"]
    items = server.get("namespaces/tree", parent=schemas[0]["id"])["items"]
    return next(node for node in items if node["name"] == name)


def test_a_view_is_its_query_however_often_it_is_named(server: LiveServer, schema: str) -> None:
    assert rows(server, schema, f"{select('*', 'v')} ORDER BY a") == [[7, 14], [8, 16], [9, 18]]
    reply = server.sql(
        "SELECT v.a, w.b FROM v JOIN v AS w ON w.a = v.a + 1 WHERE v.a IN (SELECT a FROM v) "
        "ORDER BY 1",
        schema=schema,
    )
    assert reply["rows"] == [[7, 16], [8, 18]]
    assert [table["name"] for table in reply["used_tables"]] == [f"main.{schema}.t"]


def test_a_view_lists_names_and_comments_for_its_columns(server: LiveServer, schema: str) -> None:
    server.sql(
        "CREATE OR REPLACE VIEW v (x COMMENT 'the x', `y z`) COMMENT 'both' "
        f"TBLPROPERTIES ('k' = 'v', a.b = 3) AS {select('a, b', 't')}",
        schema=schema,
    )
    assert rows(server, schema, f"{select('`y z`', 'v')} WHERE x = 3") == [[6]]
    view = server.get(f"views/{view_of(server, schema, 'v')['id']}")
    assert [(c["name"], c["type"], c["comment"]) for c in view["columns"]] == [
        ("x", "bigint", "the x"),
        ("y z", "bigint", None),
    ]
    assert (view["description"], view["properties"]) == ("both", {"k": "v", "a.b": "3"})
    assert (view["text"], view["catalog"], view["schema"]) == (select("a, b", "t"), "main", schema)


def test_names_in_a_view_mean_what_they_meant_where_it_was_made(
    server: LiveServer, schema: str
) -> None:
    view = f"{schema}.v"
    assert rows(server, "default", select("count(*)", view)) == [[3]]
    made = "CREATE OR REPLACE VIEW v AS SELECT current_schema() AS s, count(*) AS n FROM t"
    server.sql(made, schema=schema)
    assert rows(server, "default", select("*", view)) == [["default", 10]]


def test_columns_that_come_to_a_table_come_to_a_view_of_all_of_it(
    server: LiveServer, schema: str
) -> None:
    server.sql(
        f"CREATE VIEW every AS {select('*', 't')}; "
        f"CREATE VIEW two (x, y) AS {select('*', 't')}; "
        "ALTER TABLE t ADD COLUMN c STRING",
        schema=schema,
    )
    assert rows(server, schema, f"{select('*', 'every')} LIMIT 1") == [[0, 0, None]]
    told = refused(server, schema, select("1, x", f"{schema}.two"))
    assert f"In the view main.{schema}.two" in told["message"]
    assert (told["line"], told["column"]) == (1, 18)


def test_what_is_wrong_in_a_view_is_told_at_its_name(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE VIEW w AS {select('b + 1 AS c', 'v')}", schema=schema)
    server.sql(f"ALTER VIEW v AS {select('a', 't')}", schema=schema)
    told = refused(server, schema, f"SELECT c\nFROM {schema}.w")
    assert (told["line"], told["column"]) == (2, 6)
    assert told["message"].startswith(f"In the view main.{schema}.w: There is no column b")
    server.sql("DROP VIEW v", schema=schema)
    told = refused(server, schema, f"EXPLAIN {select('c', schema + '.w')}")
    assert told["message"] == f"In the view main.{schema}.w: There is no table v."
    assert told["condition"] == "TABLE_OR_VIEW_NOT_FOUND"


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("CREATE VIEW v AS SELECT 1 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("CREATE VIEW t AS SELECT 1 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("CREATE TABLE v AS SELECT 1 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("CREATE OR REPLACE VIEW t AS SELECT 1 AS a", "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE"),
        ("ALTER VIEW t AS SELECT 1 AS a", "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE"),
        ("CREATE VIEW n AS SELECT a, a AS A FROM t", "COLUMN_ALREADY_EXISTS"),
        ("CREATE VIEW n AS SELECT * FROM t JOIN v ON t.a = v.a", "COLUMN_ALREADY_EXISTS"),
        ("CREATE VIEW n (x, X) AS SELECT a, b FROM t", "COLUMN_ALREADY_EXISTS"),
        (
            "CREATE VIEW n (x) AS SELECT a, b FROM t",
            "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
        ),
        (
            "CREATE VIEW n (x, y, z) AS SELECT a, b FROM t",
            "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
        ),
        ("CREATE VIEW n AS SELECT nope FROM t", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("CREATE VIEW n AS SELECT * FROM nope", "TABLE_OR_VIEW_NOT_FOUND"),
        ("CREATE VIEW n AS SELECT * FROM n", "TABLE_OR_VIEW_NOT_FOUND"),
        ("CREATE OR REPLACE VIEW v AS SELECT * FROM v", "RECURSIVE_VIEW"),
        ("CREATE VIEW n AS DELETE FROM t", "PARSE_SYNTAX_ERROR"),
        ("CREATE VIEW n AS", "PARSE_SYNTAX_ERROR"),
        ("CREATE VIEW n AS EXPLAIN SELECT 1", "PARSE_SYNTAX_ERROR"),
        ("CREATE VIEW `a.b` AS SELECT 1 AS a", "INVALID_IDENTIFIER"),
        ("CREATE VIEW a.b.c.d AS SELECT 1 AS a", "REQUIRES_SINGLE_PART_NAMESPACE"),
        ("CREATE VIEW n WITH SCHEMA EVOLUTION AS SELECT 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("ALTER VIEW v UNSET TBLPROPERTIES ('k')", "UNSET_NONEXISTENT_PROPERTIES"),
        ("ALTER VIEW nope AS SELECT 1 AS a", "TABLE_OR_VIEW_NOT_FOUND"),
        ("DROP VIEW t", "WRONG_COMMAND_FOR_OBJECT_TYPE"),
        ("DROP TABLE v", "WRONG_COMMAND_FOR_OBJECT_TYPE"),
        ("DROP VIEW nope", "TABLE_OR_VIEW_NOT_FOUND"),
        ("INSERT INTO v VALUES (1, 2)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("DELETE FROM v", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("UPDATE v SET a = 1", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("TRUNCATE TABLE v", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("ALTER TABLE v RENAME TO w", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("OPTIMIZE v", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("CREATE OR REPLACE TABLE v AS SELECT 1 AS a", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("SELECT * FROM v VERSION AS OF 1", "UNSUPPORTED_FEATURE.TIME_TRAVEL"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    server: LiveServer, schema: str, query: str, condition: str
) -> None:
    told = refused(server, schema, query)
    assert told["condition"] == condition, told
    assert told["line"] == 1
    assert rows(server, schema, "SELECT count(*), sum(a) FROM v") == [[3, 24]]
    names = rows(server, schema, f"SHOW TABLES IN {schema}")
    assert [row[1] for row in names] == ["t", "v"]


def test_views_that_lead_back_to_themselves_are_told_with_the_way(
    server: LiveServer, schema: str
) -> None:
    server.sql(f"CREATE VIEW w AS {select('*', 'v')}", schema=schema)
    told = refused(server, schema, f"ALTER VIEW v AS {select('*', 'w')}")
    assert told["condition"] == "RECURSIVE_VIEW"
    path = " → ".join(f"main.{schema}.{name}" for name in ("v", "w", "v"))
    assert path in told["message"]
    server.sql("DROP VIEW v; ALTER VIEW w RENAME TO v", schema=schema)
    assert refused(server, schema, select("*", "v"))["condition"] == "RECURSIVE_VIEW"


def test_views_stand_five_deep_and_no_deeper(server: LiveServer, schema: str) -> None:
    made = [f"CREATE VIEW v{n} AS {select('*', f'v{n - 1}' if n > 2 else 'v')}" for n in (2, 3, 4)]
    server.sql("; ".join([*made, f"CREATE VIEW v5 AS {select('*', 'v4')}"]), schema=schema)
    assert rows(server, schema, "SELECT count(*) FROM v5") == [[3]]
    told = refused(server, schema, f"CREATE VIEW v6 AS {select('*', 'v5')}")
    assert told["condition"] == "VIEW_EXCEED_MAX_NESTED_DEPTH"
    assert "at most 5" in told["message"]


def test_views_are_read_wherever_tables_are(server: LiveServer, schema: str) -> None:
    server.sql(
        "INSERT INTO t SELECT a + 100, b FROM v; "
        "MERGE INTO t USING v ON t.a = v.a WHEN MATCHED THEN UPDATE SET b = -v.b; "
        "DELETE FROM t WHERE a IN (SELECT a + 100 FROM v); "
        "CREATE TABLE u AS SELECT * FROM v",
        schema=schema,
    )
    assert rows(server, schema, f"{select('*', 'u')} ORDER BY a") == [[7, -14], [8, -16], [9, -18]]
    assert rows(server, schema, "SELECT count(*) FROM t") == [[10]]
    plan = server.sql(f"EXPLAIN {select('*', 'v')} WHERE a = 8", schema=schema)["rows"]
    assert any(f"main.{schema}.t" in line for (line,) in plan)


def test_a_name_in_a_view_is_never_one_of_its_reader(server: LiveServer, schema: str) -> None:
    server.sql(
        "CREATE OR REPLACE VIEW v AS WITH r1 AS (SELECT a FROM t WHERE a = 1), "
        "v AS (SELECT a FROM r1) SELECT a FROM v",
        schema=schema,
    )
    query = "WITH r2 AS (SELECT 5 AS a) SELECT t.a, v.a, r2.a FROM t JOIN v ON t.a = v.a, r2"
    assert rows(server, schema, query) == [[1, 1, 5]]
    assert rows(server, schema, "WITH v AS (SELECT 0 AS a) SELECT * FROM v") == [[0]]
    assert rows(server, schema, "WITH v_2 AS (SELECT 0 AS a) SELECT v.a, v_2.a FROM v, v_2") == [
        [1, 0]
    ]


@pytest.mark.parametrize("name", ["a`b", 'a"b', "naïve — вид", "x" * 200, "select", "r1"])
def test_odd_names_are_names(server: LiveServer, schema: str, name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    server.sql(f"CREATE VIEW {quoted} AS {select('a AS ' + quoted, 't')}", schema=schema)
    assert rows(server, schema, select(f"max({quoted})", f"{quoted} x")) == [[9]]
    assert view_of(server, schema, name)["kind"] == "view"
    server.sql(f"DROP VIEW {quoted}", schema=schema)


def test_a_view_keeps_its_text_with_marks_comments_and_dialect(
    server: LiveServer, schema: str
) -> None:
    text = "SELECT ';' AS semi, -- a; comment\n  /* another; */ a + 1, 'it''s' FROM t WHERE a = 1"
    server.sql(f"CREATE VIEW w AS {text}; SELECT 1", schema=schema)
    assert server.get(f"views/{view_of(server, schema, 'w')['id']}")["text"] == text
    assert rows(server, schema, select("*", "w")) == [[";", 2, "it's"]]
    assert rows(server, schema, select("`a + 1`", "w")) == [[2]]
    server.sql(
        "CREATE VIEW d AS SELECT TOP 1 [a] AS [x y] FROM t ORDER BY [a] DESC",
        schema=schema,
        dialect="tsql",
    )
    assert rows(server, schema, select("`x y`", "d")) == [[9]]


def test_a_view_has_no_values_or_frames(server: LiveServer, schema: str) -> None:
    told = refused(server, schema, "CREATE VIEW n AS SELECT :p AS a", params={"p": 1})
    assert told["condition"] == "UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT"
    assert (told["line"], told["column"]) == (1, 26)


def test_the_tree_shows_renames_and_drops_a_view(server: LiveServer, schema: str) -> None:
    node = view_of(server, schema, "v")
    assert (node["kind"], node["sql_name"]) == ("view", f"main.{schema}.v")
    path = f"views/{node['id']}"
    seq = server.get("changes")["seq"]
    renamed = server.request("PATCH", path, {"name": "w", "description": "seven and more"})
    assert (renamed.status, renamed.json["full_name"][2]) == (200, "w")
    assert rows(server, schema, "SELECT count(*) FROM w") == [[3]]
    assert server.request("GET", f"tables/{node['id']}").status == 404
    assert server.request("DELETE", f"tables/{node['id']}").status == 404
    assert server.request("DELETE", path).status == 204
    assert server.request("GET", path).status == 404
    kinds = [
        (item["kind"], item["object_kind"])
        for item in server.get("changes", after=seq)["items"]
        if item["object_id"] == node["id"]
    ]
    assert kinds[-1] == ("view_dropped", "view")


def test_search_and_completion_know_views(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE VIEW oddity AS {select('a AS peculiar', 't')}", schema=schema)
    hits = server.get("search", q="peculiar", kinds="view")["items"]
    assert [hit["node"]["name"] for hit in hits] == ["oddity"]
    text = "SELECT pec FROM oddity"
    body = {"text": text, "position": 10, "schema": schema}
    assert [item["label"] for item in server.post("sql/complete", body)["items"]] == ["peculiar"]
    body = {"text": "SELECT * FROM odd", "position": 17, "schema": schema}
    assert "oddity" in [item["label"] for item in server.post("sql/complete", body)["items"]]


def test_a_view_is_no_table_for_who_asks_for_one(server: LiveServer, schema: str) -> None:
    name = f"main.{schema}.v"
    for reply in (
        server.request("GET", "tables/resolve", name=name),
        server.request("POST", "reads", {"table": name}),
        server.request("POST", "writes", {"table": name, "mode": "append", "columns": []}),
    ):
        assert (reply.status, reply.json["condition"]) == (
            400,
            "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
        )


def test_properties_of_a_view_are_set_and_unset(server: LiveServer, schema: str) -> None:
    server.sql("ALTER VIEW v SET TBLPROPERTIES ('k' = 'x', 'l' = 'y')", schema=schema)
    server.sql("ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('k', 'm')", schema=schema)
    view = server.get(f"views/{view_of(server, schema, 'v')['id']}")
    assert view["properties"] == {"l": "y"}


def test_a_schema_goes_with_its_views(server: LiveServer, schema: str) -> None:
    server.sql(f"DROP SCHEMA {schema} CASCADE")
    told = refused(server, "default", select("*", f"{schema}.v"))
    assert told["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
