"""Code of a package that ends its process, or never ends, harms one statement and no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest

from tests.server.extensions.conftest import Place
from tests.support.live import LiveServer

SCHEMA = "rogues"


@pytest.fixture(scope="module")
def ask(server: LiveServer) -> Iterator[Any]:
    """Runs a text in a schema with a table for each deed."""
    server.sql(f"CREATE SCHEMA {SCHEMA}")
    for deed in ("exit", "hang"):
        server.sql(
            f"CREATE TABLE {deed}s (v INT) USING rogue OPTIONS (deed '{deed}')", schema=SCHEMA
        )

    def run(query: str, **more: Any) -> Any:
        return server.try_sql(query, schema=SCHEMA, **more)

    yield run
    server.sql(f"DROP SCHEMA {SCHEMA} CASCADE")


def test_code_that_ends_the_worker_ends_one_statement(ask: Any) -> None:
    reply = ask("SELECT * FROM exits")
    assert reply.status == 503
    assert "ended" in reply.json["message"]
    assert ask("SELECT 1 AS one").json["rows"] == [[1]]


def test_a_write_that_ends_the_worker_leaves_the_table_free(ask: Any) -> None:
    for _ in range(2):
        assert ask("INSERT INTO exits VALUES (1)").status == 503
    assert ask("DESCRIBE exits").json["rows"][0][:2] == ["v", "int"]


def body(query_id: str) -> dict[str, str]:
    return {"query": "SELECT count(*) FROM hangs", "query_id": query_id, "schema": SCHEMA}


def test_code_that_never_ends_is_stopped_by_who_asked(server: LiveServer, ask: Any) -> None:
    query_id = str(uuid4())
    replies: list[Any] = []
    asking = Thread(
        target=lambda: replies.append(server.request("POST", "sql/execute", body(query_id)))
    )
    asking.start()
    while asking.is_alive():
        server.request("DELETE", f"sql/{query_id}")
        asking.join(0.3)
    assert replies[0].json["code"] == "Cancelled"


def test_the_server_itself_runs_no_code_of_packages(
    server: LiveServer, ask: Any, place: Place
) -> None:
    assert ask("SELECT * FROM exits").status == 503
    server.get("extensions")
    importers = (Path(place.packages) / "flowcat_test_rogue.py.pids").read_text().split()
    assert importers
    assert str(server.pid) not in importers
