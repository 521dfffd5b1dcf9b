"""Queries kept under a name, each for the one who saved it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import SavedQuery, SavedQueryPage
from flowcat_jupyter.shared.errors import LimitExceeded

LONGEST_TEXT = 1_000_000


@dataclass(frozen=True)
class QueryDraft:
    """A query to save; ``catalog`` and ``schema`` are what short names in it are looked for in."""

    name: str
    text: str
    catalog: str | None = None
    schema: str | None = None
    dialect: str | None = None
    chart: dict[str, Any] | None = None


class QueryService:
    """One actor's saved queries."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._begin = deps.begin
        self._threads = deps.threads

    async def list(self, *, limit: int = 200, after: str | None = None) -> SavedQueryPage:
        """A page of them, by name."""

        def work() -> SavedQueryPage:
            with self._begin(self._actor) as unit:
                return unit.queries.page(limit=limit, after=after)

        return await self._threads.run(work)

    async def get(self, query_id: int) -> SavedQuery:
        """One of them.

        :raises NotFound: the actor saved none of that id.
        """

        def work() -> SavedQuery:
            with self._begin(self._actor) as unit:
                return unit.queries.get(query_id)

        return await self._threads.run(work)

    async def save(self, draft: QueryDraft) -> SavedQuery:
        """Keep a query, which is not run and need not be right.

        :raises AlreadyExists: the actor has one of that name.
        :raises Invalid: the name cannot be.
        :raises LimitExceeded: the text is longer than one that could be run.
        """
        _check_length(draft.text)

        def work() -> SavedQuery:
            with self._begin(self._actor, write=True) as unit:
                saved = unit.queries.add(
                    draft.name,
                    draft.text,
                    at=unit.now,
                    catalog=draft.catalog,
                    schema=draft.schema,
                    dialect=draft.dialect,
                    chart=draft.chart,
                )
                return unit.queries.get(saved)

        return await self._threads.run(work)

    async def update(self, query_id: int, **changes: Any) -> SavedQuery:
        """Change the given fields of `QueryDraft`.

        :raises NotFound: the actor saved none of that id.
        :raises AlreadyExists: the actor has another of the new name.
        """
        _check_length(changes.get("text") or "")

        def work() -> SavedQuery:
            with self._begin(self._actor, write=True) as unit:
                unit.queries.get(query_id)
                unit.queries.update(query_id, at=unit.now, **changes)
                return unit.queries.get(query_id)

        return await self._threads.run(work)

    async def delete(self, query_id: int) -> None:
        """Forget one.

        :raises NotFound: the actor saved none of that id.
        """

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                unit.queries.delete(query_id)

        await self._threads.run(work)


def _check_length(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise LimitExceeded(f"The text is longer than {LONGEST_TEXT:,} characters.")
