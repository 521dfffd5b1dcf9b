"""Behind a provider that vouches for names, users see what is theirs or granted, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import LiveServer, flowcat, grant, live_server, select

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with three schemas; analysts may use ``open``, readers may browse one table."""
    home = tmp_path_factory.mktemp("shared-home")
    root = tmp_path_factory.mktemp("shared-root")
    file = home / "x.csv"
    file.write_text("a,secret_column\n1,2\n")
    with live_server(home, root) as setup:
        main = next(n for n in setup.get("namespaces/tree")["items"] if n["name"] == "main")
        for schema in ("open", "closed"):
            setup.post("namespaces", {"name": schema, "parent_id": main["id"]}, 201)
            for table in ("one", "two"):
                setup.import_text(f"main.{schema}.{table}", file.read_text())
        setup.sql(
            "CREATE VIEW main.open.through AS SELECT a AS q FROM main.closed.one; "
            "CREATE VIEW main.open.fine AS SELECT a AS q FROM main.open.one; "
            "CREATE VIEW main.open.above AS SELECT q FROM main.open.through; "
            "CREATE FUNCTION main.open.peek() RETURN (SELECT max(a) FROM main.closed.one); "
            "CREATE FUNCTION main.open.plus(x INT) RETURN x + 1"
        )
        ids = {
            "open": next(
                n["id"]
                for n in setup.get("namespaces/tree", parent=main["id"])["items"]
                if n["name"] == "open"
            ),
            "closed.one": setup.table("main.closed.one")["id"],
        }
    grant(home, "analysts", ["ann"], ids["open"], "use")
    grant(home, "makers", ["meg"], ids["open"], "manage")
    grant(home, "readers", ["bob"], ids["closed.one"], "browse")
    with live_server(
        home,
        root,
        "--ServerApp.identity_provider_class=tests.support.named_identity.NamedIdentity",
        token="user:" + "root",
        PYTHONPATH=str(REPOSITORY),
    ) as server:
        yield server


