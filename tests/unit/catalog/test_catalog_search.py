"""Search: what is found, in which order, by whom, at what cost, and that it never lags behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, select

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.describing import Words
from flowcat_jupyter.catalog.store import seen
from flowcat_jupyter.catalog.store.engine import connect, open_engine
from flowcat_jupyter.catalog.store.migrate import _config, upgrade
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.schema import search_entries
from flowcat_jupyter.shared.wire import Column
from tests.support.catalog import World
from tests.support.many_tables import fill

ANN = Actor("ann")


async def names(world: World, q: str, actor: Actor = LOCAL, **options: Any) -> list[str]:
    page = await world.catalog(actor).namespaces.search(q, **options)
    assert page.total == len(page.items)
    return [hit.node.name for hit in page.items]


async def reasons(world: World, q: str, actor: Actor = LOCAL) -> list[tuple[str, str, str | None]]:
    page = await world.catalog(actor).namespaces.search(q)
    return [(m.field, m.text, m.column) for hit in page.items for m in hit.matched]


@pytest.fixture
async def flights(world: World) -> int:
    """A table of which much is said."""
    await world.schema("demo", "nyc")
    table = await world.table("demo.nyc.flights")
    world.executor.commit(
        (await world.catalog().tables.get(table)).location,
        columns=(
            Column("dep_delay", "double", comment="Minutes, negative when early"),
            Column("timeHour", "timestamp"),
            Column("Überführung", "string"),
        ),
    )
    await world.catalog().tables.refresh(table)
    words = Words(tags=("Gold",), comments={"timeHour": "Scheduled départure"})
    await world.catalog().tables.update(table, description="From New York", words=words)
    return table


@pytest.mark.parametrize(
    ("q", "reason"),
    [
        ("FLIGHTS", ("name", "flights", None)),
        ("ligh", ("name", "flights", None)),
        ("fl", ("name", "flights", None)),
        ("gold", ("tag", "Gold", None)),
        ("delay", ("column", "dep_delay", "dep_delay")),
        ("ep_de", ("column", "dep_delay", "dep_delay")),
        ("ho", ("column", "timeHour", "timeHour")),
        ("hour", ("column", "timeHour", "timeHour")),
        ("uberf", ("column", "Überführung", "Überführung")),
        ("U\u0308BERFUHRUNG", ("column", "Überführung", "Überführung")),
        ("depart", ("comment", "Scheduled départure", "timeHour")),
        ("york", ("comment", "From New York", None)),
        ("negative when", ("comment", "Minutes, negative when early", "dep_delay")),
    ],
)
async def test_a_table_is_found_by_all_that_is_said_of_it(
    world: World, flights: int, q: str, reason: tuple[str, str, str | None]
) -> None:
    assert await names(world, q) == ["flights"]
    assert reason in await reasons(world, q)


@pytest.mark.parametrize("q", ["ig", "li", "zzz", "flights nowhere", "%", "_x", "\x00", "fli*"])
async def test_what_is_not_there_is_not_found(world: World, flights: int, q: str) -> None:
    assert await names(world, q) == []


async def test_words_of_a_question_may_match_in_different_places(
    world: World, flights: int
) -> None:
    assert await names(world, "delay gold york") == ["flights"]


async def test_hits_are_ranked_by_where_they_match(world: World) -> None:
    await world.schema()
    catalog = world.catalog()
    for name, words in {
        "commented": Words(comments={"id": "a metric"}),
        "tagged": Words(tags=("metric",)),
        "my_metric": Words(),
        "metrics": Words(),
        "Metric": Words(),
    }.items():
        await catalog.tables.update(await world.table(name), words=words)
    columned = await world.table("columned")
    location = (await catalog.tables.get(columned)).location
    world.executor.commit(location, columns=(Column("a_metric", "int"),))
    await catalog.tables.refresh(columned)
    ranked = ["Metric", "metrics", "my_metric", "tagged", "columned", "commented"]
    assert await names(world, "metric") == ranked
    page = await catalog.namespaces.search("metric", limit=2)
    assert ([hit.node.name for hit in page.items], page.total) == (ranked[:2], 6)


async def test_a_name_of_several_words_is_exact_before_others(world: World) -> None:
    await world.schema()
    for name in ("weekly report of sales", "weekly report"):
        await world.table(f"`{name}`")
    assert await names(world, "Weekly  Report".replace("  ", " ")) == [
        "weekly report",
        "weekly report of sales",
    ]


async def test_kinds_narrow_a_search(world: World) -> None:
    await world.schema("sales", "sales")
    await world.table("sales.sales.sales")
    assert len(await names(world, "sales")) == 3
    assert len(await names(world, "sales", kinds=["schema", "catalog"])) == 2
    with pytest.raises(Invalid, match="no kind"):
        await names(world, "sales", kinds=["column"])


async def test_the_index_follows_every_change(world: World) -> None:
    main, default = await world.schema()
    catalog = world.catalog()
    table = await world.table("first")
    await catalog.tables.update(table, name="second")
    assert (await names(world, "first"), await names(world, "second")) == ([], ["second"])
    await catalog.namespaces.update(default, name="moved", description="quarterly")
    assert (await names(world, "default"), await names(world, "quarterly")) == ([], ["moved"])
    await catalog.tables.update(table, words=Words(tags=("old",)))
    await catalog.tables.update(table, words=Words(tags=("new",)))
    assert (await names(world, "old"), await names(world, "new")) == ([], ["second"])
    await catalog.namespaces.drop(main, cascade=True)
    assert await names(world, "second") == []
    with world.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(search_entries)).scalar() == 0


async def test_a_change_that_fails_leaves_the_index_as_it_was(world: World) -> None:
    await world.schema()
    table = await world.table("steady")
    with pytest.raises(RuntimeError), world.begin(LOCAL, write=True) as unit:
        unit.securables.update(unit.securables.get(table), by="x", at=unit.now, name="gone")
        raise RuntimeError
    assert (await names(world, "steady"), await names(world, "gone")) == (["steady"], [])


@pytest.mark.parametrize("little", [seen.LITTLE, 0])
async def test_what_is_hidden_neither_shows_nor_counts(
    world: World, flights: int, monkeypatch: pytest.MonkeyPatch, little: int
) -> None:
    monkeypatch.setattr(seen, "LITTLE", little)
    hidden = await world.table("demo.nyc.flights_secret")
    await world.catalog().tables.update(hidden, words=Words(tags=("Gold",)))
    nyc = (await world.catalog().tables.get(flights)).path[1]
    assert await names(world, "gold", ANN) == []
    world.grant(flights, world.group("readers", "ann"), "browse")
    for q in ("gold", "flights", "delay", "fl", "flights gold"):
        assert await names(world, q, ANN) == ["flights"]
    assert await names(world, "secret", ANN) == []
    # The schema above shows by its name, and by nothing else that is said of it.
    schema = (await world.catalog().tables.get(flights)).parent_id
    await world.catalog().namespaces.update(schema, description="hush")
    assert (await names(world, nyc, ANN), await names(world, "hush", ANN)) == ([nyc], [])
    assert await reasons(world, nyc, ANN) == [("name", nyc, None)]


@pytest.mark.parametrize("level", ["browse", "use", "manage"])
async def test_both_ways_of_knowing_what_is_visible_agree(world: World, level: str) -> None:
    main, default = await world.schema()
    other, below = await world.schema("other", "below")
    mine = await world.table("other.below.mine")
    for name in ("main.default.t", "other.below.u"):
        await world.table(name)
    await world.catalog().tables.update(mine, words=Words(owner="ann"))
    group = world.group("g", "ann")
    for granted in (main, default, below):
        world.grant(granted, group, level)
        with world.begin(ANN) as unit:
            both = [
                dict(unit._connection.execute(select(way.id, way.rank)).all())
                for way in (unit._seen, unit._seen.walk)
                if way is not None
            ]
        assert both[0] == both[1]
        assert other in both[0]


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(_c: object, _u: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("actor", [LOCAL, ANN])
async def test_pages_and_searches_take_as_many_statements_in_any_catalog(
    world: World, actor: Actor
) -> None:
    await world.schema()
    schema = fill(world.engine, 3000, world.clock.now())
    world.grant(schema, world.group("readers", "ann"), "use")
    catalog = world.catalog(actor)
    taken = []
    for limit in (1, 100):
        with counted(world.engine) as statements:
            page = await catalog.tables.list(limit=limit)
        assert page.total == (3000 if actor is LOCAL else 100)
        taken.append(len(statements))
        with counted(world.engine) as statements:
            found = await catalog.namespaces.search("carrier", limit=limit)
        assert found.total == page.total
        taken.append(len(statements))
        with counted(world.engine) as statements:
            await catalog.namespaces.tree(schema, limit=limit)
        taken.append(len(statements))
    assert taken[:3] == taken[3:]
    assert max(taken) <= 8


async def test_an_index_is_made_anew_and_what_it_lacks_is_seen(world: World) -> None:
    await world.schema()
    await world.table("lost")
    spaces = world.catalog().namespaces
    assert await spaces.unfound() == 0
    with connect(world.engine, write=True) as connection, connection.begin():
        connection.execute(search_entries.delete())
    assert (await spaces.unfound(), await names(world, "lost")) == (3, [])
    assert await spaces.reindex() == 3
    assert (await spaces.unfound(), await names(world, "lost")) == (0, ["lost"])


async def test_a_catalog_of_the_version_before_is_found_after_its_upgrade(
    empty_url: str, world: World
) -> None:
    from alembic import command

    engine = open_engine(empty_url)
    with connect(engine, write=True) as connection, connection.begin():
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        connection.exec_driver_sql(
            "INSERT INTO securables (id, uuid, kind, space, parent_id, name, name_key, owner, "
            "description, created_at, created_by, updated_at, updated_by) VALUES (7, 'u', "
            "'catalog', 'catalog', 1, 'Old', 'old', 'local', 'Kept words', '2026-01-01', 'x', "
            "'2026-01-01', 'x')"
        )
        connection.exec_driver_sql(
            "INSERT INTO securables (id, uuid, kind, space, parent_id, name, name_key, owner, "
            "created_at, created_by, updated_at, updated_by) VALUES (8, 'v', "
            "'table', 'relation', 7, 'T', 't', 'local', '2026-01-01', 'x', '2026-01-01', 'x')"
        )
        connection.exec_driver_sql(
            "INSERT INTO tables (securable_id, table_type, format, location, columns, "
            "column_keys, partition_columns) VALUES (8, 'managed', 'delta', '/x', "
            '\'[{"name": "depDelay", "type": "int", "nullable": true, "comment": null}]\', '
            "'', '[]')"
        )
    assert upgrade(engine).ready
    with UnitFactory(engine, world.clock, world.reactions)(LOCAL) as unit:
        for q, name in {"words": "Old", "delay": "T"}.items():
            assert [hit.node.name for hit in unit.search.find(q, limit=5).items] == [name]
        table = unit.tables.get(8)
        assert (table.tags, table.comments, table.file_count) == ((), {}, None)
    engine.dispose()


async def test_a_column_whose_name_no_database_can_hold_is_no_hindrance(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    location = (await world.catalog().tables.get(table)).location
    world.executor.commit(location, columns=(Column("x" * 3000, "int"), Column("👍 ok", "int")))
    await world.catalog().tables.refresh(table)
    assert await names(world, "x" * 100) == ["t"]
    assert await names(world, "👍") == ["t"]
