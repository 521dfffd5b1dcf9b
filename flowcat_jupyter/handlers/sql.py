"""SQL: run, cancel, explain and complete."""

from __future__ import annotations

from flowcat_jupyter.catalog.sql_text import SqlRun
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.handover import ResultHandler
from flowcat_jupyter.handlers.schemas import (
    CompleteReply,
    CompleteRequest,
    Completion,
    ExplainRequest,
    SqlRequest,
)

RESOURCE = "flowcat:sql"


class ExecuteHandler(ResultHandler):
    """``catalog/sql/execute``: the last statement's rows, as Arrow or JSON."""

    @allowed("execute", RESOURCE)
    async def post(self) -> None:
        """Run the statements; a client that goes away cancels them."""
        body = self.body(SqlRequest)
        catalog = await self.catalog()
        run = SqlRun(
            query=body.query,
            query_id=body.query_id,
            max_rows=body.max_rows,
            catalog=body.catalog,
            schema=body.schema_,
            dialect=body.dialect,
            engine=body.engine,
            params=body.params,
            frames=body.frames,
            session=body.session,
            json_rows=not self.wants_arrow,
            dry_run=body.dry_run,
        )
        result = await self.unless_gone(catalog.sql.execute(run))
        self.set_header("X-Flowcat-Worker-Ms", f"{result.info.worker_ms:.3f}")
        if self.wants_arrow or result.rows_json is None:
            await self.send_rows(result)
        else:
            await self.send_json(replies.envelope(result), result.rows_json)


class QueryHandler(ResultHandler):
    """``catalog/sql/{query_id}``."""

    @allowed("read", RESOURCE)
    async def get(self, query_id: str) -> None:
        """The envelope of a finished query, or all its rows as Arrow."""
        catalog = await self.catalog()
        result = catalog.sql.envelope(query_id)
        if self.wants_arrow:
            await self.send_rows(result)
        else:
            self.reply(replies.envelope(result))

    @allowed("execute", RESOURCE)
    async def delete(self, query_id: str) -> None:
        """Cancel it, queued or running; one that has ended stays as it is."""
        catalog = await self.catalog()
        catalog.sql.cancel(query_id)
        self.set_status(204)


class ExplainHandler(FlowcatHandler):
    """``catalog/sql/explain``."""

    @allowed("execute", RESOURCE)
    async def post(self) -> None:
        """How a query would run."""
        body = self.body(ExplainRequest)
        catalog = await self.catalog()
        run = SqlRun(
            query=body.query,
            query_id="",
            catalog=body.catalog,
            schema=body.schema_,
            dialect=body.dialect,
            engine=body.engine,
            params=body.params,
            frames=body.frames,
            session=body.session,
        )
        info = await self.unless_gone(catalog.sql.explain(run))
        self.reply(replies.explained(info))


class CompleteHandler(FlowcatHandler):
    """``catalog/sql/complete``."""

    @allowed("read", RESOURCE)
    async def post(self) -> None:
        """What may stand at the cursor."""
        body = self.body(CompleteRequest)
        catalog = await self.catalog()
        found = await catalog.completion.complete(
            body.text,
            body.position,
            catalog=body.catalog,
            schema=body.schema_,
            session=body.session,
        )
        items = [
            Completion.model_validate(
                {"label": i.label, "insert": i.insert, "kind": i.kind, "detail": i.detail}
            )
            for i in found.items
        ]
        self.reply(CompleteReply(start=found.start, end=found.end, items=items))
