"""Making and dropping catalogs and schemas."""

from __future__ import annotations

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.dropping import keep_dropped
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.store.rows import Node
from flowcat_jupyter.catalog.store.seen import MANAGE, check_text
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Conflict, Forbidden, Invalid
from flowcat_jupyter.shared.events import (
    FunctionDropped,
    NamespaceCreated,
    NamespaceDropped,
    ViewDropped,
)
from flowcat_jupyter.shared.names import TableName, check_name, name_key
from flowcat_jupyter.shared.schema import ROOT_ID

KINDS = ("catalog", "schema")
RESERVED = ("system", "memory")
"""What no catalog can be called, for every session has catalogs of these names."""


def create_namespace(
    unit: Unit, name: str, parent_id: int | None, description: str | None = None
) -> Node:
    """Make a catalog, or with ``parent_id`` a schema in that catalog.

    :raises Invalid: the name cannot be one, or the parent holds no schemas.
    :raises Forbidden: the actor does not manage the catalog, or may make none.
    :raises AlreadyExists: the name is taken.
    """
    check_text(description, "description")
    kind, above = _place(unit, name, parent_id)
    node_id = unit.securables.insert(
        kind,
        above,
        check_name(name, kind),
        by=unit.actor.name,
        at=unit.now,
        description=description,
    )
    unit.securables.insert_namespace(node_id, KINDS.index(kind))
    node = unit.securables.get(node_id)
    unit.record(NamespaceCreated(*identity(node)))
    return node


def drop_namespace(unit: Unit, node: Node, *, cascade: bool) -> None:
    """Remove a catalog or schema, with ``cascade`` all that is in it.

    :raises Forbidden: the actor does not manage it.
    :raises Conflict: it is not empty, and ``cascade`` was not asked for.
    """
    require(node, MANAGE, "drop")
    if not cascade and unit.securables.has_children(node.id):
        raise Conflict(
            f"The {node.kind} {node.sql_name} is not empty.",
            condition="SCHEMA_NOT_EMPTY",
            sqlstate="2BP01",
            hint="Drop what is in it first, or drop it with CASCADE.",
        )
    audiences = unit.grants.audiences(node.id)
    for table in unit.tables.beneath(node.id):
        keep_dropped(unit, table, audiences[table.id])
    for view in unit.views.beneath(node.id):
        unit.record(ViewDropped(*identity(view), audience=audiences[view.id]))
    for function in unit.functions.beneath(node.id):
        unit.record(FunctionDropped(*identity(function), audience=audiences[function.id]))
    if node.kind == "catalog":
        for schema in unit.securables.all_schemas(node.id):
            unit.record(NamespaceDropped(*identity(schema), audience=audiences[schema.id]))
    unit.record(NamespaceDropped(*identity(node), audience=audiences[node.id]))
    unit.securables.delete(node.id)


def _place(unit: Unit, name: str, parent_id: int | None) -> tuple[str, int]:
    if parent_id is None:
        if not unit.actor.unrestricted:
            raise Forbidden("create", "catalog", TableName((check_name(name, "catalog"),)).sql)
        if name_key(name) in RESERVED:
            raise Invalid(
                f"A catalog cannot be called {name}: the built-in catalog of that name is there.",
                condition="CATALOG_ALREADY_EXISTS",
                sqlstate="42710",
                hint="Choose another name.",
            )
        return "catalog", ROOT_ID
    parent = unit.securables.get(parent_id, *KINDS)
    if parent.kind != "catalog":
        raise Invalid(
            f"{parent.sql_name} is a schema and cannot hold another.",
            hint="There are two levels: catalogs hold schemas, schemas hold tables and views.",
        )
    require(parent, MANAGE, "create a schema in")
    return "schema", parent.id
