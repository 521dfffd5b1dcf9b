"""Saved queries: a person's own texts under names."""

from __future__ import annotations

from dataclasses import asdict

from flowcat_jupyter.catalog.services.queries import QueryDraft
from flowcat_jupyter.catalog.store.rows import SavedQuery
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    SavedQueryCreate,
    SavedQueryList,
    SavedQueryPatch,
    SavedQueryReply,
)
from flowcat_jupyter.shared.errors import Invalid

RESOURCE = "flowcat:sql"


class MainSavedQueryHandler(FlowcatHandler):
    """``catalog/queries``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """A page of the caller's saved queries, by name."""
        catalog = await self.catalog()
        page = await catalog.queries.list(
            limit=self.number("limit", 200, low=1, high=1000),
            after=self.get_query_argument("after", None),
        )
        items = [_reply(item) for item in page.items]
        self.reply(SavedQueryList(items=items, total=page.total, after=page.after))

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Save a query."""
        body = self.body(SavedQueryCreate)
        catalog = await self.catalog()
        saved = await catalog.queries.save(QueryDraft(**body.model_dump(by_alias=True)))
        self.reply(_reply(saved), 201)


class SavedQueryHandler(FlowcatHandler):
    """``catalog/queries/{id}``."""

    @allowed("read", RESOURCE)
    async def get(self, query_id: str) -> None:
        """One saved query."""
        catalog = await self.catalog()
        self.reply(_reply(await catalog.queries.get(int(query_id))))

    @allowed("write", RESOURCE)
    async def patch(self, query_id: str) -> None:
        """Change what is given of it."""
        body = self.body(SavedQueryPatch)
        changes = body.model_dump(by_alias=True, exclude_unset=True)
        if any(changes.get(key, "") is None for key in ("name", "text")):
            raise Invalid("A saved query needs a name and a text.")
        catalog = await self.catalog()
        self.reply(_reply(await catalog.queries.update(int(query_id), **changes)))

    @allowed("write", RESOURCE)
    async def delete(self, query_id: str) -> None:
        """Forget it."""
        catalog = await self.catalog()
        await catalog.queries.delete(int(query_id))
        self.set_status(204)


def _reply(saved: SavedQuery) -> SavedQueryReply:
    return SavedQueryReply.model_validate(asdict(saved))
