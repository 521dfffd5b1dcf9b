"""Statements that write, when the world moves under them: what is recorded, held and left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from flowcat_jupyter.catalog import background
from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.results import Result
from flowcat_jupyter.catalog.sql_text import SqlRun
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared.errors import Cancelled, Conflict, FlowcatError, Internal, SqlError
from flowcat_jupyter.shared.wire import InspectJob, Job, ResultInfo, ValuesJob
from flowcat_jupyter.shared.wire_inserts import ReplaceRowsJob
from flowcat_jupyter.shared.wire_writes import (
    ChangedRows,
    RowChangeJob,
    RowChangeOutcome,
    SqlWriteJob,
    SqlWriteOutcome,
)
from tests.support.catalog import World

MAKE = "CREATE TABLE main.default.t COMMENT 'all' AS SELECT 1 AS id"
ADD = "INSERT INTO main.default.t SELECT 2 AS id"
CHANGE = "UPDATE main.default.t SET id = 3"
REPLACE = "INSERT INTO main.default.t REPLACE WHERE id = 1 SELECT 1 AS id"


@dataclass
class Writing:
    """Carries jobs out as a worker does. ``before`` and ``after`` are called around a kind of job;
    ``after`` may raise what a worker that died would end in.
    """

    world: World
    jobs: list[Job] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    before: dict[type[Job], Callable[[], Any]] = field(default_factory=dict)
    after: dict[type[Job], Callable[[], Any]] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    nothing: bool = False

    async def run(self, job: Job, *, job_id: str, **_: Any) -> Any:
        self.jobs.append(job)
        self.ids.append(job_id)
        await self._call(self.before, job)
        answer = await self._answer(job, job_id)
        await self._call(self.after, job)
        return answer

    async def _call(self, hooks: dict[type[Job], Callable[[], Any]], job: Job) -> None:
        hook = hooks.get(type(job))
        told = hook() if hook else None
        if asyncio.iscoroutine(told):
            await told

    async def _answer(self, job: Job, job_id: str) -> Any:
        if isinstance(job, ValuesJob):
            await asyncio.to_thread(Path(job.spool).touch)
            return ResultInfo(job.columns, 0, False, "fake", (), (), 0.0)
        if isinstance(job, SqlWriteJob):
            facts = self.world.executor.commit(
                job.location, write_id=job.commit_info["flowcat_write"]
            )
            return SqlWriteOutcome(facts, 3, "fake", (), (), 1.0)
        if isinstance(job, (RowChangeJob, ReplaceRowsJob)):
            if self.nothing:
                return RowChangeOutcome(None, ChangedRows(), "fake", (), (), 1.0)
            facts = self.world.executor.commit(
                job.location, write_id=job.commit_info["flowcat_write"]
            )
            return RowChangeOutcome(facts, ChangedRows(updated=2), "fake", (), (), 1.0)
        return await self.world.executor.run(job, job_id=job_id)

    def cancel(self, job_id: str) -> bool:
        self.cancelled.append(job_id)
        return True

    def position(self, job_id: str) -> int | None:
        return None

    def of(self, kind: type[Job]) -> list[Job]:
        return [job for job in self.jobs if isinstance(job, kind)]


@pytest.fixture
async def writing(world: World) -> Writing:
    executor = Writing(world)
    await asyncio.to_thread(Path(world.deps.settings.home).mkdir, parents=True, exist_ok=True)
    world.deps = replace(world.deps, executor=executor)
    await world.schema()
    return executor


async def run(world: World, query: str, query_id: str | None = None) -> Result:
    return await world.catalog().sql.execute(SqlRun(query, query_id or str(uuid4())))


async def drop(world: World) -> None:
    catalog = world.catalog()
    await catalog.tables.drop((await catalog.tables.resolve("main.default.t")).id)


async def test_what_a_statement_makes_is_described_and_counted(
    world: World, writing: Writing
) -> None:
    made = await run(world, MAKE)
    assert (made.statement, made.written, made.changed) == ("CREATE TABLE", ChangedRows(3), True)
    assert (await world.catalog().tables.resolve("main.default.t")).description == "all"
    again = await run(world, MAKE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
    assert (again.written, again.changed) == (None, False)


async def test_a_replaced_table_keeps_nothing_of_its_description(
    world: World, writing: Writing
) -> None:
    await run(world, MAKE)
    await run(world, "CREATE OR REPLACE TABLE main.default.t AS SELECT 1 AS id")
    assert (await world.catalog().tables.resolve("main.default.t")).description is None
    (_, job) = writing.of(SqlWriteJob)
    assert isinstance(job, SqlWriteJob)
    assert job.redefine


async def test_an_insert_does_not_make_the_table_that_was_dropped_meanwhile(
    world: World, writing: Writing
) -> None:
    await run(world, MAKE)
    writing.after[InspectJob] = lambda: drop(world)
    with pytest.raises(SqlError) as raised:
        await run(world, ADD)
    assert raised.value.condition == "TABLE_OR_VIEW_NOT_FOUND"
    assert len(writing.of(SqlWriteJob)) == 1


async def test_an_insert_does_not_go_into_another_table_of_the_name(
    world: World, writing: Writing
) -> None:
    await run(world, MAKE)

    async def again() -> None:
        writing.after.clear()
        await drop(world)
        await run(world, MAKE)

    writing.after[InspectJob] = again
    with pytest.raises(Conflict):
        await run(world, ADD)
    assert [job.mode for job in writing.of(SqlWriteJob) if isinstance(job, SqlWriteJob)] == [
        "create",
        "create",
    ]


@pytest.mark.parametrize("statement", [ADD, CHANGE])
async def test_a_table_dropped_while_it_was_written_is_told_of(
    world: World, writing: Writing, statement: str
) -> None:
    await run(world, MAKE)
    writing.after |= {SqlWriteJob: lambda: drop(world), RowChangeJob: lambda: drop(world)}
    with pytest.raises(Conflict, match="comes back with it"):
        await run(world, statement)


@pytest.mark.parametrize("statement", [ADD, CHANGE])
@pytest.mark.parametrize("kind", [ValuesJob, InspectJob])
async def test_a_cancel_counts_until_the_statement_writes(
    world: World, writing: Writing, statement: str, kind: type[Job]
) -> None:
    await run(world, MAKE)
    catalog, query_id = world.catalog(), str(uuid4())
    writing.after[kind] = lambda: catalog.sql.cancel(query_id)
    with pytest.raises(Cancelled):
        await catalog.sql.execute(SqlRun(statement, query_id))
    assert len(writing.of(SqlWriteJob) + writing.of(RowChangeJob)) == 1
    await run(world, statement)


async def test_while_it_is_prepared_the_job_that_is_cancelled_is_the_statements_own(
    world: World, writing: Writing
) -> None:
    await run(world, MAKE)
    begun = len(writing.ids)
    await run(world, ADD)
    assert len(set(writing.ids[begun:])) == 1


async def test_a_client_that_leaves_while_the_name_is_taken_gives_it_back(
    world: World, writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = asyncio.Event()
    begin = UnitFactory.__call__

    def told(factory: UnitFactory, actor: Actor, *, write: bool = False) -> Any:
        if write:
            loop.call_soon_threadsafe(opening.set)
        return begin(factory, actor, write=write)

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(UnitFactory, "__call__", told)
    task = asyncio.create_task(run(world, MAKE))
    await opening.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await run(world, MAKE)


@pytest.mark.parametrize(
    ("statement", "written"),
    [(ADD, ChangedRows(inserted=3)), (CHANGE, None), (REPLACE, None)],
)
async def test_what_a_worker_committed_before_it_died_is_recorded_and_not_done_again(
    world: World, writing: Writing, statement: str, written: ChangedRows | None
) -> None:
    await run(world, MAKE)

    def die() -> None:
        raise Internal("The worker is gone.")

    writes = (SqlWriteJob, RowChangeJob, ReplaceRowsJob)
    writing.after |= dict.fromkeys(writes, die)
    writing.jobs.clear()
    done = await run(world, statement)
    assert (done.written, done.changed) == (written, True)
    assert (await world.catalog().tables.resolve("main.default.t")).delta_version == 1
    assert sum(isinstance(job, writes) for job in writing.jobs) == 1


async def test_a_comment_is_kept_when_the_worker_died_after_its_commit(
    world: World, writing: Writing
) -> None:
    def die() -> None:
        raise Internal("The worker is gone.")

    writing.after[SqlWriteJob] = die
    assert (await run(world, MAKE)).statement == "CREATE TABLE"
    assert (await world.catalog().tables.resolve("main.default.t")).description == "all"


async def test_a_worker_that_died_before_its_commit_leaves_the_name_free(
    world: World, writing: Writing
) -> None:
    def die() -> None:
        raise Internal("The worker is gone.")

    writing.before[SqlWriteJob] = die
    with pytest.raises(Internal):
        await run(world, MAKE)
    writing.before.clear()
    await run(world, MAKE)


@pytest.mark.parametrize("committed", [False, True])
async def test_the_name_a_killed_process_held_is_free_for_the_next_statement(
    world: World, writing: Writing, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    class Killed(BaseException):
        """What ends a process at once."""

    def killed(*_: Any) -> None:
        raise Killed

    hooks = writing.after if committed else writing.before
    hooks[SqlWriteJob] = killed
    monkeypatch.setattr("flowcat_jupyter.catalog.sql_commits.SqlCommits._give_up", killed)
    with pytest.raises(Killed):
        await run(world, MAKE)
    monkeypatch.undo()
    hooks.clear()
    # As long as its process lives, the name is its own.
    with pytest.raises(FlowcatError, match="being created"):
        await run(world, MAKE)
    monkeypatch.setattr("flowcat_jupyter.catalog.healing.died", lambda holder: bool(holder))
    if committed:
        with pytest.raises(FlowcatError, match="already"):
            await run(world, MAKE)
    else:
        await run(world, MAKE)
    assert (await world.catalog().tables.resolve("main.default.t")).delta_version == 0


async def test_upkeep_ends_the_writes_of_processes_that_are_gone(
    world: World, writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "flowcat_jupyter.catalog.sql_commits.SqlCommits._give_up", lambda *_: asyncio.sleep(0)
    )

    def die() -> None:
        raise Internal("The worker is gone.")

    writing.before[SqlWriteJob] = die
    with pytest.raises(Internal):
        await run(world, MAKE)
    assert await world.catalog().writes.repair() == 0
    monkeypatch.setattr("flowcat_jupyter.catalog.healing.died", lambda holder: bool(holder))
    assert await world.catalog().writes.repair(older=background.LEASE * 0) == 1


async def test_a_change_of_no_row_makes_no_version_and_frees_the_table(
    world: World, writing: Writing
) -> None:
    await run(world, MAKE)
    writing.nothing = True
    done = await run(world, CHANGE)
    assert (done.written, done.changed) == (ChangedRows(), True)
    assert (await world.catalog().tables.resolve("main.default.t")).delta_version == 0
    assert await world.catalog().writes.repair(older=background.LEASE * 0) == 0
