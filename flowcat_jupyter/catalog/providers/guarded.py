"""A provider that does not keep anybody waiting for longer than it may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from flowcat_jupyter.catalog.providers.protocol import (
    Asker,
    OpenedTable,
    Provider,
    RelationFacts,
    SchemaFacts,
)
from flowcat_jupyter.shared.errors import Unavailable

T = TypeVar("T")


class Guarded:
    """Another provider, each of whose answers comes within ``timeout_s`` seconds or is an error."""

    def __init__(self, inner: Provider, timeout_s: float) -> None:
        """Guard ``inner``."""
        self._inner = inner
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """As the provider's."""
        return self._inner.name

    @property
    def writable(self) -> bool:
        """As the provider's."""
        return self._inner.writable

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        """As the provider's."""
        return await self._within(self._inner.schemas(asker))

    async def relations(self, asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """As the provider's."""
        return await self._within(self._inner.relations(asker, schema))

    async def relation(self, asker: Asker, schema: str, name: str) -> RelationFacts:
        """As the provider's."""
        return await self._within(self._inner.relation(asker, schema, name))

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """As the provider's."""
        return await self._within(self._inner.open(asker, schema, name))

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        """As the provider's."""
        await self._within(self._inner.create_schema(asker, schema))

    async def drop_schema(self, asker: Asker, schema: str, *, cascade: bool) -> None:
        """As the provider's."""
        await self._within(self._inner.drop_schema(asker, schema, cascade=cascade))

    async def drop_table(self, asker: Asker, schema: str, name: str) -> None:
        """As the provider's."""
        await self._within(self._inner.drop_table(asker, schema, name))

    async def _within(self, answer: Awaitable[T]) -> T:
        try:
            return await asyncio.wait_for(answer, self._timeout_s)
        except TimeoutError as error:
            raise Unavailable(
                f"The catalog {self.name} has not answered within {self._timeout_s:g} seconds.",
                hint="Try again in a moment.",
            ) from error
