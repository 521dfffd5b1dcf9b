"""Background runs, and the demo, which is made of them."""

from __future__ import annotations

from flowcat_jupyter.catalog.demo import load_demo, remove_demo
from flowcat_jupyter.formats.demo import demo_files
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import RunList

RESOURCE = "flowcat:runs"
MAX_PAGE = 10_000


class MainRunHandler(FlowcatHandler):
    """``catalog/runs``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """A page of runs, newest first; with ``active`` those that have not ended."""
        catalog = await self.catalog()
        page = await catalog.runs.list(
            limit=self.number("limit", 50, low=1, high=1000),
            after=self.get_query_argument("after", None),
            active=self.flag("active"),
        )
        items = [replies.run(item) for item in page.items]
        self.reply(RunList(items=items, total=page.total, after=page.after))


class RunHandler(FlowcatHandler):
    """``catalog/runs/{id}``."""

    @allowed("read", RESOURCE)
    async def get(self, run_id: str) -> None:
        """One run."""
        catalog = await self.catalog()
        self.reply(replies.run(await catalog.runs.get(int(run_id))))


class CancelHandler(FlowcatHandler):
    """``catalog/runs/{id}/cancel``."""

    @allowed("execute", RESOURCE)
    async def post(self, run_id: str) -> None:
        """Stop it; what it was making is removed."""
        catalog = await self.catalog()
        self.reply(replies.run(await catalog.runs.cancel(int(run_id))))


class RejectsHandler(FlowcatHandler):
    """``catalog/runs/{id}/rejects``: lines that became no row, as Arrow or JSON."""

    @allowed("read", RESOURCE)
    async def get(self, run_id: str) -> None:
        """Rejected lines `offset` to `offset + limit`: file, line, reason and text."""
        catalog = await self.catalog()
        offset = self.number("offset", 0)
        page = catalog.rejects.page(
            int(run_id),
            offset=offset,
            limit=self.number("limit", 100, high=MAX_PAGE),
            as_json=not self.wants_arrow,
        )
        async with page as (out, info):
            await self.send_page(info, offset, out)


class DemoHandler(FlowcatHandler):
    """``catalog/demo``."""

    @allowed("write", "flowcat:catalog")
    async def post(self) -> None:
        """Begin to import the demo's tables that are not there; answers the runs."""
        catalog = await self.catalog()
        runs = await load_demo(catalog, demo_files())
        items = [replies.run(run) for run in runs]
        self.reply(RunList(items=items, total=len(items), after=None), 202)

    @allowed("write", "flowcat:catalog")
    async def delete(self) -> None:
        """Drop the demo catalog."""
        await remove_demo(await self.catalog())
        self.set_status(204)
