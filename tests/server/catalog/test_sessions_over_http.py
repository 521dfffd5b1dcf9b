"""What the texts of one SQL session share, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@dataclass
class Session:
    """One session, with a schema as the current one."""

    server: LiveServer
    schema: str
    id: str

    def rows(self, query: str, **options: Any) -> Any:
        return self.server.sql(query, session=self.id, **options)["rows"]

    def refused(self, query: str, **options: Any) -> Any:
        reply = self.server.try_sql(query, session=self.id, **options)
        assert reply.status == 400, reply.body
        return reply.json

    def another(self) -> Session:
        other = Session(self.server, self.schema, str(uuid4()))
        other.rows(f"USE {self.schema}")
        return other


@pytest.fixture
def session(server: LiveServer) -> Iterator[Session]:
    """A session in a schema of the test's own, with a table ``t`` of ten rows."""
    name = f"s{uuid4().hex[:12]}"
    made = Session(server, name, str(uuid4()))
    made.rows(f"CREATE SCHEMA {name}; USE {name}")
    made.rows("CREATE TABLE t AS SELECT id AS a FROM range(10)")
    yield made
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def test_use_holds_for_the_session_and_for_no_other(session: Session) -> None:
    assert session.rows("SELECT current_catalog(), current_schema(), current_database()") == [
        ["main", session.schema, session.schema]
    ]
    assert session.server.sql("SELECT current_schema()")["rows"] == [["default"]]
    assert session.rows("SELECT current_schema()", catalog="main", schema="default") == [
        ["default"]
    ]
    other = session.another()
    other.rows("USE default")
    assert session.rows("SELECT current_schema()") == [[session.schema]]


def test_a_temporary_view_hides_a_table_of_its_name_in_its_session(session: Session) -> None:
    session.rows(f"CREATE TEMPORARY VIEW t AS {select('a + 100 AS a', 't')} WHERE a < 2")
    assert session.rows(f"{select('*', 't')} ORDER BY a") == [[100], [101]]
    assert session.rows(select("count(*)", f"{session.schema}.t")) == [[10]]
    assert session.another().rows("SELECT count(*) FROM t") == [[10]]
    for change in ("INSERT INTO t VALUES (1)", "DELETE FROM t", "UPDATE t SET a = 1"):
        assert session.refused(change)["condition"] == "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"
    session.rows("DROP VIEW t")
    assert session.rows("SELECT count(*) FROM t") == [[10]]


def test_drop_table_drops_a_temporary_view_of_the_name_as_spark_does(session: Session) -> None:
    session.rows("CREATE TEMP VIEW t AS SELECT 1 AS a; DROP TABLE t")
    assert session.rows("SELECT count(*) FROM t") == [[10]]


def test_a_text_without_a_session_is_one(session: Session) -> None:
    text = "CREATE TEMP VIEW one AS SELECT 1 AS a; SELECT a FROM one"
    assert session.server.sql(text)["rows"] == [[1]]
    assert session.server.try_sql("SELECT a FROM one").status == 400


