"""What a crash or a wrong clock may leave behind is found, and nothing that is alive is lost."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.background import Background
from flowcat_jupyter.catalog.importing import ImportSpec
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.services.writes import OpenWrite
from flowcat_jupyter.shared.errors import Conflict, NotFound, Unavailable
from tests.support.catalog import COLUMNS, World

NONE, HOUR = timedelta(0), timedelta(hours=1)
STRAY = "/managed/t_0123456789abcdef0123456789abcdef"
CSV = ImportSpec(("/allowed/a.csv",))


async def begin(world: World, mode: str) -> OpenWrite:
    return await world.catalog().writes.begin("t", mode, columns=COLUMNS)


def commit(world: World, opened: OpenWrite) -> None:
    """As the kernel's commit would look in the log."""
    world.executor.commit(opened.location, write_id=opened.id)


async def test_a_folder_of_no_table_is_found_when_it_is_old_and_removed(world: World) -> None:
    await world.schema()
    await world.table("t")
    world.storage.folders.add(STRAY)
    upkeep = world.catalog().upkeep
    world.storage.age_s = 10
    assert (await upkeep.leftovers(HOUR)).folders == (), "somebody may be at work there"
    world.storage.age_s = 4000
    (found,) = (await upkeep.leftovers(HOUR)).folders
    assert found.location == STRAY
    assert (await upkeep.repair(HOUR)).removed == 1
    assert world.storage.removed == [STRAY]
    assert (await upkeep.leftovers(NONE)).folders == ()
    assert (await world.catalog().tables.list()).total == 1


async def test_a_folder_with_rows_of_no_table_is_set_aside_and_not_deleted(world: World) -> None:
    await world.schema()
    world.storage.folders.add(STRAY)
    world.storage.committed.add(STRAY)
    assert (await world.catalog().upkeep.repair(HOUR)).aside == 1
    assert world.storage.aside == {STRAY}
    assert world.storage.removed == []


async def test_what_tables_drops_writes_and_removals_need_is_no_leftover(world: World) -> None:
    await world.schema()
    await world.table("kept")
    dropped = await world.table("dropped")
    await world.catalog().tables.drop(dropped)
    opened = await world.catalog().writes.begin("writing", "error", columns=COLUMNS)
    world.storage.folders.add(opened.location)
    assert (await world.catalog().upkeep.leftovers(NONE)).folders == ()


async def test_folders_of_another_database_are_not_touched(world: World) -> None:
    await world.schema()
    world.storage.folders.add(STRAY)
    world.storage.ours = False
    found = await world.catalog().upkeep.leftovers(NONE)
    assert (found.ours, found.folders) == (False, ())
    assert (await world.catalog().upkeep.repair(NONE)).removed == 0


async def test_a_table_whose_folder_is_gone_is_told_and_kept(world: World) -> None:
    await world.schema()
    await world.table("t")
    world.storage.folders.clear()
    assert (await world.catalog().upkeep.leftovers(HOUR)).missing == ("main.default.t",)
    await world.catalog().upkeep.repair(HOUR)
    assert (await world.catalog().tables.list()).total == 1, "its disk may only be missing"


async def test_a_half_made_table_that_no_ticket_holds_is_undone(world: World) -> None:
    await world.schema()
    opened = await begin(world, "error")
    world.storage.folders.add(opened.location)
    upkeep = world.catalog().upkeep
    assert (await upkeep.leftovers(NONE)).unheld == (), "its ticket is open"
    with world.begin(LOCAL, write=True) as unit:
        unit.tickets.close(opened.id, "cancelled")
    (found,) = (await upkeep.leftovers(HOUR)).unheld
    assert found.path == ("main", "default", "t")
    assert (await upkeep.repair(HOUR)).undone == 1
    assert world.storage.folders == set()
    await begin(world, "error")


@pytest.mark.parametrize("mode", ["error", "append"])
async def test_a_kernels_commit_that_nobody_reported_is_kept(world: World, mode: str) -> None:
    await world.schema()
    if mode == "append":
        await world.table("t")
    opened = await begin(world, mode)
    commit(world, opened)
    writes = world.catalog().writes
    assert await writes.repair() == 0, "who committed it may be about to tell"
    world.clock.forward(minutes=6)
    assert await writes.repair() == 1
    table = await world.catalog().tables.resolve("t")
    assert table.delta_version == (1 if mode == "append" else 0)
    assert await writes.commit(opened.id, table.delta_version) == table, "a late report is fine"
    await writes.cancel(opened.id)
    assert (await world.catalog().tables.resolve("t")).id == table.id


async def test_a_write_without_a_commit_is_its_kernels_until_it_expires(world: World) -> None:
    await world.schema()
    opened = await begin(world, "error")
    world.clock.forward(minutes=30)
    assert await world.catalog().writes.repair() == 0
    commit(world, opened)
    assert (await world.catalog().writes.commit(opened.id, 0)).path[-1] == "t"


async def test_on_a_home_where_nobody_works_open_writes_are_taken_back(world: World) -> None:
    await world.schema()
    opened = await begin(world, "error")
    world.storage.folders.add(opened.location)
    assert await world.catalog().writes.repair(older=NONE, grace=NONE) == 1
    assert world.storage.folders == set()
    with pytest.raises((NotFound, Conflict)):
        await world.catalog().writes.commit(opened.id, 0)


