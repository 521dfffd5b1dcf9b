"""Frames of kernels: received as they come, never whole in the server's memory."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from tornado.http1connection import HTTP1Connection
from tornado.web import stream_request_body

from flowcat_jupyter.catalog.services.frames import Arriving, FrameService
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import FrameReply
from flowcat_jupyter.handlers.sql import RESOURCE
from flowcat_jupyter.shared.errors import FlowcatError, Invalid


@stream_request_body
class MainFrameHandler(FlowcatHandler):
    """``catalog/sql/frames``."""

    _frames: FrameService
    _arriving: Arriving | None = None
    _refused: FlowcatError | None = None

    async def prepare(self, **_options: Any) -> None:
        """Authenticate and look at the size before any of the body is taken."""
        await super().prepare()
        if self.request.method == "POST" and not self._finished:
            await self._begin()

    @allowed("execute", RESOURCE)
    async def _begin(self) -> None:
        length = self.request.headers.get("Content-Length")
        size = int(length) if length and length.isdigit() else None
        self._frames = (await self.catalog()).frames
        self._arriving = await self._frames.begin(size)
        # Jupyter's limit is on what it holds in memory. Beyond twice ours the line is cut; up to
        # that a sender who did not say the size beforehand is heard out, to be told why.
        connection = cast(HTTP1Connection, self.request.connection)
        connection.set_max_body_size(2 * self._arriving.most_bytes)

    async def data_received(self, chunk: bytes) -> None:
        """Put a part of the body where the frame will lie."""
        if self._arriving is None or self._refused is not None:
            return
        try:
            await self.host.threads.run_on_disk(partial(self._arriving.write, chunk))
        except FlowcatError as error:
            # Raised here it would cut the line; this way the client can read why.
            self._refused = error

    @allowed("execute", RESOURCE)
    async def post(self) -> None:
        """Keep the body, an Arrow IPC file or stream, to be queried as ``FROM :name``."""
        arriving, self._arriving = self._arriving, None
        if arriving is None:
            raise Invalid("There is no frame in the request.")
        try:
            if self._refused is not None:
                raise self._refused
            frame = await self.unless_gone(self._frames.finish(arriving))
        except BaseException:
            await self.host.threads.run_on_disk(partial(self._frames.discard, arriving))
            raise
        columns = replies.columns(frame.columns)
        reply = FrameReply(frame_id=frame.frame_id, columns=columns, row_count=frame.row_count)
        self.reply(reply, 201)

    def on_connection_close(self) -> None:
        """Forget what has come of a frame whose sender went away."""
        super().on_connection_close()
        if self._arriving is not None:
            self._frames.discard(self._arriving)
            self._arriving = None


class FrameHandler(FlowcatHandler):
    """``catalog/sql/frames/{frame_id}``."""

    @allowed("execute", RESOURCE)
    async def delete(self, frame_id: str) -> None:
        """Forget the frame."""
        catalog = await self.catalog()
        await catalog.frames.remove(frame_id)
        self.set_status(204)
