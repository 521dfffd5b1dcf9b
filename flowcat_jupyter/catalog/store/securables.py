"""Catalogs, schemas, tables and views as nodes of one tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Row, Select, func, select
from sqlalchemy.exc import IntegrityError

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.results import inserted_id
from flowcat_jupyter.catalog.store.rows import NamespaceRow, Node, NodePage
from flowcat_jupyter.catalog.store.seen import (
    ACCESS,
    BROWSE,
    USE,
    Seen,
    check_limit,
    read_cursor,
    storable,
    write_cursor,
)
from flowcat_jupyter.shared.errors import AlreadyExists, NotFound
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.schema import ROOT_ID, namespaces, securables, tables

ONE_UP = securables.alias("one_up")
TWO_UP = securables.alias("two_up")
SPACES = {
    "catalog": "catalog",
    "schema": "schema",
    "table": "relation",
    "view": "relation",
    "function": "function",
}
# Two things of one name would be in one list, and a page goes on after a name.
_LISTED = securables.c.kind != "function"
_TABLE_FACTS = (
    tables.c.row_count,
    tables.c.table_type,
    tables.c.data_version,
    tables.c.broken,
)


def node_select(seen: Seen, *more: Any, states: tuple[str, ...] = ("active",)) -> Select[Any]:
    """All visible nodes with their ancestors' names, the rank and a table's facts."""
    return (
        select(
            securables,
            seen.rank.label("rank"),
            ONE_UP.c.name.label("one_up"),
            TWO_UP.c.name.label("two_up"),
            *_TABLE_FACTS,
            *more,
        )
        .join(seen.source, seen.id == securables.c.id)
        .join(ONE_UP, ONE_UP.c.id == securables.c.parent_id)
        .outerjoin(TWO_UP, TWO_UP.c.id == ONE_UP.c.parent_id)
        .outerjoin(tables, tables.c.securable_id == securables.c.id)
        .where(securables.c.state.in_(states))
    )


def node_fields(row: Row[Any]) -> dict[str, Any]:
    """A row of `node_select` as a `Node`'s fields, without what its rank does not cover."""
    names = (row.two_up, row.one_up, row.name)
    return {
        "id": row.id,
        "uuid": row.uuid,
        "kind": row.kind,
        "name": row.name,
        "path": tuple(name for name in names if name),
        "parent_id": row.parent_id,
        "owner": row.owner if row.rank >= BROWSE else "",
        "description": row.description if row.rank >= BROWSE else None,
        "created_at": row.created_at,
        "created_by": row.created_by if row.rank >= BROWSE else "",
        "updated_at": row.updated_at,
        "updated_by": row.updated_by if row.rank >= BROWSE else "",
        "revision": row.revision,
        "state": row.state,
        "access": ACCESS[row.rank],
        "row_count": row.row_count if row.rank >= USE else None,
        "table_type": row.table_type,
        "data_version": row.data_version if row.rank >= USE else None,
        "broken": row.broken if row.rank >= USE else None,
    }


