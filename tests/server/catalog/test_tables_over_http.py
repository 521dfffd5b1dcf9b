from __future__ import annotations

import gzip
import io
import threading
import time
import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import ARROW, LiveServer, flowcat, select


@pytest.fixture(scope="module")
def schema(server: LiveServer) -> Any:
    """A schema of this module's own."""
    main = next(n for n in server.get("namespaces/tree")["items"] if n["name"] == "main")
    return server.post("namespaces", {"name": f"s{uuid4().hex[:8]}", "parent_id": main["id"]}, 201)


def full(schema: Any, table: str) -> str:
    return f"main.{schema['name']}.{table}"


def flights(server: LiveServer) -> int:
    return int(server.table("demo.nyc.flights")["id"])


def test_the_tree_has_two_levels_and_tables_below(server: LiveServer):
    demo = next(n for n in server.get("namespaces/tree")["items"] if n["name"] == "demo")
    assert (demo["kind"], demo["access"], demo["child_count"]) == ("catalog", "owner", 1)
    (nyc,) = server.get("namespaces/tree", parent=demo["id"])["items"]
    page = server.get("namespaces/tree", parent=nyc["id"], limit=2)
    assert (page["total"], [n["name"] for n in page["items"]]) == (5, ["airlines", "airports"])
    rest = server.get("namespaces/tree", parent=nyc["id"], after=page["after"])
    assert [n["name"] for n in rest["items"]] == ["flights", "planes", "weather"]
    assert rest["items"][0]["row_count"] == 336776
    assert rest["items"][0]["sql_name"] == "demo.nyc.flights"
    third = server.request("POST", "namespaces", {"name": "deeper", "parent_id": nyc["id"]})
    assert third.status == 400


def test_search_finds_names_and_columns(server: LiveServer):
    hits = server.get("search", q="dep_del")["items"]
    assert [(h["node"]["name"], [c["name"] for c in h["columns"]]) for h in hits] == [
        ("flights", ["dep_delay"])
    ]
    assert server.get("search", q="no such thing")["total"] == 0


def test_a_page_of_rows_as_json_and_as_arrow(server: LiveServer):
    table = flights(server)
    page = server.get(f"tables/{table}/preview", offset=336770, limit=100)
    assert (page["total"], len(page["rows"]), page["version"]) == (336776, 6, 0)
    reply = server.request(
        "GET", f"tables/{table}/preview", headers={"Accept": ARROW}, limit=50, sort="distance"
    )
    assert reply.headers["X-Flowcat-Total"] == "336776"
    frame = pl.read_ipc_stream(reply.body)
    assert frame.shape == (50, 19)
    assert frame["distance"].to_list() == sorted(frame["distance"].to_list())


def test_pages_sort_with_nulls_first_going_up_and_last_going_down(server: LiveServer):
    table = flights(server)
    up = server.get(f"tables/{table}/preview", limit=3, sort="dep_delay")
    down = server.get(f"tables/{table}/preview", limit=3, sort="DEP_DELAY", desc=1)
    at = [c["name"] for c in up["columns"]].index("dep_delay")
    assert [row[at] for row in up["rows"]] == [None, None, None]
    assert down["rows"][0][at] == 1301
    wrong = server.request("GET", f"tables/{table}/preview", sort="nope")
    assert wrong.status == 404


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"offset": -1}, 400),
        ({"limit": 10**9}, 400),
        ({"version": 77}, 400),
        ({"offset": 10**9}, 200),
    ],
)
def test_pages_that_cannot_be_say_why(server: LiveServer, query, status):
    assert server.request("GET", f"tables/{flights(server)}/preview", **query).status == status


