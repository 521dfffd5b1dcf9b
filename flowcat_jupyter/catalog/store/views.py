"""Views: what a node of that kind holds beyond its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.rows import ViewRow
from flowcat_jupyter.catalog.store.securables import ONE_UP, TWO_UP, node_fields, node_select
from flowcat_jupyter.catalog.store.seen import Seen, storable
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import securables, views
from flowcat_jupyter.shared.wire import Column


class Views:
    """Views as one caller sees them."""

    def __init__(self, connection: Connection, seen: Seen) -> None:
        """Read and write through ``connection`` what ``seen`` reveals."""
        self._connection = connection
        self._seen = seen
        self._none: bool | None = None

    def get(self, view_id: int) -> ViewRow:
        """The view with this id.

        :raises NotFound: there is none, or the caller does not see it.
        """
        if 0 < view_id < 2**63:
            for row in self._read(self._select().where(securables.c.id == view_id)):
                return row
        raise NotFound("view", view_id)

    def named(self, name: str) -> tuple[ViewRow, ...]:
        """Every visible view whose last part is ``name``, compared as names are."""
        if not storable(name) or self._no_views():
            return ()
        query = self._select().where(securables.c.name_key == name_key(name))
        return self._read(query.order_by(TWO_UP.c.name_key, ONE_UP.c.name_key))

    def _no_views(self) -> bool:
        """Whether there are none at all, which saves a look for each table that is named."""
        if self._none is None:
            query = select(views.c.securable_id).limit(1)
            self._none = self._connection.execute(query).first() is None
        return self._none

    def under(self, schema_id: int, name: str) -> ViewRow | None:
        """The visible view of that name in a schema."""
        return next((row for row in self.named(name) if row.parent_id == schema_id), None)

    def beneath(self, namespace_id: int) -> tuple[ViewRow, ...]:
        """Every view under a catalog or schema; for whoever drops all of it."""
        query = self._select().where(
            (securables.c.parent_id == namespace_id) | (ONE_UP.c.parent_id == namespace_id)
        )
        return self._read(query.order_by(securables.c.id))

    def insert(self, view_id: int, **values: Any) -> None:
        """Add what makes a node a view; see `update` for what is given."""
        self._none = None
        self._connection.execute(views.insert().values(securable_id=view_id, **_stored(values)))
        search_index.index(self._connection, view_id)

    def update(self, view_id: int, **values: Any) -> None:
        """Change ``text``, ``dialect``, ``catalog``, ``schema``, ``columns`` (with ``listed``:
        whether their names were given with the view) or ``properties``.
        """
        self._connection.execute(
            views.update().where(views.c.securable_id == view_id).values(_stored(values))
        )
        if "columns" in values:
            search_index.index(self._connection, view_id)

    def _select(self) -> Select[Any]:
        more = [column for column in views.c if column.name != "securable_id"]
        return node_select(self._seen, *more).join(views, views.c.securable_id == securables.c.id)

    def _read(self, query: Select[Any]) -> tuple[ViewRow, ...]:
        return tuple(_view(row) for row in self._connection.execute(query))


def _stored(values: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(values)
    listed = made.pop("listed", False)
    if "columns" in made:
        columns: Iterable[Column] = made["columns"]
        made["columns"] = {"listed": listed, "columns": [asdict(column) for column in columns]}
    return made


def _view(row: Row[Any]) -> ViewRow:
    return ViewRow(
        **node_fields(row),
        text=row.text,
        dialect=row.dialect,
        catalog=row.catalog,
        schema=row.schema,
        columns=tuple(Column(**column) for column in row.columns["columns"]),
        listed=bool(row.columns["listed"]),
        properties=row.properties,
    )
