"""The catalog of a running server, spoken to over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from flowcat_jupyter.cli.backend import Backend, Json, Watch, absolute, follow
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.queries import save
from flowcat_jupyter.storage.listing import Listing
from flowcat_jupyter.storage.uploads import MAX_CHUNK

T = TypeVar("T")
PAGE = 1000


@asynccontextmanager
async def open_remote() -> AsyncIterator[Backend]:
    """Speak to the server in ``FLOWCAT_URL`` with ``FLOWCAT_TOKEN``.

    :raises Unavailable: it does not answer.
    """
    yield RemoteBackend(Client())


class RemoteBackend:
    """Asks the routes that the browser asks."""

    def __init__(self, client: Client) -> None:
        """Ask through ``client``, whose requests block and so run in threads."""
        self._client = client

    async def tree(self, parent: int | None) -> list[Json]:
        """Every child of a namespace, or every catalog."""
        nodes: list[Json] = []
        after: str | None = None
        while True:
            page = await self._get(
                "catalog/namespaces/tree", parent=parent, limit=PAGE, after=after
            )
            nodes += page["items"]
            after = page["after"]
            if after is None:
                return nodes

    async def table(self, name: str) -> Json:
        """The table a name means."""
        table: Json = await self._get("catalog/tables/resolve", name=name)
        return table

    async def history(self, table_id: int, limit: int) -> list[Json]:
        """A table's commits."""
        reply = await self._get(f"catalog/tables/{table_id}/history", limit=limit)
        entries: list[Json] = reply["items"]
        return entries

    async def sql(self, body: Json) -> Json:
        """The envelope with rows of a `SqlRequest`."""
        return await self._post("catalog/sql/execute", body)

    async def sql_arrow(self, body: Json, target: Path) -> Json:
        """The envelope without rows; the Arrow stream goes to ``target``."""

        def fetch() -> None:
            request = self._client.stream("POST", "catalog/sql/execute", body=body)
            with request as response, target.open("wb") as file:
                save(response, file)

        await asyncio.to_thread(fetch)
        envelope: Json = await self._get(f"catalog/sql/{body['query_id']}")
        return envelope

    async def import_files(self, names: Sequence[str], body: Json, watch: Watch) -> Json:
        """The ended run of an `ImportRequest` for files of this machine, which are sent first."""
        async with self._sent(names) as upload_ids:
            run = await self._post("catalog/tables/import", {**body, "upload_ids": upload_ids})
            return await follow(run, self._fetch, watch)

    async def preview_import(self, names: Sequence[str], body: Json) -> Json:
        """The `ImportPreview` of an `ImportPreviewRequest` for such files."""
        async with self._sent(names) as upload_ids:
            path = "catalog/tables/import/preview"
            return await self._post(path, {**body, "upload_ids": upload_ids})

    async def rejects(self, run_id: int, limit: int) -> Json:
        """The first rejected lines of a run, as a `PageReply`."""
        page: Json = await self._get(f"catalog/runs/{run_id}/rejects", limit=limit)
        return page

    async def forget_import(self, names: Sequence[str]) -> int:
        """Forget how such files were read; how many sources were forgotten."""
        files = await asyncio.to_thread(_files, names)
        query = urlencode({"name": [file.name for file in files]}, doseq=True)
        reply = await self._in_thread(
            lambda: self._client.delete(f"catalog/tables/import/remembered?{query}")
        )
        return int(reply["forgotten"])

    @asynccontextmanager
    async def _sent(self, names: Sequence[str]) -> AsyncIterator[list[str]]:
        """The ids of uploads of files; what nobody imported goes again."""
        sent: list[str] = []
        try:
            for path in await asyncio.to_thread(_files, names):
                sent.append(await self._in_thread(partial(self._create, path)))
                await self._in_thread(partial(self._upload, path, sent[-1]))
            yield sent
        finally:
            for upload_id in sent:
                await self._in_thread(
                    partial(self._client.delete_quietly, f"catalog/uploads/{upload_id}")
                )

    async def load_demo(self, watch: Watch) -> list[Json]:
        """The ended runs that loaded the demo."""
        reply = await self._post("catalog/demo", {})
        return [await follow(run, self._fetch, watch) for run in reply["items"]]

    async def remove_demo(self) -> None:
        """Drop the demo."""
        await self._in_thread(lambda: self._client.delete("catalog/demo"))

    def _create(self, path: Path) -> str:
        target = f"catalog/uploads?{urlencode({'name': path.name})}"
        return str(self._client.post(target, {})["upload_id"])

    def _upload(self, path: Path, upload_id: str) -> None:
        with path.open("rb") as file:
            offset = 0
            while chunk := file.read(MAX_CHUNK):
                self._client.put(f"catalog/uploads/{upload_id}", chunk, offset=offset)
                offset += len(chunk)

    async def _fetch(self, run_id: int) -> Json:
        run: Json = await self._get(f"catalog/runs/{run_id}")
        return run

    async def _get(self, path: str, **query: object) -> Any:
        return await self._in_thread(lambda: self._client.get(path, **query))

    async def _post(self, path: str, body: Json) -> Json:
        return await self._in_thread(lambda: self._client.post(path, body))

    @staticmethod
    async def _in_thread(work: Callable[[], T]) -> T:
        return await asyncio.to_thread(work)


def _files(names: Sequence[str]) -> list[Path]:
    listing = Listing()
    found = (file for path in absolute(names) for file in listing.files(path))
    return list(dict.fromkeys(found))