def test_import_describe_rename_move_drop_undrop(server: LiveServer, schema: Any):
    run = server.import_text(full(schema, "people"), "zip,n\n02134,1\n10001,NA\n")
    assert run["state"] == "succeeded", run
    assert run["result"]["row_count"] == 2
    table = server.table(full(schema, "people"))
    assert [(c["name"], c["type"]) for c in table["columns"]] == [("zip", "string"), ("n", "int")]
    assert server.sql(select("*", full(schema, "people")))["rows"] == [
        ["02134", 1],
        ["10001", None],
    ]
    path = f"tables/{table['id']}"
    patched = server.request("PATCH", path, {"description": "Who <b>lives</b> where"}).json
    assert patched["description"] == "Who <b>lives</b> where"
    assert server.request("PATCH", path, {"name": "Folk"}).json["name"] == "Folk"
    assert server.request("PATCH", path, {"name": "a.b"}).status == 400
    drop = server.request("DELETE", path).json
    assert drop["purge_at"] is not None
    assert server.request("GET", path).status == 404
    assert server.try_sql(select("*", full(schema, "folk"))).status == 400
    back = server.post(f"tables/dropped/{drop['dropped_id']}/undrop")
    assert back["id"] != table["id"]
    assert back["row_count"] == 2
    assert server.sql(select("count(*)", full(schema, "folk")))["rows"] == [[2]]


def test_a_name_that_is_taken_stays_its_owners(server: LiveServer, schema: Any):
    assert server.import_text(full(schema, "t"), "a\n1\n")["state"] == "succeeded"
    upload = server.request("POST", "uploads", name="x.csv").json["upload_id"]
    server.request("PUT", f"uploads/{upload}", b"a\n2\n", offset=0)
    again = server.request(
        "POST", "tables/import", {"table": full(schema, "T"), "upload_id": upload}
    )
    assert (again.status, again.json["code"]) == (409, "AlreadyExists")
    for mode, rows in (("append", [[1], [2]]), ("overwrite", [[3]])):
        text = "a\n2\n" if mode == "append" else "a\n3\n"
        run = server.import_text(full(schema, "t"), text, mode=mode)
        assert run["state"] == "succeeded", run
        query = select("a", full(schema, "t") + " ORDER BY a")
        assert server.sql(query)["rows"] == rows
    old = server.sql(select("a", full(schema, "t") + " VERSION AS OF 0"))
    assert old["rows"] == [[1]]
    history = server.get(f"tables/{server.table(full(schema, 't'))['id']}/history")
    assert [entry["version"] for entry in history["items"]] == [2, 1, 0]


@pytest.mark.parametrize(
    ("text", "word"),
    [("", "empty"), ("a,b\n1,2,3\n", "line 2"), ('a,b\n1,"open\n', "quote")],
)
def test_a_file_that_cannot_be_read_leaves_nothing(server: LiveServer, schema: Any, text, word):
    name = full(schema, f"bad{uuid4().hex[:6]}")
    run = server.import_text(name, text)
    assert run["state"] == "failed"
    assert word in (run["error"]["message"] + str(run["error"].get("hint"))).lower()
    assert server.request("GET", "tables/resolve", name=name).status == 400


def test_compressed_files_are_known_by_what_they_are(server: LiveServer, schema: Any):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner.csv", "a\n1\n2\n")
    for number, content in enumerate((gzip.compress(b"a\n1\n2\n"), packed.getvalue())):
        upload = server.request("POST", "uploads", name="plain.csv").json["upload_id"]
        server.request("PUT", f"uploads/{upload}", content, offset=0)
        table = full(schema, f"packed{number}")
        run = server.post("tables/import", {"table": table, "upload_id": upload}, 202)
        assert server.run_to_end(run)["result"]["row_count"] == 2


def test_a_file_of_the_jupyter_root_is_previewed_and_imported(server: LiveServer, schema: Any):
    (server.root / "sub dir").mkdir(exist_ok=True)
    (server.root / "sub dir" / "sales.csv").write_text("id;price\n1;2,5\n")
    preview = server.post("tables/import/preview", {"path": "sub dir/sales.csv"})
    assert [(c["name"], c["type"]) for c in preview["columns"]] == [
        ("id", "int"),
        ("price", "double"),
    ]
    assert all(column["reason"] for column in preview["columns"])
    assert preview["rows"] == [[1, 2.5]]
    body = {"path": "sub dir/sales.csv", "table": full(schema, "sales")}
    assert server.run_to_end(server.post("tables/import", body, 202))["state"] == "succeeded"


