"""SQL: texts that are run, watched, cancelled and explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.results import Result, Running
from flowcat_jupyter.catalog.sql_text import SqlRun, SqlText
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.wire import ExplainInfo, ExplainJob


@dataclass(frozen=True)
class Status:
    """How far a query is: ``position`` in the queue while it waits, ``rows`` when it is done."""

    state: Literal["queued", "running", "done"]
    position: int | None
    elapsed_ms: float
    rows: int | None


class SqlService:
    """Runs statements for one actor."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads
        self._executor = deps.executor
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
        running = self._results.start(self._actor.name, run.query_id, run.query)
        result: Result | None = None
        try:
            with self._deps.sessions.using(self._actor.name, run.session) as session:
                result = await SqlText(self._actor, self._deps, run, running, session).run()
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

        with self._deps.sessions.using(self._actor.name, run.session) as session:
            text = SqlText(self._actor, self._deps, run, Running(run.query_id), session)

            def plan() -> ExplainJob:
                (statement, *more) = text.parsed()
                if more or not isinstance(statement, Select):
                    raise SqlError(
                        "Only one query can be explained.", condition="PARSE_SYNTAX_ERROR"
                    )
                with self._begin(self._actor) as unit:
                    return ExplainJob(text.query_plan(unit, statement), statement.extended)

            try:
                job = await text.provided.planned(lambda: self._threads.run(plan))
                info: ExplainInfo = await self._executor.run(
                    job, job_id=f"explain-{uuid4().hex}", deadline_s=self._deps.deadline_s
                )
            except SqlError as error:
                raise text.told(error) from error
            finally:
                text.provided.close()
            return info
