"""Background runs: leases, fences, recovery; and imports, which are runs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from flowcat_jupyter.catalog.access import LOCAL, SYSTEM, Actor
from flowcat_jupyter.catalog.background import Background, Handle, died
from flowcat_jupyter.catalog.importing import ImportSpec
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.store.rows import Run
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Cancelled,
    FlowcatError,
    Invalid,
    LimitExceeded,
    NotFound,
)
from flowcat_jupyter.shared.events import Event, TableCreated
from flowcat_jupyter.shared.wire import ImportJob
from tests.support.catalog import COLUMNS, World

LEASE = timedelta(seconds=90)
CSV = ImportSpec(("/files/flights.csv",), options={"null": "NA"}, types={"id": "bigint"})


def queue(world: World, kind: str = "demo", owner: str = "local") -> int:
    with world.begin(LOCAL, write=True) as unit:
        return unit.runs.add(kind, "A run", owner=owner, payload={}, at=unit.now)


def claim(world: World, run_id: int, holder: str) -> Run | None:
    with world.begin(SYSTEM, write=True) as unit:
        return unit.runs.claim(run_id, holder=holder, lease=LEASE, now=unit.now)


def finish(world: World, run: Run, state: str = "succeeded") -> bool:
    with world.begin(SYSTEM, write=True) as unit:
        return unit.runs.finish(run.id, run.fence, state, now=unit.now)


async def settled(world: World, run_id: int) -> Run:
    await world.background.wait(run_id)
    return await world.catalog().runs.get(run_id)


async def test_a_queued_run_is_claimed_by_one(world: World) -> None:
    run_id = queue(world)
    claims = await asyncio.gather(
        *(world.threads.run(lambda: claim(world, run_id, "h")) for _ in range(6))
    )
    assert sum(run is not None for run in claims) == 1


async def test_a_holder_that_lost_its_lease_writes_nothing_more(world: World) -> None:
    run_id = queue(world)
    asleep = claim(world, run_id, "one")
    assert asleep is not None
    world.clock.forward(seconds=120)
    awake = claim(world, run_id, "two")
    assert awake is not None
    assert awake.fence > asleep.fence

    assert not finish(world, asleep, "failed")
    with world.begin(SYSTEM, write=True) as unit:
        assert not unit.runs.renew(run_id, asleep.fence, lease=LEASE, now=unit.now)
    assert (await world.catalog().runs.get(run_id)).state == "running"
    assert finish(world, awake)


async def test_a_lease_that_is_kept_cannot_be_taken(world: World) -> None:
    run_id = queue(world)
    run = claim(world, run_id, "one")
    assert run is not None
    for _ in range(3):
        world.clock.forward(seconds=60)
        with world.begin(SYSTEM, write=True) as unit:
            assert unit.runs.renew(run_id, run.fence, lease=LEASE, now=unit.now)
    assert claim(world, run_id, "two") is None


async def test_a_run_is_not_claimed_before_it_is_due(world: World) -> None:
    with world.begin(LOCAL, write=True) as unit:
        later = unit.now + timedelta(hours=1)
        run_id = unit.runs.add("x", "t", owner="o", payload={}, at=unit.now, due_at=later)
    assert claim(world, run_id, "one") is None
    world.clock.forward(hours=2)
    assert claim(world, run_id, "one") is not None


async def test_recovery_marks_orphans_lost_and_leaves_the_living_alone(world: World) -> None:
    orphan, living = queue(world), queue(world)
    assert claim(world, orphan, "elsewhere:1:a")
    world.clock.forward(seconds=100)
    assert claim(world, living, "elsewhere:1:b")

    assert await world.catalog().runs.recover() == 1

    lost = await world.catalog().runs.get(orphan)
    assert (lost.state, lost.ended_at is not None) == ("lost", True)
    assert lost.error is not None
    assert (await world.catalog().runs.get(living)).state == "running"


async def test_a_dead_process_of_this_machine_needs_no_lease_to_run_out(world: World) -> None:
    machine = world.background.holder.partition(":")[0]
    run_id = queue(world)
    assert claim(world, run_id, f"{machine}:{2**22 - 1}:x")

    assert await world.catalog().runs.recover() == 1
    assert (await world.catalog().runs.get(run_id)).state == "lost"
    assert not died(world.background.holder)
    assert not died("elsewhere:1:x")
    assert not died("")


async def test_recovery_takes_a_half_done_removal_up_again(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    await world.catalog().tables.drop(table)
    world.clock.forward(days=2)
    with world.begin(SYSTEM) as unit:
        (purge,) = unit.runs.due("purge", unit.now, 10)
    assert claim(world, purge.id, "elsewhere:1:a")
    world.clock.forward(hours=1)

    assert await world.catalog().runs.recover() == 0
    assert world.storage.removed == [location]


async def test_runs_are_their_owners_alone(world: World) -> None:
    mine, other = queue(world, owner="ann"), queue(world, owner="bob")
    ann = world.catalog(Actor("ann")).runs
    assert [run.id for run in (await ann.list()).items] == [mine]
    assert await ann.active_count() == 1
    with pytest.raises(NotFound):
        await ann.get(other)
    with pytest.raises(NotFound):
        await ann.cancel(other)


async def test_runs_are_listed_newest_first_in_pages(world: World) -> None:
    ids = [queue(world) for _ in range(5)]
    runs = world.catalog().runs
    first = await runs.list(limit=2)
    second = await runs.list(limit=2, after=first.after)
    assert [run.id for run in (*first.items, *second.items)] == ids[:0:-1]
    assert first.total == 5
    await runs.cancel(ids[0])
    assert (await runs.list(active=True)).total == 4


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (Invalid("wrong"), "failed"),
        (LimitExceeded("slow", condition="QUERY_TIMEOUT"), "timed_out"),
        (LimitExceeded("big"), "failed"),
        (Cancelled(), "cancelled"),
    ],
)
async def test_a_run_ends_by_what_happened(world: World, fault: FlowcatError, state: str) -> None:
    async def work(handle: Handle) -> None:
        raise fault

    run_id = queue(world)
    world.background.start(run_id, work)
    run = await settled(world, run_id)
    assert run.state == state
    assert run.error == fault.to_wire()


async def test_an_unexpected_fault_ends_a_run_without_telling_its_text(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(handle: Handle) -> None:
        raise RuntimeError("password=hunter2")

    run_id = queue(world)
    world.background.start(run_id, work)
    run = await settled(world, run_id)
    assert run.state == "failed"
    assert "hunter2" not in str(run.error)
    assert "hunter2" in caplog.text


async def test_progress_is_seen_while_a_run_works(world: World) -> None:
    go_on = asyncio.Event()

    async def work(handle: Handle) -> dict[str, object]:
        handle.progress({"done": 1, "total": 2, "unit": "rows", "message": None})
        await go_on.wait()
        return {"answer": 42}

    run_id = queue(world)
    world.background.start(run_id, work)
    async with asyncio.timeout(10):
        run = await world.catalog().runs.get(run_id)
        while run.progress is None:
            await asyncio.sleep(0.05)
            run = await world.catalog().runs.get(run_id)
    assert run.progress == {"done": 1, "total": 2, "unit": "rows", "message": None}
    go_on.set()
    done = await settled(world, run_id)
    assert (done.state, done.result) == ("succeeded", {"answer": 42})


async def test_a_run_of_another_process_stops_at_its_next_heartbeat(world: World) -> None:
    started = asyncio.Event()

    async def work(handle: Handle) -> None:
        started.set()
        await asyncio.Event().wait()

    run_id = queue(world)
    world.background.start(run_id, work)
    await started.wait()
    with world.begin(LOCAL, write=True) as unit:
        unit.runs.cancel(run_id, now=unit.now)
    assert (await settled(world, run_id)).state == "cancelled"


async def test_closing_marks_what_ran_lost(world: World) -> None:
    started = asyncio.Event()

    async def work(handle: Handle) -> None:
        started.set()
        await asyncio.Event().wait()

    run_id = queue(world)
    world.background.start(run_id, work)
    await started.wait()
    await world.background.close()
    assert (await world.catalog().runs.get(run_id)).state == "lost"


async def test_an_import_makes_a_table_and_says_so(world: World) -> None:
    await world.schema()
    run = await world.catalog().imports.start(
        ImportTarget("flights"), CSV, origin={"notebook": "a.ipynb"}
    )
    done = await settled(world, run.id)

    assert done.state == "succeeded"
    assert done.origin == {"notebook": "a.ipynb"}
    assert done.result is not None
    table = await world.catalog().tables.get(done.result["table_id"])
    assert (table.path, table.row_count) == (("main", "default", "flights"), 3)
    (job,) = [job for job in world.executor.jobs if isinstance(job, ImportJob)]
    assert (job.mode, job.base_version, job.location) == ("create", None, table.location)
    assert (job.options, job.types) == (CSV.options, CSV.types)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
async def test_an_import_into_a_table_builds_on_its_newest_version(world: World, mode: str) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    world.executor.commit(location)
    run = await world.catalog().imports.start(ImportTarget("t", mode), CSV)
    assert (await settled(world, run.id)).state == "succeeded"
    job = world.executor.jobs[-1]
    assert isinstance(job, ImportJob)
    assert (job.mode, job.base_version, job.location) == (mode, 1, location)
    assert (await world.catalog().tables.get(table)).delta_version == 2


async def test_a_failed_import_leaves_neither_row_nor_folder(world: World) -> None:
    await world.schema()
    world.executor.failure = Invalid("Line 3 is no CSV.")
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    done = await settled(world, run.id)

    assert (done.state, done.error) == ("failed", world.executor.failure.to_wire())
    assert (await world.catalog().tables.list()).total == 0
    assert world.storage.folders == set()
    world.executor.failure = None
    again = await world.catalog().imports.start(ImportTarget("t"), CSV)
    assert (await settled(world, again.id)).state == "succeeded"


async def test_a_failed_append_leaves_the_table_as_it_was(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.executor.gate = asyncio.Event()
    run = await world.catalog().imports.start(ImportTarget("t", "append"), CSV)
    world.executor.failure = Invalid("no")
    world.executor.gate.set()
    assert (await settled(world, run.id)).state == "failed"
    assert (await world.catalog().tables.get(table)).delta_version == 0
    assert world.storage.removed == []


async def test_cancelling_an_import_stops_its_job_and_removes_what_it_made(world: World) -> None:
    await world.schema()
    world.executor.gate = asyncio.Event()
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    await world.executor.importing.wait()

    done = await world.catalog().runs.cancel(run.id)

    assert done.state == "cancelled"
    assert len(world.executor.cancelled) == 1
    assert world.storage.folders == set()
    assert (await world.catalog().tables.list()).total == 0
    assert (await world.catalog().runs.cancel(run.id)).state == "cancelled"


async def test_a_cancel_that_comes_when_the_table_is_there_is_too_late(world: World) -> None:
    await world.schema()
    loop = asyncio.get_running_loop()

    def cancel_now(event: Event) -> None:
        if isinstance(event, TableCreated):
            loop.call_soon_threadsafe(world.background.cancel, run.id)
            time.sleep(0.2)

    world.reactions.subscribe(cancel_now)
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    assert (await settled(world, run.id)).state == "succeeded"
    assert (await world.catalog().tables.list()).total == 1


async def test_what_is_to_follow_an_import_follows_only_one_that_succeeded(world: World) -> None:
    await world.schema()
    followed: list[str] = []
    world.executor.failure = Invalid("no")
    run = await world.catalog().imports.start(
        ImportTarget("t"), CSV, afterwards=lambda: followed.append("bad")
    )
    await settled(world, run.id)
    world.executor.failure = None
    run = await world.catalog().imports.start(
        ImportTarget("t"), CSV, afterwards=lambda: followed.append("good")
    )
    await settled(world, run.id)
    assert followed == ["good"]


async def test_an_import_of_a_process_that_died_is_undone(world: World) -> None:
    await world.schema()
    world.executor.gate = asyncio.Event()
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    await world.executor.importing.wait()
    world.clock.forward(minutes=10)
    other = Background(world.begin, world.threads, watch_s=0)
    elsewhere = Catalog(LOCAL, replace(world.deps, background=other))

    assert await world.catalog().runs.recover() == 0, "it is not an orphan to its own process"
    assert await elsewhere.runs.recover() == 1

    assert (await world.catalog().runs.get(run.id)).state == "lost"
    assert (await world.catalog().tables.list()).total == 0
    assert world.storage.folders == set()
    world.executor.gate.set()
    await world.background.wait(run.id)
    assert (await world.catalog().runs.get(run.id)).state == "lost"
    assert (await world.catalog().tables.list()).total == 0
    assert world.storage.folders == set(), "what the late worker wrote was left behind"


async def test_a_long_import_is_not_taken_for_a_forgotten_write(world: World) -> None:
    await world.schema()
    world.executor.gate = asyncio.Event()
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    await world.executor.importing.wait()
    world.clock.forward(days=3)
    assert await world.catalog().writes.repair() == 0
    world.executor.gate.set()
    assert (await settled(world, run.id)).state == "succeeded"


async def test_an_import_does_not_take_a_name_that_is_held(world: World) -> None:
    await world.schema()
    await world.catalog().writes.begin("t", "error", columns=COLUMNS)
    with pytest.raises(AlreadyExists):
        await world.catalog().imports.start(ImportTarget("t"), CSV)
    with pytest.raises(Invalid):
        await world.catalog().imports.start(ImportTarget("u", "upsert"), CSV)
    assert (await world.catalog().runs.list()).total == 0
