"""SQL: run, page, cancel, explain and complete."""

from __future__ import annotations

import json

from flowcat_jupyter.catalog.services.sql import PageOptions, SqlRun
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    CompleteReply,
    CompleteRequest,
    Completion,
    ExplainReply,
    ExplainRequest,
    SqlRequest,
)
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import FilterTerm

RESOURCE = "flowcat:sql"
MAX_PAGE = 100_000
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "contains", "is_null", "not_null")


class ExecuteHandler(FlowcatHandler):
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
            json_rows=not self.wants_arrow,
        )
        result = await self.unless_gone(catalog.sql.execute(run))
        self.set_header("X-Flowcat-Worker-Ms", f"{result.info.worker_ms:.3f}")
        if self.wants_arrow or result.rows_json is None:
            await self.send_arrow(result.spool)
        else:
            await self.send_json(replies.envelope(result), result.rows_json)


class QueryHandler(FlowcatHandler):
    """``catalog/sql/{query_id}``."""

    @allowed("read", RESOURCE)
    async def get(self, query_id: str) -> None:
        """The envelope of a finished query."""
        catalog = await self.catalog()
        self.reply(replies.envelope(catalog.sql.envelope(query_id)))

    @allowed("execute", RESOURCE)
    async def delete(self, query_id: str) -> None:
        """Cancel it, queued or running; one that has ended stays as it is."""
        catalog = await self.catalog()
        catalog.sql.cancel(query_id)
        self.set_status(204)


class RowsHandler(FlowcatHandler):
    """``catalog/sql/{query_id}/rows``: pages of a result."""

    @allowed("read", RESOURCE)
    async def get(self, query_id: str) -> None:
        """Rows ``offset`` to ``offset + limit`` after ``filter``, in the order of ``sort``."""
        catalog = await self.catalog()
        page = PageOptions(
            offset=self.number("offset", 0),
            limit=self.number("limit", 1000, high=MAX_PAGE),
            sort=self.optional_number("sort"),
            descending=self.flag("desc"),
            filters=_filters(self.get_query_argument("filter", "[]")),
            as_json=not self.wants_arrow,
            display=self.flag("display"),
        )
        path, info = await self.unless_gone(catalog.sql.rows(query_id, page))
        try:
            await self.send_page(info, page.offset, path)
        finally:
            catalog.sql.release(path)


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
        )
        info = await self.unless_gone(catalog.sql.explain(run))
        used = replies.used(info.used_tables)
        self.reply(ExplainReply(engine=info.engine, lines=list(info.lines), used_tables=used))


class CompleteHandler(FlowcatHandler):
    """``catalog/sql/complete``."""

    @allowed("read", RESOURCE)
    async def post(self) -> None:
        """What may stand at the cursor."""
        body = self.body(CompleteRequest)
        catalog = await self.catalog()
        found = await catalog.completion.complete(
            body.text, body.position, catalog=body.catalog, schema=body.schema_
        )
        items = [
            Completion.model_validate(
                {"label": i.label, "insert": i.insert, "kind": i.kind, "detail": i.detail}
            )
            for i in found.items
        ]
        self.reply(CompleteReply(start=found.start, end=found.end, items=items))


def _filters(text: str) -> tuple[FilterTerm, ...]:
    try:
        terms = json.loads(text)
        return tuple(_filter(term) for term in terms)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Invalid(
            "filter is not a list of conditions.",
            hint='Send [{"column": 0, "op": "=", "value": "UA"}].',
        ) from error


def _filter(term: dict[str, object]) -> FilterTerm:
    column, operator, value = term["column"], term["op"], term.get("value")
    if not isinstance(column, int) or operator not in OPERATORS:
        raise ValueError("unknown column or operator")
    return FilterTerm(column, str(operator), None if value is None else str(value))