class As:
    """The server as one user sees it."""

    def __init__(self, server: LiveServer, name: str) -> None:
        self.server = server
        self.token = f"user:{name}"

    def request(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        return self.server.request(method, path, body, token=self.token, **query)

    def names(self, parent: int | None = None) -> list[str]:
        query = {} if parent is None else {"parent": parent}
        return [n["name"] for n in self.request("GET", "namespaces/tree", **query).json["items"]]

    def sql(self, query: str) -> Any:
        return self.request("POST", "sql/execute", {"query": query, "query_id": str(uuid4())})


def main_id(user: As) -> int:
    return int(user.request("GET", "namespaces/tree").json["items"][0]["id"])


def test_each_sees_a_tree_of_their_own(shared: LiveServer):
    ann, bob, eve = (As(shared, name) for name in ("ann", "bob", "eve"))
    assert ann.names(main_id(ann)) == ["open"]
    assert bob.names(main_id(bob)) == ["closed"]
    assert eve.names() == []
    (catalog,) = ann.request("GET", "namespaces/tree").json["items"]
    assert (catalog["access"], catalog["description"]) == (None, None)


def test_a_hidden_table_is_a_missing_table_everywhere(shared: LiveServer):
    eve, ann = As(shared, "eve"), As(shared, "ann")
    hidden = "main.closed.one"
    for user in (eve, ann):
        for name in (hidden, "main.closed.nothing"):
            missing = user.sql(select("*", name)).json
            assert missing["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
            assert "closed.two" not in str(missing["hint"])
        assert user.request("GET", "search", q="secret_column").json["total"] in (0, 2)
    assert eve.request("GET", "search", q="one").json["total"] == 0
    assert eve.sql("SHOW CATALOGS").json["rows"] == [["memory"], ["system"]]
    for table in ("schemata", "tables", "columns", "views"):
        told = eve.sql(select("*", f"system.information_schema.{table}")).json
        assert told["rows"] == [], table
    complete = {"text": "SELECT * FROM main.closed.", "position": 26}
    assert eve.request("POST", "sql/complete", complete).json["items"] == []
    assert eve.request("GET", "changes", after=0).json["items"] == []
    explain = eve.request("POST", "sql/explain", {"query": select("*", hidden)})
    assert explain.json["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert eve.request("GET", "tables/resolve", name=hidden).status == 400


def test_use_reads_and_changes_nothing(shared: LiveServer):
    ann = As(shared, "ann")
    assert ann.sql("SELECT count(*) FROM main.open.one").json["rows"] == [[1]]
    table = ann.request("GET", "tables/resolve", name="main.open.one").json
    assert (table["access"], table["location"]) == ("use", None)
    path = f"tables/{table['id']}"
    assert ann.request("PATCH", path, {"name": "mine"}).status == 403
    assert ann.request("DELETE", path).status == 403
    write = {"table": "main.open.one", "mode": "append", "columns": []}
    assert ann.request("POST", "writes", write).status == 403
    assert ann.request("POST", "namespaces", {"name": "anns"}).status == 403
    read = ann.request("POST", "reads", {"table": "main.open.one"}).json
    assert (read["kind"], read["location"]) == ("stream", None)
    stream = ann.request("GET", read["href"].removeprefix("catalog/"))
    assert stream.status == 200
    assert stream.headers["X-Flowcat-Total"] == "1"


def test_use_compares_versions_and_looks_after_nothing(shared: LiveServer):
    ann, bob, eve = (As(shared, name) for name in ("ann", "bob", "eve"))
    table = ann.request("GET", "tables/resolve", name="main.open.one").json["id"]
    assert ann.request("GET", f"tables/{table}/diff", **{"from": 0, "to": 0}).json["added"] == 0
    for what, body in (("restore", {"version": 0}), ("optimize", {}), ("vacuum", {})):
        reply = ann.request("POST", f"tables/{table}/{what}", body)
        assert (reply.status, reply.json["condition"]) == (403, "INSUFFICIENT_PERMISSIONS")
        assert eve.request("POST", f"tables/{table}/{what}", body).status == 404
    assert ann.request("POST", f"tables/{table}/vacuum", {"dry_run": True}).status == 403
    assert eve.request("GET", f"tables/{table}/diff").status == 404
    browsed = bob.request("GET", "tables/resolve", name="main.closed.one").json["id"]
    assert bob.request("GET", f"tables/{browsed}/diff").status == 403


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO main.open.one SELECT 1, 2",
        "INSERT OVERWRITE main.open.one SELECT 1, 2",
        "CREATE TABLE main.open.mine AS SELECT 1 AS a",
        "CREATE OR REPLACE TABLE main.open.one AS SELECT 1 AS a",
        "DROP TABLE main.open.one",
        "CREATE SCHEMA main.anns",
        "DROP SCHEMA main.open CASCADE",
        "ALTER TABLE main.open.one ADD CONSTRAINT c CHECK (true)",
        "ALTER TABLE main.open.one SET TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE main.open.one REPLACE COLUMNS (other INT)",
        "ALTER TABLE main.open.one ADD COLUMN other INT FIRST",
    ],
)
def test_use_changes_nothing_by_sql_either(shared: LiveServer, statement: str):
    ann = As(shared, "ann")
    assert ann.sql(statement).json["condition"] == "INSUFFICIENT_PERMISSIONS"
    assert ann.sql("SELECT count(*) FROM main.open.one").json["rows"] == [[1]]


def test_what_is_hidden_is_missing_to_statements_that_write(shared: LiveServer):
    meg = As(shared, "meg")
    for name in ("closed", "nothing"):
        told = [
            meg.sql(text.format(name)).json["condition"]
            for text in (
                "INSERT INTO main.{}.one SELECT 1, 2",
                "CREATE TABLE main.{}.mine AS SELECT 1 AS a",
                "DROP TABLE main.{}.one",
                "DROP SCHEMA main.{}",
                "ALTER TABLE main.{}.one ADD CONSTRAINT c CHECK (true)",
                "ALTER TABLE main.{}.one REPLACE COLUMNS (other INT)",
                "INSERT INTO main.open.two SELECT * FROM main.{}.one",
                "CREATE TABLE main.open.mine AS SELECT * FROM main.{}.one",
            )
        ]
        assert told == ["SCHEMA_NOT_FOUND"] * 6 + ["TABLE_OR_VIEW_NOT_FOUND"] * 2
    path = "CREATE TABLE main.open.mine AS SELECT * FROM delta.`/tmp`"
    assert meg.sql(path).json["condition"] == "INSUFFICIENT_PERMISSIONS"


def test_who_manages_a_schema_makes_and_fills_tables_in_it(shared: LiveServer):
    meg = As(shared, "meg")
    made = "CREATE TABLE main.open.megs AS SELECT * FROM main.open.two"
    assert meg.sql(made).json["affected_rows"] == 1
    assert meg.sql("INSERT INTO main.open.megs VALUES (5, 6)").json["affected_rows"] == 1
    assert As(shared, "ann").sql("SELECT count(*) FROM main.open.megs").json["rows"] == [[2]]
    assert meg.sql("DROP TABLE main.open.megs").status == 200


def test_browse_shows_names_and_columns_and_no_rows(shared: LiveServer):
    bob = As(shared, "bob")
    table = bob.request("GET", "tables/resolve", name="main.closed.one").json
    assert table["access"] == "browse"
    assert [column["name"] for column in table["columns"]] == ["a", "secret_column"]
    assert (table["row_count"], table["location"]) == (None, None)
    refused = bob.sql("SELECT * FROM main.closed.one").json
    assert refused["condition"] == "INSUFFICIENT_PERMISSIONS"
    assert bob.request("GET", f"tables/{table['id']}/preview").status == 403


def test_a_path_is_no_way_around_agrant(shared: LiveServer):
    ann = As(shared, "ann")
    reply = ann.sql("SELECT * FROM delta.`/tmp`").json
    assert reply["condition"] == "INSUFFICIENT_PERMISSIONS"
    storage = next((shared.root.parent).glob("shared-home*/flowcat/data/*"))
    attempt = {"path": str(storage), "table": "main.open.x"}
    assert ann.request("POST", "tables/import", attempt).status in (403, 404)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE main.open.f USING csv LOCATION '{place}'",
        "CREATE TABLE main.open.f USING csv OPTIONS (path '{place}')",
        "CREATE TABLE main.open.f USING csv LOCATION '{place}' AS SELECT 1 AS a",
        "CREATE TABLE main.open.f USING delta LOCATION '{place}'",
        "CREATE TABLE main.open.f USING socket OPTIONS (host 'localhost', port '{port}')",
        "INSERT OVERWRITE DIRECTORY '{place}' USING csv SELECT 1 AS a",
        "SELECT * FROM csv.`{place}`",
        "SELECT * FROM text.`{place}/x.txt`",
    ],
)
def test_who_does_not_own_everything_names_no_path(shared: LiveServer, statement: str):
    (shared.root / "x.txt").write_text("x")
    text = statement.format(place=shared.root, port=shared.port)
    reply = As(shared, "meg").sql(text)
    assert reply.status in (400, 403)
    assert reply.json["condition"] == "INSUFFICIENT_PERMISSIONS"


