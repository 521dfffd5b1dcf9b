"""What can be asked about the rows of a result, and in the same words about those of a table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from flowcat_jupyter.catalog.services.rows import Asked, ExportOptions, PageOptions
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import CHUNK, FlowcatHandler, allowed
from flowcat_jupyter.handlers.files import TYPES, disposition, file_name
from flowcat_jupyter.handlers.schemas import (
    CellReply,
    ChartRequest,
    ExportFormat,
    FilterTerm,
    FindReply,
    ResultStatus,
)
from flowcat_jupyter.shared import wire_rows
from flowcat_jupyter.shared.errors import Invalid

Columns = tuple[int | str, ...]
T = TypeVar("T")

SQL = "flowcat:sql"
CATALOG = "flowcat:catalog"
MAX_PAGE = 100_000
MAX_TERMS = 100
_TERMS: TypeAdapter[list[FilterTerm]] = TypeAdapter(list[FilterTerm])
_INDEXES: TypeAdapter[list[int]] = TypeAdapter(list[int])
_NAMES: TypeAdapter[list[str]] = TypeAdapter(list[str])


class _RowsHandler(FlowcatHandler):
    """Reads which rows are meant and answers one question about them."""

    def of_result(self, query_id: str) -> Asked:
        """A result's rows as the query arguments say."""
        return Asked(
            query_id=query_id,
            filters=_filters(self.get_query_argument("filter", "[]")),
            sort=self.optional_number("sort"),
            descending=self.flag("desc"),
        )

    def of_table(self, table_id: str) -> Asked:
        """A table's rows as the query arguments say."""
        return Asked(
            table_id=int(table_id),
            version=self.optional_number("version"),
            filters=_filters(self.get_query_argument("filter", "[]")),
            sort=self.get_query_argument("sort", None),
            descending=self.flag("desc"),
        )

    async def page(self, asked: Asked) -> None:
        """Send some of the rows."""
        options = PageOptions(
            offset=self.number("offset", 0),
            limit=self.number("limit", 1000 if asked.query_id else 100, high=MAX_PAGE),
            as_json=not self.wants_arrow,
            display=self.flag("display"),
        )
        catalog = await self.catalog()
        async with self.while_here(catalog.rows.page(asked, options)) as (path, info):
            await self.send_page(info, options.offset, path)

    async def find(self, asked: Asked) -> None:
        """Send where a text is."""
        text, after = self.get_query_argument("text", strip=False), self.optional_number("after")
        catalog = await self.catalog()
        search = catalog.rows.find(
            asked,
            text,
            after=-1 if after is None else after,
            backwards=self.flag("backwards"),
            case=self.flag("case"),
        )
        found = await self.unless_gone(search)
        self.reply(FindReply(row=found.row, column=found.column, matches=found.matches))

    async def cell(self, asked: Asked, column: int | str) -> None:
        """Send one value."""
        row = self.number("row", -1)
        catalog = await self.catalog()
        cell = await self.unless_gone(catalog.rows.cell(asked, row, column))
        self.reply(CellReply(value=cell.value, type=cell.type, bytes=cell.bytes))

    async def summary(self, asked: Asked, column: int | str) -> None:
        """Send what a column holds."""
        catalog = await self.catalog()
        self.reply(replies.summary(await self.unless_gone(catalog.rows.summary(asked, column))))

    async def chart(self, asked: Asked, body: ChartRequest) -> None:
        """Send the rows drawn."""
        wish = wire_rows.ChartChoice(**body.model_dump())
        catalog = await self.catalog()
        self.reply(replies.chart(await self.unless_gone(catalog.rows.chart(asked, wish))))

    async def export(self, asked: Asked, columns: Columns) -> None:
        """Send every row as a file."""
        format = self.get_query_argument("format")
        if format not in get_args(ExportFormat):
            raise Invalid(
                f"{format!r} is no format to export to.",
                hint=f"There are {', '.join(get_args(ExportFormat))}.",
            )
        options = ExportOptions(format, columns, formula_safe=self.flag("formula_safe"))
        wanted = self.get_query_argument("name", None)
        catalog = await self.catalog()
        async with self.while_here(catalog.rows.export(asked, options)) as (path, info, name):
            called = file_name(wanted or name or "result", format)
            self.set_header("Content-Type", TYPES[format])
            self.set_header("Content-Disposition", disposition(called))
            self.set_header("Content-Length", str(path.stat().st_size))
            self.set_header("X-Flowcat-Rows", str(info.rows))
            self.set_header("X-Flowcat-Total", str(info.total))
            await self.flush()
            await self.pump(_pieces(path))

    @asynccontextmanager
    async def while_here(self, work: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
        """Enter ``work``; that ends, and its worker's job with it, when the client leaves."""
        value = await self.unless_gone(work.__aenter__())
        try:
            yield value
        finally:
            await work.__aexit__(None, None, None)


class StatusHandler(_RowsHandler):
    """``catalog/sql/{query_id}/status``."""

    @allowed("read", SQL)
    async def get(self, query_id: str) -> None:
        """How far a query is."""
        catalog = await self.catalog()
        status = catalog.sql.status(query_id)
        self.reply(
            ResultStatus(
                state=status.state,
                position=status.position,
                elapsed_ms=round(status.elapsed_ms, 3),
                rows=status.rows,
                message=None,
            )
        )


class ResultRowsHandler(_RowsHandler):
    """``catalog/sql/{query_id}/rows``: pages of a result."""

    @allowed("read", SQL)
    async def get(self, query_id: str) -> None:
        """Rows ``offset`` to ``offset + limit`` after ``filter``, in the order of ``sort``."""
        await self.page(self.of_result(query_id))


class TableRowsHandler(_RowsHandler):
    """``catalog/tables/{id}/preview``: pages of a table."""

    @allowed("read", CATALOG)
    async def get(self, table_id: str) -> None:
        """Rows ``offset`` to ``offset + limit`` after ``filter``, in the order of ``sort``."""
        await self.page(self.of_table(table_id))


class ResultFindHandler(_RowsHandler):
    """``catalog/sql/{query_id}/find``."""

    @allowed("read", SQL)
    async def get(self, query_id: str) -> None:
        """The next row after row ``after`` that shows ``text``."""
        await self.find(self.of_result(query_id))


class TableFindHandler(_RowsHandler):
    """``catalog/tables/{id}/find``."""

    @allowed("read", CATALOG)
    async def get(self, table_id: str) -> None:
        """The next row after row ``after`` that shows ``text``."""
        await self.find(self.of_table(table_id))


class ResultCellHandler(_RowsHandler):
    """``catalog/sql/{query_id}/cell``."""

    @allowed("read", SQL)
    async def get(self, query_id: str) -> None:
        """The whole of a value, of which pages show only the beginning."""
        await self.cell(self.of_result(query_id), self.number("column", -1))


class TableCellHandler(_RowsHandler):
    """``catalog/tables/{id}/cell``."""

    @allowed("read", CATALOG)
    async def get(self, table_id: str) -> None:
        """The whole of a value, of which pages show only the beginning."""
        column = self.get_query_argument("column", strip=False)
        await self.cell(self.of_table(table_id), column)


class ResultSummaryHandler(_RowsHandler):
    """``catalog/sql/{query_id}/columns/{index}/summary``."""

    @allowed("read", SQL)
    async def get(self, query_id: str, index: str) -> None:
        """What a column holds, after ``filter``."""
        await self.summary(self.of_result(query_id), int(index))


class TableStatsHandler(_RowsHandler):
    """``catalog/tables/{id}/columns/{name}/stats``."""

    @allowed("read", CATALOG)
    async def get(self, table_id: str, name: str) -> None:
        """What a column holds, after ``filter``."""
        await self.summary(self.of_table(table_id), name)


class ResultChartHandler(_RowsHandler):
    """``catalog/sql/{query_id}/chart``."""

    @allowed("read", SQL)
    async def post(self, query_id: str) -> None:
        """The rows drawn; what the body leaves open is chosen by the columns' types."""
        await self.chart(self.of_result(query_id), self.body(ChartRequest))


class TableChartHandler(_RowsHandler):
    """``catalog/tables/{id}/chart``."""

    @allowed("read", CATALOG)
    async def post(self, table_id: str) -> None:
        """The rows drawn; what the body leaves open is chosen by the columns' types."""
        await self.chart(self.of_table(table_id), self.body(ChartRequest))


class ResultExportHandler(_RowsHandler):
    """``catalog/sql/{query_id}/export``."""

    @allowed("read", SQL)
    async def get(self, query_id: str) -> None:
        """Every row after ``filter``, in the order of ``sort``, as a file."""
        columns = _columns(self.get_query_argument("columns", "[]"), _INDEXES)
        await self.export(self.of_result(query_id), columns)


class TableExportHandler(_RowsHandler):
    """``catalog/tables/{id}/export``."""

    @allowed("read", CATALOG)
    async def get(self, table_id: str) -> None:
        """Every row after ``filter``, in the order of ``sort``, as a file."""
        columns = _columns(self.get_query_argument("columns", "[]"), _NAMES)
        await self.export(self.of_table(table_id), columns)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def _filters(text: str) -> tuple[wire_rows.FilterTerm, ...]:
    try:
        terms = _TERMS.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Invalid(
            f"filter is not a list of conditions: {where} {first['msg']}.".replace(":  ", ": "),
            hint='Send [{"column": 0, "op": "=", "value": "UA"}].',
        ) from error
    if len(terms) > MAX_TERMS:
        raise Invalid(f"A filter has at most {MAX_TERMS} conditions.")
    return tuple(
        wire_rows.FilterTerm(term.column, term.op, term.value, tuple(term.values or ()))
        for term in terms
    )


def _columns(text: str, kind: TypeAdapter[list[int]] | TypeAdapter[list[str]]) -> Columns:
    try:
        return tuple(kind.validate_json(text, strict=True))
    except ValidationError as error:
        what = "indexes" if kind is _INDEXES else "names"
        raise Invalid(f"columns is not a JSON list of columns' {what}.") from error
