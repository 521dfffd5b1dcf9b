"""Imports as the browser asks for them: several files, rejects, drift, memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import ARROW, LiveServer, select


@pytest.fixture
def folder(server: LiveServer) -> Path:
    """A folder of the Jupyter root that no other test uses."""
    made = server.root / f"in{uuid4().hex[:8]}"
    made.mkdir()
    return made


@pytest.fixture
def table() -> str:
    return f"main.default.t{uuid4().hex[:8]}"


def upload(server: LiveServer, content: str, name: str = "file.csv") -> str:
    upload_id = str(server.request("POST", "uploads", name=name).json["upload_id"])
    server.request("PUT", f"uploads/{upload_id}", content.encode(), offset=0)
    return upload_id


def imported(server: LiveServer, table: str, **body: Any) -> Any:
    return server.run_to_end(server.post("tables/import", {"table": table, **body}, 202))


def test_several_uploads_are_one_version_and_go_once_they_are_imported(
    server: LiveServer, table: str
):
    uploads = [upload(server, f"a\n{n}\n", f"{n}.csv") for n in (1, 2, 3)]
    seen = server.post("tables/import/preview", {"upload_ids": uploads})
    assert [file["name"] for file in seen["files"]] == ["1.csv", "2.csv", "3.csv"]
    assert seen["rows_read"] == 3
    run = imported(server, table, upload_ids=uploads)
    assert run["state"] == "succeeded", run
    assert (run["result"]["version"], run["result"]["lines"]) == (0, 3)
    gone = server.request("POST", "tables/import/preview", {"upload_ids": uploads})
    assert gone.status == 404


def test_a_pattern_reaches_neither_hidden_files_nor_links_that_lead_outside(
    server: LiveServer, folder: Path, table: str
):
    for name in ("a.csv", "b.csv", ".hidden.csv"):
        (folder / name).write_text("a\n1\n")
    run = imported(server, table, paths=[f"{folder.name}/*.csv"])
    assert run["result"]["rows_loaded"] == 2, run
    outside = server.root.parent / "outside-imports.csv"
    outside.write_text("secret\n1\n")
    (folder / "c.csv").symlink_to(outside)
    for path in (folder.name, f"{folder.name}/*.csv", f"{folder.name}/c.csv"):
        reply = server.request("POST", "tables/import/preview", {"path": path})
        assert reply.status == 403
        assert b"secret" not in reply.body


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"path": "a.csv", "upload_id": "b"},
        {"paths": []},
        {"upload_ids": ["../../etc"]},
        {"paths": ["**" * 50 + "/x"]},
        {"path": "none*.csv"},
    ],
)
def test_files_that_cannot_be_are_refused(server: LiveServer, body: dict[str, Any]):
    for route, more in (("tables/import/preview", {}), ("tables/import", {"table": "x"})):
        reply = server.request("POST", route, {**body, **more})
        assert reply.status in (400, 403, 404), reply.body
        assert str(server.root) not in reply.json["message"]


def test_rejected_lines_are_a_table_of_their_own_run(server: LiveServer, table: str):
    text = "a,b\n1,2\n" + "".join(f"{n}\n" for n in range(300)) + "3,4\n"
    sent = upload(server, text)
    seen = server.post("tables/import/preview", {"upload_id": sent})
    assert (seen["rejected"], len(seen["rejects"])) == (300, 50)
    assert seen["rejects"][0]["line"] == 3

    run = imported(server, table, upload_id=sent, options={"bad_rows": "skip"})
    counts = [run["result"][key] for key in ("rows_loaded", "rows_rejected", "lines")]
    assert counts == [2, 300, 302]
    page = server.get(f"runs/{run['id']}/rejects", offset=298, limit=10)
    assert [c["name"] for c in page["columns"]] == ["file", "line", "reason", "text"]
    assert (page["total"], [row[1] for row in page["rows"]]) == (300, [301, 302])
    assert page["rows"][0][3] == "298"
    arrow = server.request("GET", f"runs/{run['id']}/rejects", headers={"Accept": ARROW}, limit=300)
    assert pl.read_ipc_stream(arrow.body)["line"].to_list() == list(range(3, 303))
    assert server.request("GET", "runs/999999999/rejects").status == 404


def test_a_run_that_stopped_at_rejected_lines_keeps_them(server: LiveServer, table: str):
    run = imported(server, table, upload_id=upload(server, "a,b\n1,2\n3\n"))
    assert run["state"] == "failed"
    assert run["result"] == {"rows_loaded": 0, "rows_rejected": 1}
    page = server.get(f"runs/{run['id']}/rejects")
    assert (page["total"], page["rows"][0][1]) == (1, 3)
    assert server.request("GET", "tables/resolve", name=table).status == 400
    clean = imported(server, table, upload_id=upload(server, "a,b\n1,2\n"))
    assert server.request("GET", f"runs/{clean['id']}/rejects").status == 404


def test_drift_is_shown_then_refused_then_accepted(server: LiveServer, table: str):
    imported(server, table, upload_id=upload(server, "id,price,note\n1,2,x\n"))
    text = "id,price,colour\n2,2.5,red\n"
    seen = server.post(
        "tables/import/preview",
        {"upload_id": upload(server, text), "table": table, "mode": "append"},
    )
    drift = seen["drift"]
    assert [c["name"] for c in drift["added"]] == ["colour"]
    assert [c["name"] for c in drift["missing"]] == ["note"]
    assert [c["name"] for c in drift["changed"]] == ["price"]
    run = imported(server, table, upload_id=upload(server, text), mode="append")
    assert (run["state"], run["error"]["code"]) == ("failed", "Conflict")
    assert run["error"]["hint"]
    whole = "id,price,colour\n2,3,red\n"
    run = imported(server, table, upload_id=upload(server, whole), mode="append", accept_drift=True)
    assert run["state"] == "succeeded", run
    rows = server.sql(select("id, price, note, colour", f"{table} ORDER BY id"))["rows"]
    assert rows == [[1, 2, "x", None], [2, 3, None, "red"]]
    plain = server.post("tables/import/preview", {"upload_id": upload(server, whole)})
    assert plain["drift"] is None


def test_an_upsert_names_doubtful_keys(server: LiveServer, table: str):
    imported(server, table, upload_id=upload(server, "id,v\n1,a\n2,b\n"))
    body = {"mode": "upsert", "merge_keys": ["ID"]}
    run = imported(server, table, upload_id=upload(server, "id,v\n2,B\n3,C\n"), **body)
    assert run["state"] == "succeeded", run
    for text, word in (("id,v\n4,x\n4,y\n", "4"), ("id,v\n,x\n", "NULL"), ("v\nx\n", "id")):
        run = imported(server, table, upload_id=upload(server, text), **body)
        assert run["state"] == "failed"
        assert word.lower() in run["error"]["message"].lower()
    assert server.sql(select("*", f"{table} ORDER BY id"))["rows"] == [
        [1, "a"],
        [2, "B"],
        [3, "C"],
    ]
    reply = server.request(
        "POST", "tables/import", {"table": table, "upload_id": "x", "mode": "upsert"}
    )
    assert reply.status in (400, 404)


def test_a_source_is_remembered_until_it_is_forgotten(server: LiveServer, folder: Path, table: str):
    for month in ("05", "06"):
        (folder / f"sales-{month}.csv").write_text("zip,n\n1,2\n")
    june = {"path": f"{folder.name}/sales-06.csv"}
    body = {"path": f"{folder.name}/sales-05.csv", "types": {"zip": "string"}}
    assert imported(server, table, **body)["state"] == "succeeded"

    seen = server.post("tables/import/preview", june)
    assert (seen["remembered"], seen["columns"][0]["type"]) == (True, "string")
    seen = server.post("tables/import/preview", {**june, "use_remembered": False})
    assert (seen["remembered"], seen["columns"][0]["type"]) == (False, "int")
    route = "tables/import/remembered?"
    gone = server.request("DELETE", f"{route}{urlencode(june)}")
    assert gone.json == {"forgotten": 1}
    assert server.post("tables/import/preview", june)["remembered"] is False
    for bad in ("", "path=x&name=y", "name=y&all=1"):
        assert server.request("DELETE", f"{route}{bad}").status == 400


def test_a_preview_tells_of_rejected_lines_once_apart_from_its_notes(
    server: LiveServer, folder: Path
) -> None:
    (folder / "a.csv").write_text("a,b\n1,2\n3\n")
    seen = server.post("tables/import/preview", {"path": f"{folder.name}/a.csv"})
    assert [reject["line"] for reject in seen["rejects"]] == [3]
    assert (len(seen["warnings"]), seen["notes"]) == (2, [])


def test_a_preview_offers_every_option_of_the_format(server: LiveServer, folder: Path) -> None:
    (folder / "a.csv").write_text("a,b\n1,2\n")
    choices = server.post("tables/import/preview", {"path": f"{folder.name}/a.csv"})["choices"]
    assert choices["null_values"] == choices["skip_lines"] == []
    assert choices["header"] == ["true", "false"]
    assert "member" not in choices


def test_files_and_delta_folders_that_sql_can_read_where_they_are(
    server: LiveServer, folder: Path, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    frame.write_parquet(folder / "a`b.parquet")
    frame.write_delta(folder / "kept")
    frame.write_csv(folder / "a.csv")
    for name, rows in (("a`b.parquet", 2), ("kept", 2)):
        path = urlencode({"path": f"{folder.name}/{name}"})
        sql = server.request("GET", f"files/sql?{path}").json["sql"]
        assert len(server.sql(select("*", sql))["rows"]) == rows
    frame.write_parquet(tmp_path / "away.parquet")
    (folder / "link.parquet").symlink_to(tmp_path / "away.parquet")
    inside = [f"{folder.name}/{name}" for name in ("link.parquet", "a.csv", "")]
    for path in (*inside, "nowhere", "../.."):
        assert server.request("GET", f"files/sql?{urlencode({'path': path})}").json["sql"] is None