def test_who_manages_a_schema_makes_tables_of_files_that_the_catalog_keeps(shared: LiveServer):
    meg = As(shared, "meg")
    assert meg.sql("CREATE TABLE main.open.kept (a INT) USING json").status == 200
    assert meg.sql("INSERT INTO main.open.kept VALUES (1)").status == 200
    assert As(shared, "ann").sql("SELECT * FROM main.open.kept").json["rows"] == [[1]]
    assert As(shared, "ann").sql("INSERT INTO main.open.kept VALUES (2)").status == 403
    assert As(shared, "bob").sql("SELECT * FROM main.open.kept").status == 400
    assert meg.sql("DROP TABLE main.open.kept").status == 200


def test_somebody_elses_query_and_result_are_missing(shared: LiveServer):
    ann, bob = As(shared, "ann"), As(shared, "bob")
    query_id = str(uuid4())
    body = {"query": "SELECT * FROM main.open.one", "query_id": query_id}
    assert ann.request("POST", "sql/execute", body).status == 200
    assert ann.request("GET", f"sql/{query_id}").status == 200
    assert bob.request("GET", f"sql/{query_id}").status == 404
    assert bob.request("GET", f"sql/{query_id}/rows").status == 404


def test_a_frame_is_its_senders_alone(shared: LiveServer):
    ann, bob = As(shared, "ann"), As(shared, "bob")
    arrow = BytesIO()
    pl.DataFrame({"n": [7]}).write_ipc(arrow)
    sent = shared.request("POST", "sql/frames", arrow.getvalue(), token=ann.token)
    frame_id = sent.json["frame_id"]
    body = {"query": "SELECT n FROM :mine", "frames": {"mine": frame_id}}
    assert ann.request("POST", "sql/execute", {**body, "query_id": str(uuid4())}).status == 200
    for path in ("sql/execute", "sql/explain"):
        wish = body if path == "sql/explain" else {**body, "query_id": str(uuid4())}
        refused = bob.request("POST", path, wish)
        missing = bob.request("POST", path, {**wish, "frames": {"mine": str(uuid4())}})
        assert refused.status == missing.status == 404
        assert refused.json["code"] == missing.json["code"] == "NotFound"
    assert bob.request("DELETE", f"sql/frames/{frame_id}").status == 404
    assert ann.request("DELETE", f"sql/frames/{frame_id}").status == 204


def test_the_command_line_is_the_owner_and_sees_all(shared: LiveServer):
    home = next(shared.root.parent.glob("shared-home*"))
    done = flowcat(home, "ls", "main", "--json")
    assert '"closed"' in done.stdout


