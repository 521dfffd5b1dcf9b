"""Tables: registering, changing, dropping and bringing back."""

from __future__ import annotations

import asyncio

import pytest

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.services.rows import Asked, PageOptions
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    SqlError,
    Unavailable,
)
from flowcat_jupyter.shared.events import TableDropped, TableWritten
from flowcat_jupyter.shared.wire import HistoryJob, Source, StreamJob
from flowcat_jupyter.shared.wire_rows import RowsJob
from tests.support.catalog import World


async def test_registered_data_are_described_by_their_own_log(world: World) -> None:
    await world.schema()
    world.executor.commit("/allowed/flights", rows=12)

    row = await world.catalog().tables.register("flights", "/allowed/flights", description="d")

    assert (row.table_type, row.location, row.row_count) == ("external", "/allowed/flights", 12)
    assert (row.description, row.data_version) == ("d", 1)


async def test_data_outside_the_allowed_roots_are_not_registered(world: World) -> None:
    await world.schema()
    tables = world.catalog().tables
    with pytest.raises(Forbidden):
        await tables.register("passwd", "/etc/passwd")
    with pytest.raises(NotFound):
        await tables.register("nul", "/allowed/nul\x00")
    with pytest.raises(NotFound):
        await tables.register("nothing", "/allowed/nothing")
    assert (await tables.list()).total == 0


async def test_a_managed_folder_cannot_be_registered_past_its_grants(world: World) -> None:
    await world.schema()
    location = (await world.catalog().tables.get(await world.table("t"))).location
    with pytest.raises(Invalid):
        await world.catalog().tables.register("again", location)


async def test_dropping_an_external_table_never_touches_its_data(world: World) -> None:
    await world.schema()
    world.executor.commit("/allowed/flights")
    tables = world.catalog().tables
    row = await tables.register("flights", "/allowed/flights")

    drop = await tables.drop(row.id)
    world.clock.forward(days=400)
    await world.catalog().writes.repair()

    assert drop.purge_at is None
    assert "/allowed/flights" in world.storage.folders
    assert world.storage.removed == []
    assert drop.dropped_id is not None
    assert (await tables.undrop(drop.dropped_id)).location == "/allowed/flights"


async def test_an_external_table_stays_untouched_in_a_cascade(world: World) -> None:
    main, _ = await world.schema()
    world.executor.commit("/allowed/flights")
    await world.catalog().tables.register("flights", "/allowed/flights")
    managed = (await world.catalog().tables.get(await world.table("t"))).location

    await world.catalog().namespaces.drop(main, cascade=True)
    world.clock.forward(days=2)
    await world.catalog().writes.repair()

    assert world.storage.removed == [managed]


