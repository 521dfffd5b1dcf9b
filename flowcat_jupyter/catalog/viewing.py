"""Views in the catalog: found by name, made, changed and dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.planning.views import ViewText, not_a_view
from flowcat_jupyter.catalog.store.rows import Node, ViewRow
from flowcat_jupyter.catalog.store.seen import MANAGE, check_text
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, NotFound, SqlError
from flowcat_jupyter.shared.events import ViewChanged, ViewCreated, ViewDropped
from flowcat_jupyter.shared.names import TableName, check_name
from flowcat_jupyter.shared.wire import Column


@dataclass(frozen=True)
class ViewTarget:
    """Where a view's name leads: a schema, and the view or table of that name if there is one."""

    schema: Node
    name: str
    view: ViewRow | None = None
    table: Node | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The view's full name."""
        return self.view.path if self.view else (*self.schema.path, self.name)


def view_target(unit: Unit, name: tuple[str, ...], place: tuple[str, str]) -> ViewTarget:
    """Where a view's name leads; as for a write, it is not looked for in other schemas.

    :raises NotFound: the schema is not visible.
    """
    catalog, schema_name = (*place[: 3 - len(name)], *name[:-1])
    schema = unit.securables.schema(catalog, schema_name)
    node = unit.securables.child(schema.id, "view", name[-1])
    if node is None:
        return ViewTarget(schema, name[-1])
    if node.kind == "view":
        return ViewTarget(schema, name[-1], unit.views.get(node.id))
    return ViewTarget(schema, name[-1], table=node)


def existing_view(unit: Unit, name: tuple[str, ...], place: tuple[str, str], what: str) -> ViewRow:
    """The view of that name, which the actor manages.

    :raises NotFound: the actor sees none.
    :raises SqlError: it is a table.
    :raises Forbidden: the actor does not manage it.
    """
    target = view_target(unit, name, place)
    if target.table is not None:
        raise not_a_view(target.table.sql_name, what)
    if target.view is None:
        raise NotFound("view", TableName(name).sql)
    require(target.view, MANAGE, "change")
    return target.view


def refuse_view(unit: Unit, name: tuple[str, ...], place: tuple[str, str]) -> None:
    """Let pass a name that is no view's, for it is a table that is to be dropped.

    :raises NotFound: the schema is not visible.
    :raises SqlError: it is a view's.
    """
    view = view_target(unit, name, place).view
    if view is not None:
        raise SqlError(
            f"{view.sql_name} is a view, and DROP TABLE is for tables.",
            condition="WRONG_COMMAND_FOR_OBJECT_TYPE",
            sqlstate="42809",
            hint="Use DROP VIEW.",
        )


def check_new(target: ViewTarget, *, replace: bool) -> None:
    """Check that the actor may make a view there, or put another in its place.

    :raises AlreadyExists: there is one, or a table.
    :raises SqlError: a table is to be replaced.
    :raises Forbidden: the actor does not manage the schema, or the view.
    :raises Invalid: the name cannot be one.
    """
    if target.table is not None and replace:
        raise not_a_view(target.table.sql_name, "CREATE OR REPLACE VIEW")
    if target.table is not None:
        raise AlreadyExists("table", target.table.sql_name)
    if target.view is None:
        require(target.schema, MANAGE, "create a view in")
        check_name(target.name, "view")
        return
    if not replace:
        raise AlreadyExists("view", target.view.sql_name)
    require(target.view, MANAGE, "replace")


def store_view(unit: Unit, target: ViewTarget, view: ViewText, columns: Sequence[Column]) -> None:
    """Make a view, or give the one that is there what ``view`` says.

    :raises AlreadyExists: somebody else is making something of that name.
    """
    facts = {
        "text": check_text(view.text, "view's query"),
        "dialect": view.dialect,
        "catalog": view.catalog,
        "schema": view.schema,
        "columns": columns,
        "listed": bool(view.names),
        "properties": dict(view.properties),
    }
    comment = check_text(view.comment, "description")
    if target.view is not None:
        unit.views.update(target.view.id, **facts)
        unit.securables.update(target.view, by=unit.actor.name, at=unit.now, description=comment)
        unit.record(ViewChanged(*identity(target.view)))
        return
    view_id = unit.securables.insert(
        "view",
        target.schema.id,
        target.name,
        by=unit.actor.name,
        at=unit.now,
        description=comment,
    )
    unit.views.insert(view_id, **facts)
    unit.record(ViewCreated(*identity(unit.views.get(view_id))))


def set_properties(unit: Unit, view: ViewRow, properties: dict[str, str]) -> None:
    """Give a view these properties and no others."""
    unit.views.update(view.id, properties=properties)
    unit.securables.update(view, by=unit.actor.name, at=unit.now)
    unit.record(ViewChanged(*identity(view)))


def drop_view(unit: Unit, view: ViewRow) -> None:
    """Remove a view; what it reads stays, and nothing brings it back.

    :raises Forbidden: the actor does not manage it.
    """
    require(view, MANAGE, "drop")
    audience = unit.grants.audiences(view.id)[view.id]
    unit.securables.delete(view.id)
    unit.record(ViewDropped(*identity(view), audience=audience))


def same_target(before: ViewTarget, now: ViewTarget) -> None:
    """Check that nobody made, changed or dropped the view meanwhile.

    :raises Conflict: somebody did.
    """

    def mark(target: ViewTarget) -> tuple[int, int, int]:
        node: Node | None = target.view or target.table
        revision = target.view.revision if target.view else 0
        return target.schema.id, node.id if node else 0, revision

    if mark(before) != mark(now):
        raise Conflict(
            f"{TableName(before.path).sql} was made, changed or dropped by somebody else "
            "while the statement was prepared.",
            hint="Run it again.",
        )
