"""A disk that is full, or can only be read, costs a clear error and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, Reply, flowcat, live_server
from tests.support.storm_model import notebook

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="mounts a disk of its own"),
]
ROWS = "id,v\n" + "".join(f"{n},{n * 7919 % 1000003}\n" for n in range(40_000))
T = "main.default.t"


@contextmanager
def mounted(place: Path, size: str) -> Iterator[Path]:
    """A small disk at a place."""
    place.mkdir(parents=True)
    disk = ["/bin/mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    subprocess.run(disk, check=True)  # noqa: S603
    try:
        yield place
    finally:
        subprocess.run(["/bin/umount", "-l", place], check=True)  # noqa: S603


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", "400m") as place:
        yield place


@pytest.fixture
def server(disk: Path, tmp_path: Path) -> Iterator[LiveServer]:
    root = disk / "root"
    root.mkdir()
    with live_server(tmp_path, root, FLOWCAT_HOME=str(disk / "flowcat")) as running:
        yield running


def fill(disk: Path) -> Path:
    """Take all the space there is."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65_536)
        except OSError:
            pass
        try:
            while True:
                file.write(b"x")
        except OSError:
            return filler


def upload(server: LiveServer) -> str:
    made: str = server.request("POST", "uploads", name="a.csv").json["upload_id"]
    sent = server.request("PUT", f"uploads/{made}", ROWS.encode(), offset=0)
    assert sent.status == 200, sent.body
    return made


def save(server: LiveServer, number: int) -> Reply:
    body = {"type": "notebook", "format": "json", "content": notebook(number, 20, 500)}
    return server.request("PUT", "n.notebook.yaml", body, root="api/contents/")


def assert_names_the_disk(error: dict[str, Any]) -> None:
    words = f"{error['message']} {error.get('hint')}"
    assert any(word in words for word in ("space", "disk", "full")), error
    assert error["code"] in ("Unavailable", "LimitExceeded"), error


def test_a_full_disk_is_named_and_nothing_is_half_made(
    server: LiveServer, disk: Path, tmp_path: Path
) -> None:
    assert server.import_text(T, ROWS)["state"] == "succeeded"
    assert save(server, 1).status in (200, 201)
    waiting = upload(server)
    tables = set((disk / "flowcat" / "data").iterdir())
    filler = fill(disk)

    refused = [
        server.request("POST", "uploads", name="b.csv"),
        server.request("PUT", f"uploads/{waiting}", b"1,2\n" * 100_000, offset=0),
        server.try_sql(f"SELECT *, id + v AS w FROM {T} ORDER BY w", max_rows=None),  # noqa: S608
        server.request("POST", "namespaces", {"name": f"c{uuid4().hex}"}),
        server.request("POST", "tables/import", {"table": "main.default.u", "upload_id": waiting}),
    ]
    for reply in refused:
        if reply.status == 202:
            run = server.run_to_end(reply.json)
            assert run["state"] == "failed", run
            assert_names_the_disk(run["error"])
        elif reply.status >= 400:
            assert reply.status != 500, reply.body
            assert_names_the_disk(reply.json)
    assert [reply.status >= 400 for reply in refused[1:3]] == [True, True]
    lost = save(server, 2)
    assert lost.status >= 400
    assert b"space" in lost.body or b"No space" in lost.body, lost.body
    assert server.get("namespaces/tree")["items"], "what needs no space goes on"

    filler.unlink()
    if refused[0].status == 201:
        server.request("DELETE", f"uploads/{refused[0].json['upload_id']}")
    assert server.sql(f"SELECT count(*) FROM {T}")["rows"] == [[40_000]]  # noqa: S608
    kept = server.request("GET", "n.notebook.yaml", root="api/contents/").json["content"]
    assert kept["cells"][0]["source"].startswith("save = 1 ")
    assert save(server, 3).status == 200
    listed = server.try_sql("SELECT * FROM main.default.u")
    assert listed.status == 400, "no half-made table"
    assert set((disk / "flowcat" / "data").iterdir()) == tables
    body = {"table": "main.default.u", "upload_id": waiting}
    assert server.run_to_end(server.post("tables/import", body, 202))["state"] == "succeeded"
    server.stop()
    done = flowcat(tmp_path, "doctor", "--json", "--grace", "0", FLOWCAT_HOME=str(disk / "flowcat"))
    faults = [f for f in json.loads(done.stdout)["findings"] if not f["well"]]
    assert not faults


def test_a_home_that_can_only_be_read_is_read(tmp_path: Path) -> None:
    home = tmp_path / "flowcat"
    with live_server(tmp_path, tmp_path) as server:
        assert server.import_text(T, "id\n1\n2\n")["state"] == "succeeded"
    mount = ["/bin/mount", "--bind", str(home), str(home)]
    subprocess.run(mount, check=True)  # noqa: S603
    try:
        subprocess.run(["/bin/mount", "-o", "remount,ro,bind", home], check=True)  # noqa: S603
        with live_server(tmp_path, tmp_path) as server:
            assert server.get("status")["state"] == "ready"
            assert server.sql(f"SELECT sum(id) FROM {T}")["rows"] == [[3]]  # noqa: S608
            table = server.table(T)
            assert server.get(f"tables/{table['id']}/preview", limit=5)["rows"]
            for reply in (
                server.request("POST", "namespaces", {"name": "c"}),
                server.request("DELETE", f"tables/{table['id']}"),
                server.request("POST", "uploads", name="a.csv"),
                server.request("POST", "writes", {"table": T, "mode": "append", "columns": []}),
            ):
                assert reply.status == 503, reply.body
                words = f"{reply.json['message']} {reply.json.get('hint')}"
                assert "written" in words or "write" in words or "read" in words
    finally:
        subprocess.run(["/bin/umount", "-l", home], check=True)  # noqa: S603


def test_storage_that_can_only_be_read_is_read(tmp_path: Path) -> None:
    data = tmp_path / "flowcat" / "data"
    with live_server(tmp_path, tmp_path) as server:
        assert server.import_text(T, "id\n1\n2\n")["state"] == "succeeded"
        mount = ["/bin/mount", "--bind", str(data), str(data)]
        subprocess.run(mount, check=True)  # noqa: S603
        try:
            subprocess.run(["/bin/mount", "-o", "remount,ro,bind", data], check=True)  # noqa: S603
            assert server.sql(f"SELECT sum(id) FROM {T}")["rows"] == [[3]]  # noqa: S608
            sent = server.request("POST", "uploads", name="a.csv").json["upload_id"]
            server.request("PUT", f"uploads/{sent}", b"id\n3\n", offset=0)
            body = {"table": T, "upload_id": sent, "mode": "append"}
            reply = server.request("POST", "tables/import", body)
            error = reply.json if reply.status != 202 else server.run_to_end(reply.json)["error"]
            assert error["code"] == "Unavailable", error
            assert "only be read" in error["message"], error
        finally:
            subprocess.run(["/bin/umount", "-l", data], check=True)  # noqa: S603
        done = server.run_to_end(server.post("tables/import", body, 202))
        assert done["state"] == "succeeded"
        assert server.sql(f"SELECT sum(id) FROM {T}")["rows"] == [[6]]  # noqa: S608
