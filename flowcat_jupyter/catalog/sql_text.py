"""One text of SQL, carried out: each statement planned in a Unit and run in a worker."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.carrying.done import Done, placed
from flowcat_jupyter.catalog.carrying.dry_runs import check_dry_run, dry_run
from flowcat_jupyter.catalog.commanding.commands import answer
from flowcat_jupyter.catalog.commanding.rows import Read, Rows
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.commanding.settings import Effect, change_setting, named_catalog
from flowcat_jupyter.catalog.commanding.tables import columns_heading, listed_columns
from flowcat_jupyter.catalog.current import place_used
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import UnitDirectory, UnitRoutines
from flowcat_jupyter.catalog.planning.bound import refuse_unused
from flowcat_jupyter.catalog.planning.current import Use
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.functions import SessionFunctions
from flowcat_jupyter.catalog.planning.kinds import Asked, cancelled_at, kind_of
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.planner import Defining, QueryOptions, plan_select, zone_of
from flowcat_jupyter.catalog.planning.rehearsing import check_rehearsable
from flowcat_jupyter.catalog.planning.relations import Named
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.settings_sql import ResetSetting, SetSetting
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.statements import (
    Select,
    Statement,
    numbered,
    parse,
)
from flowcat_jupyter.catalog.planning.view_steps import told
from flowcat_jupyter.catalog.planning.views import SessionViews
from flowcat_jupyter.catalog.planning.writes import Change
from flowcat_jupyter.catalog.providers.protocol import Asker
from flowcat_jupyter.catalog.providers.provided import Provided, built_in
from flowcat_jupyter.catalog.results import Result, Running
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.catalog.sql_writes import SqlWrites
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Cancelled, FlowcatError, SqlError
from flowcat_jupyter.shared.wire import (
    Column,
    ExplainInfo,
    ExplainJob,
    QueryJob,
    QueryPlan,
    ResultInfo,
    ValuesJob,
)
from flowcat_jupyter.shared.wire_shows import DescribeQueryInfo, DescribeQueryJob

MAX_TEXT = 1_000_000


@dataclass(frozen=True)
class SqlRun:
    """A request to run a text.

    ``max_rows`` None keeps every row, up to the size a result may have. ``json_rows`` also makes
    the rows as strict JSON. ``frames`` are the ids of frames sent before, by name. ``session`` is
    the SQL session it runs in; None is one of its own. A ``dry_run`` tells what one statement would
    change, and changes nothing.
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
    session: str | None = None
    dry_run: bool = False


Planned = QueryPlan | Rows | Read


