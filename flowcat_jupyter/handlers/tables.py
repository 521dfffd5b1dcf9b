"""Tables: finding, reading, describing, dropping and bringing back."""

from __future__ import annotations

from flowcat_jupyter.catalog.describing import Words
from flowcat_jupyter.catalog.editing import KEEP
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    DroppedList,
    DropReply,
    EditList,
    FromDataRequest,
    RegisterTable,
    TableList,
    TablePatch,
)

RESOURCE = "flowcat:catalog"


class MainTableHandler(FlowcatHandler):
    """``catalog/tables``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """A page of tables by name, of one ``schema`` or of all."""
        catalog = await self.catalog()
        page = await catalog.tables.list(
            self.optional_number("schema"),
            limit=self.number("limit", 200, low=1, high=1000),
            after=self.get_query_argument("after", None),
        )
        items = [replies.table(item) for item in page.items]
        self.reply(TableList(items=items, total=page.total, after=page.after))


class ResolveHandler(FlowcatHandler):
    """``catalog/tables/resolve``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """The table that ``name`` means."""
        catalog = await self.catalog()
        table = await catalog.tables.resolve(
            self.get_query_argument("name"),
            catalog=self.get_query_argument("catalog", None),
            schema=self.get_query_argument("schema", None),
        )
        self.reply(replies.table(table))


class TableHandler(FlowcatHandler):
    """``catalog/tables/{id}``."""

    @allowed("read", RESOURCE)
    async def get(self, table_id: str) -> None:
        """One table."""
        catalog = await self.catalog()
        self.reply(replies.table(await catalog.tables.get(int(table_id))))

    @allowed("write", RESOURCE)
    async def patch(self, table_id: str) -> None:
        """Rename, describe, tag, move or give it away."""
        body = self.body(TablePatch)
        catalog = await self.catalog()
        table = await catalog.tables.update(
            int(table_id),
            name=body.name,
            description=body.description if "description" in body.model_fields_set else KEEP,
            parent_id=body.parent_id,
            words=Words(
                tags=None if body.tags is None else tuple(body.tags),
                comments=body.column_comments or {},
                owner=body.owner,
            ),
        )
        self.reply(replies.table(table))

    @allowed("write", RESOURCE)
    async def delete(self, table_id: str) -> None:
        """Drop it; the answer tells how to bring it back."""
        catalog = await self.catalog()
        drop = await catalog.tables.drop(int(table_id))
        self.reply(DropReply(dropped_id=drop.dropped_id, purge_at=drop.purge_at))


class DataHandler(FlowcatHandler):
    """``catalog/tables/{id}/data``: the whole table as an Arrow stream."""

    @allowed("read", RESOURCE)
    async def get(self, table_id: str) -> None:
        """Every row of ``version``, or of the version at ``timestamp``."""
        catalog = await self.catalog()
        out = self.host.spool.new_path()
        try:
            version = self.optional_number("version")
            timestamp = self.get_query_argument("timestamp", None)
            info = await self.unless_gone(
                catalog.tables.stream(int(table_id), str(out), version, timestamp)
            )
            self.describe_page(info)
            await self.send_arrow(out)
        finally:
            self.host.spool.remove(out)


class HistoryHandler(FlowcatHandler):
    """``catalog/tables/{id}/history``."""

    @allowed("read", RESOURCE)
    async def get(self, table_id: str) -> None:
        """The table's commits, newest first."""
        catalog = await self.catalog()
        limit = self.number("limit", 100, low=1, high=1000)
        self.reply(replies.history(await catalog.tables.history(int(table_id), limit=limit)))


class EditsHandler(FlowcatHandler):
    """``catalog/tables/{id}/edits``."""

    @allowed("read", RESOURCE)
    async def get(self, table_id: str) -> None:
        """Who changed what the catalog says of the table, newest first."""
        catalog = await self.catalog()
        limit = self.number("limit", 100, low=1, high=1000)
        edits = await catalog.tables.edits(int(table_id), limit=limit)
        self.reply(EditList(items=[replies.edit(item) for item in edits]))


class RefreshHandler(FlowcatHandler):
    """``catalog/tables/{id}/refresh``."""

    @allowed("write", RESOURCE)
    async def post(self, table_id: str) -> None:
        """Read schema, counts and version again from the table's log."""
        catalog = await self.catalog()
        self.reply(replies.table(await catalog.tables.refresh(int(table_id))))


class RegisterHandler(FlowcatHandler):
    """``catalog/tables/register``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Take data that are already there into the catalog, where they lie."""
        body = self.body(RegisterTable)
        catalog = await self.catalog()
        with self.paths_as_sent():
            table = await catalog.tables.register(
                body.table,
                self.place(body.location),
                format=body.format,
                options=body.options,
                description=body.description,
            )
        self.reply(replies.table(table), 201)


class FromDataHandler(FlowcatHandler):
    """``catalog/tables/from-data``: a Delta folder that a kernel wrote."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Take the folder into the catalog."""
        body = self.body(FromDataRequest)
        catalog = await self.catalog()
        with self.paths_as_sent():
            table = await catalog.tables.register(
                body.table,
                self.place(body.location),
                format="delta",
                description=body.description,
                catalog=body.catalog,
                schema=body.schema_,
            )
        self.reply(replies.table(table), 201)


class MainDroppedHandler(FlowcatHandler):
    """``catalog/tables/dropped``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """What may be brought back."""
        catalog = await self.catalog()
        items = [replies.dropped(item) for item in await catalog.tables.dropped()]
        self.reply(DroppedList(items=items, total=len(items)))


class UndropHandler(FlowcatHandler):
    """``catalog/tables/dropped/{id}/undrop``."""

    @allowed("write", RESOURCE)
    async def post(self, dropped_id: str) -> None:
        """Bring a dropped table back."""
        catalog = await self.catalog()
        self.reply(replies.table(await catalog.tables.undrop(int(dropped_id))))
