"""Versions of a table compared and restored, and its files looked after, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def table(server: LiveServer) -> Iterator[tuple[str, str]]:
    """A table of three versions and its path below the routes."""
    schema = f"s{uuid4().hex[:12]}"
    name = f"{schema}.t"
    server.sql(f"CREATE SCHEMA {schema}; CREATE TABLE {name} AS SELECT 1 AS id, 'a' AS word")
    insert = ("INSERT INTO", name, "VALUES (2, 'b'), (3, NULL)")
    server.sql(" ".join(insert))
    server.sql(" ".join(("UPDATE", name, "SET word = 'z' WHERE id = 2")))
    yield name, f"tables/{server.table(f'main.{name}')['id']}"
    server.sql(f"DROP SCHEMA {schema} CASCADE")


def between(before: int, after: int) -> dict[str, Any]:
    return {"from": before, "to": after}


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('id', table)} ORDER BY id")["rows"]


def test_the_newest_version_differs_from_the_one_before(
    server: LiveServer, table: tuple[str, str]
) -> None:
    told = server.get(f"{table[1]}/diff")
    assert told["before"] == {"version": 1, "row_count": 3, "files": 2}
    assert (told["after"]["version"], told["after"]["row_count"]) == (2, 3)
    assert (told["added"], told["removed"]) == (1, 1)
    assert told["sample"] == [
        {"change": "removed", "count": 1, "values": ["2", "b"], "beside": False},
        {"change": "added", "count": 1, "values": ["2", "z"], "beside": True},
    ]
    assert [column["name"] for column in told["compared"]] == ["id", "word"]


def test_any_two_versions_are_compared_either_way(
    server: LiveServer, table: tuple[str, str]
) -> None:
    told = server.get(f"{table[1]}/diff", **between(2, 0))
    assert (told["added"], told["removed"]) == (0, 2)
    reply = server.request("GET", f"{table[1]}/diff", **between(0, 9))
    assert (reply.status, reply.json["condition"]) == (400, "DELTA_VERSION_NOT_FOUND")
    reply = server.request("GET", f"{table[1]}/diff", to=0)
    assert reply.status == 400
    assert "none before it" in reply.json["message"]
    assert server.request("GET", "tables/999999/diff").status == 404


def test_a_restore_says_what_undoes_it(server: LiveServer, table: tuple[str, str]) -> None:
    name, path = table
    done = server.post(f"{path}/restore", {"version": 0})
    assert (done["changed"], done["version_before"], done["version"]) == (True, 2, 3)
    assert (done["note"], done["table"]["row_count"]) == ("version 0 is back", 1)
    assert rows(server, name) == [[1]]
    undone = server.post(f"{path}/restore", {"version": done["version_before"]})
    assert undone["version"] == 4
    assert rows(server, name) == [[1], [2], [3]]
    again = server.post(f"{path}/restore", {"version": 4})
    assert (again["changed"], again["version"]) == (False, 4)
    reply = server.request("POST", f"{path}/restore", {"version": 99})
    assert (reply.status, reply.json["condition"]) == (400, "DELTA_VERSION_NOT_FOUND")


def test_upkeep_tells_files_and_bytes(server: LiveServer, table: tuple[str, str]) -> None:
    _, path = table
    data_version = server.get(path)["data_version"]
    done = server.post(f"{path}/optimize")
    assert (done["changed"], done["files_removed"], done["files_added"]) == (True, 2, 1)
    assert done["table"]["files"] == 1
    assert done["table"]["data_version"] == data_version
    assert server.post(f"{path}/optimize")["changed"] is False
    would = server.post(f"{path}/vacuum", {"dry_run": True})
    assert (would["dry_run"], would["changed"], would["files_removed"]) == (True, False, 0)
    assert server.post(f"{path}/vacuum")["note"] == "nothing to remove"
    reply = server.request("POST", f"{path}/vacuum", {"retain_hours": 1, "dry_run": True})
    assert reply.json["condition"] == "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
    assert server.request("POST", f"{path}/vacuum", {"retain_hours": -1}).status == 400


def test_the_table_tells_its_rules(server: LiveServer, table: tuple[str, str]) -> None:
    known = server.get(table[1])
    assert (known["constraints"], known["options"]) == ({}, {})
    assert isinstance(known["properties"], dict)
