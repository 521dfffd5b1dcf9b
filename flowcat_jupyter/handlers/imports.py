"""Imports and uploads: files on their way into tables."""

from __future__ import annotations

import asyncio
from functools import partial

from flowcat_jupyter.catalog.services.imports import ImportSpec
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import ImportPreviewRequest, ImportRequest, UploadReply
from flowcat_jupyter.shared.errors import Invalid

RESOURCE = "flowcat:catalog"


class _FileHandler(FlowcatHandler):
    """What handlers with a file in their body share."""

    async def spec(
        self, catalog: Catalog, body: ImportRequest | ImportPreviewRequest
    ) -> ImportSpec:
        """The file a body names, found and allowed."""
        if (body.path is None) == (body.upload_id is None):
            raise Invalid("Name one file: either path or upload_id.")
        if body.upload_id is not None:
            path = str(await asyncio.to_thread(self.host.uploads.path, body.upload_id))
        else:
            path = await catalog.imports.check_path(self.place(body.path or ""))
        return ImportSpec(path, body.format, body.options, body.types)


class PreviewHandler(_FileHandler):
    """``catalog/tables/import/preview``."""

    @allowed("read", RESOURCE)
    async def post(self) -> None:
        """What an import would make of a file, and why."""
        body = self.body(ImportPreviewRequest)
        catalog = await self.catalog()
        spec = await self.spec(catalog, body)
        proposal = await self.unless_gone(catalog.imports.preview(spec))
        self.reply(replies.proposal(proposal))


class ImportHandler(_FileHandler):
    """``catalog/tables/import``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Begin an import; the run tells how it goes."""
        body = self.body(ImportRequest)
        catalog = await self.catalog()
        spec = await self.spec(catalog, body)
        uploads, upload_id = self.host.uploads, body.upload_id
        run = await catalog.imports.start(
            body.table,
            spec,
            mode=body.mode,
            origin=self.origin,
            afterwards=partial(uploads.discard, upload_id) if upload_id else None,
        )
        self.reply(replies.run(run), 202)


class MainUploadHandler(FlowcatHandler):
    """``catalog/uploads``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Begin to send a file called ``name``."""
        await self.catalog()
        name = self.get_query_argument("name", "upload")
        upload_id = await asyncio.to_thread(self.host.uploads.create, name)
        self.reply(UploadReply(upload_id=upload_id, received=0), 201)


class UploadHandler(FlowcatHandler):
    """``catalog/uploads/{id}``."""

    @allowed("write", RESOURCE)
    async def put(self, upload_id: str) -> None:
        """Add the body at ``offset``."""
        await self.catalog()
        received = await asyncio.to_thread(
            self.host.uploads.append, upload_id, self.number("offset", 0), self.request.body
        )
        self.reply(UploadReply(upload_id=upload_id, received=received))

    @allowed("write", RESOURCE)
    async def delete(self, upload_id: str) -> None:
        """Forget the file."""
        await self.catalog()
        await asyncio.to_thread(self.host.uploads.remove, upload_id)
        self.set_status(204)
