"""What a statement would change, told without changing anything, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


@pytest.fixture
def table(server: LiveServer) -> Iterator[str]:
    """A table of five rows."""
    schema = f"s{uuid4().hex[:12]}"
    made = ("CREATE TABLE", f"{schema}.t", "AS SELECT id, 'a' AS v FROM range(5)")
    server.sql(f"CREATE SCHEMA {schema}")
    server.sql(" ".join(made))
    yield f"{schema}.t"
    server.sql(f"DROP SCHEMA {schema} CASCADE")


def tried(server: LiveServer, *words: str, **options: Any) -> Any:
    return server.sql(" ".join(words), dry_run=True, **options)


def written(inserted: int = 0, updated: int = 0, deleted: int = 0) -> dict[str, int]:
    return {"inserted": inserted, "updated": updated, "deleted": deleted}


def test_nothing_is_changed_and_all_is_counted(server: LiveServer, table: str) -> None:
    source = "t USING (SELECT id + 3 AS id FROM range(4)) s ON t.id = s.id"
    merge = " ".join(("MERGE INTO", table, source))
    for statement, counts in [
        (("DELETE FROM", table, "WHERE id > 2"), written(deleted=2)),
        (("DELETE FROM", table), written(deleted=5)),
        (("UPDATE", table, "SET v = 'b' WHERE id < 3"), written(updated=3)),
        (("UPDATE", table, "SET v = 'b' WHERE id = 77"), written()),
        (("INSERT INTO", table, "SELECT id + 9, 'new' FROM range(7)"), written(inserted=7)),
        (("INSERT OVERWRITE", table, "SELECT 1, 'new'"), written(inserted=1)),
        (
            (merge, "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"),
            written(inserted=2, deleted=2),
        ),
    ]:
        told = tried(server, *statement)
        assert (told["dry_run"], told["changed"], told["written"]) == (True, False, counts)
    known = server.table(f"main.{table}")
    assert (known["delta_version"], known["row_count"]) == (0, 5)
    assert server.sql(select("count(*)", table))["rows"] == [[5]]


def test_what_could_not_be_done_is_refused_as_ever(server: LiveServer, table: str) -> None:
    insert = " ".join(("INSERT INTO", table, "VALUES ('no number', 'x')"))
    reply = server.try_sql(insert, dry_run=True)
    refused = server.try_sql(insert)
    assert (reply.status, reply.json) == (400, refused.json)
    reply = server.try_sql(" ".join(("DELETE FROM", table, "WHERE nope = 1")), dry_run=True)
    assert reply.json["condition"].startswith("UNRESOLVED_COLUMN")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1",
        "DROP TABLE {t}",
        "CREATE TABLE {t}2 AS SELECT 1 AS a",
        "OPTIMIZE {t}",
        "USE main",
        "DELETE FROM {t}; DELETE FROM {t}",
        "INSERT INTO {t} REPLACE WHERE id = 1 SELECT 1, 'a'",
    ],
)
def test_other_statements_cannot_be_tried(server: LiveServer, table: str, statement: str) -> None:
    reply = server.try_sql(statement.format(t=table), dry_run=True)
    assert (reply.status, reply.json["condition"]) == (400, "UNSUPPORTED_FEATURE")
    assert reply.json["line"] == 1
    assert server.table(f"main.{table}")["row_count"] == 5


def test_the_table_is_free_for_the_statement_itself(server: LiveServer, table: str) -> None:
    delete = ("DELETE FROM", table, "WHERE id = :id")
    assert tried(server, *delete, params={"id": 4})["written"] == written(deleted=1)
    done = server.sql(" ".join(delete), params={"id": 4})
    assert (done["dry_run"], done["written"]) == (False, written(deleted=1))