class Securables:
    """Nodes as one caller sees them."""

    def __init__(self, connection: Connection, seen: Seen) -> None:
        """Read and write through ``connection`` what ``seen`` reveals."""
        self._connection = connection
        self._seen = seen

    def get(self, node_id: int, *kinds: str) -> Node:
        """The node with this id, of one of ``kinds`` if any are given.

        :raises NotFound: there is none, or the caller does not see it.
        """
        found = self.find(node_id)
        if found is None or (kinds and found.kind not in kinds):
            raise NotFound(" or ".join(kinds) if kinds else "object", node_id)
        return found

    def find(self, node_id: int) -> Node | None:
        """The node with this id, if the caller sees it."""
        if not 0 < node_id < 2**63:
            return None
        query = node_select(self._seen).where(securables.c.id == node_id)
        return self._one(query)

    def child(self, parent_id: int, kind: str, name: str) -> Node | None:
        """The visible child of that kind and name (views and tables share one name space)."""
        if not storable(name):
            return None
        query = node_select(self._seen).where(
            securables.c.parent_id == parent_id,
            securables.c.space == SPACES[kind],
            securables.c.name_key == name_key(name),
        )
        return self._one(query)

    def catalog(self, name: str) -> Node:
        """The catalog of that name.

        :raises NotFound: there is none the caller sees.
        """
        found = self.child(ROOT_ID, "catalog", name)
        if found is None:
            raise NotFound("catalog", TableName((name,)).sql)
        return found

    def schema(self, catalog: str, name: str) -> Node:
        """The schema of that name.

        :raises NotFound: there is none the caller sees.
        """
        above = self.child(ROOT_ID, "catalog", catalog)
        found = above and self.child(above.id, "schema", name)
        if not found:
            raise NotFound("schema", TableName((catalog, name)).sql)
        return found

    def children(
        self, parent_id: int | None, *, limit: int, after: str | None = None, q: str = ""
    ) -> NodePage:
        """A page of a node's visible children by name, or of catalogs; ``q`` filters by name.
        Functions are not among them: see `Functions.beneath`.

        :raises Invalid: the limit or the cursor makes no sense.
        """
        limit = check_limit(limit)
        if not storable(q):
            return NodePage((), 0, None)
        seen = self._seen.little(self._connection) or self._seen
        query = node_select(seen).where(securables.c.parent_id == (parent_id or ROOT_ID), _LISTED)
        if q:
            query = query.where(securables.c.name_key.contains(name_key(q), autoescape=True))
        total = self._count(query)
        if after:
            query = query.where(securables.c.name_key > read_cursor(after, str)[0])
        rows = self._connection.execute(
            query.order_by(securables.c.name_key, securables.c.id).limit(limit + 1)
        ).all()
        nodes = [Node(**node_fields(row)) for row in rows[:limit]]
        items = counted(self._connection, seen, nodes)
        cursor = write_cursor(rows[limit - 1].name_key) if len(rows) > limit else None
        return NodePage(items, total, cursor)

    def all_schemas(self, catalog_id: int) -> tuple[Node, ...]:
        """Every visible schema of a catalog."""
        query = node_select(self._seen).where(securables.c.parent_id == catalog_id)
        rows = self._connection.execute(query.order_by(securables.c.id))
        return tuple(Node(**node_fields(row)) for row in rows)

    def namespace(self, node_id: int) -> NamespaceRow:
        """What a namespace has beyond its node.

        :raises NotFound: it is not a namespace.
        """
        row = self._connection.execute(
            select(namespaces).where(namespaces.c.securable_id == node_id)
        ).one_or_none()
        if row is None:
            raise NotFound("namespace", node_id)
        return NamespaceRow(row.level, row.storage_uri, row.connection_id)

    def has_children(self, node_id: int) -> bool:
        """Whether anything at all hangs beneath, seen or not, finished or not."""
        query = select(securables.c.id).where(securables.c.parent_id == node_id).limit(1)
        return self._connection.execute(query).first() is not None

    def insert(
        self,
        kind: str,
        parent_id: int,
        name: str,
        *,
        by: str,
        at: datetime,
        owner: str | None = None,
        description: str | None = None,
        state: str = "active",
    ) -> int:
        """Add a node and return its id, which was never used before.

        :raises AlreadyExists: its parent has one of that name.
        """
        values = {
            "uuid": str(uuid4()),
            "kind": kind,
            "space": SPACES[kind],
            "parent_id": parent_id,
            "name": name,
            "name_key": name_key(name),
            "owner": owner or by,
            "state": state,
            "description": description,
            "created_at": at,
            "created_by": by,
            "updated_at": at,
            "updated_by": by,
        }
        try:
            with self._connection.begin_nested():
                result = self._connection.execute(securables.insert().values(values))
        except IntegrityError as error:
            raise AlreadyExists(kind, TableName((name,)).sql) from error
        node_id = inserted_id(result)
        if kind != "table":
            # A table's own row comes next, and its words with it.
            search_index.index(self._connection, node_id)
        return node_id

    def insert_namespace(self, node_id: int, level: int, storage_uri: str | None = None) -> None:
        """Add what makes a node a namespace."""
        self._connection.execute(
            namespaces.insert().values(securable_id=node_id, level=level, storage_uri=storage_uri)
        )

    def update(self, node: Node, *, by: str, at: datetime, **values: Any) -> None:
        """Change a node's columns and raise its revision.

        :raises AlreadyExists: the new parent has one of the new name.
        """
        if "name" in values:
            values["name_key"] = name_key(values["name"])
        statement = (
            securables.update()
            .where(securables.c.id == node.id)
            .values(updated_at=at, updated_by=by, revision=securables.c.revision + 1, **values)
        )
        try:
            with self._connection.begin_nested():
                self._connection.execute(statement)
        except IntegrityError as error:
            name = values.get("name", node.name)
            raise AlreadyExists(node.kind, TableName((name,)).sql) from error
        if "name" in values or "description" in values:
            search_index.index(self._connection, node.id)

    def activate(self, node_id: int, *, by: str, at: datetime) -> None:
        """Let a node that is being created be seen."""
        self._connection.execute(
            securables.update()
            .where(securables.c.id == node_id, securables.c.state == "creating")
            .values(state="active", updated_at=at, updated_by=by)
        )

    def delete(self, node_id: int) -> None:
        """Remove a node and, by foreign key, all that belongs to it and hangs beneath."""
        self._connection.execute(securables.delete().where(securables.c.id == node_id))

    def _one(self, query: Select[Any]) -> Node | None:
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return counted(self._connection, self._seen, [Node(**node_fields(row))])[0]

    def _count(self, query: Select[Any]) -> int:
        ids = query.with_only_columns(securables.c.id).subquery()
        return self._connection.execute(select(func.count()).select_from(ids)).scalar_one()


def counted(connection: Connection, seen: Seen, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Nodes with the count of what is visible right beneath each catalog and schema."""
    parents = [node.id for node in nodes if node.kind in ("catalog", "schema")]
    if not parents:
        return tuple(nodes)
    query = (
        select(securables.c.parent_id, func.count())
        .join(seen.source, seen.id == securables.c.id)
        .where(securables.c.parent_id.in_(parents), securables.c.state == "active", _LISTED)
        .group_by(securables.c.parent_id)
    )
    counts = {row[0]: row[1] for row in connection.execute(query)}
    return tuple(_with_count(node, counts) for node in nodes)


def _with_count(node: Node, counts: dict[int | None, int]) -> Node:
    if node.kind not in ("catalog", "schema"):
        return node
    return replace(node, child_count=counts.get(node.id, 0))
