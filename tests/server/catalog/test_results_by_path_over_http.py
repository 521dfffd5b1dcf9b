"""To whom a server tells where a result lies: who owns all of it and asks from its own machine."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest

from flowcat_jupyter.shared.handover import RESULT_FILE, identity
from tests.support.live import ARROW, TOKEN, LiveServer, Reply, live_server

REPOSITORY = Path(__file__).parents[3]
QUERY = "SELECT 1 AS one, 'a' AS a"


def ask(server: LiveServer, accept: str = f"{RESULT_FILE}, {ARROW}", **headers: str) -> Reply:
    body: dict[str, Any] = {"query": QUERY, "query_id": str(uuid4()), "max_rows": None}
    return server.request("POST", "sql/execute", body, headers={"Accept": accept, **headers})


def streamed(reply: Reply) -> bool:
    assert reply.status == 200, reply.body
    assert reply.headers["Content-Type"] == ARROW
    return pl.read_ipc_stream(BytesIO(reply.body)).rows() == [(1, "a")]


def test_the_place_comes_with_the_envelope_and_the_files_identity(server: LiveServer) -> None:
    reply = ask(server)
    assert reply.headers["Content-Type"] == RESULT_FILE
    told = reply.json
    place = Path(told["path"])
    assert identity(place.stat()) == told["identity"]
    assert pl.read_ipc(place).rows() == [(1, "a")]
    assert told["result"] == server.get(f"sql/{told['result']['query_id']}")


def test_a_finished_result_is_told_of_or_streamed_again(server: LiveServer) -> None:
    told = ask(server).json
    path = f"sql/{told['result']['query_id']}"
    again = server.request("GET", path, headers={"Accept": RESULT_FILE + "," + ARROW})
    assert again.json == told
    assert streamed(server.request("GET", path, headers={"Accept": ARROW}))
    other = server.request("GET", f"sql/{uuid4()}", headers={"Accept": ARROW})
    assert other.status == 404


def test_who_does_not_ask_for_it_is_told_of_no_place(server: LiveServer) -> None:
    assert streamed(ask(server, ARROW))
    assert "path" not in ask(server, "application/json").json


def test_no_token_no_place(server: LiveServer) -> None:
    query_id = ask(server).json["result"]["query_id"]
    accept = {"Accept": RESULT_FILE + "," + ARROW}
    for token in (None, "wrong"):
        reply = server.request("GET", f"sql/{query_id}", token=token, headers=accept)
        assert reply.status == 403
        assert b"results" not in reply.body


def test_a_result_that_is_gone_is_gone_without_naming_its_place(tmp_path: Path) -> None:
    with live_server(tmp_path, tmp_path) as server:
        told = ask(server).json
        place = Path(told["path"])
        place.unlink()
        path = f"sql/{told['result']['query_id']}"
        reply = server.request("GET", path, headers={"Accept": RESULT_FILE + "," + ARROW})
        assert reply.status == 410
        assert reply.json["code"] == "Gone"
        place.symlink_to("/etc/hostname")
        reply = server.request("GET", path, headers={"Accept": RESULT_FILE + "," + ARROW})
        assert reply.status == 500
        assert b"/" not in reply.body
        assert str(place) not in server.log.read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--Flowcat.result_handover=never"],
        ["--Flowcat.mode=hub"],
        ["--ServerApp.identity_provider_class=tests.support.named_identity.NamedIdentity"],
    ],
    ids=["forbidden", "hub", "named users"],
)
def test_a_server_that_may_not_streams(tmp_path: Path, arguments: list[str]) -> None:
    named = "NamedIdentity" in arguments[0]
    token = "user:" + "ann" if named else TOKEN
    with live_server(
        tmp_path, tmp_path, *arguments, token=token, PYTHONPATH=str(REPOSITORY)
    ) as server:
        assert streamed(ask(server))


def test_a_client_elsewhere_gets_a_stream(tmp_path: Path) -> None:
    with live_server(tmp_path, tmp_path, "--ServerApp.trust_xheaders=True") as server:
        assert streamed(ask(server, **{"X-Forwarded-For": "192.0.2.7"}))
        assert (
            ask(server, **{"X-Forwarded-For": "127.0.0.1"}).headers["Content-Type"] == RESULT_FILE
        )
