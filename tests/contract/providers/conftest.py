"""Every test here runs over each provider, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.providers.caching import Caching, Keeping
from flowcat_jupyter.catalog.providers.guarded import Guarded
from flowcat_jupyter.catalog.providers.local import LocalProvider
from flowcat_jupyter.catalog.providers.memory import MemoryProvider, MemoryTable, memory_of
from flowcat_jupyter.catalog.providers.protocol import Asker, Provider
from flowcat_jupyter.catalog.providers.system import SystemProvider
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from tests.support.catalog import World
from tests.support.databases import (
    database_url,
    empty_url,
    engine,
    postgres_template,
    sqlite_template,
    world,
)

__all__ = [
    "database_url",
    "empty_url",
    "engine",
    "postgres_template",
    "sqlite_template",
    "world",
]


@dataclass
class Subject:
    """A provider, somebody who asks it, and a table that it has."""

    provider: Provider
    asker: Asker
    schema: str
    table: str
    world: World


async def _local(world: World, asker: Asker) -> Subject:
    await world.schema("main", "default")
    await world.table("main.default.Trips")
    return Subject(LocalProvider("main", world.deps), asker, "default", "Trips", world)


async def _memory(world: World, asker: Asker) -> Subject:
    places = world.deps.results.files
    memory = memory_of(asker.session, places)
    location = memory.new_location()
    facts = world.executor.commit(location)
    path = ("memory", "default", "Trips")
    memory.put(MemoryTable(path, location, facts, "mine"), made=True)
    return Subject(MemoryProvider(places), asker, "default", "Trips", world)


async def _system(world: World, asker: Asker) -> Subject:
    provider = SystemProvider(world.deps)
    return Subject(provider, asker, "session", "settings", world)


PROVIDERS = {"local": _local, "memory": _memory, "system": _system}
WRAPPED = {
    "bare": lambda provider: provider,
    "guarded": lambda provider: Guarded(provider, 30),
    "cached": lambda provider: Caching(provider, Keeping("global")),
}


@pytest.fixture
def asker() -> Asker:
    """The one who owns everything, in a session of its own."""
    return Asker(LOCAL, SqlSession("s1", LOCAL.name))


@pytest.fixture(params=[(name, how) for name in PROVIDERS for how in WRAPPED], ids="-".join)
async def subject(request: pytest.FixtureRequest, world: World, asker: Asker) -> Subject:
    """Each provider, alone and in what it can be wrapped in."""
    name, how = request.param
    made = await PROVIDERS[name](world, asker)
    made.provider = WRAPPED[how](made.provider)
    return made
