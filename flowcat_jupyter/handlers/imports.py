"""Imports and uploads: files on their way into tables."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from flowcat_jupyter.catalog.importing import ImportSpec, source_of
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    FileSqlReply,
    ForgottenReply,
    ImportPreviewRequest,
    ImportRequest,
    UploadReply,
)
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.looking import is_file, is_folder
from flowcat_jupyter.shared.names import quote

RESOURCE = "flowcat:catalog"
MOST_UPLOADS = 200


class _FileHandler(FlowcatHandler):
    """What handlers with files in their body share."""

    async def spec(
        self, catalog: Catalog, body: ImportRequest | ImportPreviewRequest
    ) -> ImportSpec:
        """The files a body names, found and allowed."""
        paths, uploads = _paths(body), _uploads(body)
        if bool(paths) == bool(uploads):
            raise Invalid("Name files either by path or paths, or by upload_id or upload_ids.")
        if uploads:
            place = self.host.uploads.path
            files = await self.host.threads.run_on_disk(lambda: tuple(map(place, uploads)))
            source = uploads_source([file.name for file in files])
            found = tuple(map(str, files))
        else:
            places = [self.place(path) for path in paths]
            source = source_of(places)
            with self.paths_as_sent():
                found = await catalog.imports.files(places)
        return ImportSpec(found, body.format, body.options, body.types, source)


class PreviewHandler(_FileHandler):
    """``catalog/tables/import/preview``."""

    @allowed("read", RESOURCE)
    async def post(self) -> None:
        """What an import would make of its files, and why; with `table`, how columns differ."""
        body = self.body(ImportPreviewRequest)
        catalog = await self.catalog()
        spec = await self.spec(catalog, body)
        seen = await self.unless_gone(
            catalog.imports.preview(
                spec,
                target=ImportTarget(body.table) if body.table else None,
                use_remembered=body.use_remembered,
            )
        )
        self.reply(replies.preview(seen))


class ImportHandler(_FileHandler):
    """``catalog/tables/import``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Begin an import; the run tells how it goes."""
        body = self.body(ImportRequest)
        catalog = await self.catalog()
        spec = await self.spec(catalog, body)
        uploads, sent = self.host.uploads, _uploads(body)

        def discard() -> None:
            for upload_id in sent:
                uploads.discard(upload_id)

        run = await catalog.imports.start(
            ImportTarget(body.table, body.mode, tuple(body.merge_keys), body.accept_drift),
            spec,
            use_remembered=body.use_remembered,
            remember=body.remember,
            origin=self.origin,
            afterwards=discard if sent else None,
        )
        self.reply(replies.run(run), 202)


class RememberedHandler(FlowcatHandler):
    """``catalog/tables/import/remembered``."""

    @allowed("write", RESOURCE)
    async def delete(self) -> None:
        """Forget how files of these `path`s, or uploads of these `name`s, were read; or `all`."""
        catalog = await self.catalog()
        paths = self.get_query_arguments("path")
        names = self.get_query_arguments("name")
        if sum(map(bool, (paths, names, self.flag("all")))) != 1:
            raise Invalid("Say what to forget: path, name (of uploads), or all=1.")
        source = uploads_source(names) if names else source_of([self.place(p) for p in paths])
        gone = await catalog.imports.forget(None if self.flag("all") else source)
        self.reply(ForgottenReply(forgotten=gone))


class FileSqlHandler(FlowcatHandler):
    """``catalog/files/sql``."""

    @allowed("read", RESOURCE)
    async def get(self) -> None:
        """How SQL reads a file or folder of the file browser where it is, if it can."""
        await self.catalog()
        root, place = self.place(""), self.place(self.get_query_argument("path"))
        sql = await self.host.threads.run_on_disk(partial(_in_place, root, place))
        self.reply(FileSqlReply(sql=sql))


def _in_place(root: str, place: str) -> str | None:
    """A Delta folder or Parquet file below ``root`` as a table's name."""
    path = Path(os.path.realpath(place))
    if not path.is_relative_to(os.path.realpath(root)):
        return None
    if is_folder(path / "_delta_log"):
        return f"delta.{quote(str(path))}"
    is_parquet = path.suffix.lower() == ".parquet" and is_file(path)
    return f"parquet.{quote(str(path))}" if is_parquet else None


def uploads_source(names: list[str]) -> str:
    """What is remembered of uploads goes by their names."""
    return source_of([f"upload:{Path(name).name}" for name in names])


def _paths(body: ImportRequest | ImportPreviewRequest) -> list[str]:
    return [*([body.path] if body.path is not None else []), *(body.paths or [])]


def _uploads(body: ImportRequest | ImportPreviewRequest) -> list[str]:
    one = [body.upload_id] if body.upload_id is not None else []
    ids = list(dict.fromkeys([*one, *(body.upload_ids or [])]))
    if len(ids) > MOST_UPLOADS:
        raise Invalid(f"An import takes {MOST_UPLOADS} uploads at most.")
    return ids


class MainUploadHandler(FlowcatHandler):
    """``catalog/uploads``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Begin to send a file called ``name``."""
        await self.catalog()
        name = self.get_query_argument("name", "upload")
        upload_id = await self.host.threads.run_on_disk(partial(self.host.uploads.create, name))
        self.reply(UploadReply(upload_id=upload_id, received=0), 201)


class UploadHandler(FlowcatHandler):
    """``catalog/uploads/{id}``."""

    @allowed("write", RESOURCE)
    async def put(self, upload_id: str) -> None:
        """Add the body at ``offset``."""
        await self.catalog()
        offset, part = self.number("offset", 0), self.request.body
        append = partial(self.host.uploads.append, upload_id, offset, part)
        received = await self.host.threads.run_on_disk(append)
        self.reply(UploadReply(upload_id=upload_id, received=received))

    @allowed("write", RESOURCE)
    async def delete(self, upload_id: str) -> None:
        """Forget the file."""
        await self.catalog()
        await self.host.threads.run_on_disk(partial(self.host.uploads.remove, upload_id))
        self.set_status(204)
