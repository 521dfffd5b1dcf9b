"""Catalogs and schemas: the tree, search, and their making and unmaking."""

from __future__ import annotations

from flowcat_jupyter.catalog.editing import KEEP
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    NamespaceCreate,
    NodeList,
    ObjectPatch,
    SearchReply,
)

RESOURCE = "flowcat:catalog"


class TreeHandler(FlowcatHandler):
    """``catalog/namespaces/tree``: the children of a namespace, a page at a time."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """A page of children by name; the catalogs without ``parent``."""
        catalog = await self.catalog()
        page = await catalog.namespaces.tree(
            self.optional_number("parent"),
            limit=self.number("limit", 200, low=1, high=1000),
            after=self.get_query_argument("after", None),
            q=self.get_query_argument("q", ""),
        )
        items = [replies.node(item) for item in page.items]
        self.reply(NodeList(items=items, total=page.total, after=page.after))


class SearchHandler(FlowcatHandler):
    """``catalog/search``: what a text is found in."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """The best matches for ``q``."""
        catalog = await self.catalog()
        page = await catalog.namespaces.search(
            self.get_query_argument("q", ""),
            limit=self.number("limit", 50, low=1, high=1000),
            kinds=[
                kind
                for text in self.get_query_arguments("kinds")
                for kind in text.split(",")
                if kind
            ],
        )
        self.reply(SearchReply(items=[replies.hit(hit) for hit in page.items], total=page.total))


class MainNamespaceHandler(FlowcatHandler):
    """``catalog/namespaces``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Make a catalog, or a schema in one."""
        body = self.body(NamespaceCreate)
        catalog = await self.catalog()
        node = await catalog.namespaces.create(
            body.name, parent_id=body.parent_id, description=body.description
        )
        self.reply(replies.node(node), 201)


class NamespaceHandler(FlowcatHandler):
    """``catalog/namespaces/{id}``."""

    @allowed("read", RESOURCE)
    async def get(self, namespace_id: str) -> None:
        """One catalog or schema."""
        catalog = await self.catalog()
        self.reply(replies.node(await catalog.namespaces.get(int(namespace_id))))

    @allowed("write", RESOURCE)
    async def patch(self, namespace_id: str) -> None:
        """Rename, describe or move it."""
        body = self.body(ObjectPatch)
        catalog = await self.catalog()
        node = await catalog.namespaces.update(
            int(namespace_id),
            name=body.name,
            description=body.description if "description" in body.model_fields_set else KEEP,
            parent_id=body.parent_id,
        )
        self.reply(replies.node(node))

    @allowed("write", RESOURCE)
    async def delete(self, namespace_id: str) -> None:
        """Drop it; with ``cascade`` all that is in it too."""
        catalog = await self.catalog()
        await catalog.namespaces.drop(int(namespace_id), cascade=self.flag("cascade"))
        self.set_status(204)
