"""Answers of providers: how long they are kept, for whom, and how long anybody waits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.providers.caching import Caching, Keeping
from flowcat_jupyter.catalog.providers.guarded import Guarded
from flowcat_jupyter.catalog.providers.memory import MemoryProvider
from flowcat_jupyter.catalog.providers.protocol import Asker, SchemaFacts
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.shared.errors import Unavailable


@dataclass
class Remote(MemoryProvider):
    """A provider that counts who asks, and answers when it is let."""

    asked: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        self.asked.append(asker.actor.name)
        await self.gate.wait()
        return (SchemaFacts(f"of {asker.actor.name} {len(self.asked)}"),)

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        await self.gate.wait()


@dataclass
class Seconds:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def asker(name: str = "ann", session: str = "s") -> Asker:
    return Asker(Actor(name), SqlSession(session, name))


async def test_nothing_is_kept_where_nothing_is_to_be() -> None:
    remote = Remote()
    provider = Caching(remote, Keeping("none"))
    assert await provider.schemas(asker()) != await provider.schemas(asker())


async def test_a_session_keeps_its_own_answers() -> None:
    remote = Remote()
    provider = Caching(remote, Keeping("session"))
    first = await provider.schemas(asker())
    assert await provider.schemas(asker()) == first
    assert await provider.schemas(asker(session="t")) != first
    # A session that ends with its text keeps nothing.
    assert await provider.schemas(asker(session="")) != await provider.schemas(asker(session=""))


async def test_what_one_actor_sees_is_never_anothers_answer() -> None:
    provider = Caching(Remote(), Keeping("global"))
    first = await provider.schemas(asker("ann", "s"))
    assert await provider.schemas(asker("ann", "t")) == first
    assert await provider.schemas(asker("bob", "s")) == (SchemaFacts("of bob 2"),)


async def test_answers_grow_old_and_are_few() -> None:
    clock, remote = Seconds(), Remote()
    provider = Caching(remote, Keeping("global", size=2, ttl_s=10), clock)
    await provider.schemas(asker("ann"))
    clock.now = 9
    await provider.schemas(asker("ann"))
    assert remote.asked == ["ann"]
    clock.now = 10
    await provider.schemas(asker("ann"))
    assert remote.asked == ["ann", "ann"]
    await provider.schemas(asker("bob"))
    await provider.schemas(asker("ann"))
    await provider.schemas(asker("eve"))
    await provider.schemas(asker("ann"))
    assert remote.asked == ["ann", "ann", "bob", "eve"]
    await provider.schemas(asker("bob"))
    assert remote.asked[-1] == "bob"


async def test_a_change_forgets_what_was_answered_and_what_is_being_asked() -> None:
    remote = Remote()
    provider = Caching(remote, Keeping("global"))
    first = await provider.schemas(asker())
    remote.gate.clear()
    other = asyncio.ensure_future(provider.schemas(asker("bob")))
    await asyncio.sleep(0)
    provider.forget()
    remote.gate.set()
    await other
    assert await provider.schemas(asker()) != first
    assert await provider.schemas(asker("bob")) != await other
    before = await provider.schemas(asker())
    await provider.create_schema(asker(), SchemaFacts("made"))
    assert await provider.schemas(asker()) != before


async def test_nobody_waits_for_longer_than_may_be() -> None:
    remote = Remote()
    remote.gate.clear()
    provider = Guarded(remote, 0.01)
    with pytest.raises(Unavailable, match=r"memory has not answered within 0\.01 seconds"):
        await provider.schemas(asker())
    remote.gate.set()
    assert await provider.schemas(asker()) == (SchemaFacts("of ann 2"),)