async def test_a_log_that_cannot_be_read_now_costs_no_commit(world: World) -> None:
    await world.schema()
    opened = await begin(world, "error")
    commit(world, opened)
    world.clock.forward(hours=2)
    world.executor.failure = Unavailable("The disk does not answer.")
    assert await world.catalog().writes.repair() == 0
    world.executor.failure = None
    assert await world.catalog().writes.repair() == 1
    assert (await world.catalog().tables.resolve("t")).delta_version == 0


async def test_a_clock_that_is_put_forward_purges_nothing_and_expires_no_write(
    world: World,
) -> None:
    await world.schema()
    dropped = await world.catalog().tables.drop(await world.table("dropped"))
    opened = await begin(world, "error")
    stopped = world.passed()
    world.passed = lambda: stopped
    world.clock.forward(days=400)
    assert await world.catalog().writes.repair() == 0
    assert world.storage.removed == []
    assert dropped.dropped_id is not None
    await world.catalog().tables.undrop(dropped.dropped_id)
    world.executor.commit(opened.location)
    await world.catalog().writes.commit(opened.id, 0)
    assert (await world.catalog().tables.list()).total == 2


async def test_a_leap_that_lasts_a_day_is_believed(world: World) -> None:
    await world.schema()
    await world.catalog().tables.drop(await world.table("dropped"))
    seconds = [world.passed()]
    world.passed = lambda: seconds[0]
    world.clock.forward(days=400)
    await world.catalog().writes.repair()
    for _ in range(2):
        seconds[0] += 86_400
        world.clock.forward(days=1)
        await world.catalog().writes.repair()
    assert len(world.storage.removed) == 1


async def test_a_clock_that_is_put_back_holds_no_run_up_and_revives_nothing(world: World) -> None:
    await world.schema()
    await world.table("t")
    with world.begin(LOCAL, write=True) as unit:
        run_id = unit.runs.add("x", "t", owner="local", payload={}, at=unit.now)
    opened = await begin(world, "overwrite")
    world.clock.forward(days=-30)
    with world.begin(LOCAL, write=True) as unit:
        claimed = unit.runs.claim(run_id, holder="h", lease=HOUR, now=unit.now)
    assert claimed is not None
    await world.catalog().writes.cancel(opened.id)
    with pytest.raises(Conflict):
        await world.catalog().writes.commit(opened.id, 1)
    created = await world.catalog().writes.begin("u", "error", columns=COLUMNS)
    world.storage.folders.add(created.location)
    await world.catalog().writes.cancel(created.id)
    assert created.location in world.storage.removed, "it is removed now, not in thirty days"


async def held_elsewhere(world: World) -> tuple[int, int]:
    """A run that another machine's process holds; its id and fence."""
    with world.begin(LOCAL, write=True) as unit:
        run_id = unit.runs.add("x", "t", owner="local", payload={}, at=unit.now)
        run = unit.runs.claim(run_id, holder="elsewhere:1:x", lease=HOUR / 4, now=unit.now)
    assert run is not None
    return run_id, run.fence


@pytest.mark.parametrize("days", [1, -1])
async def test_a_lease_that_a_wrong_clock_ends_is_not_taken_from_who_renews_it(
    world: World, days: int
) -> None:
    run_id, fence = await held_elsewhere(world)
    world.clock.forward(days=days)
    world.background.watch_s = 0.3

    async def beat() -> None:
        await asyncio.sleep(0.1)
        with world.begin(LOCAL, write=True) as unit:
            later = unit.now + timedelta(days=-days, seconds=2)
            assert unit.runs.renew(run_id, fence, lease=HOUR / 4, now=later)

    lost, _ = await asyncio.gather(world.catalog().runs.recover(), beat())
    assert lost == 0
    assert (await world.catalog().runs.get(run_id)).state == "running"


@pytest.mark.parametrize("days", [1, -1])
async def test_a_lease_that_nobody_renews_ends_wherever_the_clock_stands(
    world: World, days: int
) -> None:
    run_id, _ = await held_elsewhere(world)
    world.clock.forward(days=days)
    assert await world.catalog().runs.recover() == 1
    assert (await world.catalog().runs.get(run_id)).state == "lost"


async def test_a_run_that_was_queued_by_a_process_that_died_frees_its_name_at_once(
    world: World,
) -> None:
    await world.schema()
    dead = Background(world.begin, world.threads).holder.split(":")[0] + f":{2**22 - 1}:x"
    world.background.start = lambda *_: None  # type: ignore[method-assign]
    world.background.holder = dead
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    assert run.state == "queued"
    assert await world.catalog().runs.recover() == 1
    assert (await world.catalog().runs.get(run.id)).state == "cancelled"
    await begin(world, "error")


async def test_no_crash_comes_between_an_import_and_the_end_of_its_run(world: World) -> None:
    await world.schema()
    background = world.background

    def never(*_: object) -> None:
        raise Unavailable("The process died here.")

    background._finish = never  # type: ignore[method-assign, assignment]
    run = await world.catalog().imports.start(ImportTarget("t"), CSV)
    await background.wait(run.id)
    ended = await world.catalog().runs.get(run.id)
    assert (ended.state, (ended.result or {})["rows_loaded"]) == ("succeeded", 3)


async def test_two_servers_purge_a_table_once(world: World, tmp_path: Path) -> None:
    await world.schema()
    for name in "abc":
        await world.catalog().tables.drop(await world.table(name))
    other = World(world.engine, tmp_path, clock=world.clock)
    world.clock.forward(days=2)
    await asyncio.gather(*(each.catalog().writes.repair() for each in (world, other)))
    removed = world.storage.removed + other.storage.removed
    assert len(removed) == len(set(removed)) == 3
    await other.close()
