"""Where a command looks: one caller's Unit, with one current catalog and schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.catalog.store.rows import Node, TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import TableName

PAGE = 1000


@dataclass(frozen=True)
class Scene:
    """What a command is answered from; times are told in ``zone``."""

    unit: Unit
    directory: UnitDirectory
    catalog: str
    schema: str
    session: SqlSession
    zone: ZoneInfo

    def table(self, name: tuple[str, ...]) -> TableRow:
        """The table of that name.

        :raises SqlError: there is none, or several.
        """
        found = Resolver(self.directory, self.catalog, self.schema).table(name)
        if found.id is None:
            raise NotFound("table", TableName(name).sql)
        return self.unit.tables.get(found.id)

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
