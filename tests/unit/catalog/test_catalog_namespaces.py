"""Catalogs, schemas, the tree, search, and the changes feed."""

from __future__ import annotations

from dataclasses import asdict
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, event

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.services.settings import machine_zone
from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.engine import connect
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    Internal,
    Invalid,
    NotFound,
    Unavailable,
)
from flowcat_jupyter.shared.events import (
    AccessRevoked,
    NamespaceCreated,
    NamespaceDropped,
    TableDropped,
)
from flowcat_jupyter.shared.schema import securables, tables
from tests.support.catalog import COLUMNS, World

ANN = Actor("ann")


async def kinds(world: World, actor: Actor, after: int = 0) -> list[tuple[str, str]]:
    feed = await world.catalog(actor).changes.since(after)
    return [(change.kind, change.name) for change in feed.items]


def fill(world: World, schema_id: int, count: int) -> None:
    """Add tables in bulk, as a catalog that has grown would hold them."""
    now = world.clock.now()
    nodes = [
        {
            "id": 1000 + number,
            "uuid": str(uuid4()),
            "kind": "table",
            "space": "relation",
            "parent_id": schema_id,
            "name": f"table_{number:05}",
            "name_key": f"table_{number:05}",
            "owner": "local",
            "created_at": now,
            "created_by": "local",
            "updated_at": now,
            "updated_by": "local",
        }
        for number in range(count)
    ]
    facts = [
        {
            "securable_id": node["id"],
            "table_type": "managed",
            "format": "delta",
            "location": f"/managed/{node['id']}",
            "columns": [asdict(column) for column in COLUMNS],
            "partition_columns": [],
        }
        for node in nodes
    ]
    with connect(world.engine, write=True) as connection, connection.begin():
        connection.execute(securables.insert(), nodes)
        connection.execute(tables.insert(), facts)
        search_index.rebuild(connection)


async def test_there_are_two_levels_and_no_more(world: World) -> None:
    main, default = await world.schema()
    spaces = world.catalog().namespaces
    with pytest.raises(Invalid, match="cannot hold"):
        await spaces.create("deeper", parent_id=default)
    with pytest.raises(Invalid):
        await spaces.update(default, parent_id=default)
    with pytest.raises(Invalid):
        await spaces.update(main, parent_id=default)


async def test_names_are_unique_whatever_their_case_and_form(world: World) -> None:
    main, _ = await world.schema("Büro", "Straße")
    spaces = world.catalog().namespaces
    for same in ("BÜRO", "bu\u0308ro"):
        with pytest.raises(AlreadyExists):
            await spaces.create(same)
    with pytest.raises(AlreadyExists):
        await spaces.create("STRASSE", parent_id=main)
    assert (await spaces.tree()).items[0].name == "Büro"


async def test_a_schema_may_have_its_catalogs_name(world: World) -> None:
    await world.schema("sales", "sales")
    await world.table("sales.sales.sales")


@pytest.mark.parametrize(
    "name", ["", "a.b", "a/b", " a", "a\x00", "\u202ea", "__flowcat_x", "\ud83d"]
)
async def test_bad_names_are_refused(world: World, name: str) -> None:
    main, default = await world.schema()
    spaces = world.catalog().namespaces
    with pytest.raises(Invalid):
        await spaces.create(name)
    with pytest.raises(Invalid):
        await spaces.create(name, parent_id=main)
    with pytest.raises(Invalid):
        await spaces.update(default, name=name)


async def test_a_namespace_that_is_not_empty_needs_cascade(world: World) -> None:
    main, default = await world.schema()
    await world.table("t")
    spaces = world.catalog().namespaces
    for full in (main, default):
        with pytest.raises(Conflict, match="not empty"):
            await spaces.drop(full)
    await spaces.drop(default, cascade=True)
    await spaces.drop(main)
    assert (await spaces.tree()).total == 0
    assert len(await world.catalog().tables.dropped()) == 1


async def test_a_schema_moves_with_its_tables(world: World) -> None:
    _, default = await world.schema()
    table = await world.table("t")
    other, _ = await world.schema("other", "elsewhere")
    moved = await world.catalog().namespaces.update(default, parent_id=other, name="moved")
    assert moved.path == ("other", "moved")
    assert (await world.catalog().tables.get(table)).path == ("other", "moved", "t")


async def test_the_tree_pages_without_gaps_and_counts_all(world: World) -> None:
    _, default = await world.schema()
    fill(world, default, 25)
    spaces = world.catalog().namespaces
    names: list[str] = []
    after = None
    while True:
        page = await spaces.tree(default, limit=10, after=after)
        assert page.total == 25
        names += [node.name for node in page.items]
        after = page.after
        if after is None:
            break
    assert names == [f"table_{number:05}" for number in range(25)]
    with pytest.raises(Invalid):
        await spaces.tree(default, limit=0)
    with pytest.raises(Invalid):
        await spaces.tree(default, after="nonsense")


