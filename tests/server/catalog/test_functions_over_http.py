"""Functions that people make of SQL, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select

ROWS = "VALUES (1, 'a'), (2, 'b'), (3, 'c') AS v(id, name)"


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with a table ``t`` and a function ``plus``."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; USE {name}; "
        f"CREATE TABLE t AS {select('*', ROWS)}; "
        "CREATE FUNCTION plus(x INT, y INT DEFAULT 10) RETURNS BIGINT COMMENT 'adds' RETURN x + y"
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, schema: str, query: str, **options: Any) -> Any:
    return server.sql(query, schema=schema, **options)["rows"]


def refused(server: LiveServer, schema: str, query: str, **options: Any) -> Any:
    reply = server.try_sql(query, schema=schema, **options)
    assert reply.status in (400, 403, 404, 409), (query, reply.body)
    return reply.json


def test_a_function_is_computed_wherever_a_value_may_stand(server: LiveServer, schema: str) -> None:
    reply = server.sql("SELECT plus(1), plus(1, 2), plus(y => 5, x => '1') AS z", schema=schema)
    assert reply["rows"] == [[11, 3, 6]]
    assert [c["name"] for c in reply["columns"]] == ["plus(1)", "plus(1, 2)", "z"]
    assert {c["type"] for c in reply["columns"]} == {"bigint"}
    asked = "SELECT plus(id, 1) AS p, count(*) FROM t WHERE plus(id) > 11 GROUP BY plus(id, 1)"
    assert rows(server, schema, f"{asked} ORDER BY plus(p, 0) DESC") == [[4, 1], [3, 1]]
    assert rows(server, schema, "SELECT sum(plus(id)), plus(sum(id)) FROM t") == [[36, 16]]


def test_a_function_is_found_by_its_full_name_from_anywhere(
    server: LiveServer, schema: str
) -> None:
    reply = server.sql(f"SELECT main.{schema}.plus(1), {schema}.plus(2)", schema="default")
    assert reply["rows"] == [[11, 12]]
    assert [c["name"] for c in reply["columns"]] == [f"main.{schema}.plus(1)", f"{schema}.plus(2)"]
    error = refused(server, "default", "SELECT plus(1)")
    assert error["condition"] == "UNRESOLVED_ROUTINE"


def test_names_of_the_statement_and_of_the_body_do_not_meet(
    server: LiveServer, schema: str
) -> None:
    server.sql(
        "CREATE FUNCTION called(key INT) RETURN (SELECT max(name) FROM t WHERE id = key); "
        "CREATE FUNCTION above(id INT) RETURN (SELECT count(*) FROM t AS v WHERE v.id > above.id)",
        schema=schema,
    )
    asked = "SELECT id, called(id), above(id) FROM t ORDER BY id"
    assert rows(server, schema, asked) == [[1, "a", 2], [2, "b", 1], [3, "c", 0]]
    asked = "SELECT v.id, called(v.id), above(v.id) FROM t AS v ORDER BY 1"
    assert rows(server, schema, asked) == [[1, "a", 2], [2, "b", 1], [3, "c", 0]]


def test_calls_are_refused_by_what_is_wrong_with_them(server: LiveServer, schema: str) -> None:
    for call, condition in (
        ("plus()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("plus(1, 2, 3)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("plus(y => 1)", "REQUIRED_PARAMETER_NOT_FOUND"),
        ("plus(z => 1, x => 2)", "UNRECOGNIZED_PARAMETER_NAME"),
        ("plus(1, x => 2)", "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"),
        ("plus(x => 1, 2)", "UNEXPECTED_POSITIONAL_ARGUMENT"),
        ("plus(DISTINCT 1)", "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"),
        ("plus(1) FILTER (WHERE true)", "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"),
        ("plus(1) OVER ()", "UNSUPPORTED_SQL_UDF_USAGE"),
        ("nothing_like_it(1)", "UNRESOLVED_ROUTINE"),
        (f"{schema}.nothing_like_it(1)", "UNRESOLVED_ROUTINE"),
    ):
        error = refused(server, schema, f"SELECT\n  {call}")
        assert (error["condition"], error["line"], error["column"]) == (condition, 2, 3), call
    error = refused(server, schema, "SELECT * FROM plus(1)")
    assert error["condition"] == "UNRESOLVABLE_TABLE_VALUED_FUNCTION"


def test_definitions_are_refused_by_what_is_wrong_with_them(
    server: LiveServer, schema: str
) -> None:
    complex_body = "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS"
    for made, condition in (
        ("plus(x INT) RETURN x", "ROUTINE_ALREADY_EXISTS"),
        ("f(x INT, X INT) RETURN x", "DUPLICATE_ROUTINE_PARAMETER_NAMES"),
        ("f(x INT) RETURN nothing", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("f(x INT) RETURN (SELECT nothing FROM t)", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("f(x INT) RETURN (SELECT 1 FROM nothing)", "TABLE_OR_VIEW_NOT_FOUND"),
        ("f(x INT) RETURN f(x)", "UNRESOLVED_ROUTINE"),
        ("f(x INT) RETURN sum(x)", complex_body),
        ("f(x INT) RETURN row_number() OVER (ORDER BY x)", complex_body),
        ("f(x INT) RETURNS TABLE (a INT) RETURN SELECT 1", "UNSUPPORTED_FEATURE"),
        ("f(x INT) RETURNS INT LANGUAGE PYTHON RETURN x", "UNSUPPORTED_FEATURE"),
        ("f AS 'a.B' USING JAR '/a.jar'", "UNSUPPORTED_FEATURE"),
        ("f(x VARCHAR(3)) RETURN x", "UNSUPPORTED_FEATURE"),
        ("f(x INT NOT NULL) RETURN x", "USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS"),
        (
            "f(x INT DEFAULT 1, y INT) RETURN x",
            "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
        ),
        (
            "f(x INT DEFAULT (SELECT 1)) RETURN x",
            "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_EXPRESSION",
        ),
        ("f(x INT, y INT DEFAULT x) RETURN y", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("f(x INT) RETURN :x", "UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT"),
        ("f(x INT) RETURNS INT", "PARSE_SYNTAX_ERROR"),
        ("f(x INT) COMMENT 'a' COMMENT 'b' RETURN x", "PARSE_SYNTAX_ERROR"),
        ("f(x INT) RETURN 1 FROM t", "PARSE_SYNTAX_ERROR"),
        ("f(x INT) RETURN NULL", "UNSUPPORTED_DATATYPE"),
    ):
        options = {"params": {"x": 1}} if ":x" in made else {}
        error = refused(server, schema, f"CREATE FUNCTION {made}", **options)
        assert error["condition"] == condition, (made, error)
        assert error["line"] == 1, made
    listed = rows(server, schema, "SHOW USER FUNCTIONS")
    assert len(listed) == 1


def test_a_body_that_cannot_be_the_declared_type_is_refused(
    server: LiveServer, schema: str
) -> None:
    error = refused(server, schema, "CREATE FUNCTION f(x INT) RETURNS DATE RETURN x")
    assert error["condition"].startswith("DATATYPE_MISMATCH")
    server.sql("CREATE FUNCTION f(x STRING) RETURNS INT RETURN x", schema=schema)
    error = refused(server, schema, "SELECT f('abc')")
    assert error["condition"] == "CAST_INVALID_INPUT"


def test_functions_stand_in_functions_views_and_changes(server: LiveServer, schema: str) -> None:
    server.sql(
        "CREATE FUNCTION twice(x INT) RETURNS INT RETURN CAST(plus(x, x) AS INT); "
        "CREATE FUNCTION lookup(n INT) RETURN SELECT max(name) FROM t WHERE id = twice(n); "
        "CREATE VIEW v AS SELECT id, twice(id), lookup(id) AS up FROM t",
        schema=schema,
    )
    reply = server.sql(f"{select('*', f'{schema}.v')} ORDER BY id")
    assert reply["rows"] == [[1, 2, "b"], [2, 4, None], [3, 6, None]]
    assert [c["name"] for c in reply["columns"]] == ["id", "twice(id)", "up"]
    server.sql(
        "INSERT INTO t SELECT twice(id) + 10, lookup(1) FROM t WHERE twice(id) = 2; "
        "UPDATE t SET id = twice(id) WHERE plus(id, 0) = 3; "
        "DELETE FROM t WHERE twice(id) = 4; "
        "MERGE INTO t USING (SELECT 6 AS k) AS s ON t.id = s.k WHEN MATCHED AND twice(t.id) = 12 "
        "THEN UPDATE SET name = lookup(s.k - 3)",
        schema=schema,
    )
    asked = "SELECT * FROM t ORDER BY id"
    assert rows(server, schema, asked) == [[1, "a"], [6, "c"], [12, "b"]]


def test_a_check_cannot_use_a_function(server: LiveServer, schema: str) -> None:
    made = "ALTER TABLE t ADD CONSTRAINT c CHECK (plus(id) > 0)"
    refused(server, schema, made)


def test_temporary_functions_are_the_sessions_and_hide_those_of_the_catalog(
    server: LiveServer, schema: str
) -> None:
    own = {"session": uuid4().hex}
    made = "CREATE TEMPORARY FUNCTION plus(x INT) RETURNS STRING RETURN 'mine'"
    server.sql(made, schema=schema, **own)
    asked = f"SELECT plus(1), {schema}.plus(1), session.plus(1)"
    assert rows(server, schema, asked, **own) == [["mine", 11, "mine"]]
    assert refused(server, schema, made, **own)["condition"] == "ROUTINE_ALREADY_EXISTS"
    assert rows(server, schema, "SELECT plus(1)") == [[11]]
    for lasting in ("VIEW v AS SELECT plus(1) AS a", "FUNCTION f() RETURN plus(1)"):
        error = refused(server, schema, f"CREATE {lasting}", **own)
        assert error["condition"] == "INVALID_TEMP_OBJ_REFERENCE"
    server.sql("CREATE TEMPORARY VIEW tv AS SELECT plus(1) AS a", schema=schema, **own)
    server.sql("CREATE TEMPORARY FUNCTION f() RETURN plus(2)", schema=schema, **own)
    assert rows(server, schema, "SELECT a, f() FROM tv", **own) == [["mine", "mine"]]
    server.sql("DROP TEMPORARY FUNCTION plus", schema=schema, **own)
    assert rows(server, schema, "SELECT plus(1)", **own) == [[11]]
    error = refused(server, schema, "DROP TEMPORARY FUNCTION plus", **own)
    assert error["condition"] == "ROUTINE_NOT_FOUND"


def test_a_built_in_function_keeps_its_name(server: LiveServer, schema: str) -> None:
    reply = server.sql("CREATE FUNCTION abs(x INT) RETURNS INT RETURN x + 100", schema=schema)
    assert "built-in" in reply["warnings"][0]
    assert rows(server, schema, f"SELECT abs(-1), {schema}.abs(-1), builtin.abs(-2)") == [
        [1, 99, 2]
    ]
    assert refused(server, "default", "DROP FUNCTION abs")["condition"] == "FORBIDDEN_OPERATION"
    server.sql("DROP FUNCTION abs", schema=schema)


def test_functions_are_replaced_and_dropped(server: LiveServer, schema: str) -> None:
    again = "FUNCTION IF NOT EXISTS plus(x INT) RETURN x"
    assert "already" in server.sql(f"CREATE {again}", schema=schema)["warnings"][0]
    server.sql("CREATE OR REPLACE FUNCTION plus(x INT) RETURN x - 1", schema=schema)
    assert rows(server, schema, "SELECT plus(1)") == [[0]]
    server.sql("CREATE FUNCTION outer1(x INT) RETURN plus(x)", schema=schema)
    error = refused(server, schema, "CREATE OR REPLACE FUNCTION plus(x INT) RETURN outer1(x)")
    assert error["condition"] == "RECURSIVE_FUNCTION"
    assert "outer1" in error["message"]
    server.sql("DROP FUNCTION plus", schema=schema)
    error = refused(server, schema, "SELECT 1,\n outer1(1)")
    assert (error["condition"], error["line"], error["column"]) == ("UNRESOLVED_ROUTINE", 2, 2)
    assert "In the function" in error["message"]
    assert refused(server, schema, "DROP FUNCTION plus")["condition"] == "ROUTINE_NOT_FOUND"
    assert server.sql("DROP FUNCTION IF EXISTS plus", schema=schema)["warnings"]


def test_a_schema_with_a_function_is_not_empty_and_cascade_takes_it_along(
    server: LiveServer, schema: str
) -> None:
    server.sql("DROP TABLE t", schema=schema)
    assert refused(server, schema, f"DROP SCHEMA {schema}")["condition"] == "SCHEMA_NOT_EMPTY"
    server.sql(f"DROP SCHEMA {schema} CASCADE")
    error = refused(server, "default", f"SELECT {schema}.plus(1)")
    assert error["condition"] == "UNRESOLVED_ROUTINE"


def test_the_variable_of_a_lambda_is_its_own(server: LiveServer, schema: str) -> None:
    server.sql(
        "CREATE FUNCTION added(x INT) RETURN transform(array(1, 2), y -> y + x); "
        "CREATE FUNCTION own(x INT) RETURN transform(array(1, 2), x -> x + 1)",
        schema=schema,
    )
    asked = "SELECT added(4), own(4), transform(array(10), y -> plus(y, 1))"
    assert rows(server, schema, asked) == [[[5, 6], [2, 3], [11]]]


def test_functions_are_listed_and_described(server: LiveServer, schema: str) -> None:
    own = {"session": uuid4().hex}
    server.sql("CREATE TEMPORARY FUNCTION mine(x INT) RETURN x", schema=schema, **own)
    full = f"main.{schema}.plus"
    assert rows(server, schema, "SHOW USER FUNCTIONS", **own) == [[full], ["mine"]]
    assert rows(server, "default", f"SHOW FUNCTIONS IN {schema} LIKE 'plu*'") == [[full]]
    assert rows(server, schema, "SHOW SYSTEM FUNCTIONS LIKE 'plu*'") == []
    assert rows(server, schema, "DESCRIBE FUNCTION plus") == [
        [f"Function: {full}"],
        ["Type:     SCALAR"],
        ["Input:    x INT"],
        ["          y INT"],
        ["Returns:  BIGINT"],
    ]
    assert rows(server, schema, f"DESCRIBE FUNCTION EXTENDED {full}") == [
        [f"Function:      {full}"],
        ["Type:          SCALAR"],
        ["Input:         x INT"],
        ["               y INT DEFAULT 10"],
        ["Returns:       BIGINT"],
        ["Comment:       adds"],
        ["Deterministic: true"],
        ["Catalog:       main"],
        [f"Schema:        {schema}"],
        ["Body:          x + y"],
    ]
    assert rows(server, schema, "DESCRIBE FUNCTION mine", **own)[0] == ["Function: mine"]
    error = refused(server, schema, f"DESCRIBE FUNCTION {schema}.nothing")
    assert error["condition"] == "UNRESOLVED_ROUTINE"


def test_lists_of_tables_and_search_have_no_functions(server: LiveServer, schema: str) -> None:
    server.sql("CREATE FUNCTION t(x INT) RETURN x", schema=schema)
    main = next(n for n in server.get("namespaces/tree")["items"] if n["name"] == "main")
    (found,) = server.get("namespaces/tree", parent=main["id"], q=schema)["items"]
    assert found["child_count"] == 1
    items = server.get("namespaces/tree", parent=found["id"])["items"]
    assert [(item["kind"], item["name"]) for item in items] == [("table", "t")]
    assert rows(server, schema, "SHOW TABLES") == [[schema, "t", False]]
    assert rows(server, schema, "SELECT t(id) FROM t ORDER BY 1") == [[1], [2], [3]]


def test_a_call_in_a_sub_query_is_called_as_it_is_written(server: LiveServer, schema: str) -> None:
    reply = server.sql(
        "WITH c AS (SELECT plus(id, 0), id FROM t) SELECT * FROM c WHERE `plus(id, 0)` = 2",
        schema=schema,
    )
    assert reply["rows"] == [[2, 2]]
    assert [c["name"] for c in reply["columns"]] == ["plus(id, 0)", "id"]


def test_what_goes_wrong_in_a_body_is_told_where_it_is_called(
    server: LiveServer, schema: str
) -> None:
    server.sql(
        "CREATE TABLE w AS SELECT 1 AS a; CREATE FUNCTION f(x INT) RETURN (SELECT max(a) FROM w "
        "WHERE a = x)",
        schema=schema,
    )
    assert rows(server, schema, "SELECT f(id) AS b FROM t ORDER BY 1 DESC LIMIT 1") == [[1]]
    server.sql("DROP TABLE w; CREATE TABLE w AS SELECT 'no' AS b", schema=schema)
    error = refused(server, schema, "SELECT id,\n  f(id), t.id AS a FROM t")
    assert (error["line"], error["column"]) == (2, 3)
    assert error["message"].startswith(f"In the function main.{schema}.f: ")
    error = refused(server, schema, "SELECT\n f(nothing) FROM t AS v")
    assert (error["line"], error["condition"].split(".")[0]) == (2, "UNRESOLVED_COLUMN")
    error = refused(server, schema, "SELECT\n  plus(nothing) FROM t")
    assert (error["line"], error["column"]) == (2, 8)
    assert error["condition"].startswith("UNRESOLVED_COLUMN")
    assert "function" not in error["message"]