async def test_managed_data_go_a_day_after_the_drop(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location

    drop = await world.catalog().tables.drop(table)
    await purge_due(world.deps)
    assert world.storage.removed == []
    assert isinstance(world.events[-1], TableDropped)
    assert [item.id for item in await world.catalog().tables.dropped()] == [drop.dropped_id]
    world.clock.forward(hours=25)
    assert await purge_due(world.deps) == 1

    assert world.storage.removed == [location]
    assert await world.catalog().tables.dropped() == ()
    assert drop.dropped_id is not None
    with pytest.raises(NotFound):
        await world.catalog().tables.undrop(drop.dropped_id)


async def test_undrop_brings_back_everything_under_a_new_id(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    tables = world.catalog().tables
    await tables.update(table, description="kept")
    before = await tables.get(table)
    drop = await tables.drop(table)
    assert drop.dropped_id is not None

    after = await tables.undrop(drop.dropped_id)
    world.clock.forward(days=2)
    await purge_due(world.deps)

    assert after.id > before.id
    assert after.uuid != before.uuid
    for field in ("name", "path", "location", "columns", "row_count", "description", "owner"):
        assert getattr(after, field) == getattr(before, field)
    assert world.storage.removed == []
    assert await tables.dropped() == ()


async def test_undrop_gives_way_to_a_table_that_took_the_name(world: World) -> None:
    await world.schema()
    drop = await world.catalog().tables.drop(await world.table("t"))
    await world.table("T")
    assert drop.dropped_id is not None
    with pytest.raises(AlreadyExists):
        await world.catalog().tables.undrop(drop.dropped_id)
    assert len(await world.catalog().tables.dropped()) == 1


async def test_undrop_finds_a_schema_made_again(world: World) -> None:
    main, default = await world.schema()
    await world.table("t")
    await world.catalog().namespaces.drop(default, cascade=True)
    dropped = (await world.catalog().tables.dropped())[0]
    with pytest.raises(NotFound):
        await world.catalog().tables.undrop(dropped.id)
    await world.catalog().namespaces.create("default", parent_id=main)

    assert (await world.catalog().tables.undrop(dropped.id)).path == ("main", "default", "t")


async def test_a_purge_and_an_undrop_never_both_happen(world: World) -> None:
    await world.schema()
    for _ in range(5):
        table = await world.table("t")
        location = (await world.catalog().tables.get(table)).location
        drop = await world.catalog().tables.drop(table)
        world.clock.forward(days=2)
        assert drop.dropped_id is not None
        back, _ = await asyncio.gather(
            world.catalog().tables.undrop(drop.dropped_id),
            purge_due(world.deps),
            return_exceptions=True,
        )
        assert isinstance(back, NotFound) == (location in world.storage.removed)
        if not isinstance(back, BaseException):
            await world.catalog().tables.drop(back.id)


async def test_an_owner_brings_back_what_is_theirs_and_nothing_else(world: World) -> None:
    _, default = await world.schema()
    group = world.group("editors", "ann")
    world.grant(default, group, "manage")
    mine = await world.table("mine", Actor("ann"))
    other = await world.table("other")
    with world.begin(Actor("admin", unrestricted=True), write=True) as unit:
        unit.grants.revoke(default, group)
    await world.catalog().tables.drop(other)
    await world.catalog().tables.drop(mine)

    ann = world.catalog(Actor("ann")).tables
    (dropped,) = await ann.dropped()

    assert (await ann.undrop(dropped.id)).access == "owner"


async def test_renaming_keeps_the_id_and_raises_the_revision(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    await world.table("other")
    tables = world.catalog().tables
    row = await tables.update(table, name="T")
    assert (row.id, row.name, row.revision) == (table, "T", 2)
    with pytest.raises(AlreadyExists):
        await tables.update(table, name="OTHER")
    with pytest.raises(Invalid):
        await tables.update(table, name="a.b")
    with pytest.raises(Invalid):
        await tables.update(table, description="half \ud83d")
    assert (await tables.get(table)).name == "T"


async def test_a_description_can_be_removed_and_is_kept_unless_asked(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    tables = world.catalog().tables
    await tables.update(table, description="about")
    assert (await tables.update(table, name="u")).description == "about"
    assert (await tables.update(table, description=None)).description is None


async def test_moving_keeps_the_data_in_place(world: World) -> None:
    main, _ = await world.schema()
    other = (await world.catalog().namespaces.create("other", parent_id=main)).id
    table = await world.table("t")
    tables = world.catalog().tables
    before = await tables.get(table)

    after = await tables.update(table, parent_id=other)

    assert after.path == ("main", "other", "t")
    assert after.location == before.location
    with pytest.raises(Invalid):
        await tables.update(table, parent_id=main)
    with pytest.raises(NotFound):
        await tables.update(table, parent_id=1)


async def test_nothing_moves_between_catalogs_with_different_storage(world: World) -> None:
    await world.schema()
    with world.begin(Actor("a", unrestricted=True), write=True) as unit:
        cloud = unit.securables.insert("catalog", 1, "cloud", by="a", at=unit.now)
        unit.securables.insert_namespace(cloud, 0, "s3://bucket")
    there = (await world.catalog().namespaces.create("there", parent_id=cloud)).id
    table = await world.table("t")
    with pytest.raises(Conflict):
        await world.catalog().tables.update(table, parent_id=there)
    assert (await world.catalog().writes.begin("cloud.there.x", "error")).location.startswith(
        "s3://bucket"
    )


async def test_names_resolve_as_in_a_query(world: World) -> None:
    await world.schema()
    await world.schema("demo", "nyc")
    flights = await world.table("demo.nyc.flights")
    tables = world.catalog().tables
    for name in ("demo.nyc.FLIGHTS", "nyc.flights", "flights"):
        assert (await tables.resolve(name)).id == flights
    here = await world.table("flights")
    assert (await tables.resolve("flights")).id == here
    with pytest.raises(SqlError, match="ambiguous"):
        await tables.resolve("flights", schema="elsewhere")
    for missing in ("`demo.nyc.flights`", "delta.`/etc/passwd`", "`a\x00b`"):
        with pytest.raises((SqlError, NotFound, Forbidden)):
            await tables.resolve(missing)


async def test_a_refresh_sees_foreign_commits(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    world.executor.commit(location, rows=50)

    row = await world.catalog().tables.refresh(table)

    assert (row.row_count, row.data_version) == (50, 2)
    assert isinstance(world.events[-1], TableWritten)
    count = len(world.events)
    await world.catalog().tables.refresh(table)
    assert len(world.events) == count, "nothing changed, yet something was said"


async def test_a_table_that_cannot_be_read_says_why_until_it_can(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    tables = world.catalog().tables
    location = (await tables.get(table)).location
    world.executor.failure = NotFound("file", location)
    with pytest.raises(NotFound):
        await tables.refresh(table)
    assert (await tables.get(table)).broken == "There is no file its location."
    world.executor.failure = None
    assert (await tables.refresh(table)).broken is None


async def test_a_table_is_not_broken_because_the_workers_are_busy(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.executor.failure = Unavailable("All workers are busy.")
    with pytest.raises(Unavailable):
        await world.catalog().tables.refresh(table)
    assert (await world.catalog().tables.get(table)).broken is None


async def test_a_refresh_by_a_reader_is_not_the_readers_change(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.grant(table, world.group("readers", "ann"), "use")
    world.executor.commit((await world.catalog().tables.get(table)).location)
    row = await world.catalog(Actor("ann")).tables.refresh(table)
    assert (row.delta_version, row.updated_by) == (1, "system")


async def test_readers_open_exactly_the_table_and_version_they_name(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    tables = world.catalog().tables
    questions = world.catalog().rows
    asked = Asked(table_id=table, version=0, sort="carrier")
    async with questions.page(asked, PageOptions(offset=5, limit=10)) as (out, _):
        assert not out.exists(), "a fake worker writes nothing"
    await tables.history(table, limit=3)
    await tables.stream(table, "file")

    rows, history, stream = world.executor.jobs[-3:]
    pinned = Source("r1", "table", ("main", "default", "t"), "delta", location, 0)
    assert isinstance(rows, RowsJob)
    assert (rows.source, rows.sort, rows.offset, rows.limit) == (pinned, "carrier", 5, 10)
    assert isinstance(history, HistoryJob)
    assert history.limit == 3
    assert isinstance(stream, StreamJob)
    assert stream.out == "file"
    with pytest.raises(Invalid):
        async with questions.page(asked, PageOptions(offset=-1)):
            pass


async def test_lists_page_through_every_table_once(world: World) -> None:
    _, default = await world.schema()
    await world.schema("demo", "nyc")
    for name in ("b", "A", "c", "demo.nyc.a"):
        await world.table(name)
    tables = world.catalog().tables
    seen: list[tuple[str, ...]] = []
    after = None
    while True:
        page = await tables.list(limit=1, after=after)
        assert page.total == 4
        seen += [row.path for row in page.items]
        after = page.after
        if after is None:
            break
    assert [path[-1] for path in seen] == ["A", "a", "b", "c"]
    assert (await tables.list(default)).total == 3
    with pytest.raises(NotFound):
        await tables.list(999)
    for bad in ("%%%", "eyJ9", "WzFd", "W10"):
        with pytest.raises(Invalid):
            await tables.list(after=bad)


@pytest.mark.parametrize("wild", [0, -1, 2**63, 2**70])
async def test_ids_that_cannot_be_are_not_found(world: World, wild: int) -> None:
    catalog = world.catalog()
    for call in (
        catalog.tables.get(wild),
        catalog.tables.undrop(wild),
        catalog.namespaces.get(wild),
        catalog.runs.get(wild),
    ):
        with pytest.raises(NotFound):
            await call
