"""What kernels ask: where to read a table from, and leave to write one."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    CommitRequest,
    ReadReply,
    ReadRequest,
    WriteRequest,
    WriteTicket,
)
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column

RESOURCE = "flowcat:catalog"


class ReadHandler(FlowcatHandler):
    """``catalog/reads``."""

    @allowed("read", RESOURCE)
    async def post(self) -> None:
        """A path to scan for whom the whole storage is theirs to reach, else a stream."""
        body = self.body(ReadRequest)
        catalog = await self.catalog()
        table = await catalog.tables.resolve(body.table, catalog=body.catalog, schema=body.schema_)
        source = await catalog.tables.source(table.id, body.version)
        # A kernel scans Delta logs and plain Parquet files itself; all else workers read for it.
        plain = table.format == "parquet" and not (source.options or source.columns)
        path = self.actor().unrestricted and (table.format == "delta" or plain)
        when = {"version": body.version, "timestamp": body.timestamp}
        query = urlencode({key: value for key, value in when.items() if value is not None})
        self.reply(
            ReadReply(
                kind="path" if path else "stream",
                table=replies.table(table),
                location=source.location if path else None,
                href=None if path else f"catalog/tables/{table.id}/data?{query}",
                format=table.format,
                version=body.version,
            )
        )


class MainWriteHandler(FlowcatHandler):
    """``catalog/writes``."""

    @allowed("write", RESOURCE)
    async def post(self) -> None:
        """Leave to commit once, to one place."""
        body = self.body(WriteRequest)
        catalog = await self.catalog()
        leave = await catalog.writes.begin(
            body.table,
            body.mode,
            columns=[_column(column) for column in body.columns],
            catalog=body.catalog,
            schema=body.schema_,
            merge_keys=body.merge_keys,
            partition_by=body.partition_by,
            description=body.description,
            origin={**body.origin, **self.origin},
        )
        ticket = WriteTicket(
            write_id=leave.id,
            table=list(leave.path),
            sql_name=leave.sql_name,
            location=leave.location,
            base_version=leave.base_version,
            mode=body.mode,
            columns=replies.columns(leave.columns) if leave.columns is not None else None,
            partition_by=list(leave.partition_by),
            merge_keys=list(leave.merge_keys),
            expires_at=leave.expires_at,
        )
        self.reply(ticket, 201)


class WriteHandler(FlowcatHandler):
    """``catalog/writes/{id}``."""

    @allowed("write", RESOURCE)
    async def delete(self, write_id: str) -> None:
        """Give the leave back."""
        catalog = await self.catalog()
        await catalog.writes.cancel(write_id)
        self.set_status(204)


class CommitHandler(FlowcatHandler):
    """``catalog/writes/{id}/commit``."""

    @allowed("write", RESOURCE)
    async def post(self, write_id: str) -> None:
        """Record the version that was committed."""
        body = self.body(CommitRequest)
        catalog = await self.catalog()
        self.reply(replies.table(await catalog.writes.commit(write_id, body.version)))


def _column(body: dict[str, Any]) -> Column:
    try:
        return Column(
            name=str(body["name"]),
            type=str(body["type"]),
            nullable=bool(body.get("nullable", True)),
            comment=body.get("comment"),
        )
    except KeyError as error:
        raise Invalid(f"A column lacks its {error.args[0]}.") from error
