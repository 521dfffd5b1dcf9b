"""Joins, sub-queries, groups and windows give the rows that SQLite gives for the same text.

SQLite orders NULLs as Spark does and knows these constructs, which makes it an independent judge of
what the lowering does with names, layers and joins. Arithmetic differs, so there is little here.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.engines import Tables
from tests.support.sqlite_tables import rounded, sqlite_database, sqlite_tables

TEXT = (Path(__file__).parents[2] / "data" / "sql" / "against_sqlite.sql").read_text()
QUERIES = dict(part.split("\n", 1) for part in TEXT.removeprefix("-- ").split("\n-- "))


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return sqlite_database()


@pytest.fixture(scope="module")
def tables() -> Tables:
    return sqlite_tables()


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_gives_the_rows_that_sqlite_gives(
    name: str, ask: Any, database: sqlite3.Connection, tables: Tables
) -> None:
    wanted = rounded(database.execute(QUERIES[name]).fetchall())
    got = rounded(ask(QUERIES[name], tables).rows)
    if "ORDER BY" not in QUERIES[name]:
        got, wanted = sorted(got, key=repr), sorted(wanted, key=repr)
    assert got == wanted
