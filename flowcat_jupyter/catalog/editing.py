"""What namespaces and tables share when they are renamed, moved or described."""

from __future__ import annotations

from enum import Enum
from typing import Any

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.store.rows import Node
from flowcat_jupyter.catalog.store.seen import MANAGE, check_text
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.events import (
    Event,
    NamespaceRenamed,
    ObjectDescribed,
    ObjectLeft,
    ObjectMoved,
    TableRenamed,
)
from flowcat_jupyter.shared.names import check_name

_PARENTS = {"schema": "catalog", "table": "schema", "view": "schema", "function": "schema"}


class Keep(Enum):
    """Says "as it is" where None would say "none"."""

    KEEP = "keep"


KEEP = Keep.KEEP


def edit(
    unit: Unit,
    node: Node,
    *,
    name: str | None = None,
    description: str | Keep | None = KEEP,
    parent_id: int | None = None,
) -> None:
    """Rename, describe and move a node, each only where asked for.

    :raises Forbidden: the actor does not manage the node, or not the new parent.
    :raises AlreadyExists: the name is taken there.
    :raises Invalid: the name or the new parent cannot be.
    """
    require(node, MANAGE, "change")
    values: dict[str, Any] = {}
    if name is not None and name != node.name:
        values["name"] = check_name(name, node.kind)
    if description is not KEEP and description != node.description:
        values["description"] = check_text(description, "description")
    if parent_id is not None and parent_id != node.parent_id:
        values["parent_id"] = _parent(unit, node, parent_id).id
    if not values:
        return
    before = unit.grants.audiences(node.id)[node.id] if "parent_id" in values else None
    unit.securables.update(node, by=unit.actor.name, at=unit.now, **values)
    if before is not None:
        unit.record(ObjectLeft(*identity(node), audience=before))
        unit.record(ObjectMoved(*identity(unit.securables.get(node.id))))
        return
    kind: type[Event] = ObjectDescribed
    if "name" in values:
        kind = NamespaceRenamed if node.kind in ("catalog", "schema") else TableRenamed
    unit.record(kind(*identity(unit.securables.get(node.id))))


def identity(node: Node) -> tuple[int, str, str, int | None, str]:
    """What every event says of its object."""
    return node.id, node.uuid, node.kind, node.parent_id, node.name


def _parent(unit: Unit, node: Node, parent_id: int) -> Node:
    if node.kind not in _PARENTS:
        raise Invalid("A catalog hangs on nothing and cannot be moved.")
    parent = unit.securables.get(parent_id)
    if parent.kind != _PARENTS[node.kind]:
        raise Invalid(
            f"A {node.kind} belongs in a {_PARENTS[node.kind]}, and {parent.sql_name} is a "
            f"{parent.kind}.",
            hint="There are two levels: catalogs hold schemas, schemas hold tables and views.",
        )
    require(parent, MANAGE, "add to")
    _check_storage(unit, node, parent)
    return parent


def _check_storage(unit: Unit, node: Node, parent: Node) -> None:
    """Data do not move: a node keeps to catalogs with the same storage."""
    if node.kind == "view":
        return
    here = _storage(unit, unit.securables.get(node.parent_id))
    if _storage(unit, parent) == here:
        return
    if node.kind == "schema" and not unit.securables.has_children(node.id):
        return
    raise Conflict(
        f"{node.sql_name} cannot move to {parent.sql_name}: the two catalogs keep their data in "
        "different places.",
        hint="Create it there with CREATE TABLE … AS SELECT and drop the old one.",
    )


def _storage(unit: Unit, namespace: Node) -> str | None:
    if namespace.kind == "schema":
        namespace = unit.securables.get(namespace.parent_id)
    return unit.securables.namespace(namespace.id).storage_uri
