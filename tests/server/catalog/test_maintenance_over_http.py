"""OPTIMIZE, VACUUM and RESTORE against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def table(server: LiveServer) -> Iterator[str]:
    """A table of three versions, of a row more each."""
    schema = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {schema}")
    name = f"{schema}.t"
    server.sql(f"CREATE TABLE {name} AS SELECT 1 AS id")
    for number in (2, 3):
        server.sql(" ".join(("INSERT INTO", name, f"VALUES ({number})")))
    yield name
    server.sql(f"DROP SCHEMA {schema} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('id', table)} ORDER BY id")["rows"]


def test_a_table_is_what_it_was_again(server: LiveServer, table: str) -> None:
    done = server.sql(f"RESTORE TABLE {table} TO VERSION AS OF :v", params={"v": 0})
    assert (done["statement"], done["note"]) == ("RESTORE", "version 0 is back")
    assert rows(server, table) == [[1]]
    known = server.table(f"main.{table}")
    assert (known["delta_version"], known["row_count"]) == (3, 1)
    server.sql(f"RESTORE {table} TO VERSION AS OF 2")
    assert rows(server, table) == [[1], [2], [3]]


def test_upkeep_of_files_changes_no_data(server: LiveServer, table: str) -> None:
    before = server.table(f"main.{table}")
    done = server.sql(f"OPTIMIZE {table}")
    assert (done["statement"], done["note"]) == ("OPTIMIZE", "3 files became 1")
    after = server.table(f"main.{table}")
    assert after["delta_version"] == before["delta_version"] + 1
    assert after["data_version"] == before["data_version"]
    assert rows(server, table) == [[1], [2], [3]]
    assert server.sql(f"OPTIMIZE {table}")["note"] == "nothing to put together"


def test_what_would_be_removed_is_listed_and_stays(server: LiveServer, table: str) -> None:
    told = server.sql(f"VACUUM {table} DRY RUN")
    assert told["statement"] == "VACUUM DRY RUN"
    assert [column["name"] for column in told["columns"]] == ["path", "size_bytes"]
    assert told["rows"] == []
    assert server.sql(f"VACUUM {table}")["note"] == "nothing to remove"


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("VACUUM {t} RETAIN 0 HOURS", "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"),
        ("VACUUM {t} RETAIN 0 HOURS DRY RUN", "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"),
        ("RESTORE {t} TO VERSION AS OF 99", "DELTA_VERSION_NOT_FOUND"),
        ("RESTORE {t} TO VERSION AS OF :v", "UNBOUND_SQL_PARAMETER"),
        ("OPTIMIZE {t} ZORDER BY nope", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("OPTIMIZE main.nope.t", "SCHEMA_NOT_FOUND"),
        ("VACUUM main.nope.t", "SCHEMA_NOT_FOUND"),
        ("VACUUM main.nope.t DRY RUN", "SCHEMA_NOT_FOUND"),
        ("VACUUM nope DRY RUN", "TABLE_OR_VIEW_NOT_FOUND"),
        ("RESTORE main.default.nope TO VERSION AS OF 1", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    server: LiveServer, table: str, statement: str, condition: str
) -> None:
    reply = server.try_sql(statement.format(t=table))
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert reply.json["line"] == 1
    assert server.table(f"main.{table}")["delta_version"] == 2
