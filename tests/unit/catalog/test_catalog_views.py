"""Views as the database keeps them, on every database."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import ViewRow
from flowcat_jupyter.catalog.viewing import (
    check_new,
    existing_view,
    same_target,
    set_properties,
    store_view,
    view_target,
)
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, NotFound, SqlError
from flowcat_jupyter.shared.events import ViewChanged, ViewCreated, ViewDropped
from flowcat_jupyter.shared.wire import Column
from tests.support.catalog import World

PLACE = ("main", "default")
COLUMNS = (Column("a", "bigint"), Column("b", "string", comment="the b"))


def make(world: World, name: str, text: str = "SELECT 1 AS a", *, names: bool = False) -> ViewRow:
    """Make a view, or put another in its place."""
    with world.begin(LOCAL, write=True) as unit:
        target = view_target(unit, (name,), PLACE)
        listed = tuple(column.name for column in COLUMNS) if names else ()
        view = ViewText(target.path, text, "house", *PLACE, names=listed, comment="mine")
        store_view(unit, target, view, COLUMNS)
        return existing_view(unit, (name,), PLACE, "x")


async def test_a_view_is_kept_as_it_was_written(world: World) -> None:
    await world.schema()
    text = "SELECT 'it''s; ' AS a -- ☃\n"
    view = make(world, "V", text, names=True)
    assert (view.path, view.text, view.listed) == (("main", "default", "V"), text, True)
    assert (view.columns, view.description, view.kind) == (COLUMNS, "mine", "view")
    with world.begin(LOCAL) as unit:
        assert unit.views.named("v") == (view,)
        assert unit.views.under(view.parent_id, "v") == view
        assert unit.views.beneath(view.parent_id) == (view,)
        assert unit.tables.named("v") == ()
    again = make(world, "v", "SELECT 2 AS a")
    assert (again.id, again.text, again.listed) == (view.id, "SELECT 2 AS a", False)
    assert [type(event) for event in world.events[-2:]] == [ViewCreated, ViewChanged]


async def test_tables_and_views_share_their_names(world: World) -> None:
    await world.schema()
    await world.table("t")
    make(world, "v")
    with world.begin(LOCAL) as unit:
        target = view_target(unit, ("T",), PLACE)
        assert target.table is not None
        with pytest.raises(AlreadyExists):
            check_new(target, replace=False)
        with pytest.raises(SqlError, match="is a table"):
            check_new(target, replace=True)
        with pytest.raises(NotFound):
            existing_view(unit, ("nope",), PLACE, "x")
        with pytest.raises(NotFound):
            view_target(unit, ("nope", "v"), PLACE)
        with pytest.raises(AlreadyExists):
            check_new(view_target(unit, ("v",), PLACE), replace=False)
    with pytest.raises(AlreadyExists):
        await world.table("v")


async def test_what_somebody_else_did_meanwhile_is_a_conflict(world: World) -> None:
    await world.schema()
    with world.begin(LOCAL) as unit:
        none = view_target(unit, ("v",), PLACE)
    make(world, "v")
    with world.begin(LOCAL) as unit:
        first = view_target(unit, ("v",), PLACE)
    with pytest.raises(Conflict):
        same_target(none, first)
    make(world, "v", "SELECT 2 AS a")
    with world.begin(LOCAL) as unit:
        second = view_target(unit, ("v",), PLACE)
    with pytest.raises(Conflict):
        same_target(first, second)
    same_target(second, second)


async def test_a_view_is_renamed_moved_and_dropped(world: World) -> None:
    above, _ = await world.schema()
    other = await world.catalog().namespaces.create("other", parent_id=above)
    view = make(world, "v")
    with world.begin(LOCAL, write=True) as unit:
        set_properties(unit, view, {"k": "x"})
    views = world.catalog().views
    moved = await views.update(view.id, name="w", parent_id=other.id, description=None)
    assert (moved.path, moved.description) == (("main", "other", "w"), None)
    assert moved.properties == {"k": "x"}
    found = await world.catalog().namespaces.search("w", kinds=("view",))
    assert [hit.node.id for hit in found.items] == [view.id]
    by_column = await world.catalog().namespaces.search("the b")
    assert [column.name for hit in by_column.items for column in hit.columns] == ["b"]
    await views.drop(view.id)
    assert isinstance(world.events[-1], ViewDropped)
    with pytest.raises(NotFound):
        await views.get(view.id)


async def test_views_go_with_their_schema_and_are_told_of(world: World) -> None:
    _, below = await world.schema()
    view = make(world, "v")
    await world.catalog().namespaces.drop(below, cascade=True)
    gone = [event for event in world.events if isinstance(event, ViewDropped)]
    assert [event.object_id for event in gone] == [view.id]
