"""Queries that people saved under a name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from flowcat_jupyter.catalog.store.results import inserted_id
from flowcat_jupyter.catalog.store.rows import SavedQuery, SavedQueryPage
from flowcat_jupyter.catalog.store.seen import check_limit, check_text, read_cursor, write_cursor
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import saved_queries as queries

KIND = "saved query"
LONGEST_NAME = 255
_SHOWN = [column for column in queries.c if column.name not in ("actor", "name_key")]


class SavedQueries:
    """One actor's saved queries; nobody sees another's."""

    def __init__(self, connection: Connection, actor: str) -> None:
        """Read and write through ``connection``."""
        self._connection = connection
        self._actor = actor
        self._mine = queries.c.actor == actor

    def get(self, query_id: int) -> SavedQuery:
        """The query with this id.

        :raises NotFound: there is none, or it is somebody else's.
        """
        if not 0 < query_id < 2**63:
            raise NotFound(KIND, query_id)
        query = select(*_SHOWN).where(self._mine, queries.c.id == query_id)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise NotFound(KIND, query_id)
        return SavedQuery(**row._mapping)

    def page(self, *, limit: int, after: str | None = None) -> SavedQueryPage:
        """A page, by name.

        :raises Invalid: the limit or the cursor makes no sense.
        """
        limit = check_limit(limit)
        query = select(*_SHOWN).where(self._mine)
        counted = select(func.count()).select_from(queries).where(self._mine)
        total = self._connection.execute(counted).scalar_one()
        if after:
            query = query.where(queries.c.name_key > read_cursor(after, str)[0])
        ordered = query.order_by(queries.c.name_key).limit(limit + 1)
        rows = self._connection.execute(ordered).all()
        items = tuple(SavedQuery(**row._mapping) for row in rows[:limit])
        cursor = write_cursor(name_key(items[-1].name)) if len(rows) > limit else None
        return SavedQueryPage(items, total, cursor)

    def add(self, name: str, text: str, *, at: datetime, **rest: Any) -> int:
        """Save a query and return its id.

        :raises AlreadyExists: the actor has one of that name.
        :raises Invalid: the name or a text cannot be.
        """
        values = self._checked({"name": name, "text": text, **rest})
        statement = queries.insert().values(
            actor=self._actor, created_at=at, updated_at=at, **values
        )
        try:
            with self._connection.begin_nested():
                return inserted_id(self._connection.execute(statement))
        except IntegrityError as error:
            raise AlreadyExists(KIND, name) from error

    def update(self, query_id: int, *, at: datetime, **values: Any) -> None:
        """Change what is given of a query the actor has.

        :raises AlreadyExists: the actor has another of the new name.
        :raises Invalid: the name or a text cannot be.
        """
        statement = (
            queries.update()
            .where(self._mine, queries.c.id == query_id)
            .values(updated_at=at, **self._checked(values))
        )
        try:
            with self._connection.begin_nested():
                self._connection.execute(statement)
        except IntegrityError as error:
            raise AlreadyExists(KIND, values["name"]) from error

    def delete(self, query_id: int) -> None:
        """Forget a query.

        :raises NotFound: there is none, or it is somebody else's.
        """
        self.get(query_id)
        self._connection.execute(queries.delete().where(self._mine, queries.c.id == query_id))

    def _checked(self, values: dict[str, Any]) -> dict[str, Any]:
        for key in ("text", "catalog", "schema", "dialect"):
            check_text(values.get(key), key)
        name = values.get("name")
        if name is None:
            return values
        check_text(name, "name")
        if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME:
            raise Invalid(
                "This cannot be the name of a query.",
                hint=f"Use 1 to {LONGEST_NAME} characters that begin and end with a visible one.",
            )
        return {**values, "name_key": name_key(name)}
