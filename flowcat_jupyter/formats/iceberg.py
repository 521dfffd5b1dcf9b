"""The Iceberg table format."""

from __future__ import annotations

from flowcat_jupyter.formats.iceberg_install import INSTALL
from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.shared.errors import NotInstalled
from flowcat_jupyter.shared.wire import HistoryInfo, Source, TableFacts

try:
    from flowcat_jupyter.formats.iceberg_facts import table_facts, table_history
    from flowcat_jupyter.formats.iceberg_open import open_at
    from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg
    from flowcat_jupyter.formats.iceberg_table import IcebergTable
except ModuleNotFoundError as error:
    raise NotInstalled("Iceberg", INSTALL) from error


class IcebergFormat:
    """Iceberg tables in folders of this machine: see `TableFormat` for what each method promises.

    A source's ``pointer`` is the metadata file that the catalog keeps; without one the newest in
    the folder is read.
    """

    name = "iceberg"

    def open(self, source: Source) -> OpenedIceberg:
        """Open a table, pinned to the files of one snapshot."""
        return OpenedIceberg(open_at(source))

    def scan(self, source: Source) -> Scan:
        """All rows of a table."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and versions from the metadata."""
        return table_facts(open_at(source))

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """At most ``limit`` snapshots, newest first."""
        return table_history(open_at(source), limit)

    def written_from(self, name: tuple[str, ...], pointer: str | None) -> IcebergTable:
        """A table that a job writes: the one at ``pointer``, or None for a new one."""
        return IcebergTable(name, pointer)


FORMAT = IcebergFormat()
"""The one instance; it keeps nothing."""