async def test_the_tree_filters_by_text_not_by_pattern(world: World) -> None:
    _, default = await world.schema()
    for name in ("100%", "a_b", "axb", "Zürich"):
        await world.table(f"`{name}`")
    spaces = world.catalog().namespaces
    for q, found in {"%": ["100%"], "_": ["a_b"], "ZÜR": ["Zürich"], "nul\x00": []}.items():
        page = await spaces.tree(default, q=q)
        assert [node.name for node in page.items] == found
        assert page.total == len(found)


async def test_search_ranks_names_before_columns(world: World) -> None:
    await world.schema()
    for name in ("carrier", "carriers", "all_carriers", "flights"):
        await world.table(name)
    hits = await world.catalog().namespaces.search(" CARRIER ", limit=10)
    assert [hit.node.name for hit in hits.items] == [
        "carrier",
        "carriers",
        "all_carriers",
        "flights",
    ]
    assert [column.name for column in hits.items[3].columns] == ["Carrier"]
    assert (await world.catalog().namespaces.search("carrier", limit=1)).total == 4
    for nothing in ("", "  ", "%", "nul\x00", "\ud83d", "carrier nowhere"):
        assert (await world.catalog().namespaces.search(nothing)).total == 0


@pytest.mark.slow
@pytest.mark.parametrize("actor", [LOCAL, ANN])
async def test_ten_thousand_tables_are_paged_and_searched(world: World, actor: Actor) -> None:
    main, default = await world.schema()
    fill(world, default, 10_000)
    world.grant(main, world.group("readers", "ann"), "use")
    catalog = world.catalog(actor)
    await catalog.namespaces.tree()

    assert (await catalog.namespaces.tree(default, limit=200)).total == 10_000
    assert (await catalog.namespaces.search("table_09999")).total == 1
    assert (await catalog.namespaces.search("carrier", limit=20)).total == 10_000
    assert (await catalog.tables.resolve("main.default.table_00007")).name == "table_00007"


async def test_changes_come_in_order_and_resume(world: World) -> None:
    await world.schema()
    await world.table("t")
    feed = await world.catalog().changes.since(0)
    assert [change.kind for change in feed.items] == [
        "namespace_created",
        "namespace_created",
        "table_created",
        "table_written",
    ]
    assert feed.seq == await world.catalog().changes.latest()
    first = await world.catalog().changes.since(0, limit=3)
    rest = await world.catalog().changes.since(first.seq)
    assert [*first.items, *rest.items] == list(feed.items)
    assert (await world.catalog().changes.since(feed.seq)).items == ()


async def test_a_failed_unit_changes_and_publishes_nothing(world: World) -> None:
    await world.schema()
    before, events = await world.catalog().changes.latest(), len(world.events)
    with pytest.raises(RuntimeError), world.begin(LOCAL, write=True) as unit:
        node = unit.securables.insert("catalog", 1, "x", by="a", at=unit.now)
        unit.record(NamespaceCreated(node, "u", "catalog", 1, "x"))
        raise RuntimeError
    assert await world.catalog().changes.latest() == before
    assert len(world.events) == events
    assert world.begin.open_units == 0


async def test_a_unit_that_only_reads_can_neither_write_nor_record(world: World) -> None:
    main, _ = await world.schema()
    with pytest.raises(Internal), world.begin(LOCAL) as unit:
        unit.securables.delete(main)
    with pytest.raises(Internal), world.begin(LOCAL) as unit:
        unit.record(NamespaceDropped(main, "u", "catalog", 1, "main"))
    assert (await world.catalog().namespaces.get(main)).name == "main"


async def test_a_subscriber_that_fails_stops_no_other(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: object) -> None:
        raise ValueError("broken")

    heard: list[object] = []
    stop = world.reactions.subscribe(fail)
    world.reactions.subscribe(heard.append, NamespaceCreated)
    await world.schema()
    stop()
    assert len(heard) == 2
    assert "broken" in caplog.text


async def test_changes_show_what_the_actor_sees_by_its_present_name(world: World) -> None:
    await world.schema()
    table = await world.table("layoffs")
    await world.table("other")
    await world.catalog().tables.update(table, name="harmless")
    world.grant(table, world.group("readers", "ann"), "use")

    seen = await kinds(world, ANN)

    assert {name for _, name in seen} == {"main", "default", "harmless"}


