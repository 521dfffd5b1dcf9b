"""Views: what they are, and their renaming and dropping. Statements make and read them."""

from __future__ import annotations

from flowcat_jupyter.catalog.editing import KEEP
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import ObjectPatch

RESOURCE = "flowcat:catalog"


class ViewHandler(FlowcatHandler):
    """``catalog/views/{id}``."""

    @allowed("read", RESOURCE)
    async def get(self, view_id: str) -> None:
        """One view: its columns, and for those who manage it its query."""
        catalog = await self.catalog()
        self.reply(replies.view(await catalog.views.get(int(view_id))))

    @allowed("write", RESOURCE)
    async def patch(self, view_id: str) -> None:
        """Rename, describe or move it."""
        body = self.body(ObjectPatch)
        catalog = await self.catalog()
        view = await catalog.views.update(
            int(view_id),
            name=body.name,
            description=body.description if "description" in body.model_fields_set else KEEP,
            parent_id=body.parent_id,
        )
        self.reply(replies.view(view))

    @allowed("write", RESOURCE)
    async def delete(self, view_id: str) -> None:
        """Drop it, for good."""
        catalog = await self.catalog()
        await catalog.views.drop(int(view_id))
        self.set_status(204)
