"""The catalog of this machine, opened in the command's own process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from flowcat_jupyter.bootstrap import Runtime
from flowcat_jupyter.catalog.demo import load_demo, remove_demo
from flowcat_jupyter.catalog.services.imports import ImportSpec
from flowcat_jupyter.catalog.services.sql import SqlRun
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.cli.backend import Backend, Json, Watch, follow
from flowcat_jupyter.formats.demo import demo_files
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.schemas import SqlRequest
from flowcat_jupyter.shared import settings
from flowcat_jupyter.worker.spool import arrow_stream_chunks

PAGE = 1000


@asynccontextmanager
async def open_local() -> AsyncIterator[Backend]:
    """Open the catalog in ``FLOWCAT_HOME``, and close it again.

    :raises FlowcatError: it cannot be opened.
    """
    runtime = Runtime(settings.load(), roots=(Path.cwd(),), warm=False)
    runtime.start()
    try:
        await runtime.ready()
        yield LocalBackend(runtime.session(runtime.local_actor()))
    finally:
        await runtime.stop()


class LocalBackend:
    """Calls the services that the handlers call."""

    def __init__(self, catalog: Catalog) -> None:
        """Act as the catalog's actor."""
        self._catalog = catalog

    async def tree(self, parent: int | None) -> list[Json]:
        """Every child of a namespace, or every catalog."""
        nodes: list[Json] = []
        after: str | None = None
        while True:
            page = await self._catalog.namespaces.tree(parent, limit=PAGE, after=after)
            nodes += [_json(replies.node(node)) for node in page.items]
            after = page.after
            if after is None:
                return nodes

    async def table(self, name: str) -> Json:
        """The table a name means."""
        return _json(replies.table(await self._catalog.tables.resolve(name)))

    async def history(self, table_id: int, limit: int) -> list[Json]:
        """A table's commits."""
        info = await self._catalog.tables.history(table_id, limit=limit)
        entries: list[Json] = _json(replies.history(info))["items"]
        return entries

    async def sql(self, body: Json) -> Json:
        """The envelope with rows of a `SqlRequest`."""
        result = await self._catalog.sql.execute(_run(body, json_rows=True))
        envelope = _json(replies.envelope(result))
        rows = result.rows_json
        text = rows.read_text(encoding="utf-8") if rows else "[]"
        return {**envelope, "rows": json.loads(text)}

    async def sql_arrow(self, body: Json, target: Path) -> Json:
        """The envelope without rows; the Arrow stream goes to ``target``."""
        result = await self._catalog.sql.execute(_run(body, json_rows=False))
        with target.open("wb") as file:
            for chunk in arrow_stream_chunks(result.spool):
                file.write(chunk)
        return _json(replies.envelope(result))

    async def import_file(self, path: Path, body: Json, watch: Watch) -> Json:
        """The ended run of an `ImportRequest` for a file of this machine."""
        spec = ImportSpec(str(path), body.get("format"), body["options"], body["types"])
        run = await self._catalog.imports.start(body["table"], spec, mode=body["mode"])
        return await follow(_json(replies.run(run)), self._fetch, watch)

    async def load_demo(self, watch: Watch) -> list[Json]:
        """The ended runs that loaded the demo."""
        runs = await load_demo(self._catalog, demo_files())
        return [await follow(_json(replies.run(run)), self._fetch, watch) for run in runs]

    async def remove_demo(self) -> None:
        """Drop the demo."""
        await remove_demo(self._catalog)

    async def _fetch(self, run_id: int) -> Json:
        return _json(replies.run(await self._catalog.runs.get(run_id)))


def _json(model: BaseModel) -> Json:
    body: dict[str, Any] = model.model_dump(mode="json", by_alias=True)
    return body


def _run(body: Json, *, json_rows: bool) -> SqlRun:
    request = SqlRequest.model_validate(body)
    return SqlRun(
        query=request.query,
        query_id=request.query_id,
        max_rows=request.max_rows,
        catalog=request.catalog,
        schema=request.schema_,
        dialect=request.dialect,
        engine=request.engine,
        params=request.params,
        json_rows=json_rows,
    )
