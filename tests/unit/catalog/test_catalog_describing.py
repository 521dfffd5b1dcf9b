"""Comments, tags and owners of tables; how fresh they are; who changed what is said of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.describing import LONGEST_COMMENT, LONGEST_TAG, MOST_TAGS, Words
from flowcat_jupyter.catalog.store.engine import connect
from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound
from flowcat_jupyter.shared.schema import changes, dropped_tables
from flowcat_jupyter.shared.wire import Column
from tests.support.catalog import COLUMNS, World

ANN, BOB = Actor("ann"), Actor("bob")


async def say(world: World, table: int, actor: Actor = LOCAL, **words: Any) -> Any:
    return await world.catalog(actor).tables.update(table, words=Words(**words))


async def comments(world: World, table: int) -> dict[str, str | None]:
    row = await world.catalog().tables.get(table)
    return {column.name: column.comment for column in row.columns}


async def written(world: World, table: int, columns: tuple[Column, ...]) -> None:
    row = await world.catalog().tables.get(table)
    world.executor.commit(row.location, columns=columns)
    await world.catalog().tables.refresh(table)


async def test_comments_survive_refreshes_writes_and_other_columns(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    await say(world, table, comments={"carrier": "two letters"})
    assert await comments(world, table) == {"id": None, "Carrier": "two letters"}
    await world.catalog().tables.refresh(table)
    await written(world, table, (*COLUMNS, Column("new", "int")))
    assert (await comments(world, table))["Carrier"] == "two letters"
    await written(world, table, (replace(COLUMNS[1], name="CARRIER", type="int"), COLUMNS[0]))
    assert await comments(world, table) == {"CARRIER": "two letters", "id": None}


async def test_a_comment_goes_with_its_column(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    await say(world, table, comments={"Carrier": "two letters"})
    await written(world, table, COLUMNS[:1])
    await written(world, table, COLUMNS)
    assert await comments(world, table) == {"id": None, "Carrier": None}
    assert (await world.catalog().namespaces.search("letters")).total == 0


async def test_the_catalogs_comment_goes_before_the_logs(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    await written(world, table, (COLUMNS[0], replace(COLUMNS[1], comment="of the log")))
    assert (await comments(world, table))["Carrier"] == "of the log"
    for said, shown in (("ours", "ours"), ("", None), (None, "of the log")):
        await say(world, table, comments={"Carrier": said})
        await world.catalog().tables.refresh(table)
        assert (await comments(world, table))["Carrier"] == shown


async def test_a_comment_makes_no_refresh_believe_that_data_changed(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    before = await say(world, table, comments={"id": "a number"}, tags=("pii",))
    after = await world.catalog().tables.refresh(table)
    assert (after.data_version, after.revision) == (before.data_version, before.revision)


async def test_tags_keep_their_case_and_differ_by_more(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    assert (await say(world, table, tags=("PII", "pii", "gold", "Straße", "STRASSE"))).tags == (
        "gold",
        "PII",
        "Straße",
    )
    assert (await say(world, table, tags=("pii",))).tags == ("pii",)
    assert (await say(world, table)).tags == ("pii",)
    assert (await say(world, table, tags=())).tags == ()


@pytest.mark.parametrize(
    "words",
    [
        {"tags": ("",)},
        {"tags": ("  ",)},
        {"tags": (" a",)},
        {"tags": ("a\nb",)},
        {"tags": ("\u202egnp",)},
        {"tags": ("nul\x00",)},
        {"tags": ("\ud83d",)},
        {"tags": ("x" * (LONGEST_TAG + 1),)},
        {"tags": tuple(map(str, range(MOST_TAGS + 1)))},
        {"owner": ""},
        {"owner": "a\x00"},
        {"owner": " ann"},
        {"owner": "x" * 256},
        {"comments": {"id": "nul\x00"}},
        {"comments": {"id": "\ud83d"}},
        {"comments": {"id": "x" * (LONGEST_COMMENT + 1)}},
    ],
)
async def test_what_cannot_be_said_is_refused_and_nothing_is(
    world: World, words: dict[str, Any]
) -> None:
    await world.schema()
    table = await world.table("t")
    with pytest.raises(Invalid):
        await say(world, table, **{"tags": ("fine",), **words})
    assert (await world.catalog().tables.get(table)).tags == ()


async def test_a_comment_on_no_column_is_refused_and_nothing_else_is_kept(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    with pytest.raises(NotFound, match="nope"):
        await say(world, table, tags=("a",), comments={"id": "x", "nope": "y"})
    row = await world.catalog().tables.get(table)
    assert (row.tags, row.comments) == ((), {})


async def test_markup_is_kept_as_the_text_it_is(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    nasty = "<img src=x onerror=alert(1)>"
    row = await say(world, table, tags=(nasty,), comments={"id": nasty})
    assert (row.tags, row.columns[0].comment) == ((nasty,), nasty)


async def test_who_may_read_may_not_describe(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.grant(table, world.group("readers", "ann"), "use")
    for words in ({"tags": ("a",)}, {"comments": {"id": "a"}}, {"owner": "ann"}):
        with pytest.raises(Forbidden):
            await say(world, table, ANN, **words)
        with pytest.raises(NotFound):
            await say(world, table, BOB, **words)


async def test_only_an_owner_gives_a_table_away(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.grant(table, world.group("managers", "ann"), "manage")
    with pytest.raises(Forbidden):
        await say(world, table, ANN, owner="ann")
    assert (await say(world, table, owner="bob")).owner == "bob"
    assert (await world.catalog(BOB).tables.get(table)).access == "owner"


async def test_who_gives_away_what_nobody_shares_sees_it_no_more_and_hears_of_it(
    world: World,
) -> None:
    await world.schema()
    table = await world.table("t")
    await say(world, table, owner="bob")
    before = await world.catalog(BOB).changes.latest()
    given = await say(world, table, BOB, owner="ann")
    assert (given.owner, given.access) == ("ann", "browse")
    with pytest.raises(NotFound):
        await world.catalog(BOB).tables.get(table)
    feeds = [await world.catalog(actor).changes.since(before) for actor in (BOB, ANN)]
    assert [[c.kind for c in feed.items] for feed in feeds] == [["left"], ["owner_changed"]]


async def test_edits_tell_who_changed_what_but_not_what_it_was(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    tables = world.catalog().tables
    await tables.update(table, description="secret plans")
    await say(world, table, tags=("a", "b"), comments={"id": "secret"})
    await say(world, table, tags=("b", "c"))
    await say(world, table, tags=("C", "b"), comments={"id": "secret"})
    await tables.update(table, name="u")
    await say(world, table, owner="bob")
    edits = await world.catalog(BOB).tables.edits(table)
    assert [(edit.kind, edit.by, edit.detail) for edit in edits] == [
        ("owner_changed", "local", {"from": "local", "to": "bob"}),
        ("table_renamed", "local", None),
        ("tagged", "local", {"added": ["C"], "removed": ["c"]}),
        ("tagged", "local", {"added": ["c"], "removed": ["a"]}),
        ("commented", "local", {"columns": ["id"]}),
        ("tagged", "local", {"added": ["a", "b"], "removed": []}),
        ("described", "local", None),
        ("table_created", "local", None),
    ]
    with world.engine.connect() as connection:
        details = connection.execute(select(changes.c.detail)).scalars().all()
    assert "secret" not in json.dumps(details)
    assert len(await world.catalog(BOB).tables.edits(table, limit=2)) == 2


async def test_edits_are_for_those_who_may_read(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    world.grant(table, world.group("browsers", "ann"), "browse")
    with pytest.raises(Forbidden):
        await world.catalog(ANN).tables.edits(table)
    with pytest.raises(NotFound):
        await world.catalog(BOB).tables.edits(table)


async def test_what_was_said_of_a_table_comes_back_with_it(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    said = await say(world, table, tags=("PII",), comments={"Carrier": "two letters"})
    dropped = await world.catalog().tables.drop(table)
    assert (await world.catalog().namespaces.search("letters")).total == 0
    assert dropped.dropped_id is not None
    back = await world.catalog().tables.undrop(dropped.dropped_id)
    assert (back.tags, back.columns, back.written_at) == (said.tags, said.columns, said.written_at)
    assert [hit.node.id for hit in (await world.catalog().namespaces.search("letters")).items] == [
        back.id
    ]


async def test_a_table_dropped_by_an_older_version_comes_back(world: World) -> None:
    await world.schema()
    dropped = await world.catalog().tables.drop(await world.table("t"))
    with connect(world.engine, write=True) as connection, connection.begin():
        snapshot = connection.execute(select(dropped_tables.c.snapshot)).scalar_one()
        for new in ("column_comments", "tags", "file_count", "written_at"):
            del snapshot["table"][new]
        snapshot["table"]["column_keys"] = "\nid\n"
        connection.execute(dropped_tables.update().values(snapshot=snapshot))
    assert dropped.dropped_id is not None
    back = await world.catalog().tables.undrop(dropped.dropped_id)
    assert (back.tags, back.comments, back.written_at) == ((), {}, None)


async def test_a_table_says_how_big_and_fresh_it_is(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    row = await world.catalog().tables.get(table)
    assert (row.written_at, row.file_count) == (world.clock.now(), None)
    world.executor.commit(row.location, files=7, written_at="2026-02-28T23:00:00.000+00:00")
    row = await world.catalog().tables.refresh(table)
    assert row.written_at is not None
    assert (row.file_count, row.written_at.isoformat()) == (7, "2026-02-28T23:00:00+00:00")
    world.clock.forward(hours=1)
    world.executor.commit(
        row.location, maintenance=True, files=1, written_at="2026-02-28T23:00:00.000+00:00"
    )
    upkept = await world.catalog().tables.refresh(table)
    assert (upkept.file_count, upkept.written_at) == (1, row.written_at)
    world.executor.commit(row.location, written_at="no time at all")
    assert (await world.catalog().tables.refresh(table)).written_at == world.clock.now()


async def test_who_may_only_browse_learns_neither_size_nor_freshness(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    await say(world, table, tags=("gold",))
    world.grant(table, world.group("browsers", "ann"), "browse")
    row = await world.catalog(ANN).tables.get(table)
    assert (row.tags, row.size_bytes, row.file_count, row.written_at) == (
        ("gold",),
        None,
        None,
        None,
    )
