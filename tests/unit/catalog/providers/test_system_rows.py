"""What the system's tables tell whom."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.providers.protocol import Asker
from flowcat_jupyter.catalog.providers.system_rows import Look
from flowcat_jupyter.catalog.providers.system_tables import TABLES
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from tests.support.catalog import COLUMNS, World

EVE = Actor("eve")


def rows(world: World, name: str, actor: Actor = LOCAL) -> list[dict[str, Any]]:
    """The rows of a table, as one actor's statement would find them."""
    (table,) = [table for table in TABLES if f"{table.schema}.{table.name}" == name]
    with world.begin(actor) as unit:
        look = Look(unit, world.deps, Asker(actor, SqlSession("s", actor.name)))
        names = [column.name for column in table.columns]
        return [dict(zip(names, row, strict=True)) for row in table.rows(look)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.schema}.{table.name}")
async def test_rows_fit_the_columns_for_everybody(world: World, table: Any) -> None:
    await world.schema()
    await world.table("main.default.t")
    for actor in (LOCAL, EVE):
        for row in rows(world, f"{table.schema}.{table.name}", actor):
            for column in table.columns:
                assert column.nullable or row[column.name] is not None, column.name


async def test_queries_and_sessions_of_others_are_for_who_owns_everything(world: World) -> None:
    query = str(uuid4())
    world.deps.results.start("bob", query)
    with world.deps.sessions.using("bob", "his"):
        told = rows(world, "execution.queries")
        assert [(row["query_id"], row["state"]) for row in told] == [(query, "running")]
        assert [row["running"] for row in rows(world, "session.sessions")] == [1]
        assert rows(world, "execution.queries", EVE) == []
        assert rows(world, "session.sessions", EVE) == []


async def test_locks_are_the_open_writes_of_the_caller(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    opened = await writes.begin("main.default.t", "error", columns=COLUMNS)
    told = rows(world, "execution.locks")
    assert [(row["write_id"], row["table_name"]) for row in told] == [
        (opened.id, "main.default.t"),
    ]
    assert rows(world, "execution.locks", EVE) == []


async def test_the_information_schema_shows_what_the_caller_sees(world: World) -> None:
    await world.schema()
    await world.table("main.default.t")
    told = rows(world, "information_schema.columns")
    assert [(row["column_name"], row["data_type"]) for row in told] == [
        (column.name, column.type) for column in COLUMNS
    ]
    for name in ("schemata", "tables", "columns", "views"):
        assert rows(world, f"information_schema.{name}", EVE) == []
