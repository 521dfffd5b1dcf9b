"""Rows: whatever may be asked about those of a result or of a table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import in_zone, readable, source_of
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Job, PageInfo
from flowcat_jupyter.shared.wire_rows import (
    CellInfo,
    CellJob,
    ChartChoice,
    ChartInfo,
    ChartJob,
    ExportInfo,
    ExportJob,
    FilterTerm,
    FindInfo,
    FindJob,
    RowsJob,
    SummaryInfo,
    SummaryJob,
)

SHORT_S = 60.0


@dataclass(frozen=True)
class Asked:
    """Rows in some order: of the result ``query_id``, or of a table at a version.

    A result's columns go by index, since its headings may repeat, a table's by name.
    """

    query_id: str | None = None
    table_id: int = 0
    version: int | None = None
    filters: tuple[FilterTerm, ...] = ()
    sort: int | str | None = None
    descending: bool = False


@dataclass(frozen=True)
class PageOptions:
    """Which of the rows, and in which shape."""

    offset: int = 0
    limit: int = 1000
    as_json: bool = False
    display: bool = False


@dataclass(frozen=True)
class ExportOptions:
    """A file's format and its columns (none: all); see `ExportJob`."""

    format: str
    columns: tuple[int | str, ...] = ()
    formula_safe: bool = False


@dataclass(frozen=True)
class _Rows:
    """Where the rows lie, as a job says it, and what they are called."""

    name: str | None
    view: dict[str, Any]


class RowsService:
    """One actor's questions. All raise, besides what they say:

    :raises NotFound: there is no such result any more, or no such table or column.
    :raises Forbidden: the actor may only browse the table.
    :raises Invalid: a filter or a number makes no sense.
    """

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps

    @asynccontextmanager
    async def page(
        self, asked: Asked, options: PageOptions
    ) -> AsyncIterator[tuple[Path, PageInfo]]:
        """A page of rows, in a file that is there as long as the context."""
        if options.offset < 0 or options.limit < 0:
            raise Invalid("A page's offset and limit are whole numbers from 0 up.")
        rows = await self._rows(asked)
        with self._file() as out:
            job = RowsJob(
                out=str(out),
                offset=options.offset,
                limit=options.limit,
                as_json=options.as_json,
                display=options.display,
                **rows.view,
            )
            info: PageInfo = await self._short(job)
            yield out, info

    async def find(
        self, asked: Asked, text: str, *, after: int, backwards: bool, case: bool
    ) -> FindInfo:
        """The next row that shows a text; the search wraps round."""
        if not text:
            raise Invalid("There is no text to look for.")
        rows = await self._rows(asked)
        job = FindJob(text=text, after=after, backwards=backwards, case=case, **rows.view)
        info: FindInfo = await self._short(job)
        return info

    async def cell(self, asked: Asked, row: int, column: int | str) -> CellInfo:
        """The whole of one value.

        :raises LimitExceeded: it is too large to be looked at.
        """
        rows = await self._rows(asked)
        info: CellInfo = await self._short(CellJob(row=row, column=column, **rows.view))
        return info

    async def summary(self, asked: Asked, column: int | str) -> SummaryInfo:
        """What a column holds."""
        rows = await self._rows(asked)
        info: SummaryInfo = await self._work(SummaryJob(column=column, **rows.view))
        return info

    async def chart(self, asked: Asked, wish: ChartChoice) -> ChartInfo:
        """The rows drawn."""
        rows = await self._rows(asked)
        info: ChartInfo = await self._work(ChartJob(wish=wish, **rows.view))
        return info

    @asynccontextmanager
    async def export(
        self, asked: Asked, options: ExportOptions
    ) -> AsyncIterator[tuple[Path, ExportInfo, str | None]]:
        """Every row as a file, which is there as long as the context, and the table's name.

        :raises LimitExceeded: the format cannot hold as much.
        """
        rows = await self._rows(asked)
        with self._file() as out:
            job = ExportJob(
                out=str(out),
                format=options.format,
                chosen=options.columns,
                formula_safe=options.formula_safe,
                **rows.view,
            )
            info: ExportInfo = await self._work(job)
            yield out, info, rows.name

    async def _rows(self, asked: Asked) -> _Rows:
        found = self._result(asked) if asked.query_id else await self._table(asked)
        view = {
            "filters": asked.filters,
            "sort": asked.sort,
            "descending": asked.descending,
            "time_zone": self._deps.settings.session_timezone or "UTC",
        }
        return _Rows(found.name, {**view, **found.view})

    def _result(self, asked: Asked) -> _Rows:
        results = self._deps.results
        result = results.get(self._actor.name, asked.query_id or "")
        view: dict[str, Any] = {
            "spool": str(result.spool),
            "columns": result.info.columns,
            "time_zone": result.time_zone,
        }
        if asked.filters or asked.sort is not None:
            kept = results.order(result, (asked.filters, asked.sort, asked.descending))
            view["order"] = str(kept)
        return _Rows(None, view)

    async def _table(self, asked: Asked) -> _Rows:
        def work() -> TableRow:
            with self._deps.begin(self._actor) as unit:
                return readable(unit, asked.table_id)

        table = await self._deps.threads.run(work)
        zone = self._deps.settings.session_timezone
        return _Rows(table.name, {"source": in_zone(source_of(table, asked.version), zone)})

    @contextmanager
    def _file(self) -> Iterator[Path]:
        files = self._deps.results.files
        out = files.new_path()
        try:
            yield out
        finally:
            files.remove(out)

    async def _short(self, job: Job) -> Any:
        return await self._deps.executor.run(
            job, job_id=f"{job.kind}-{uuid4().hex}", deadline_s=SHORT_S
        )

    async def _work(self, job: Job) -> Any:
        return await self._deps.executor.run(
            job, job_id=f"{job.kind}-{uuid4().hex}", deadline_s=self._deps.deadline_s
        )
