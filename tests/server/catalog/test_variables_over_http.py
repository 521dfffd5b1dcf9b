"""Session variables against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


class Session:
    """One session of its own."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.id = str(uuid4())

    def rows(self, query: str, **options: Any) -> Any:
        return self.server.sql(query, session=self.id, **options)["rows"]

    def refused(self, query: str, **options: Any) -> Any:
        reply = self.server.try_sql(query, session=self.id, **options)
        assert reply.status == 400, reply.body
        return reply.json


@pytest.fixture
def session(server: LiveServer) -> Iterator[Session]:
    """A session with a table ``t`` of ten rows and a variable ``v`` of 7."""
    name = f"s{uuid4().hex[:12]}"
    made = Session(server)
    made.rows(f"CREATE SCHEMA {name}; USE {name}")
    made.rows("CREATE TABLE t AS SELECT id AS a FROM range(10)")
    made.rows("DECLARE VARIABLE v INT DEFAULT 7")
    yield made
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def test_a_variable_is_a_value_wherever_one_may_stand(session: Session) -> None:
    assert session.rows("SELECT v, session.v + 1, system.session.V") == [[7, 8, 7]]
    assert session.rows(f"{select('a', 't')} WHERE a > v ORDER BY a LIMIT v") == [[8], [9]]
    assert session.rows("SELECT v, count(*) FROM t GROUP BY v") == [[7, 10]]
    session.rows("UPDATE t SET a = v * 10 WHERE a = v; DELETE FROM t WHERE a < session.v")
    session.rows(f"INSERT INTO t {select('v', 't')} LIMIT 1")
    assert session.rows(f"{select('a', 't')} ORDER BY a") == [[7], [8], [9], [70]]


def test_a_column_of_the_name_goes_first(session: Session) -> None:
    session.rows("DECLARE a INT = 100")
    assert session.rows(f"{select('a, session.a', 't')} LIMIT 1") == [[0, 100]]
    assert session.rows("SELECT (SELECT max(a) FROM t), a") == [[9, 100]]


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        ("TIMESTAMP'2020-01-31 10:11:12.123456'", "timestamp", None),
        ("DATE'2020-01-31'", "date", "2020-01-31"),
        ("'it''s \\\\ a \"x\" ; -- no'", "string", 'it\'s \\ a "x" ; -- no'),
        ("9223372036854775807", "bigint", "9223372036854775807"),
        ("-5", "int", -5),
        ("CAST(1.5 AS DECIMAL(20,3))", "decimal(20,3)", "1.500"),
        ("1e300", "double", 1e300),
        ("CAST('NaN' AS DOUBLE)", "double", "NaN"),
        ("TRUE", "boolean", True),
        ("CAST(NULL AS INT)", "int", None),
    ],
)
def test_a_value_keeps_its_type(session: Session, value: str, kind: str, shown: object) -> None:
    session.rows(f"DECLARE x = {value}")
    reply = session.server.sql(f"SELECT x, x <=> {value} AS same", session=session.id)
    assert (reply["columns"][0]["type"], reply["rows"][0][1]) == (kind, True)
    if shown is not None:
        assert reply["rows"][0][0] == shown


def test_set_gives_values_all_at_once_and_default_gives_the_first_back(session: Session) -> None:
    session.rows("DECLARE w STRING; SET VAR v = v + 1, w = 'v was ' || v")
    assert session.rows("SELECT v, w") == [[8, "v was 7"]]
    session.rows("SET VARIABLE (v, w) = (SELECT max(a), 'rows' FROM t)")
    assert session.rows("SELECT v, w") == [[9, "rows"]]
    session.rows("SET VAR (v, w) = (SELECT 1, 'a' WHERE FALSE)")
    assert session.rows("SELECT v, w") == [[None, None]]
    session.rows("SET VAR v = DEFAULT; SET VAR w = :text", params={"text": "sent"})
    assert session.rows("SELECT v, w") == [[7, "sent"]]


@pytest.mark.parametrize(
    ("query", "condition", "column"),
    [
        ("DECLARE v INT", "VARIABLE_ALREADY_EXISTS", 1),
        ("DECLARE x.y INT", "UNRESOLVED_VARIABLE", 9),
        ("DECLARE x", "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", None),
        ("DECLARE x = ARRAY(1)", "UNSUPPORTED_FEATURE.TABLE_OPERATION", 1),
        ("SET VAR nope = 1", "UNRESOLVED_VARIABLE", 1),
        ("SET VAR a.b = 1", "UNRESOLVED_VARIABLE", 9),
        ("SET VAR v = 1, V = 2", "DUPLICATE_ASSIGNMENTS", 1),
        ("SET VAR v = 'abc'", "CAST_INVALID_INPUT", 13),
        ("SET VAR v = nope", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", 13),
        ("SET VAR v = 1 +", "PARSE_SYNTAX_ERROR", None),
        ("SET VAR v", "PARSE_SYNTAX_ERROR", None),
        ("SET VAR (v) = (SELECT 1, 2)", "ASSIGNMENT_ARITY_MISMATCH", 1),
        ("SET VAR (v) = (SELECT a FROM t)", "ROW_SUBQUERY_TOO_MANY_ROWS", 1),
        ("DROP TEMPORARY VARIABLE nope", "VARIABLE_NOT_FOUND", 1),
        ("EXECUTE IMMEDIATE 'SELECT 1'", "UNSUPPORTED_FEATURE.TABLE_OPERATION", 1),
        ("CREATE VIEW pv AS SELECT v AS q", "INVALID_TEMP_OBJ_REFERENCE", None),
        ("CREATE VIEW pv AS SELECT session.v AS q FROM t", "INVALID_TEMP_OBJ_REFERENCE", None),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_all_as_it_was(
    session: Session, query: str, condition: str, column: int | None
) -> None:
    told = session.refused(query)
    assert told["condition"] == condition, told
    assert column is None or (told["line"], told["column"]) == (1, column)
    assert session.rows("SELECT v") == [[7]]


def test_places_in_values_are_places_in_the_text(session: Session) -> None:
    told = session.refused("SELECT 1;\nSET VAR\n  v = 1 + nope")
    assert (told["line"], told["column"]) == (3, 11)


def test_a_temporary_view_reads_a_variable_as_it_is_now(session: Session) -> None:
    session.rows("CREATE TEMP VIEW tv AS SELECT v + 1 AS q; SET VAR v = 10")
    assert session.rows(select("q", "tv")) == [[11]]


def test_a_view_that_lasts_never_reads_a_variable_of_its_reader(session: Session) -> None:
    session.rows(f"CREATE TABLE u AS SELECT 1 AS w; CREATE VIEW pv AS {select('w AS q', 'u')}")
    session.rows("CREATE OR REPLACE TABLE u AS SELECT 1 AS other; DECLARE w INT = 666")
    assert session.refused(select("q", "pv"))["condition"].startswith("UNRESOLVED_COLUMN")


def test_a_variable_is_gone_when_it_is_dropped_and_unknown_elsewhere(session: Session) -> None:
    other = Session(session.server)
    assert other.refused("SELECT v")["condition"].startswith("UNRESOLVED_COLUMN")
    session.rows("DROP TEMPORARY VARIABLE v")
    assert session.refused("SELECT v")["condition"].startswith("UNRESOLVED_COLUMN")
    done = session.server.sql("DROP TEMPORARY VARIABLE IF EXISTS v", session=session.id)
    assert (done["changed"], len(done["warnings"])) == (False, 1)
