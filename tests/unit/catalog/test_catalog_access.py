"""Who sees what, and what is left of a grant when its object goes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from sqlalchemy import func, select

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.importing import ImportSpec
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.services.rows import Asked, ExportOptions, PageOptions
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.store.engine import connect
from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Forbidden, NotFound, SqlError
from flowcat_jupyter.shared.schema import grants, groups, securables
from flowcat_jupyter.shared.wire_rows import ChartChoice
from tests.support.catalog import COLUMNS, World

ANN = Actor("ann")
BOB = Actor("bob")


async def entered(context: AbstractAsyncContextManager[object]) -> None:
    async with context:
        pass


QUESTIONS: dict[str, Callable[[Catalog, Asked], Awaitable[object]]] = {
    "page": lambda c, asked: entered(c.rows.page(asked, PageOptions())),
    "find": lambda c, asked: c.rows.find(asked, "x", after=-1, backwards=False, case=False),
    "cell": lambda c, asked: c.rows.cell(asked, 0, "id"),
    "summary": lambda c, asked: c.rows.summary(asked, "id"),
    "chart": lambda c, asked: c.rows.chart(asked, ChartChoice()),
    "export": lambda c, asked: entered(c.rows.export(asked, ExportOptions("csv"))),
}


def questions(catalog: Catalog, table: int) -> list[Awaitable[object]]:
    """Every question to the rows of a table."""
    return [ask(catalog, Asked(table_id=table)) for ask in QUESTIONS.values()]


async def names(catalog: Catalog, parent: int | None = None) -> list[tuple[str, str | None]]:
    page = await catalog.namespaces.tree(parent)
    assert page.total == len(page.items)
    return [(node.name, node.access) for node in page.items]


def grants_left(world: World) -> int:
    with world.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(grants)).scalar_one()


async def test_two_users_with_different_grants_see_different_trees(world: World) -> None:
    main, default = await world.schema()
    other = (await world.catalog().namespaces.create("other", parent_id=main)).id
    one = await world.table("one")
    await world.table("two")
    await world.table("main.other.three")
    world.grant(one, world.group("readers", "ann"), "use")
    world.grant(other, world.group("editors", "bob"), "manage")

    ann, bob = world.catalog(ANN), world.catalog(BOB)
    assert await names(ann) == [("main", None)]
    assert await names(ann, main) == [("default", None)]
    assert await names(ann, default) == [("one", "use")]
    assert await names(bob, main) == [("other", "manage")]
    assert await names(bob, other) == [("three", "manage")]


async def test_an_ancestor_is_shown_for_its_name_only(world: World) -> None:
    main, _ = await world.schema()
    await world.catalog().namespaces.update(main, description="takeover plans")
    world.grant(await world.table("one"), world.group("readers", "ann"), "use")

    node = await world.catalog(ANN).namespaces.get(main)

    assert (node.name, node.access, node.description, node.owner) == ("main", None, None, "")
    assert node.child_count == 1


async def test_the_highest_of_several_grants_counts(world: World) -> None:
    main, _ = await world.schema()
    table = await world.table("one")
    world.grant(main, world.group("all", "ann"), "browse")
    world.grant(table, world.group("few", "ann"), "manage")

    assert (await world.catalog(ANN).tables.get(table)).access == "manage"
    assert (await world.catalog(ANN).namespaces.get(main)).access == "browse"


async def test_groups_an_identity_provider_vouches_for_count_too(world: World) -> None:
    await world.schema()
    table = await world.table("one")
    world.grant(table, world.group("Analysts"), "use")

    actor = Actor("carol", groups=frozenset({"analysts", "nul\x00"}))
    assert (await world.catalog(actor).tables.get(table)).access == "use"


async def test_browse_shows_columns_and_no_counts_or_rows(world: World) -> None:
    await world.schema()
    table = await world.table("one")
    world.grant(table, world.group("lookers", "ann"), "browse")
    tables = world.catalog(ANN).tables

    row = await tables.get(table)
    assert [column.name for column in row.columns] == ["id", "Carrier"]
    assert (row.row_count, row.size_bytes, row.delta_version, row.public_location) == (None,) * 4
    for refused in (
        *questions(world.catalog(ANN), table),
        tables.history(table),
        tables.refresh(table),
        tables.stream(table, "x"),
    ):
        with pytest.raises(Forbidden):
            await refused


async def test_use_reads_and_changes_nothing(world: World) -> None:
    main, default = await world.schema()
    table = await world.table("one")
    world.grant(main, world.group("readers", "ann"), "use")
    ann = world.catalog(ANN)

    for question in questions(ann, table):
        await question
    assert (await ann.tables.get(table)).public_location is None
    for refused in (
        ann.tables.update(table, name="mine"),
        ann.tables.update(table, description="mine"),
        ann.tables.drop(table),
        ann.tables.register("two", "/allowed/two"),
        ann.namespaces.update(main, name="mine"),
        ann.namespaces.create("mine", parent_id=main),
        ann.namespaces.drop(default, cascade=True),
        ann.writes.begin("one", "append", columns=COLUMNS),
        ann.writes.begin("new", "error", columns=COLUMNS),
        ann.imports.start(ImportTarget("new"), _import()),
    ):
        with pytest.raises(Forbidden):
            await refused


async def test_a_path_is_no_way_around_the_grants_of_the_table_that_lies_there(
    world: World,
) -> None:
    main, default = await world.schema()
    mine = (await world.catalog().namespaces.create("mine", parent_id=main)).id
    world.grant(mine, world.group("makers", "ann"), "manage")
    for place in ("/allowed/secret", "/allowed/secret/part", "/allowed", "/allowed/other"):
        world.executor.commit(place)
    world.executor.commit("/allowed/*/x.parquet")
    await world.catalog().tables.register("secret", "/allowed/secret")
    ann = world.catalog(ANN)
    for place in ("/allowed/secret", "/allowed/secret/part", "/allowed", "/allowed/*/x.parquet"):
        with pytest.raises(Forbidden):
            await ann.tables.register("main.mine.t", place)
    for place in ("/allowed/hidden/*.parquet", "/allowed/hidden/1.parquet", "/allowed/hidden/in"):
        world.executor.commit(place)
    await world.catalog().tables.register("pattern", "/allowed/hidden/*.parquet")
    for place in ("/allowed/hidden/1.parquet", "/allowed/hidden/in", "/allowed/hidden/1*.parquet"):
        with pytest.raises(Forbidden):
            await ann.tables.register("main.mine.t", place)
    for file in ("/allowed/secret/x.csv", "/allowed/hidden/1.parquet"):
        with pytest.raises(Forbidden):
            await ann.imports.files([file])
    assert (await ann.tables.register("main.mine.other", "/allowed/other")).id
    assert await ann.imports.files(["/allowed/x.csv"]) == ("/allowed/x.csv",)
    world.grant(default, world.group("readers", "ann"), "use")
    assert (await ann.tables.register("main.mine.same", "/allowed/secret")).id


async def test_owning_a_namespace_manages_all_beneath_it(world: World) -> None:
    main, default = await world.schema()
    table = await world.table("t")
    with connect(world.engine, write=True) as connection, connection.begin():
        connection.execute(securables.update().where(securables.c.id == main).values(owner="ann"))

    ann = world.catalog(ANN)
    assert (await ann.namespaces.get(main)).access == "owner"
    assert (await ann.namespaces.get(default)).access == "manage"
    assert (await ann.tables.get(table)).access == "manage"


async def test_only_an_unrestricted_actor_makes_catalogs(world: World) -> None:
    with pytest.raises(Forbidden):
        await world.catalog(ANN).namespaces.create("mine")


async def test_moving_needs_manage_at_both_ends(world: World) -> None:
    main, default = await world.schema()
    other = (await world.catalog().namespaces.create("other", parent_id=main)).id
    table = await world.table("one")
    world.grant(table, world.group("editors", "ann"), "manage")
    world.grant(other, world.group("readers", "ann"), "use")

    with pytest.raises(Forbidden):
        await world.catalog(ANN).tables.update(table, parent_id=other)
    with pytest.raises(NotFound):
        await world.catalog(BOB).tables.update(table, parent_id=other)
    assert (await world.catalog().tables.get(table)).parent_id == default


async def test_who_may_add_to_a_schema_sees_all_that_takes_its_names(world: World) -> None:
    _, default = await world.schema()
    table = await world.table("one")
    world.grant(default, world.group("editors", "ann"), "manage")

    with pytest.raises(AlreadyExists):
        await world.catalog(ANN).writes.begin("ONE", "error", columns=COLUMNS)
    assert (await world.catalog(ANN).tables.get(table)).name == "one"


def _import() -> ImportSpec:
    return ImportSpec(("/somewhere/flights.csv",))


Call = Callable[[Catalog, int, int, int], Awaitable[object]]
METHODS: dict[str, Call] = {
    "namespace": lambda c, cat, sch, tab: c.namespaces.get(sch),
    "tree of a catalog": lambda c, cat, sch, tab: c.namespaces.tree(cat),
    "tree of a schema": lambda c, cat, sch, tab: c.namespaces.tree(sch),
    "create a schema": lambda c, cat, sch, tab: c.namespaces.create("x", parent_id=cat),
    "rename a schema": lambda c, cat, sch, tab: c.namespaces.update(sch, name="x"),
    "drop a schema": lambda c, cat, sch, tab: c.namespaces.drop(sch, cascade=True),
    "drop a catalog": lambda c, cat, sch, tab: c.namespaces.drop(cat),
    "table": lambda c, cat, sch, tab: c.tables.get(tab),
    "tables of a schema": lambda c, cat, sch, tab: c.tables.list(sch),
    "rename a table": lambda c, cat, sch, tab: c.tables.update(tab, name="x"),
    "drop a table": lambda c, cat, sch, tab: c.tables.drop(tab),
    "refresh": lambda c, cat, sch, tab: c.tables.refresh(tab),
    "history": lambda c, cat, sch, tab: c.tables.history(tab),
    "stream": lambda c, cat, sch, tab: c.tables.stream(tab, "x"),
    "source": lambda c, cat, sch, tab: c.tables.source(tab),
}


def _of_table(ask: Callable[[Catalog, Asked], Awaitable[object]]) -> Call:
    return lambda catalog, _cat, _sch, table: ask(catalog, Asked(table_id=table))


METHODS |= {f"rows: {name}": _of_table(ask) for name, ask in QUESTIONS.items()}
NAMED: dict[str, Callable[[Catalog, str], Awaitable[object]]] = {
    "resolve": lambda c, schema: c.tables.resolve(f"main.{schema}.secret"),
    "resolve bare": lambda c, schema: c.tables.resolve("secret", schema=schema),
    "register": lambda c, schema: c.tables.register(f"main.{schema}.t", "/allowed/t"),
    "create": lambda c, schema: c.writes.begin(f"main.{schema}.t", "error", columns=COLUMNS),
    "append": lambda c, schema: c.writes.begin(f"main.{schema}.secret", "append"),
    "delete": lambda c, schema: c.writes.begin(
        f"main.{schema}.secret", "delete", merge_keys=["id"]
    ),
    "import": lambda c, schema: c.imports.start(ImportTarget(f"main.{schema}.t"), _import()),
}


async def answer(call: Awaitable[object]) -> tuple[type, str]:
    try:
        await call
    except FlowcatError as error:
        return type(error), error.message + (error.hint or "")
    return type(None), ""


@pytest.mark.parametrize("method", METHODS)
async def test_what_is_hidden_answers_as_what_is_missing_does(world: World, method: str) -> None:
    main, default = await world.schema()
    table = await world.table("secret")
    hidden = await answer(METHODS[method](world.catalog(ANN), main, default, table))
    missing = await answer(METHODS[method](world.catalog(ANN), 901, 902, 903))

    assert hidden[0] is NotFound
    for real, made_up in ((main, 901), (default, 902), (table, 903)):
        hidden = (hidden[0], hidden[1].replace(f" {real}.", f" {made_up}."))
    assert hidden == missing


@pytest.mark.parametrize("method", NAMED)
async def test_hidden_names_answer_as_missing_ones_do(world: World, method: str) -> None:
    await world.schema(schema="vault")
    await world.table("main.vault.secret")
    catalog = world.catalog(ANN)
    hidden = await answer(NAMED[method](catalog, "vault"))
    missing = await answer(NAMED[method](catalog, "nowhere"))

    assert issubclass(hidden[0], (NotFound, SqlError))
    assert (hidden[0], hidden[1].replace("vault", "nowhere")) == missing


async def test_lists_search_and_drops_do_not_know_what_is_hidden(world: World) -> None:
    await world.schema()
    await world.table("secret")
    gone = await world.table("gone")
    await world.catalog().tables.drop(gone)
    ann = world.catalog(ANN)

    assert (await ann.namespaces.tree()).total == 0
    assert (await ann.tables.list()).total == 0
    assert (await ann.namespaces.search("secret")).total == 0
    assert (await ann.namespaces.search("carrier")).total == 0
    assert await ann.tables.dropped() == ()
    assert (await ann.runs.list()).total == 0
    assert (await ann.changes.since(0)).items == ()


async def test_a_column_is_not_found_through_an_ancestors_name(world: World) -> None:
    await world.schema()
    world.grant(await world.table("one"), world.group("lookers", "ann"), "browse")
    await world.table("two")

    hits = await world.catalog(ANN).namespaces.search("carr")

    assert [(hit.node.name, [c.name for c in hit.columns]) for hit in hits.items] == [
        ("one", ["Carrier"])
    ]


async def test_a_grant_dies_with_its_table(world: World) -> None:
    await world.schema()
    group = world.group("readers", "ann")
    table = await world.table("one")
    world.grant(table, group, "use")
    await world.catalog().tables.drop(table)

    again = await world.table("one")

    assert grants_left(world) == 0
    assert again > table, "an id was used twice"
    for hidden in (table, again):
        with pytest.raises(NotFound):
            await world.catalog(ANN).tables.get(hidden)


@pytest.mark.parametrize("level", ["catalog", "schema"])
async def test_grants_die_in_a_cascade(world: World, level: str) -> None:
    main, default = await world.schema()
    group = world.group("readers", "ann")
    tables = [await world.table(name) for name in ("one", "two", "three")]
    for securable in (main, default, *tables):
        world.grant(securable, group, "use")

    dropped = main if level == "catalog" else default
    await world.catalog().namespaces.drop(dropped, cascade=True)

    assert grants_left(world) == (0 if level == "catalog" else 1)
    if level == "catalog":
        _, default = await world.schema()
    else:
        default = (await world.catalog().namespaces.create("default", parent_id=main)).id
    fresh = await world.table("one")
    assert fresh > max(tables)


async def test_grants_die_in_a_bulk_delete_and_no_id_is_used_again(world: World) -> None:
    await world.schema()
    group = world.group("readers", "ann")
    tables = [await world.table(name) for name in ("one", "two", "three")]
    for table in tables:
        world.grant(table, group, "manage")
    with connect(world.engine, write=True) as connection, connection.begin():
        connection.execute(securables.delete().where(securables.c.kind == "table"))

    assert grants_left(world) == 0
    assert await world.table("one") > max(tables)
    assert (await world.catalog(ANN).tables.list()).total == 0


async def test_an_undropped_table_comes_back_without_its_grants(world: World) -> None:
    await world.schema()
    table = await world.table("one")
    world.grant(table, world.group("readers", "ann"), "use")
    drop = await world.catalog().tables.drop(table)
    assert drop.dropped_id is not None

    with pytest.raises(NotFound):
        await world.catalog(ANN).tables.undrop(drop.dropped_id)
    back = await world.catalog().tables.undrop(drop.dropped_id)

    assert back.id > table
    with pytest.raises(NotFound):
        await world.catalog(ANN).tables.get(back.id)


async def test_a_deleted_group_takes_its_grants_along(world: World) -> None:
    await world.schema()
    table = await world.table("one")
    group = world.group("readers", "ann")
    world.grant(table, group, "use")
    with connect(world.engine, write=True) as connection, connection.begin():
        connection.execute(groups.delete().where(groups.c.id == group))

    assert grants_left(world) == 0
    with pytest.raises(NotFound):
        await world.catalog(ANN).tables.get(table)
