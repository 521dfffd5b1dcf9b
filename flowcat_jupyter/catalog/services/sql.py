"""SQL: plan in a Unit, run in a worker, keep the result for a while."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.commands import Commands, Rows, history_rows
from flowcat_jupyter.catalog.current import place_used
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.planning.bound import refuse_unused
from flowcat_jupyter.catalog.planning.current import Use
from flowcat_jupyter.catalog.planning.planner import QueryOptions, plan_select
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.statements import (
    Describe,
    Select,
    Show,
    Statement,
    numbered,
    parse,
)
from flowcat_jupyter.catalog.planning.writes import Change
from flowcat_jupyter.catalog.results import Result, Running
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.catalog.sql_writes import Done, SqlWrites
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Cancelled, Invalid, SqlError
from flowcat_jupyter.shared.wire import (
    Column,
    ExplainInfo,
    ExplainJob,
    HistoryInfo,
    HistoryJob,
    QueryJob,
    QueryPlan,
    ResultInfo,
    Source,
    ValuesJob,
)

MAX_TEXT = 1_000_000
HISTORY_ROWS = 1000


@dataclass(frozen=True)
class SqlRun:
    """A request to run a text.

    ``max_rows`` None keeps every row, up to the size a result may have. ``json_rows`` also makes
    the rows as strict JSON. ``frames`` are the ids of frames sent before, by name.
    """

    query: str
    query_id: str
    max_rows: int | None = 10_000
    catalog: str | None = None
    schema: str | None = None
    dialect: str | None = None
    engine: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    json_rows: bool = False
    frames: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """How far a query is: ``position`` in the queue while it waits, ``rows`` when it is done."""

    state: Literal["queued", "running", "done"]
    position: int | None
    elapsed_ms: float
    rows: int | None


Planned = QueryPlan | Rows | TableRow
Asked = Select | Show | Describe


class SqlService:
    """Runs statements for one actor."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads
        self._executor = deps.executor
        # Below a root of the server's lie other people's tables too.
        self._check_path = deps.storage.check_external if actor.unrestricted else None
        self._clock = deps.clock
        self._settings = deps.settings
        self._results = deps.results

    async def execute(self, run: SqlRun) -> Result:
        """Run every statement in order and keep the last one's result, and what all warn of.

        :raises SqlError: a statement is wrong or refused; those before it have run.
        :raises LimitExceeded: it met a limit on time, memory or size.
        :raises Cancelled: `cancel` was called with its id.
        :raises Conflict: the query id was used before.
        :raises NotFound: the actor sent no such frame, or it has expired.
        """
        if run.max_rows is not None and run.max_rows < 0:
            raise Invalid("max_rows must not be negative.")
        running = self._results.start(self._actor.name, run.query_id)
        result: Result | None = None
        try:
            result = await self._run(run, running)
            return result
        finally:
            self._results.finish(self._actor.name, running, result)

    def cancel(self, query_id: str) -> None:
        """Stop a query of the actor's, queued or running; an ended one is left alone."""
        running = self._results.cancel(self._actor.name, query_id)
        if running is not None and running.job_id is not None:
            self._executor.cancel(running.job_id)

    def envelope(self, query_id: str) -> Result:
        """What is known of a finished query.

        :raises NotFound: there is no such result any more.
        """
        return self._results.get(self._actor.name, query_id)

    def status(self, query_id: str) -> Status:
        """How far a query is.

        :raises NotFound: there is none, or no more.
        """
        found = self._results.running(self._actor.name, query_id)
        if found is None:
            done = self._results.get(self._actor.name, query_id)
            return Status("done", None, done.execution_time_ms, done.info.row_count)
        running, seconds = found
        position = self._executor.position(running.job_id) if running.job_id else None
        state: Literal["queued", "running"] = "running" if position is None else "queued"
        return Status(state, position, seconds * 1000, None)

    async def explain(self, run: SqlRun) -> ExplainInfo:
        """How a query would run, without running it.

        :raises SqlError: it is wrong or refused, or no query.
        """

        def plan() -> ExplainJob:
            statements = self._parse(run)
            if len(statements) != 1 or not isinstance(statements[0], Select):
                raise SqlError("Only one query can be explained.", condition="PARSE_SYNTAX_ERROR")
            with self._begin(self._actor) as unit:
                planned = self._plan(unit, statements[0], run, self._clock.now().isoformat())
            if not isinstance(planned, QueryPlan):
                raise SqlError("Only a query can be explained.", condition="PARSE_SYNTAX_ERROR")
            return ExplainJob(planned, statements[0].extended)

        job = await self._threads.run(plan)
        info: ExplainInfo = await self._executor.run(
            job, job_id=f"explain-{uuid4().hex}", deadline_s=self._deps.deadline_s
        )
        return info

    async def _run(self, run: SqlRun, running: Running) -> Result:
        started = time.perf_counter()
        now = self._clock.now().isoformat()
        statements = await self._threads.run(lambda: self._parse(run))
        result: Result | None = None
        warnings: tuple[str, ...] = ()
        current: tuple[str, str] | None = None
        for number, statement in enumerate(statements, start=1):
            running.job_id = f"sql-{self._actor.name}-{running.query_id}-{number}"
            previous = result
            try:
                running.check()
                if isinstance(statement, Use):
                    run = await self._use(statement, run)
                    current = self._place(run)
                result = await self._statement(statement, run, running, now, started)
                warnings += result.info.warnings
            except SqlError as error:
                raise numbered(error, number, len(statements)) from error
            except Cancelled as error:
                raise _cancelled(statement, number) from error
            finally:
                if previous is not None:
                    self._results.discard(previous)
        if result is None:
            raise SqlError("There is nothing to run.", condition="PARSE_EMPTY_STATEMENT")
        return replace(result, info=replace(result.info, warnings=warnings), current=current)

    async def _use(self, use: Use, run: SqlRun) -> SqlRun:
        """The request as the statements after ``use`` mean it."""

        def look() -> tuple[str, str]:
            with self._begin(self._actor) as unit:
                return place_used(unit, use, self._place(run), self._settings.default_schema)

        catalog, schema = await self._threads.run(look)
        return replace(run, catalog=catalog, schema=schema)

    def _parse(self, run: SqlRun) -> tuple[Statement, ...]:
        if len(run.query) > MAX_TEXT:
            raise SqlError(
                f"The text is longer than {MAX_TEXT:,} characters.",
                condition="STATEMENT_TOO_LARGE",
                sqlstate="54001",
            )
        statements = parse(run.query, run.dialect or self._settings.sql_dialect)
        refuse_unused(statements, run.params, run.frames)
        return statements

    async def _statement(
        self, statement: Statement, run: SqlRun, running: Running, now: str, started: float
    ) -> Result:
        if isinstance(statement, (Change, Use)):
            return await self._change(statement, run, running, now, started)

        def plan() -> Planned:
            with self._begin(self._actor) as unit:
                return self._plan(unit, statement, run, now)

        planned = await self._threads.run(plan)
        running.check()
        spool = self._results.files.new_path()
        rows_json = self._results.files.new_path() if run.json_rows else None
        try:
            info = await self._execute(statement, planned, run, running, spool, rows_json)
        except BaseException:
            for path in (spool, rows_json):
                if path is not None:
                    self._results.files.remove(path)
            raise
        took = (time.perf_counter() - started) * 1000
        return Result(running.query_id, _kind(statement), info, spool, rows_json, took)

    async def _change(
        self, change: Change | Use, run: SqlRun, running: Running, now: str, started: float
    ) -> Result:
        files = self._results.files
        spool, rows = files.new_path(), files.new_path()
        rows_json = files.new_path() if run.json_rows else None
        catalog, schema = self._place(run)
        asking = Asking(
            catalog=catalog,
            schema=schema,
            job_id=running.job_id or "",
            spool=rows,
            plan=lambda unit, query: self._query_plan(unit, query, run, now),
            check=running.check,
        )
        try:
            # First: once the statement is done, nothing may fail any more.
            none = ValuesJob((), (), str(spool), str(rows_json) if rows_json else None)
            nothing: ResultInfo = await self._work(none, running)
            done = Done("USE")
            if not isinstance(change, Use):
                done = await SqlWrites(self._actor, self._deps, asking).run(change)
        except BaseException:
            for path in (spool, rows_json):
                if path is not None:
                    files.remove(path)
            raise
        finally:
            files.remove(rows)
        info = replace(
            nothing,
            engine=done.engine,
            used_tables=done.used_tables,
            warnings=done.warnings,
            worker_ms=done.worker_ms,
        )
        took = (time.perf_counter() - started) * 1000
        return Result(
            running.query_id,
            done.kind,
            info,
            spool,
            rows_json,
            took,
            written=done.rows,
            changed=done.changed,
        )

    async def _execute(
        self,
        statement: Asked,
        planned: Planned,
        run: SqlRun,
        running: Running,
        spool: Path,
        rows_json: Path | None,
    ) -> ResultInfo:
        json_path = str(rows_json) if rows_json else None
        if isinstance(planned, TableRow):
            planned = history_rows(await self._history(planned, running))
        elif isinstance(planned, QueryPlan) and isinstance(statement, Select) and statement.explain:
            job_of = ExplainJob(planned, statement.extended)
            explained: ExplainInfo = await self._work(job_of, running)
            lines = tuple((line,) for line in explained.lines)
            planned = Rows((Column("plan", "string", nullable=False),), lines)
        if isinstance(planned, Rows):
            info: ResultInfo = await self._work(
                ValuesJob(planned.columns, planned.rows, str(spool), json_path), running
            )
            return info
        job = QueryJob(
            plan=planned,
            spool=str(spool),
            max_rows=run.max_rows,
            max_bytes=self._settings.result_max_bytes,
            json_path=json_path,
        )
        answer: ResultInfo = await self._work(job, running)
        return answer

    async def _history(self, table: TableRow, running: Running) -> HistoryInfo:
        source = Source("r1", "table", table.path, table.format, table.location)
        info: HistoryInfo = await self._work(HistoryJob(source, HISTORY_ROWS), running)
        return info

    async def _work(self, job: Any, running: Running) -> Any:
        running.check()
        return await self._executor.run(
            job, job_id=running.job_id or "", deadline_s=self._deps.deadline_s
        )

    def _plan(self, unit: Unit, statement: Asked, run: SqlRun, now: str) -> Planned:
        directory = UnitDirectory(unit, self._check_path)
        commands = Commands(unit, directory, *self._place(run))
        if isinstance(statement, Show):
            return commands.show(statement)
        if isinstance(statement, Describe):
            if statement.what == "HISTORY":
                return commands.described(statement)
            return commands.describe(statement)
        return self._query_plan(unit, statement, run, now)

    def _query_plan(self, unit: Unit, query: Select, run: SqlRun, now: str) -> QueryPlan:
        directory = UnitDirectory(unit, self._check_path)
        options = QueryOptions(
            dialect=run.dialect or self._settings.sql_dialect,
            engine=run.engine,
            prefers=self._settings.sql_engine,
            params=run.params,
            time_zone=self._settings.session_timezone or "UTC",
            now=now,
            user=self._actor.name,
            max_cell_bytes=self._settings.max_cell_bytes,
            frames={
                name: str(self._deps.frames.get(self._actor.name, frame_id).path)
                for name, frame_id in run.frames.items()
            },
        )
        return plan_select(query, Resolver(directory, *self._place(run)), options).plan

    def _place(self, run: SqlRun) -> tuple[str, str]:
        """The catalog and schema that a request is made in."""
        return (
            run.catalog or self._settings.default_catalog,
            run.schema or self._settings.default_schema,
        )


def _cancelled(statement: Statement, number: int) -> Cancelled:
    """Tells what became of statements that were cancelled at one of them."""
    if number > 1:
        return Cancelled(f"What stands before statement {number} has run; the rest")
    if isinstance(statement, Change):
        return Cancelled("Nothing was changed: the statement")
    return Cancelled()


def _kind(statement: Asked) -> str:
    if isinstance(statement, Show):
        return f"SHOW {statement.what}"
    if isinstance(statement, Describe):
        return "DESCRIBE"
    return "EXPLAIN" if statement.explain else "SELECT"
