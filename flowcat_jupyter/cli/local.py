"""The catalog of this machine, opened in the command's own process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from flowcat_jupyter.bootstrap import Runtime
from flowcat_jupyter.catalog.demo import load_demo, remove_demo
from flowcat_jupyter.catalog.importing import ImportSpec, source_of
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.sql_text import SqlRun
from flowcat_jupyter.cli.backend import Backend, Json, Watch, absolute, follow
from flowcat_jupyter.formats.demo import demo_files
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.schemas import (
    ImportPreviewRequest,
    ImportRequest,
    PageReply,
    SqlRequest,
)
from flowcat_jupyter.shared import settings
from flowcat_jupyter.storage.listing import Listing
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
        yield LocalBackend(runtime.session(runtime.local_actor()), runtime.settings.home)
    finally:
        await runtime.stop()


class LocalBackend:
    """Calls the services that the handlers call."""

    def __init__(self, catalog: Catalog, home: Path) -> None:
        """Act as the catalog's actor; what lies in ``home`` is nobody's to import."""
        self._catalog = catalog
        self._home = home.resolve()

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

    async def import_files(self, names: Sequence[str], body: Json, watch: Watch) -> Json:
        """The ended run of an `ImportRequest` for files, folders or patterns of this machine."""
        request = ImportRequest.model_validate(body)
        run = await self._catalog.imports.start(
            ImportTarget(
                request.table, request.mode, tuple(request.merge_keys), request.accept_drift
            ),
            await asyncio.to_thread(self._spec, names, request),
            use_remembered=request.use_remembered,
            remember=request.remember,
        )
        return await follow(_json(replies.run(run)), self._fetch, watch)

    async def preview_import(self, names: Sequence[str], body: Json) -> Json:
        """The `ImportPreview` of an `ImportPreviewRequest` for such files."""
        request = ImportPreviewRequest.model_validate(body)
        seen = await self._catalog.imports.preview(
            await asyncio.to_thread(self._spec, names, request),
            target=ImportTarget(request.table) if request.table else None,
            use_remembered=request.use_remembered,
        )
        return _json(replies.preview(seen))

    async def rejects(self, run_id: int, limit: int) -> Json:
        """The first rejected lines of a run, as a `PageReply`."""
        page = self._catalog.rejects.page(run_id, offset=0, limit=limit, as_json=True)
        async with page as (out, info):
            rows = json.loads(out.read_text(encoding="utf-8"))
        columns = replies.columns(info.columns)
        return _json(
            PageReply(columns=columns, rows=rows, offset=0, total=info.total, version=None)
        )

    async def forget_import(self, names: Sequence[str]) -> int:
        """Forget how such files were read; how many sources were forgotten."""
        return await self._catalog.imports.forget(source_of(list(map(str, absolute(names)))))

    def _spec(self, names: Sequence[str], body: ImportRequest | ImportPreviewRequest) -> ImportSpec:
        places = absolute(names)
        listing = Listing(private=lambda path: path.is_relative_to(self._home))
        files = dict.fromkeys(str(file) for path in places for file in listing.files(path))
        source = source_of(list(map(str, places)))
        return ImportSpec(tuple(files), body.format, body.options, body.types, source)

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
        dry_run=request.dry_run,
    )
