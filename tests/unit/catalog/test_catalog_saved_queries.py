"""Saved queries: one person's own texts under names, on both databases."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.services.queries import QueryDraft
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, LimitExceeded, NotFound
from tests.support.catalog import World

WEEKLY = QueryDraft("Weekly / Zürich", "SELECT 'x';\n-- kept as typed", "demo", "nyc")


async def test_a_query_comes_back_as_it_was_saved(world: World) -> None:
    queries = world.catalog().queries
    saved = await queries.save(WEEKLY)
    again = await queries.get(saved.id)
    assert (again.name, again.text, again.catalog, again.schema) == (
        WEEKLY.name,
        WEEKLY.text,
        "demo",
        "nyc",
    )
    assert again.chart is None


async def test_only_what_is_given_changes(world: World) -> None:
    queries = world.catalog().queries
    saved = await queries.save(WEEKLY)
    changed = await queries.update(saved.id, chart={"mark": "bar"}, catalog=None)
    assert (changed.text, changed.catalog, changed.chart) == (WEEKLY.text, None, {"mark": "bar"})
    assert (await queries.update(saved.id, chart=None)).chart is None


async def test_names_are_one_persons_own_and_their_case_does_not_count(world: World) -> None:
    mine = world.catalog().queries
    await mine.save(WEEKLY)
    other = await mine.save(QueryDraft("other", ""))
    with pytest.raises(AlreadyExists):
        await mine.save(QueryDraft("WEEKLY / ZÜRICH", ""))
    with pytest.raises(AlreadyExists):
        await mine.update(other.id, name="weekly / zürich")
    theirs = world.catalog(Actor("ada")).queries
    assert (await theirs.save(WEEKLY)).name == WEEKLY.name


async def test_another_persons_query_is_as_good_as_missing(world: World) -> None:
    saved = await world.catalog().queries.save(WEEKLY)
    theirs = world.catalog(Actor("ada")).queries
    for attempt in (
        theirs.get(saved.id),
        theirs.update(saved.id, text=""),
        theirs.delete(saved.id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await theirs.list()).total == 0


async def test_pages_follow_the_names_whatever_their_case(world: World) -> None:
    queries = world.catalog().queries
    for name in ("b", "A", "Ä", "c"):
        await queries.save(QueryDraft(name, name))
    first = await queries.list(limit=3)
    rest = await queries.list(limit=3, after=first.after)
    assert [q.name for q in (*first.items, *rest.items)] == ["A", "b", "c", "Ä"]
    assert (first.total, rest.after) == (4, None)


async def test_a_deleted_query_frees_its_name_but_not_its_id(world: World) -> None:
    queries = world.catalog().queries
    saved = await queries.save(WEEKLY)
    await queries.delete(saved.id)
    assert (await queries.save(WEEKLY)).id != saved.id


@pytest.mark.parametrize("name", ["", " lead", "trail ", "a\0b", "x" * 256])
async def test_a_name_nobody_could_find_again_is_refused(world: World, name: str) -> None:
    with pytest.raises(Invalid):
        await world.catalog().queries.save(QueryDraft(name, "SELECT 1"))


async def test_a_text_that_could_never_run_is_refused(world: World) -> None:
    with pytest.raises(LimitExceeded):
        await world.catalog().queries.save(QueryDraft("long", "x" * 1_000_001))
