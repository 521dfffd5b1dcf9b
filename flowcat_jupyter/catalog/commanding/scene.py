"""Where a command looks: one caller's Unit, with one current catalog and schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from flowcat_jupyter.catalog.directory import UnitDirectory, UnitRoutines
from flowcat_jupyter.catalog.planning.functions import FunctionText, SessionFunctions
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.views import SessionViews, ViewText, not_a_table
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.catalog.store.rows import Node, TableRow, ViewRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import TableName

PAGE = 1000
Relation = TableRow | ViewRow | ViewText
"""A table, a view of the catalog, or one of the session's."""


@dataclass(frozen=True)
class Scene:
    """What a command is answered from; times are told in ``zone``.

    ``others`` are the names of catalogs that are not in the database.
    """

    unit: Unit
    directory: UnitDirectory
    catalog: str
    schema: str
    session: SqlSession
    zone: ZoneInfo
    others: tuple[str, ...] = ()

    def table(self, name: tuple[str, ...]) -> TableRow:
        """The table of that name.

        :raises SqlError: there is none, or several, or it is a view.
        """
        found = self.relation(name)
        if not isinstance(found, TableRow):
            raise not_a_table(found.sql_name)
        return found

    def relation(self, name: tuple[str, ...]) -> Relation:
        """The table or view of that name, which may be one of the session's.

        :raises SqlError: there is none, or several.
        """
        entry = self._entry(name)
        if entry.view is not None and entry.id is None:
            return entry.view
        if entry.id is None:
            raise NotFound("table", TableName(name).sql)
        if entry.view is not None:
            return self.unit.views.get(entry.id)
        return self.unit.tables.get(entry.id)

    def _entry(self, name: tuple[str, ...]) -> Entry:
        views = SessionViews(self.session.views, self.session.global_views)
        return Resolver(self.directory, self.catalog, self.schema, views).table(name)

    def function(self, name: tuple[str, ...]) -> FunctionText | None:
        """The function that somebody made of that name; None if there is none."""
        functions = SessionFunctions(self.session.functions)
        routines = UnitRoutines(self.unit)
        resolver = Resolver(
            self.directory, self.catalog, self.schema, routines=routines, functions=functions
        )
        return resolver.function(name)

    def schema_node(self, name: tuple[str, ...]) -> Node:
        """The schema of that name, the current one for none.

        :raises NotFound: the caller sees no such schema.
        """
        if len(name) > 2:
            raise NotFound("schema", TableName(name).sql)
        parts = name or (self.schema,)
        catalog = parts[0] if len(parts) == 2 else self.catalog
        return self.unit.securables.schema(catalog, parts[-1])

    def children(self, parent_id: int | None) -> Sequence[Node]:
        """All that is right beneath something, by name."""
        nodes: list[Node] = []
        after: str | None = None
        while True:
            page = self.unit.securables.children(parent_id, limit=PAGE, after=after)
            nodes += page.items
            after = page.after
            if after is None:
                return nodes