@pytest.mark.parametrize(
    "path", ["../outside.csv", "/etc/passwd", "missing.csv", "a\0b", "link.csv", ".."]
)
def test_paths_outside_the_root_do_not_exist(server: LiveServer, schema: Any, path: str):
    outside = server.root.parent / "outside.csv"
    outside.write_text("secret\n1\n")
    link = server.root / "link.csv"
    if not link.is_symlink():
        link.symlink_to(outside)
    for route in ("tables/import/preview", "tables/import"):
        body = {"path": path, **({"table": full(schema, "x")} if route.endswith("import") else {})}
        reply = server.request("POST", route, body)
        assert reply.status in (400, 403, 404), reply.body
        assert "secret" not in reply.body.decode()


def test_external_tables_are_read_where_they_lie_and_survive_their_drop(
    server: LiveServer, schema: Any
):
    folder = server.root / "lake" / "ext 日本"
    pl.DataFrame({"id": [1, 2]}).write_delta(str(folder))
    table = server.post(
        "tables/register",
        {"table": full(schema, "ext"), "location": "lake/ext 日本"},
        201,
    )
    assert (table["table_type"], table["row_count"]) == ("external", 2)
    assert server.sql(select("sum(id)", full(schema, "ext")))["rows"] == [[3]]
    pl.DataFrame({"id": [3]}).write_delta(str(folder), mode="append")
    assert server.sql(select("sum(id)", full(schema, "ext")))["rows"] == [[6]]
    assert server.post(f"tables/{table['id']}/refresh")["row_count"] == 3
    assert server.request("DELETE", f"tables/{table['id']}").status == 200
    assert (folder / "_delta_log").is_dir()
    for location in ("/etc", "../..", "lake/none"):
        body = {"table": full(schema, "no"), "location": location}
        assert server.request("POST", "tables/register", body).status in (400, 403, 404)


def test_a_single_parquet_file_can_be_registered(server: LiveServer, schema: Any):
    pl.DataFrame({"x": ["<img src=x onerror=alert(1)>"]}).write_parquet(server.root / "one.parquet")
    body = {"table": full(schema, "one"), "location": "one.parquet"}
    assert server.post("tables/register", body, 201)["format"] == "parquet"
    rows = server.sql(select("x", full(schema, "one")))["rows"]
    assert rows == [["<img src=x onerror=alert(1)>"]]


def test_a_kernel_reads_by_path_and_writes_by_ticket(server: LiveServer, schema: Any):
    read = server.post("reads", {"table": "demo.nyc.airlines"})
    assert (read["kind"], read["format"]) == ("path", "delta")
    frame = pl.DataFrame({"id": [1, 2]})
    wish = {
        "table": full(schema, "made"),
        "mode": "overwrite",
        "columns": [{"name": "id", "type": "bigint"}],
    }
    ticket = server.post("writes", wish, 201)
    assert ticket["base_version"] is None
    racing = server.request("POST", "writes", wish)
    assert racing.status == 409
    assert server.request("GET", "tables/resolve", name=wish["table"]).status == 400
    frame.write_delta(ticket["location"])
    path = f"writes/{ticket['write_id']}/commit"
    assert server.request("POST", path, {"version": 5}).status in (400, 409)
    table = server.post(path, {"version": 0})
    assert (table["row_count"], table["data_version"]) == (2, 1)
    # A kernel that heard no answer reports again; another version is another story.
    again = server.post(path, {"version": 0})
    assert (again["id"], again["data_version"]) == (table["id"], 1)
    assert server.request("POST", path, {"version": 1}).status == 409
    given_up = server.post("writes", {**wish, "table": full(schema, "never")}, 201)
    assert server.request("DELETE", f"writes/{given_up['write_id']}").status == 204
    assert not Path(given_up["location"]).exists()
    assert server.request("GET", "tables/resolve", name=full(schema, "never")).status == 400


def test_a_change_made_by_another_process_wakes_whoever_waits(
    server: LiveServer, schema: Any, demo_home: Path, tmp_path: Path
):
    seq = server.get("status")["seq"]
    heard: list[Any] = []

    def wait() -> None:
        heard.append(server.get("changes", after=seq, wait=25))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    (tmp_path / "x.csv").write_text("a\n1\n")
    done = flowcat(demo_home, "import", str(tmp_path / "x.csv"), "--table", full(schema, "cli"))
    assert done.returncode == 0, done.stderr
    thread.join(30)
    assert heard
    assert heard[0]["items"]
    feed = server.get("changes", after=seq)
    assert ("table_created", "cli") in {(c["kind"], c["name"]) for c in feed["items"]}
    assert feed["seq"] > seq
    assert server.get("changes", after=feed["seq"])["items"] == []


