"""DEFAULT: what columns get that no value is said for, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select


def at(table: str, text: str) -> str:
    """Statements about a table, which is called ``{t}`` in them."""
    return text.replace("{t}", table)


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with an empty table ``t``."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; CREATE TABLE {name}.t (id INT, state STRING DEFAULT 'new', "
        "price DECIMAL(10,2) DEFAULT 1.5, day DATE DEFAULT DATE '2026-01-31')"
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY id")["rows"]


FILLED = ["new", "1.50", "2026-01-31"]


def test_what_an_insert_leaves_out_gets_the_default(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        at(
            table,
            "INSERT INTO {t} (id) VALUES (1); INSERT INTO {t} BY NAME SELECT 2 AS id; "
            "INSERT INTO {t} VALUES (3, DEFAULT, DEFAULT, DEFAULT); "
            "INSERT INTO {t} (id, state) VALUES (4, NULL)",
        )
    )
    assert rows(server, table) == [
        [1, *FILLED],
        [2, *FILLED],
        [3, *FILLED],
        [4, None, *FILLED[1:]],
    ]


def test_updates_and_merges_take_the_default_by_its_name(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        at(
            table,
            "INSERT INTO {t} VALUES (1, 'old', 9, DATE '2020-01-01'); "
            "UPDATE {t} SET state = DEFAULT, price = DEFAULT WHERE id = 1; "
            "MERGE INTO {t} AS t USING (SELECT 2 AS id) AS s ON t.id = s.id "
            "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        )
    )
    assert rows(server, table) == [[1, "new", "1.50", "2020-01-01"], [2, *FILLED]]


def test_a_default_is_set_and_taken_away(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(
        at(
            table,
            "ALTER TABLE {t} ALTER COLUMN STATE SET DEFAULT 'it''s'; "
            "INSERT INTO {t} (id) VALUES (1); "
            "ALTER TABLE {t} ALTER COLUMN state DROP DEFAULT; "
            "INSERT INTO {t} (id) VALUES (2)",
        )
    )
    assert [row[1] for row in rows(server, table)] == ["it's", None]


def test_the_moment_of_writing_may_be_a_default(server: LiveServer, schema: str) -> None:
    table = f"{schema}.moments"
    server.sql(
        at(
            table,
            "CREATE TABLE {t} (id INT, at TIMESTAMP DEFAULT current_timestamp()); "
            "INSERT INTO {t} (id) VALUES (1)",
        )
    )
    answer = server.sql(f"{select('at > now() - INTERVAL 1 HOUR', table)} WHERE id = 1")
    assert answer["rows"] == [[True]]


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("ALTER COLUMN id SET DEFAULT 'x'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("ALTER COLUMN id SET DEFAULT rand()", "INVALID_DEFAULT_VALUE.NOT_CONSTANT"),
        ("ALTER COLUMN nope SET DEFAULT 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("ADD COLUMN more INT DEFAULT 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_what_is_no_default_is_refused(
    server: LiveServer, schema: str, statement: str, condition: str
) -> None:
    reply = server.try_sql(f"ALTER TABLE {schema}.t {statement}")
    assert (reply.status, reply.json["condition"]) == (400, condition), reply.body
    assert server.table(f"main.{schema}.t")["delta_version"] == 0
