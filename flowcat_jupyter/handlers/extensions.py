"""What is built in and what installed packages add."""

from __future__ import annotations

from dataclasses import asdict

from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import ExtensionList, ExtensionReply


class MainExtensionHandler(FlowcatHandler):
    """``catalog/extensions``."""

    @allowed("read", "flowcat:catalog")
    async def get(self) -> None:
        """Every engine, format and data source, and where it comes from."""
        catalog = await self.catalog()
        known = await catalog.extensions.list()
        items = [ExtensionReply(**asdict(item)) for item in known]
        self.reply(ExtensionList(items=items, total=len(items)))