def test_an_import_can_be_cancelled_and_leaves_nothing(server: LiveServer, schema: Any):
    lines = "\n".join(f"{n},{n * 7},text number {n}" for n in range(1_500_000))
    upload = server.request("POST", "uploads", name="big.csv").json["upload_id"]
    content = f"a,b,c\n{lines}\n".encode()
    step = 4 << 20
    for offset in range(0, len(content), step):
        server.request("PUT", f"uploads/{upload}", content[offset : offset + step], offset=offset)
    name = full(schema, "big")
    run = server.post("tables/import", {"table": name, "upload_id": upload}, 202)
    time.sleep(0.5)
    ended = server.post(f"runs/{run['id']}/cancel")
    assert ended["state"] == "cancelled"
    assert server.request("GET", "tables/resolve", name=name).status == 400
    assert server.import_text(name, "a\n1\n")["state"] == "succeeded"


def test_uploads_are_pieces_in_order_and_ids_are_never_paths(server: LiveServer):
    upload = server.request("POST", "uploads", name="../../evil.csv").json["upload_id"]
    gap = server.request("PUT", f"uploads/{upload}", b"x", offset=5)
    assert gap.status == 409
    assert server.request("PUT", f"uploads/{upload}", b"ab", offset=0).json["received"] == 2
    assert server.request("PUT", f"uploads/{upload}", b"cd", offset=2).json["received"] == 4
    assert server.request("DELETE", f"uploads/{upload}").status == 204
    assert server.request("PUT", f"uploads/{upload}", b"x", offset=0).status == 404
    assert server.request("PUT", "uploads/..-..-etc", b"x", offset=0).status == 404


def test_namespaces_are_dropped_with_what_is_in_them_only_when_asked(server: LiveServer):
    catalog = server.post("namespaces", {"name": f"c{uuid4().hex[:8]}"}, 201)
    inner = server.post("namespaces", {"name": "s", "parent_id": catalog["id"]}, 201)
    run = server.import_text(f"{catalog['name']}.s.t", "a\n1\n")
    assert run["state"] == "succeeded"
    refused = server.request("DELETE", f"namespaces/{catalog['id']}")
    assert (refused.status, refused.json["condition"]) == (409, "SCHEMA_NOT_EMPTY")
    path = f"namespaces/{catalog['id']}"
    assert server.request("DELETE", path, cascade=1).status == 204
    assert server.request("GET", f"namespaces/{inner['id']}").status == 404
    assert any(d["full_name"][0] == catalog["name"] for d in server.get("tables/dropped")["items"])


def test_what_is_said_of_a_table_is_shown_found_and_told(server: LiveServer, schema: Any):
    run = server.import_text(full(schema, "described"), "a,b\n1,x\n2,y\n")
    assert run["state"] == "succeeded"
    before = server.table(full(schema, "described"))
    assert (before["tags"], before["files"]) == ([], 1)
    assert before["freshness"]["data_version"] == before["data_version"]
    path = f"tables/{before['id']}"
    patch = {"tags": ["Gold"], "column_comments": {"A": "zebra <b>stripes</b>"}}
    said = server.request("PATCH", path, patch)
    assert said.status == 200
    after = server.table(full(schema, "described"))
    assert after["tags"] == ["Gold"]
    assert after["columns"][0]["comment"] == "zebra <b>stripes</b>"
    (hit,) = server.get("search", q="zebr")["items"]
    assert hit["matched"] == [{"field": "comment", "text": "zebra <b>stripes</b>", "column": "a"}]
    kinds = [edit["kind"] for edit in server.get(f"{path}/edits")["items"]]
    assert kinds == ["commented", "tagged", "table_created"]
    for bad in ({"tags": ["\n"]}, {"tags": "x"}, {"owner": ""}, {"column_comments": {"a": 1}}):
        assert server.request("PATCH", path, bad).status == 400
    assert server.request("PATCH", path, {"column_comments": {"no": "x"}}).status == 404
    assert server.request("GET", "search", q="zebr", kinds="column").status == 400
    assert server.get("search", q="zebr", kinds="schema,catalog")["total"] == 0
