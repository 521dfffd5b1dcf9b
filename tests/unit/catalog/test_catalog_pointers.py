"""Tables that our database keeps a pointer to: who moves it, and who does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from flowcat_jupyter.catalog.results import Result
from flowcat_jupyter.catalog.sql_text import SqlRun
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.shared.errors import Conflict, FlowcatError, Internal, Invalid
from flowcat_jupyter.shared.wire import (
    Column,
    HistoryJob,
    InspectJob,
    Job,
    QueryJob,
    ResultInfo,
    TableFacts,
    ValuesJob,
)
from flowcat_jupyter.shared.wire_writes import (
    ChangedRows,
    LakeJob,
    ReplayJob,
    RowChangeJob,
    RowChangeOutcome,
    SqlWriteJob,
    SqlWriteOutcome,
)
from tests.support.catalog import World

MAKE = "CREATE TABLE main.default.t USING iceberg AS SELECT 1 AS id"
ADD = "INSERT INTO main.default.t SELECT 2 AS id"
CHANGE = "UPDATE main.default.t SET id = 3"


@dataclass
class Files:
    """Metadata files by their names, and a worker that makes them. ``after`` is called once, when
    the next write has made its own.
    """

    world: World
    made: dict[str, TableFacts] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)
    after: Callable[[], Any] | None = None

    async def run(self, job: Job, **_: Any) -> Any:
        self.jobs.append(job)
        if isinstance(job, InspectJob):
            return self.made[str(job.source.pointer)]
        if isinstance(job, ValuesJob):
            await asyncio.to_thread(Path(job.spool).touch)
            return ResultInfo(job.columns, 0, False, "fake", (), (), 0.0)
        assert isinstance(job, LakeJob)
        facts = self._write(job)
        hook, self.after = self.after, None
        told = hook() if hook else None
        if asyncio.iscoroutine(told):
            await told
        if isinstance(job, RowChangeJob):
            return RowChangeOutcome(facts, ChangedRows(updated=1), "fake", (), (), 1.0)
        return SqlWriteOutcome(facts, 1, "fake", (), (), 1.0)

    def _write(self, job: LakeJob) -> TableFacts:
        assert job.format == "iceberg"
        assert job.pointer is None or job.pointer in self.made
        rows = 1
        if isinstance(job, ReplayJob) or (isinstance(job, SqlWriteJob) and job.mode == "append"):
            rows += self.made[str(job.pointer)].row_count or 0
        pointer = f"/managed/metadata/{len(self.made):05}.metadata.json"
        version = 2**52 - len(self.made)
        columns = (Column("id", "int"),)
        facts = TableFacts("iceberg", columns, (), rows, 10, version, version, pointer=pointer)
        self.made[pointer] = facts
        return facts

    def cancel(self, job_id: str) -> bool:
        return True

    def position(self, job_id: str) -> int | None:
        return None

    def of(self, kind: type[Job]) -> list[Job]:
        return [job for job in self.jobs if isinstance(job, kind)]


@pytest.fixture
async def files(world: World) -> Files:
    executor = Files(world)
    await asyncio.to_thread(Path(world.deps.settings.home).mkdir, parents=True, exist_ok=True)
    world.deps = replace(world.deps, executor=executor)
    await world.schema()
    return executor


async def run(world: World, query: str) -> Result:
    return await world.catalog().sql.execute(SqlRun(query, str(uuid4())))


async def table(world: World) -> TableRow:
    return await world.catalog().tables.resolve("main.default.t")


async def test_a_write_moves_the_pointer_to_what_it_made(world: World, files: Files) -> None:
    await run(world, MAKE)
    made = await table(world)
    assert (made.format, made.pointer, made.row_count) == ("iceberg", next(iter(files.made)), 1)
    await run(world, ADD)
    # Numbers of snapshots do not grow; the pointer says what is newer.
    now = await table(world)
    assert (now.pointer, now.row_count) == (list(files.made)[1], 2)
    assert now.data_version == (made.data_version or 0) + 1


async def test_everything_that_reads_is_given_the_pointer(world: World, files: Files) -> None:
    await run(world, MAKE)
    await run(world, ADD)
    catalog = world.catalog()
    source = await catalog.tables.source((await table(world)).id)
    assert source.pointer == list(files.made)[1]
    await catalog.tables.refresh((await table(world)).id)
    assert all(
        job.source.pointer is not None
        for job in files.jobs
        if isinstance(job, (InspectJob, HistoryJob))
    )
    assert all(
        item.pointer is not None
        for job in files.jobs
        if isinstance(job, QueryJob)
        for item in job.plan.sources
    )


async def test_rows_that_lost_a_race_are_added_to_what_won(world: World, files: Files) -> None:
    await run(world, MAKE)
    files.after = lambda: run(world, ADD)
    await run(world, ADD)
    (replayed,) = files.of(ReplayJob)
    assert isinstance(replayed, ReplayJob)
    assert (replayed.lost, replayed.pointer) == (list(files.made)[1], list(files.made)[2])
    assert ((await table(world)).row_count, (await table(world)).pointer) == (
        3,
        list(files.made)[3],
    )


async def test_a_change_that_lost_a_race_is_a_conflict_and_leaves_the_table(
    world: World, files: Files
) -> None:
    await run(world, MAKE)
    files.after = lambda: run(world, CHANGE)
    with pytest.raises(Conflict) as raised:
        await run(world, CHANGE)
    assert raised.value.condition == "ICEBERG_CONCURRENT_WRITE"
    # The one that lost wrote its files first, and they are nobody's.
    assert (await table(world)).pointer == list(files.made)[2]
    await run(world, CHANGE)
    assert (await table(world)).pointer == list(files.made)[3]


async def test_a_worker_that_dies_after_its_files_leaves_the_table_as_it_was(
    world: World, files: Files
) -> None:
    await run(world, MAKE)
    before = await table(world)

    def die() -> None:
        raise Internal("The worker died.")

    for text in (ADD, CHANGE):
        files.after = die
        with pytest.raises(FlowcatError):
            await run(world, text)
    now = await table(world)
    assert (now.pointer, now.row_count, now.data_version) == (
        before.pointer,
        before.row_count,
        before.data_version,
    )
    await run(world, ADD)
    assert (await table(world)).row_count == 2


async def test_a_worker_that_dies_making_a_table_leaves_none_and_the_name_is_free(
    world: World, files: Files
) -> None:
    def die() -> None:
        raise Internal("The worker died.")

    files.after = die
    with pytest.raises(FlowcatError):
        await run(world, MAKE)
    await run(world, MAKE)
    assert (await table(world)).pointer == list(files.made)[1]


async def test_a_refresh_never_moves_the_pointer(world: World, files: Files) -> None:
    await run(world, MAKE)
    catalog = world.catalog()
    found = await table(world)
    pointer = str(found.pointer)
    files.made[pointer] = replace(files.made[pointer], pointer="/managed/elsewhere.metadata.json")
    await catalog.tables.refresh(found.id)
    assert (await table(world)).pointer == pointer


async def test_a_table_dropped_and_brought_back_has_its_pointer(world: World, files: Files) -> None:
    await run(world, MAKE)
    catalog = world.catalog()
    undo = await catalog.tables.drop((await table(world)).id)
    assert undo.dropped_id is not None
    back = await catalog.tables.undrop(undo.dropped_id)
    assert back.pointer == next(iter(files.made))


async def test_a_kernel_is_told_how_such_a_table_is_written(world: World, files: Files) -> None:
    await run(world, MAKE)
    with pytest.raises(Invalid) as raised:
        await world.catalog().writes.begin("main.default.t", "append")
    assert "INSERT INTO" in str(raised.value.hint)


async def test_a_table_is_not_replaced_by_one_of_another_format(world: World, files: Files) -> None:
    await run(world, MAKE)
    with pytest.raises(FlowcatError, match="USING iceberg"):
        await run(world, "CREATE OR REPLACE TABLE main.default.t AS SELECT 1 AS id")
    assert (await table(world)).pointer == next(iter(files.made))
