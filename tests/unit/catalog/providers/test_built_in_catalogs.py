"""The built-in catalogs beside those of the database."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.providers.known import KnownTables
from flowcat_jupyter.catalog.providers.memory import MemoryTable, memory_of
from flowcat_jupyter.catalog.providers.protocol import Asker
from flowcat_jupyter.catalog.providers.provided import Needed, Provided, built_in
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.schema import ROOT_ID
from flowcat_jupyter.sql.dialect import Piece
from tests.support.catalog import World

SETTINGS = ("system", "session", "settings")


def provided(world: World, actor: Actor = LOCAL) -> Provided:
    return Provided(Asker(actor, SqlSession("s", actor.name)), world.deps, built_in(world.deps))


def made_before(world: World) -> None:
    """A catalog of a reserved name, as an older version let anybody make."""
    with world.begin(LOCAL, write=True) as unit:
        made = unit.securables.insert("catalog", ROOT_ID, "System", by="local", at=unit.now)
        unit.securables.insert_namespace(made, 0)


async def test_no_catalog_takes_a_reserved_name(world: World) -> None:
    for name in ("system", "SYSTEM", "Memory"):
        with pytest.raises(Invalid, match="built-in"):
            await world.catalog().namespaces.create(name)


async def test_a_catalog_that_was_there_wins_and_a_warning_says_so(world: World) -> None:
    made_before(world)
    others = provided(world)
    assert await others.provider("system") is None
    assert len(others.warnings) == 1
    assert "hides the built-in catalog" in others.warnings[0]
    assert await others.provider("SYSTEM") is None
    assert len(others.warnings) == 1
    assert await others.shown(Describe(Piece(""), "CATALOG", ("system",)), ("a", "b")) is None


async def test_a_catalog_that_one_does_not_see_hides_nothing(world: World) -> None:
    made_before(world)
    others = provided(world, Actor("eve"))
    assert await others.provider("system") is not None
    assert others.warnings == ()


async def test_planning_stops_at_a_table_that_is_not_open_and_goes_on(world: World) -> None:
    others = provided(world)
    tries: list[bool] = []

    async def plan() -> bool:
        tries.append(True)
        return others.find(SETTINGS) is not None

    with pytest.raises(Needed):
        others.find(SETTINGS)
    assert await others.planned(plan)
    assert len(tries) == 2
    assert others.find(("main", "default", "t")) is None
    others.close()
    with pytest.raises(Needed):
        others.find(SETTINGS)


async def test_completion_knows_what_there_is_without_opening_it(world: World) -> None:
    session = SqlSession("s", LOCAL.name)
    known = KnownTables(session)
    assert known.names(()) == [("memory", "catalog"), ("system", "catalog")]
    assert ("session", "schema") in known.names(("System",))
    assert ("settings", "table") in known.names(("system", "SESSION"))
    assert known.names(("memory",)) == [("default", "schema")]
    found = known.find(("SYSTEM", "session", "settings"))
    assert found is not None
    assert found.columns[0].name == "name"
    memory = memory_of(session, world.deps.results.files)
    facts = world.executor.commit("/x")
    memory.put(MemoryTable(("memory", "default", "t"), "/x", facts), made=True)
    assert known.names(("memory", "default")) == [("t", "table")]
    assert known.names(("a", "b", "c")) == []