class SqlText:
    """A request of one actor's to run a text.

    ``running`` is where others see how far it is, and cancel it.
    """

    def __init__(
        self, actor: Actor, deps: Deps, run: SqlRun, running: Running, session: SqlSession
    ) -> None:
        """Serve one request, in ``session``."""
        self._actor = actor
        self._deps = deps
        self._run = run
        self._running = running
        self.session = session
        self._begin = deps.begin
        self._threads = deps.threads
        self._executor = deps.executor
        # Below a root of the server's lie other people's tables too.
        self._check_path = deps.storage.check_external if actor.unrestricted else None
        self._settings = deps.settings
        self._results = deps.results
        self._started = time.perf_counter()
        self._now = deps.clock.now().isoformat()
        self._place = _first_place(run, session, deps)
        self._views: Sequence[Named] = ()
        self.provided = Provided(Asker(actor, session), deps, built_in(deps))

    async def run(self) -> Result:
        """Run every statement in order and keep the last one's result, and what all warn of.

        :raises SqlError: a statement is wrong or refused; those before it have run.
        :raises Cancelled: the text was cancelled.
        """
        statements = await self._threads.run(self.parsed)
        result: Result | None = None
        warnings: tuple[str, ...] = ()
        current: tuple[str, str] | None = None
        for number, statement in enumerate(statements, start=1):
            self._running.job_id = f"sql-{self._actor.name}-{self._running.query_id}-{number}"
            previous = result
            try:
                self._running.check()
                use = named_catalog(statement)
                if use is not None:
                    current = await self._used(use)
                    self._place = self.session.place = current
                result = await self.provided.planned(partial(self._statement, statement))
                warnings += result.info.warnings
            except SqlError as error:
                raise numbered(self.told(error), number, len(statements)) from error
            except Cancelled as error:
                raise cancelled_at(statement, number) from error
            finally:
                self.provided.close()
                if previous is not None:
                    self._results.discard(previous)
        if result is None:
            raise SqlError("There is nothing to run.", condition="PARSE_EMPTY_STATEMENT")
        warnings += self.provided.warnings
        return replace(result, info=replace(result.info, warnings=warnings), current=current)

    async def _used(self, use: Use) -> tuple[str, str]:
        def look() -> tuple[str, str]:
            with self._begin(self._actor) as unit:
                return place_used(unit, use, self._place, self._settings.default_schema)

        place = await self.provided.used(use, self._place)
        return await self._threads.run(look) if place is None else place

    def parsed(self) -> tuple[Statement, ...]:
        """The statements, every value and frame of the request named in one of them.

        :raises SqlError: the text is too long, or a statement is wrong or refused.
        """
        run = self._run
        if len(run.query) > MAX_TEXT:
            raise SqlError(
                f"The text is longer than {MAX_TEXT:,} characters.",
                condition="STATEMENT_TOO_LARGE",
                sqlstate="54001",
            )
        statements = parse(run.query, self._dialect)
        refuse_unused(statements, run.params, run.frames)
        if run.dry_run:
            check_rehearsable(statements)
        return statements

    async def _statement(self, statement: Statement) -> Result:
        if isinstance(statement, Maintain):
            if not statement.dry_run:
                return await self._change(statement)
        elif isinstance(statement, (Change, Use)):
            return await self._change(statement)
        planned = await self._planned(statement)
        self._running.check()
        spool = self._results.files.new_path()
        rows_json = self._results.files.new_path() if self._run.json_rows else None
        try:
            info = await self._execute(statement, planned, spool, rows_json)
        except BaseException:
            for path in (spool, rows_json):
                if path is not None:
                    self._results.files.remove(path)
            raise
        return Result(
            self._running.query_id,
            kind_of(statement),
            info,
            spool,
            rows_json,
            self._took(),
            time_zone=self._effect.time_zone,
        )

    async def _planned(self, statement: Asked) -> Planned:
        if isinstance(statement, (Show, Describe)):
            rows = await self.provided.shown(statement, self._place)
            if rows is not None:
                return rows
        elif isinstance(statement, Maintain):
            await check_dry_run(self.provided, statement, self._place)

        def plan() -> Planned:
            with self._begin(self._actor) as unit:
                return self._plan(unit, statement)

        return await self._threads.run(plan)

    async def _change(self, change: Change | Use) -> Result:
        files = self._results.files
        spool, rows = files.new_path(), files.new_path()
        rows_json = files.new_path() if self._run.json_rows else None
        catalog, schema = self._place
        asking = Asking(
            catalog=catalog,
            schema=schema,
            job_id=self._running.job_id or "",
            spool=rows,
            plan=self.query_plan,
            check=self._running.check,
            dialect=self._dialect,
            session=self.session,
            dry_run=self._run.dry_run,
        )
        try:
            # First: once the statement is done, nothing may fail any more.
            none = ValuesJob((), (), str(spool), str(rows_json) if rows_json else None)
            nothing: ResultInfo = await self._work(none)
            done = Done("USE")
            if not isinstance(change, Use):
                done = await self._writes(asking).run(change)
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
        return Result(
            self._running.query_id,
            done.kind,
            info,
            spool,
            rows_json,
            self._took(),
            written=done.rows,
            changed=done.changed and not self._run.dry_run,
            note=done.note,
            dry_run=self._run.dry_run,
        )

    def _writes(self, asking: Asking) -> SqlWrites:
        return SqlWrites(self._actor, self._deps, asking, self.provided)

    async def _execute(
        self,
        statement: Asked,
        planned: Planned,
        spool: Path,
        rows_json: Path | None,
    ) -> ResultInfo:
        json_path = str(rows_json) if rows_json else None
        if isinstance(planned, Read):
            planned = await self._read(planned, statement)
        elif isinstance(planned, QueryPlan) and isinstance(statement, Select):
            planned = await self._told(planned, statement) or planned
        if isinstance(planned, Rows):
            values = ValuesJob(planned.columns, planned.rows, str(spool), json_path)
            info: ResultInfo = await self._work(values)
            return info
        job = QueryJob(
            plan=planned,
            spool=str(spool),
            max_rows=self._effect.max_rows(self._run.max_rows),
            max_bytes=self._settings.result_max_bytes,
            json_path=json_path,
        )
        answer: ResultInfo = await self._work(job)
        return answer

    async def _read(self, read: Read, statement: Asked) -> Rows:
        """What a worker reads for a statement."""
        try:
            return read.rows(await self._work(read.job))
        except FlowcatError as error:
            raise placed(error, statement.piece) from error

    async def _told(self, plan: QueryPlan, query: Select) -> Rows | None:
        """What there is to say of a query; None where it is to be run."""
        if query.described:
            found: DescribeQueryInfo = await self._work(DescribeQueryJob(plan))
            return Rows(columns_heading(), tuple(listed_columns(found.columns)))
        if not query.explain:
            return None
        explained: ExplainInfo = await self._work(ExplainJob(plan, query.extended))
        lines = tuple((line,) for line in explained.lines)
        return Rows((Column("plan", "string", nullable=False),), lines)

    async def _work(self, job: Any) -> Any:
        self._running.check()
        return await self._executor.run(
            job, job_id=self._running.job_id or "", deadline_s=self._deps.deadline_s
        )

    @property
    def _effect(self) -> Effect:
        return Effect(self.session.settings, self._settings)

    def _took(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def _plan(self, unit: Unit, statement: Asked) -> Planned:
        if isinstance(statement, Maintain):
            return dry_run(unit, statement, self._place)
        if isinstance(statement, (SetSetting, ResetSetting)):
            return change_setting(statement, self.session.settings, self._settings)
        if isinstance(statement, (Show, Describe)):
            directory = UnitDirectory(unit, self._check_path)
            zone = zone_of(self._effect.time_zone)
            others = self.provided.catalogs
            scene = Scene(unit, directory, *self._place, self.session, zone, others)
            return answer(scene, statement)
        return self.query_plan(unit, statement)

    @property
    def _dialect(self) -> str:
        return self._run.dialect or self._settings.sql_dialect

    def told(self, error: SqlError) -> SqlError:
        """What a worker says is wrong with the last query, at its place in the text."""
        return told(error, self._views)

    def query_plan(self, unit: Unit, query: Select, defining: Defining | None = None) -> QueryPlan:
        """A query of the text, authorised and packed; or the one that defines a view or
        tries a function.

        :raises SqlError: what it reads is not there for the actor, or may not be read.
        """
        run = self._run
        directory = UnitDirectory(unit, self._check_path)
        options = QueryOptions(
            dialect=self._dialect,
            engine=self._effect.engine(run.engine),
            prefers=self._settings.sql_engine,
            params=run.params,
            time_zone=self._effect.time_zone,
            now=self._now,
            user=self._actor.name,
            max_cell_bytes=self._settings.max_cell_bytes,
            frames={
                name: str(self._deps.frames.get(self._actor.name, frame_id).path)
                for name, frame_id in run.frames.items()
            },
            variables={} if defining and defining.view.lasts else self.session.values,
        )
        views = SessionViews(self.session.views, self.session.global_views)
        functions = SessionFunctions(self.session.functions)
        resolver = Resolver(
            directory, *self._place, views, self.provided, UnitRoutines(unit), functions
        )
        planned = plan_select(query, resolver, options, defining.view if defining else None)
        self._views = planned.views
        if defining is not None:
            defining.uses = frozenset(views.used)
            defining.calls = frozenset(functions.used)
        return planned.plan


def _first_place(run: SqlRun, session: SqlSession, deps: Deps) -> tuple[str, str]:
    """Where names are looked for before a statement says so."""
    if session.place is not None and run.catalog is None:
        catalog, schema = session.place
        return catalog, run.schema or schema
    default = deps.settings
    return run.catalog or default.default_catalog, run.schema or default.default_schema
