"""A provider that keeps what another one answered."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from flowcat_jupyter.catalog.providers.protocol import (
    Asker,
    OpenedTable,
    Provider,
    RelationFacts,
    SchemaFacts,
)
from flowcat_jupyter.shared.names import name_key

T = TypeVar("T")
Scope = Literal["none", "session", "global"]


@dataclass(frozen=True)
class Keeping:
    """What is kept, and how long.

    ``scope`` says who shares an answer: nobody (then nothing is kept), one session, or all sessions
    of one actor; what one actor sees is never another's answer. At most ``size`` answers are kept,
    each for ``ttl_s`` seconds.
    """

    scope: Scope = "session"
    size: int = 1000
    ttl_s: float = 60.0


class Caching:
    """Another provider, whose answers about schemas and relations are kept.

    What is changed through it is forgotten at once. Tables are opened anew each time: their rows
    and versions are never kept.
    """

    def __init__(
        self, inner: Provider, keeping: Keeping, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep the answers of ``inner``; ``clock`` counts seconds."""
        self._inner = inner
        self._keeping = keeping
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._changes = 0

    @property
    def name(self) -> str:
        """As the provider's."""
        return self._inner.name

    @property
    def writable(self) -> bool:
        """As the provider's."""
        return self._inner.writable

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        """As the provider's, as of a moment ago."""
        return await self._recalled(asker, ("schemas",), lambda: self._inner.schemas(asker))

    async def relations(self, asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """As the provider's, as of a moment ago."""
        key = ("relations", name_key(schema))
        return await self._recalled(asker, key, lambda: self._inner.relations(asker, schema))

    async def relation(self, asker: Asker, schema: str, name: str) -> RelationFacts:
        """As the provider's, as of a moment ago."""
        key = ("relation", name_key(schema), name_key(name))
        return await self._recalled(asker, key, lambda: self._inner.relation(asker, schema, name))

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """As the provider's, now."""
        return await self._inner.open(asker, schema, name)

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        """As the provider's."""
        try:
            await self._inner.create_schema(asker, schema)
        finally:
            self.forget()

    async def drop_schema(self, asker: Asker, schema: str, *, cascade: bool) -> None:
        """As the provider's."""
        try:
            await self._inner.drop_schema(asker, schema, cascade=cascade)
        finally:
            self.forget()

    async def drop_table(self, asker: Asker, schema: str, name: str) -> None:
        """As the provider's."""
        try:
            await self._inner.drop_table(asker, schema, name)
        finally:
            self.forget()

    def forget(self) -> None:
        """Keep nothing of what was answered, nor of what is being asked now."""
        self._changes += 1
        self._kept.clear()

    async def _recalled(
        self, asker: Asker, asked: tuple[str, ...], ask: Callable[[], Awaitable[T]]
    ) -> T:
        key = self._key(asker, asked)
        if key is None:
            return await ask()
        found = self._kept.get(key)
        if found is not None and found[0] > self._clock():
            self._kept.move_to_end(key)
            kept: T = found[1]
            return kept
        before = self._changes
        answer = await ask()
        if before == self._changes:
            self._kept[key] = (self._clock() + self._keeping.ttl_s, answer)
            self._kept.move_to_end(key)
            while len(self._kept) > self._keeping.size:
                self._kept.popitem(last=False)
        return answer

    def _key(self, asker: Asker, asked: tuple[str, ...]) -> Hashable | None:
        actor = (asker.actor.name, asker.actor.groups)
        if self._keeping.scope == "global":
            return (actor, asked)
        # A session without an id ends with its text: there is nobody to keep anything for.
        if self._keeping.scope == "session" and asker.session.id:
            return (actor, asker.session.id, asked)
        return None