async def test_a_drop_reaches_those_who_saw_it_and_nobody_else(world: World) -> None:
    main, _ = await world.schema()
    table = await world.table("t")
    world.grant(table, world.group("readers", "ann"), "browse")
    world.group("others", "bob")
    mark = await world.catalog().changes.latest()

    await world.catalog().namespaces.drop(main, cascade=True)

    assert await kinds(world, ANN, mark) == [
        ("table_dropped", "t"),
        ("namespace_dropped", "default"),
        ("namespace_dropped", "main"),
    ]
    assert await kinds(world, Actor("bob"), mark) == []
    assert len(await kinds(world, LOCAL, mark)) == 3
    assert isinstance(world.events[-3], TableDropped)


async def test_who_saw_one_table_is_not_told_of_its_neighbours(world: World) -> None:
    _, default = await world.schema()
    world.grant(await world.table("mine"), world.group("readers", "ann"), "use")
    await world.table("secret")
    mark = await world.catalog().changes.latest()
    await world.catalog().namespaces.drop(default, cascade=True)
    assert await kinds(world, ANN, mark) == [
        ("table_dropped", "mine"),
        ("namespace_dropped", "default"),
    ]


async def test_a_move_out_of_sight_is_told_by_the_old_name(world: World) -> None:
    main, default = await world.schema()
    other = (await world.catalog().namespaces.create("other", parent_id=main)).id
    table = await world.table("t")
    world.grant(default, world.group("readers", "ann"), "use")
    mark = await world.catalog().changes.latest()

    await world.catalog().tables.update(table, parent_id=other, name="secret_name")

    assert await kinds(world, ANN, mark) == [("left", "t")]
    assert await kinds(world, LOCAL, mark) == [("left", "t"), ("moved", "secret_name")]


async def test_a_revoke_reaches_who_lost_sight(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    group = world.group("readers", "ann")
    world.grant(table, group, "use")
    mark = await world.catalog().changes.latest()
    with world.begin(LOCAL, write=True) as unit:
        node = unit.securables.get(table)
        audience = unit.grants.audiences(table)[table]
        assert unit.grants.on(table)[0].group == "readers"
        assert unit.grants.revoke(table, group)
        unit.record(
            AccessRevoked(node.id, node.uuid, "table", node.parent_id, "t", audience=audience)
        )
    assert await kinds(world, ANN, mark) == [("access_revoked", "t")]
    assert await kinds(world, Actor("bob"), mark) == []


async def test_who_is_too_far_behind_or_ahead_reloads(world: World) -> None:
    main, _ = await world.schema()
    for number in range(5):
        await world.catalog().namespaces.update(main, description=str(number))
    with world.begin(LOCAL, write=True) as unit:
        unit.changes.prune(keep=2)
    changes = world.catalog().changes
    latest = await changes.latest()
    behind, ahead = await changes.since(0), await changes.since(latest + 5)
    assert (behind.reset, behind.seq, behind.items) == (True, latest, ())
    assert (ahead.reset, ahead.seq) == (True, latest)
    assert not (await changes.since(latest - 2)).reset
    assert not (await changes.since(latest)).reset


async def test_the_first_start_makes_the_defaults_once(world: World) -> None:
    settings = world.catalog().settings
    start = await settings.start()
    assert start.first
    assert start.session_timezone == machine_zone()
    main = (await world.catalog().namespaces.tree()).items[0]
    assert [node.name for node in (await world.catalog().namespaces.tree(main.id)).items] == [
        "default"
    ]

    await world.catalog().namespaces.drop(main.id, cascade=True)
    again = await settings.start()

    assert not again.first
    assert again.session_timezone == start.session_timezone
    assert (await world.catalog().namespaces.tree()).total == 0


async def test_settings_are_kept(world: World) -> None:
    settings = world.catalog().settings
    assert await settings.get("demo") is None
    await settings.put("demo", {"loaded": True})
    await settings.put("demo", {"loaded": False})
    assert await settings.get("demo") == {"loaded": False}


async def test_an_unknown_catalog_or_schema_is_not_found_by_name(world: World) -> None:
    await world.schema()
    with world.begin(LOCAL) as unit:
        assert unit.securables.schema("MAIN", "Default").name == "default"
        for missing in (("main", "nope"), ("nope", "default"), ("ma\x00in", "default")):
            with pytest.raises(NotFound):
                unit.securables.schema(*missing)
        with pytest.raises(NotFound):
            unit.securables.catalog("nope")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_full_disk_is_named_and_the_catalog_goes_on_once_there_is_space(
    world: World, engine: Engine
) -> None:
    limit = [1]

    def fill(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {limit[0]}")

    event.listen(engine, "begin", fill)
    with pytest.raises(Unavailable, match="cannot be written"):
        for number in range(200):
            await world.catalog().namespaces.create(f"c{number}", description="x" * 1000)
    limit[0] = 1 << 20
    assert (await world.catalog().namespaces.create("after")).name == "after"
