"""Write tickets: what is held, what is recorded, and what is left when nobody commits."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.events import TableCreated, TableRefreshed, TableWritten
from flowcat_jupyter.shared.schema import securables
from flowcat_jupyter.shared.wire import Column
from tests.support.catalog import COLUMNS, World


def securable_count(world: World) -> int:
    with world.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(securables)).scalar_one()


async def test_a_created_table_appears_with_what_its_log_says(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    opened = await writes.begin("Flights", "error", columns=COLUMNS, description="all of them")
    assert opened.base_version is None
    assert opened.path == ("main", "default", "Flights")
    world.executor.commit(opened.location, rows=7)

    table = await writes.commit(opened.id, 0)

    assert (table.row_count, table.delta_version, table.data_version) == (7, 0, 1)
    assert (table.table_type, table.description, table.owner) == ("managed", "all of them", "local")
    assert [type(event) for event in world.events[-2:]] == [TableCreated, TableWritten]


async def test_a_table_being_created_holds_its_name_and_resolves_to_nothing(world: World) -> None:
    _, default = await world.schema()
    catalog = world.catalog()
    await catalog.writes.begin("held", "error", columns=COLUMNS)

    assert (await catalog.namespaces.tree(default)).total == 0
    assert (await catalog.tables.list()).total == 0
    assert (await catalog.namespaces.search("held")).total == 0
    assert (await catalog.namespaces.get(default)).child_count == 0
    assert (await catalog.changes.since(0)).items[-1].kind == "namespace_created"
    with pytest.raises(FlowcatError):
        await catalog.tables.resolve("held")
    for mode in ("error", "overwrite", "append", "upsert"):
        with pytest.raises(AlreadyExists):
            await catalog.writes.begin("HELD", mode, columns=COLUMNS, merge_keys=["id"])


async def test_of_racing_creators_one_wins_and_the_others_leave_nothing(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    before = securable_count(world)

    results = await asyncio.gather(
        *(writes.begin("t", "error", columns=COLUMNS) for _ in range(8)), return_exceptions=True
    )

    losers = [result for result in results if isinstance(result, BaseException)]
    assert len(losers) == 7
    assert all(isinstance(loser, AlreadyExists) for loser in losers)
    assert securable_count(world) == before + 1


async def test_cancelling_a_creation_removes_row_and_folder_and_frees_the_name(
    world: World,
) -> None:
    await world.schema()
    writes = world.catalog().writes
    before = securable_count(world)
    opened = await writes.begin("t", "error", columns=COLUMNS)
    world.executor.commit(opened.location)

    await writes.cancel(opened.id)
    await writes.cancel(opened.id)

    assert world.storage.removed == [opened.location]
    assert securable_count(world) == before
    await writes.begin("t", "error", columns=COLUMNS)


async def test_a_cancelled_creation_cannot_be_committed(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    opened = await writes.begin("t", "error", columns=COLUMNS)
    await writes.cancel(opened.id)
    with pytest.raises(NotFound):
        await writes.commit(opened.id, 0)


async def test_an_expired_creation_is_taken_back_by_repair(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    before = securable_count(world)
    opened = await writes.begin("t", "error", columns=COLUMNS)
    world.executor.commit(opened.location)
    assert await writes.repair() == 0

    world.clock.forward(hours=2)

    assert await writes.repair() == 1
    assert world.storage.removed == [opened.location]
    assert securable_count(world) == before
    with pytest.raises(NotFound):
        await writes.commit(opened.id, 0)


async def test_a_name_held_by_a_dead_kernel_is_free_once_the_ticket_expired(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    first = await writes.begin("t", "error", columns=COLUMNS)
    world.clock.forward(hours=2)

    second = await writes.begin("t", "error", columns=COLUMNS)

    assert second.location != first.location
    world.executor.commit(second.location)
    assert (await writes.commit(second.id, 0)).name == "t"


async def test_a_folder_that_cannot_be_removed_is_tried_again(world: World) -> None:
    await world.schema()
    writes = world.catalog().writes
    opened = await writes.begin("t", "error", columns=COLUMNS)
    world.storage.failure = Conflict("busy")
    await writes.cancel(opened.id)
    assert world.storage.removed == []

    world.storage.failure = None
    world.clock.forward(hours=2)
    await writes.repair()

    assert world.storage.removed == [opened.location]


async def test_an_append_records_a_new_data_version(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    writes = world.catalog().writes
    opened = await writes.begin("t", "append", columns=COLUMNS)
    assert opened.base_version == 0
    assert opened.columns == COLUMNS
    world.executor.commit(opened.location, rows=9)

    row = await writes.commit(opened.id, 1)

    assert (row.id, row.row_count, row.delta_version, row.data_version) == (table, 9, 1, 2)
    written = world.events[-1]
    assert isinstance(written, TableWritten)
    assert written.data_version == 2


async def test_the_base_is_the_logs_version_even_when_the_row_lags_behind(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    world.executor.commit(location)

    opened = await world.catalog().writes.begin("t", "overwrite", columns=COLUMNS)

    assert opened.base_version == 1


async def test_a_version_that_was_there_before_is_not_a_commit(world: World) -> None:
    await world.schema()
    await world.table("t")
    writes = world.catalog().writes
    opened = await writes.begin("t", "append", columns=COLUMNS)
    with pytest.raises(Conflict, match="not newer"):
        await writes.commit(opened.id, 0)
    with pytest.raises(NotFound):
        await writes.commit(opened.id, 5)
    with pytest.raises(Invalid):
        await writes.commit(opened.id, -1)


async def test_a_ticket_serves_once(world: World) -> None:
    await world.schema()
    await world.table("t")
    writes = world.catalog().writes
    opened = await writes.begin("t", "append", columns=COLUMNS)
    world.executor.commit(opened.location)
    table = await writes.commit(opened.id, 1)
    assert await writes.commit(opened.id, 1) == table, "the answer may have been lost"
    world.executor.commit(opened.location)
    with pytest.raises(Conflict):
        await writes.commit(opened.id, 2)


async def test_commits_reported_out_of_order_never_take_a_table_back(world: World) -> None:
    await world.schema()
    await world.table("t")
    writes = world.catalog().writes
    first = await writes.begin("t", "append", columns=COLUMNS)
    second = await writes.begin("t", "append", columns=COLUMNS)
    world.executor.commit(first.location, rows=4)
    world.executor.commit(first.location, rows=5)

    await writes.commit(second.id, 2)
    row = await writes.commit(first.id, 1)

    assert (row.delta_version, row.row_count) == (2, 5)


async def test_a_commit_nobody_reported_is_found_by_repair(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    opened = await world.catalog().writes.begin("t", "append", columns=COLUMNS)
    world.executor.commit(opened.location, rows=11)
    world.clock.forward(hours=2)

    await world.catalog().writes.repair()

    row = await world.catalog().tables.get(table)
    assert (row.row_count, row.delta_version, row.data_version) == (11, 1, 2)
    assert world.storage.removed == []


async def test_upkeep_moves_the_delta_version_and_not_the_data_version(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    world.executor.commit(location, maintenance=True, size_bytes=5)

    row = await world.catalog().tables.refresh(table)

    assert (row.delta_version, row.data_version, row.size_bytes) == (1, 1, 5)
    assert isinstance(world.events[-1], TableRefreshed)


async def test_a_write_to_a_table_dropped_meanwhile_is_refused(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    writes = world.catalog().writes
    opened = await writes.begin("t", "append", columns=COLUMNS)
    world.executor.commit(opened.location)
    await world.catalog().tables.drop(table)
    with pytest.raises(NotFound):
        await writes.commit(opened.id, 1)


async def test_dropping_a_schema_takes_creations_in_it_along(world: World) -> None:
    _, default = await world.schema()
    opened = await world.catalog().writes.begin("t", "error", columns=COLUMNS)
    with pytest.raises(Conflict):
        await world.catalog().namespaces.drop(default)

    await world.catalog().namespaces.drop(default, cascade=True)
    assert await world.catalog().tables.dropped() == ()
    world.clock.forward(days=2)
    await world.catalog().writes.repair()

    assert world.storage.removed == [opened.location]


async def test_a_ticket_is_its_actors_alone(world: World) -> None:
    main, _ = await world.schema()
    world.grant(main, world.group("editors", "ann", "bob"), "manage")
    opened = await world.catalog(Actor("ann")).writes.begin("t", "error", columns=COLUMNS)
    world.executor.commit(opened.location)
    bob = world.catalog(Actor("bob")).writes
    with pytest.raises(NotFound):
        await bob.commit(opened.id, 0)
    await bob.cancel(opened.id)
    with pytest.raises(NotFound):
        await bob.commit("no\x00such", 0)
    assert (await world.catalog(Actor("ann")).writes.commit(opened.id, 0)).owner == "ann"


async def test_a_bare_name_is_never_written_beyond_the_current_schema(world: World) -> None:
    await world.schema()
    await world.schema("demo", "nyc")
    await world.table("demo.nyc.flights")
    opened = await world.catalog().writes.begin("flights", "overwrite", columns=COLUMNS)
    assert opened.path == ("main", "default", "flights")


async def test_delete_and_update_find_their_table_as_a_query_does(world: World) -> None:
    await world.schema()
    await world.schema("demo", "nyc")
    await world.table("demo.nyc.flights")
    writes = world.catalog().writes
    opened = await writes.begin("flights", "delete", merge_keys=["id"])
    assert opened.path == ("demo", "nyc", "flights")
    with pytest.raises(FlowcatError):
        await writes.begin("nothing", "update", merge_keys=["id"])


@pytest.mark.parametrize(
    ("mode", "columns", "options"),
    [
        ("replace", COLUMNS, {}),
        ("upsert", COLUMNS, {}),
        ("upsert", COLUMNS, {"merge_keys": ["nope"]}),
        ("error", COLUMNS, {"partition_by": ["nope"]}),
        ("error", (Column("a", "int"), Column("A", "int")), {}),
        ("error", (Column("", "int"),), {}),
        ("error", (Column("__flowcat_row", "int"),), {}),
        ("error", (Column("a\x00b", "int"),), {}),
        ("error", (Column("a", "whatever"),), {}),
        ("error", COLUMNS, {"description": "nul\x00"}),
    ],
)
async def test_what_no_table_could_take_is_refused_before_anything_exists(
    world: World, mode: str, columns: tuple[Column, ...], options: dict[str, object]
) -> None:
    await world.schema()
    before = securable_count(world)
    with pytest.raises((Invalid, NotFound)):
        await world.catalog().writes.begin("t", mode, columns=columns, **options)  # type: ignore[arg-type]
    assert securable_count(world) == before


@pytest.mark.parametrize("name", ["a/b", "..", " t", "t ", "x" * 300, "zero\u200bwidth", "`a.b`"])
async def test_bad_names_are_refused_with_the_rule(world: World, name: str) -> None:
    await world.schema()
    with pytest.raises(Invalid):
        await world.catalog().writes.begin(f"`{name.strip('`')}`", "error", columns=COLUMNS)


@pytest.mark.parametrize(
    "name", ["naïve", "2024_sales", "table", "数量", "🙂", "order date", 'a"b']
)
async def test_unusual_names_work_and_come_back_as_written(world: World, name: str) -> None:
    await world.schema()
    table = await world.table(f"`{name}`")
    row = await world.catalog().tables.get(table)
    assert row.name == name
    assert (await world.catalog().tables.resolve(row.sql_name)).id == table
    assert (await world.catalog().tables.resolve(row.sql_name.upper())).id == table
