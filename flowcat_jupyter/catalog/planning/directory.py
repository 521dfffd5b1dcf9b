"""The caller's tables, read through one Unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.catalog.planning.resolver import Entry
from flowcat_jupyter.catalog.ports import Storage
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Forbidden
from flowcat_jupyter.shared.names import quote


@dataclass(frozen=True)
class UnitDirectory:
    """What a `Resolver` asks, answered from the catalog's database."""

    unit: Unit
    storage: Storage

    def tables_named(self, name: str) -> Sequence[Entry]:
        """Every visible table with this last part."""
        return [entry(row) for row in self.unit.tables.named(name)]

    def table_paths(self, limit: int) -> Sequence[tuple[str, ...]]:
        """Full names of visible tables."""
        return self.unit.tables.paths(limit)

    def path_table(self, format: str, path: str) -> Entry:
        """The table in a folder or file under an allowed root.

        Only unrestricted actors may: below a root of the server's lie other people's tables too.

        :raises Forbidden: the caller is restricted, or the path lies under no allowed root.
        :raises NotFound: there is nothing at the path.
        """
        if not self.unit.actor.unrestricted:
            raise Forbidden("read", "path", quote(path), hint="Ask for the table to be registered.")
        real = self.storage.check_external(path)
        return Entry(None, (format, Path(real).name), format, real)


def entry(row: TableRow) -> Entry:
    """A table's row as planning sees it."""
    return Entry(row.id, row.path, row.format, row.location, row.columns, row.reads)
