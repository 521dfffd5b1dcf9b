"""CREATE VIEW, ALTER VIEW and DROP VIEW."""

from __future__ import annotations

from collections.abc import Sequence

from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.session_views import (
    alter_temporary,
    create_temporary,
    drop_temporary,
)
from flowcat_jupyter.catalog.carrying.view_queries import checked, columns_of, refuse_values
from flowcat_jupyter.catalog.editing import edit
from flowcat_jupyter.catalog.planning.view_reading import AlterView, CreateView, DropView
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import ViewRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.catalog.viewing import (
    ViewTarget,
    check_new,
    existing_view,
    same_target,
    set_properties,
    store_view,
    view_target,
)
from flowcat_jupyter.catalog.viewing import (
    drop_view as drop_stored,
)
from flowcat_jupyter.shared.errors import AlreadyExists, NotFound, SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Column

_CREATE, _ALTER, _DROP = "CREATE VIEW", "ALTER VIEW", "DROP VIEW"


async def create_view(carrier: Carrier, change: CreateView) -> Done:
    """Make a view of a query, which a worker checks."""
    if change.kind != "VIEW":
        return await create_temporary(carrier, change)
    refuse_values(change.query)

    def look() -> ViewTarget:
        with carrier.begin(carrier.actor) as unit:
            target = view_target(unit, change.name, carrier.place)
            check_new(target, replace=change.replace)
            return target

    try:
        target = await carrier.threads.run(look)
        view = ViewText(
            target.path,
            change.query.piece.text,
            carrier.asking.dialect,
            *carrier.place,
            names=tuple(name for name, _ in change.columns),
            id=target.view.id if target.view else None,
            comment=change.comment,
            properties=change.properties,
        )
        view, found = await checked(carrier, change.query, view)
        columns = columns_of(change, found)
        await carrier.threads.run(lambda: _store(carrier, change.name, target, view, columns))
    except AlreadyExists as error:
        if not change.if_not_exists:
            raise
        return Done(_CREATE, warnings=(error.message,), changed=False)
    return Done(_CREATE)


async def alter_view(carrier: Carrier, change: AlterView) -> Done:
    """Give a view another query, another name or other properties."""
    if await alter_temporary(carrier, change):
        return Done(_ALTER)
    if change.query is not None:
        return await _redefine(carrier, change)

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            view = existing_view(unit, change.name, carrier.place, _ALTER)
            if change.to is not None:
                _rename(unit, view, change.to, carrier.place)
            else:
                set_properties(unit, view, _properties(view, change))

    carrier.asking.check()
    await carrier.threads.run(work)
    return Done(_ALTER)


async def drop_view(carrier: Carrier, change: DropView) -> Done:
    """Drop a view: a temporary one if there is one of that name."""
    if drop_temporary(carrier, change.name):
        return Done(_DROP)

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            target = view_target(unit, change.name, carrier.place)
            if target.table is not None:
                raise SqlError(
                    f"{target.table.sql_name} is a table, and DROP VIEW is for views.",
                    condition="WRONG_COMMAND_FOR_OBJECT_TYPE",
                    sqlstate="42809",
                    hint="Use DROP TABLE.",
                )
            if target.view is None:
                raise NotFound("view", TableName(change.name).sql)
            drop_stored(unit, target.view)

    try:
        carrier.asking.check()
        await carrier.threads.run(work)
    except NotFound as error:
        if not change.if_exists:
            raise
        return Done(_DROP, warnings=(error.message,), changed=False)
    return Done(_DROP)


async def _redefine(carrier: Carrier, change: AlterView) -> Done:
    query = change.query
    if query is None:
        return Done(_ALTER, changed=False)
    refuse_values(query)

    def look() -> ViewTarget:
        with carrier.begin(carrier.actor) as unit:
            existing_view(unit, change.name, carrier.place, _ALTER)
            return view_target(unit, change.name, carrier.place)

    target = await carrier.threads.run(look)
    known = target.view
    view = ViewText(
        target.path,
        query.piece.text,
        carrier.asking.dialect,
        *carrier.place,
        id=known.id if known else None,
        comment=known.description if known else None,
        properties=known.properties if known else {},
    )
    view, columns = await checked(carrier, query, view)
    await carrier.threads.run(lambda: _store(carrier, change.name, target, view, columns))
    return Done(_ALTER)


def _store(
    carrier: Carrier,
    name: tuple[str, ...],
    seen: ViewTarget,
    view: ViewText,
    columns: Sequence[Column],
) -> None:
    carrier.asking.check()
    with carrier.begin(carrier.actor, write=True) as unit:
        target = view_target(unit, name, carrier.place)
        same_target(seen, target)
        check_new(target, replace=seen.view is not None)
        store_view(unit, target, view, columns)


def _rename(unit: Unit, view: ViewRow, to: tuple[str, ...], place: tuple[str, str]) -> None:
    *above, name = to
    parent = view.parent_id
    if above:
        parent = unit.securables.schema(*(place[0], *above)[-2:]).id
    edit(unit, view, name=name, parent_id=parent)


def _properties(view: ViewRow, change: AlterView) -> dict[str, str]:
    missing = [key for key in change.unset if key not in view.properties]
    if missing and not change.if_exists:
        raise SqlError(
            f"{view.sql_name} has no property {', '.join(missing)}.",
            condition="UNSET_NONEXISTENT_PROPERTIES",
            sqlstate="42K0J",
            hint="Write UNSET TBLPROPERTIES IF EXISTS (…).",
        )
    kept = {key: text for key, text in view.properties.items() if key not in change.unset}
    return {**kept, **change.properties}