def test_global_temporary_views_are_shared_by_the_sessions_of_a_person(session: Session) -> None:
    name = f"g{uuid4().hex[:8]}"
    session.rows(f"CREATE GLOBAL TEMPORARY VIEW {name} AS {select('max(a) AS m', 't')}")
    other = session.another()
    assert other.rows(select("m", f"global_temp.{name}")) == [[9]]
    assert other.refused(select("m", name))["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert other.refused(f"DROP VIEW {name}")["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    listed = other.rows("SHOW VIEWS IN global_temp")
    assert ["global_temp", name, True] in listed
    other.rows(f"DROP VIEW global_temp.{name}")
    assert session.refused(select("m", f"global_temp.{name}"))["condition"] == (
        "TABLE_OR_VIEW_NOT_FOUND"
    )


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("CREATE TEMP VIEW one AS SELECT 2 AS a", "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("CREATE TEMP VIEW s.one AS SELECT 2 AS a", "INVALID_TEMP_OBJ_QUALIFIER"),
        ("CREATE VIEW v AS SELECT * FROM one", "INVALID_TEMP_OBJ_REFERENCE"),
        ("CREATE VIEW v AS SELECT (SELECT max(a) FROM one) AS m", "INVALID_TEMP_OBJ_REFERENCE"),
        ("CREATE GLOBAL TEMP VIEW v AS SELECT * FROM one", "INVALID_TEMP_OBJ_REFERENCE"),
        ("CREATE OR REPLACE TEMP VIEW one AS SELECT * FROM one", "RECURSIVE_VIEW"),
        ("ALTER VIEW one AS SELECT * FROM one", "RECURSIVE_VIEW"),
        ("CREATE TEMP VIEW v AS SELECT 1 AS a, 2 AS a", "COLUMN_ALREADY_EXISTS"),
        ("ALTER VIEW one SET TBLPROPERTIES ('a' = 'b')", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("SELECT * FROM one VERSION AS OF 1", "UNSUPPORTED_FEATURE.TIME_TRAVEL"),
    ],
)
def test_what_temporary_views_cannot_be_is_refused(
    session: Session, query: str, condition: str
) -> None:
    session.rows("CREATE TEMP VIEW one AS SELECT 1 AS a")
    assert session.refused(query)["condition"] == condition
    assert session.rows(select("*", "one")) == [[1]]


def test_temporary_views_read_each_other_as_they_were_when_they_were_made(
    session: Session,
) -> None:
    session.rows(
        "CREATE TEMP VIEW a AS SELECT 1 AS x; CREATE TEMP VIEW b AS SELECT x + 1 AS x FROM a"
    )
    session.rows(f"CREATE TEMP VIEW late AS {select('count(*) AS n', 't')}")
    session.rows("CREATE TEMP VIEW t AS SELECT 1 AS a")
    assert session.rows("SELECT b.x, late.n FROM b, late") == [[2, 10]]
    session.rows("CREATE OR REPLACE TEMP VIEW a AS SELECT 5 AS x")
    assert session.rows(select("x", "b")) == [[6]]
    session.rows("ALTER VIEW a RENAME TO c")
    assert "In the view b" in session.refused(select("x", "b"))["message"]


def test_if_not_exists_and_if_exists_say_what_was_there(session: Session) -> None:
    server = session.server
    session.rows("CREATE TEMP VIEW one AS SELECT 1 AS a")
    done = server.sql("CREATE TEMP VIEW IF NOT EXISTS one AS SELECT 2 AS a", session=session.id)
    assert (done["changed"], len(done["warnings"])) == (False, 1)
    done = server.sql("DROP VIEW IF EXISTS nope", session=session.id)
    assert (done["changed"], len(done["warnings"])) == (False, 1)
    assert session.rows(select("*", "one")) == [[1]]


def test_completion_proposes_what_is_the_sessions(session: Session) -> None:
    session.rows("CREATE TEMP VIEW peculiar AS SELECT 1 AS odd; DECLARE strange INT = 5")
    for text, label in (
        ("SELECT * FROM pec", "peculiar"),
        ("SELECT o FROM peculiar", "odd"),
        ("SELECT stran FROM peculiar", "strange"),
    ):
        at = text.index(" FROM") if text.startswith(("SELECT o", "SELECT s")) else len(text)
        body = {"text": text, "position": at, "session": session.id}
        items = session.server.post("sql/complete", body)["items"]
        assert label in [item["label"] for item in items]


def test_an_id_that_is_none_is_refused(server: LiveServer) -> None:
    for name in ("", "x" * 201):
        assert server.try_sql("SELECT 1", session=name).status == 400


def test_files_are_read_under_a_name_of_the_session(session: Session) -> None:
    folder = session.server.root / f"files-{uuid4().hex[:8]}"
    folder.mkdir()
    (folder / "a.csv").write_text("x,y\n1,a\n2,b\n")
    said = f"OPTIONS (path '{folder}', header 'true', inferSchema 'true')"
    session.rows(f"CREATE TEMPORARY VIEW f USING csv {said}")
    assert session.rows(f"{select('*', 'f')} ORDER BY x") == [[1, "a"], [2, "b"]]
    assert session.rows("DESCRIBE f") == [["x", "int", None], ["y", "string", None]]
    session.rows(f"CREATE OR REPLACE TEMP VIEW f (p STRING, q STRING) USING csv {said}")
    assert session.rows("SELECT max(p) FROM f") == [["2"]]
    session.rows("CREATE TEMP VIEW over AS SELECT q FROM f")
    assert session.rows("SELECT count(*) FROM over") == [[2]]
    for query, condition in (
        (f"CREATE TEMP VIEW f USING csv {said}", "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"),
        (f"CREATE TEMP VIEW g USING csv OPTIONS (path '{folder}/no')", "PATH_NOT_FOUND"),
        (f"CREATE TEMP VIEW g USING csv OPTIONS (path '{folder}', nope 1)", "INVALID_OPTIONS"),
        (f"CREATE VIEW g USING csv {said}", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("CREATE TEMP VIEW g USING csv", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT INTO f VALUES ('1', 'b')", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
        ("CREATE VIEW lasting AS SELECT * FROM f", "INVALID_TEMP_OBJ_REFERENCE"),
    ):
        assert session.refused(query)["condition"] == condition, query
    outside = session.server.try_sql(
        "CREATE TEMP VIEW g USING csv OPTIONS (path '/etc')", session=session.id
    )
    assert outside.status == 403
    session.rows("DROP VIEW f")