def test_a_view_reads_with_the_rights_of_who_reads_it(shared: LiveServer):
    ann, eve, meg = (As(shared, name) for name in ("ann", "eve", "meg"))
    assert ann.sql("SELECT q FROM main.open.fine").json["rows"] == [[1]]
    assert eve.sql("SELECT q FROM main.open.fine").json["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    for view in ("through", "above"):
        for query in (select("q", f"main.open.{view}"), f"EXPLAIN {select('q', view)}"):
            told = ann.sql(query).json
            assert told["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
            assert f"main.open.{view}" in told["message"]
            assert "closed" not in str(told)
    told = ann.sql("SELECT q FROM main.open.above").json
    assert "through" not in str(told)
    # Who manages a view is told what it names, whether or not it is theirs to see.
    told = meg.sql("SELECT q FROM main.open.through").json
    assert "main.closed.one" in told["message"]


def test_explain_shows_the_steps_of_a_view_to_those_who_manage_it(shared: LiveServer):
    ann, meg = As(shared, "ann"), As(shared, "meg")
    for explain in ("EXPLAIN", "EXPLAIN EXTENDED"):
        query = " ".join((explain, "SELECT q FROM main.open.fine"))
        told = str(ann.sql(query).json["rows"])
        assert "the view main.open.fine says" in told
        assert "main.open.one" in str(meg.sql(query).json["rows"])
        assert "Steps" in told
        assert "Read main.open.one" not in told
    body = {"query": "SELECT q FROM main.open.fine"}
    steps = ann.request("POST", "sql/explain", body).json["steps"]
    assert [step["depth"] for step in steps] == [0]


def test_a_function_reads_with_the_rights_of_who_calls_it(shared: LiveServer):
    ann, eve, meg = (As(shared, name) for name in ("ann", "eve", "meg"))
    assert ann.sql("SELECT main.open.plus(1)").json["rows"] == [[2]]
    assert eve.sql("SELECT main.open.plus(1)").json["condition"] == "UNRESOLVED_ROUTINE"
    told = ann.sql("SELECT main.open.peek()").json
    assert told["condition"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert "main.open.peek" in told["message"]
    assert "closed" not in str(told)
    assert "main.closed.one" in meg.sql("SELECT main.open.peek()").json["message"]
    described = "DESCRIBE FUNCTION EXTENDED main.open.peek"
    assert "closed" not in str(ann.sql(described).json["rows"])
    assert "closed" in str(meg.sql(described).json["rows"])
    assert eve.sql(described).json["condition"] == "UNRESOLVED_ROUTINE"
    for change in ("DROP FUNCTION main.open.plus", "CREATE FUNCTION main.open.own() RETURN 1"):
        assert ann.sql(change).json["condition"] == "INSUFFICIENT_PERMISSIONS"
        assert eve.sql(change).json["condition"] in ("SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")


def test_the_query_of_a_view_is_for_those_who_manage_it(shared: LiveServer):
    ann, meg = As(shared, "ann"), As(shared, "meg")
    found = ann.request("GET", "search", q="through", kinds="view").json["items"]
    path = f"views/{found[0]['node']['id']}"
    told = ann.request("GET", path).json
    assert (told["access"], told["text"], told["catalog"]) == ("use", None, None)
    assert [column["name"] for column in told["columns"]] == ["q"]
    assert "main.closed.one" in meg.request("GET", path).json["text"]
    assert As(shared, "eve").request("GET", path).status == 404
    assert ann.request("PATCH", path, {"name": "mine"}).status == 403
    assert ann.request("DELETE", path).status == 403
    for change in ("DROP VIEW main.open.fine", "ALTER VIEW main.open.fine AS SELECT 1 AS q"):
        assert ann.sql(change).json["condition"] == "INSUFFICIENT_PERMISSIONS"
    told = ann.sql("CREATE VIEW main.open.mine AS SELECT 1 AS q").json
    assert told["condition"] == "INSUFFICIENT_PERMISSIONS"


def test_sessions_and_global_views_are_of_one_person_each(shared: LiveServer):
    ann, meg = As(shared, "ann"), As(shared, "meg")
    body = {
        "query": "CREATE TEMP VIEW mine AS SELECT 1 AS a; CREATE GLOBAL TEMP VIEW ours AS "
        "SELECT 2 AS a; DECLARE v INT = 3",
        "session": "same",
    }
    assert ann.request("POST", "sql/execute", {**body, "query_id": str(uuid4())}).status == 200
    for query in ("SELECT a FROM mine", "SELECT a FROM global_temp.ours", "SELECT v"):
        asked = {"query": query, "session": "same"}
        for user, status in ((ann, 200), (meg, 400)):
            reply = user.request("POST", "sql/execute", {**asked, "query_id": str(uuid4())})
            assert reply.status == status
