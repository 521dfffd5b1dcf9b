"""How the catalog is doing, and what changed in it."""

from __future__ import annotations

from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import ChangesReply

RESOURCE = "flowcat:catalog"
MAX_WAIT_S = 25


class StatusHandler(FlowcatHandler):
    """``catalog/status``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """The state of the catalog; answered in every state."""
        self.reply(await self.host.status(self.actor()))


class ChangesHandler(FlowcatHandler):
    """``catalog/changes``: the feed, and a way to wait for its next entry."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """Changes after ``after`` that concern the caller; waits up to ``wait`` seconds for one."""
        catalog = await self.catalog()
        after = self.number("after", 0)
        wait_s = self.number("wait", 0, high=MAX_WAIT_S)
        changes = await catalog.changes.since(after)
        if wait_s and not changes.items and not changes.reset:
            await self.host.watcher.wait(changes.seq, wait_s)
            changes = await catalog.changes.since(after)
        items = [replies.change(item) for item in changes.items]
        self.reply(ChangesReply(seq=changes.seq, items=items, reset=changes.reset))
