"""Imports whose process was killed, whose worker died, or that are cancelled: no commit is lost."""

from __future__ import annotations

import asyncio

import pytest

from flowcat_jupyter.catalog.access import SYSTEM
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.shared.errors import (
    Cancelled,
    FlowcatError,
    LimitExceeded,
    Unavailable,
)
from flowcat_jupyter.shared.wire import (
    ImportJob,
)
from tests.support.catalog import World
from tests.support.catalog_imports import (
    imported,
    orphan,
    spec,
)


@pytest.mark.parametrize("mode", ["append", "overwrite", "error"])
async def test_an_import_killed_after_its_commit_is_found_in_the_log_and_succeeded(
    world: World, mode: str
) -> None:
    await world.schema()
    if mode != "error":
        await world.table("t")
    run, ticket = await orphan(world, mode=mode)
    world.executor.commit(ticket.location, run_id=str(run.id))
    world.executor.commit(ticket.location)

    assert await world.catalog().runs.recover() == 0

    done = await world.catalog().runs.get(run.id)
    assert done.state == "succeeded"
    assert done.result is not None
    assert done.result["rows_loaded"] == 3
    table = await world.catalog().tables.get(done.result["table_id"])
    assert table.delta_version == len(world.executor.logs[ticket.location]) - 1
    assert world.storage.removed == []
    assert await world.catalog().runs.recover() == 0
    with world.begin(SYSTEM) as unit:
        assert unit.tickets.of_run(run.id) == ()


@pytest.mark.parametrize("mode", ["append", "error"])
async def test_an_import_killed_before_its_commit_is_lost_and_leaves_nothing(
    world: World, mode: str
) -> None:
    await world.schema()
    if mode != "error":
        await world.table("t")
    run, ticket = await orphan(world, mode=mode)
    if mode == "append":
        world.executor.commit(ticket.location, run_id="999")

    assert await world.catalog().runs.recover() == 1

    assert (await world.catalog().runs.get(run.id)).state == "lost"
    with world.begin(SYSTEM) as unit:
        assert unit.rejects.all() == ()
        assert unit.tickets.of_run(run.id) == ()
    assert (await world.catalog().tables.list()).total == (1 if mode == "append" else 0)


async def test_a_log_that_cannot_be_read_now_is_looked_at_again(world: World) -> None:
    await world.schema()
    await world.table("t")
    run, ticket = await orphan(world)
    world.executor.commit(ticket.location, run_id=str(run.id))
    world.executor.failure = Unavailable("The disk is away.")
    runs = world.catalog().runs

    assert await runs.recover() == 0
    assert (await runs.get(run.id)).state == "running"
    world.executor.failure = None
    assert await runs.recover() == 0
    assert (await runs.get(run.id)).state == "running"
    world.clock.forward(seconds=100)
    assert await runs.recover() == 0
    assert (await runs.get(run.id)).state == "succeeded"


async def test_a_commit_to_a_table_that_was_dropped_meanwhile_is_lost(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    run, ticket = await orphan(world)
    world.executor.commit(ticket.location, run_id=str(run.id))
    await world.catalog().tables.drop(table)
    assert await world.catalog().runs.recover() == 1
    assert (await world.catalog().runs.get(run.id)).state == "lost"


@pytest.mark.parametrize(
    "fault", [Cancelled(), LimitExceeded("out of memory"), Unavailable("the worker died")]
)
async def test_a_worker_that_dies_after_its_commit_has_imported(
    world: World, fault: FlowcatError
) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    working = world.executor.run

    async def commits_and_dies(job: object, **options: object) -> object:
        answer = await working(job, **options)  # type: ignore[arg-type]
        if isinstance(job, ImportJob):
            raise fault
        return answer

    world.executor.run = commits_and_dies  # type: ignore[method-assign]
    done = await imported(world, spec())

    assert (done.state, len(world.executor.logs[location])) == ("succeeded", 2)
    assert (await world.catalog().tables.get(table)).delta_version == 1


async def test_a_cancel_that_comes_after_the_commit_is_too_late(world: World) -> None:
    await world.schema()
    await world.table("t")
    working = world.executor.run
    committed = asyncio.Event()

    async def commits_and_hangs(job: object, **options: object) -> object:
        answer = await working(job, **options)  # type: ignore[arg-type]
        if isinstance(job, ImportJob):
            committed.set()
            await asyncio.Event().wait()
        return answer

    world.executor.run = commits_and_hangs  # type: ignore[method-assign]
    run = await world.catalog().imports.start(ImportTarget("t", "append"), spec())
    await committed.wait()
    assert (await world.catalog().runs.cancel(run.id)).state == "succeeded"
