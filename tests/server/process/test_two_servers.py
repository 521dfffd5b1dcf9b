"""Two servers on one catalog, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.databases import BACKENDS
from tests.support.live import LiveServer, live_server
from tests.support.postgres import Server

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module", params=BACKENDS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveServer, LiveServer]]:
    """Two servers that share a home and a database."""
    home = tmp_path_factory.mktemp("pair")
    env = {"FLOWCAT_WORKERS": "1"}
    with ExitStack() as stack:
        if request.param == "postgresql":
            database: Server = request.getfixturevalue("postgres_server")
            env["FLOWCAT_DB_URL"] = database.database()
            stack.callback(database.drop, env["FLOWCAT_DB_URL"])
        one, two = (
            stack.enter_context(live_server(home, tmp_path_factory.mktemp("root"), **env))
            for _ in range(2)
        )
        yield one, two


def _folders(server: LiveServer) -> set[Path]:
    """Every folder of table data."""
    home = server.log.parent / "flowcat" / "data"
    return {path.parent for path in home.rglob("_delta_log")}


@pytest.mark.parametrize("turn", [(0, 1), (1, 0)], ids=["one tells two", "two tells one"])
def test_each_server_hears_what_the_other_changes(
    pair: tuple[LiveServer, LiveServer], turn: tuple[int, int]
):
    speaker, listener = pair[turn[0]], pair[turn[1]]
    before = listener.get("changes", after=0)["seq"]
    name = f"main.s{uuid4().hex[:8]}"
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(listener.get, "changes", after=before, wait=20)
        catalog, schema = name.split(".")
        parent = next(
            node["id"]
            for node in speaker.get("namespaces/tree")["items"]
            if node["name"] == catalog
        )
        speaker.post("namespaces", {"name": schema, "parent_id": parent})
        reply = heard.result(30)
    assert [change["name"] for change in reply["items"]] == [schema]
    assert reply["seq"] > before
    table = f"{name}.t"
    assert speaker.import_text(table, "a\n1\n2\n")["state"] == "succeeded"
    assert listener.sql(f"SELECT sum(a) FROM {table}")["rows"] == [[3]]  # noqa: S608


def test_of_two_imports_of_one_name_exactly_one_wins_and_nothing_is_left_over(
    pair: tuple[LiveServer, LiveServer],
):
    for _ in range(3):
        name = f"main.default.t{uuid4().hex}"
        folders = _folders(pair[0])
        texts = ["a\n1\n", "a\n2\n2\n"]
        with ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda job: _try_import(*job), _jobs(pair, name, texts)))
        won = [run for run in runs if run["state"] == "succeeded"]
        lost = [run for run in runs if run["state"] != "succeeded"]
        assert len(won) == 1, runs
        assert lost[0]["error"]["code"] == "AlreadyExists"
        rows = 1 if won[0] is runs[0] else 2
        for server in pair:
            assert server.sql(f"SELECT count(*) FROM {name}")["rows"] == [[rows]]  # noqa: S608
        assert len(_folders(pair[0]) - folders) == 1


def _jobs(
    pair: tuple[LiveServer, LiveServer], name: str, texts: list[str]
) -> list[tuple[LiveServer, str, str]]:
    return [(server, name, text) for server, text in zip(pair, texts, strict=True)]


def _try_import(server: LiveServer, name: str, text: str) -> Any:
    """The ended run; or, where the import was refused at once, what looks like one."""
    upload = server.request("POST", "uploads", name="file.csv").json["upload_id"]
    server.request("PUT", f"uploads/{upload}", text.encode(), offset=0)
    reply = server.request("POST", "tables/import", {"table": name, "upload_id": upload})
    if reply.status == 202:
        return server.run_to_end(reply.json)
    return {"state": "refused", "error": reply.json}
