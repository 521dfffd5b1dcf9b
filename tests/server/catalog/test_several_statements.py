"""What a text of several statements tells: of each of them, and of where it was stopped."""

from __future__ import annotations

import threading
import time
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, Reply, select

SLOW = (
    "SELECT count(*) AS n FROM demo.nyc.flights a JOIN demo.nyc.flights b ON a.origin = b.origin "
    "JOIN demo.nyc.flights c ON b.dest = c.dest WHERE a.distance + b.distance + c.distance < 0"
)


def stopped(server: LiveServer, query: str, at_table: str | None = None) -> Reply:
    """The answer to a text that is cancelled while it runs, once such a table is there."""
    query_id = str(uuid4())
    replies: list[Reply] = []
    thread = threading.Thread(
        target=lambda: replies.append(server.try_sql(query, query_id=query_id))
    )
    thread.start()
    for _ in range(300):
        state = server.request("GET", f"sql/{query_id}/status")
        there = at_table is None or server.request("GET", "tables/resolve", name=at_table)
        if state.status == 200 and (there is True or there.status == 200):
            break
        assert thread.is_alive(), replies[0].body
        time.sleep(0.1)
    time.sleep(0.5)
    assert server.request("DELETE", f"sql/{query_id}").status == 204
    thread.join(60)
    return replies[0]


@pytest.fixture
def name() -> str:
    """A table's name that nobody has."""
    return f"t{uuid4().hex[:12]}"


def test_notes_of_every_statement_are_told(server: LiveServer, name: str):
    text = f"DROP TABLE IF EXISTS {name}; CREATE SCHEMA IF NOT EXISTS default; SELECT 1 AS a"
    reply: Any = server.sql(text)
    assert reply["rows"] == [[1]]
    told = [f"There is no table {name}.", "There is already a schema default."]
    assert reply["warnings"] == told
    assert server.get(f"sql/{reply['query_id']}")["warnings"] == told


def test_a_cancelled_statement_says_that_nothing_was_changed(server: LiveServer, name: str):
    reply = stopped(server, " ".join(("CREATE TABLE", name, "AS", SLOW)))
    assert reply.json["code"] == "Cancelled"
    assert reply.json["message"] == "Nothing was changed: the statement was cancelled."
    gone = server.request("GET", "tables/resolve", name=name)
    assert gone.json["condition"] == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_cancelled_query_is_told_as_one(server: LiveServer):
    assert stopped(server, SLOW).json["message"] == "The query was cancelled."


def test_a_text_that_is_cancelled_says_how_far_it_had_come(server: LiveServer, name: str):
    reply = stopped(server, f"CREATE TABLE {name} AS SELECT 1 AS a; {SLOW}", at_table=name)
    told = "What stands before statement 2 has run; the rest was cancelled."
    assert (reply.json["code"], reply.json["message"]) == ("Cancelled", told)
    assert server.sql(select("*", name))["rows"] == [[1]]
    server.sql(f"DROP TABLE {name}")
