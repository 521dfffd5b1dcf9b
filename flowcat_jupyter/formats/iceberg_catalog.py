"""One Iceberg table at one metadata file, as pyiceberg's own idea of a catalog.

The catalog is our database, which only the server writes to. So a commit here writes a new
metadata file and remembers which: it is the table once the server has put it in the place of the
one it was made from, and a file that nobody needs otherwise. As each job has such a catalog of
its own, no commit of pyiceberg's can lose a race, and its own retries never begin.
"""

from __future__ import annotations

from typing import Any, NoReturn

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.io import FileIO
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, CreateTableTransaction, Table
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableRequirement, TableUpdate, update_table_metadata
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties

from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.shared.errors import Internal

IDENTIFIER = ("flowcat", "table")


class PointerCatalog(MetastoreCatalog):
    """Holds the table whose metadata file is ``pointer``; None: it is yet to be made.

    ``number`` is the least number that the next metadata file has in its name.
    """

    def __init__(self, files: LocalFiles, pointer: str | None, number: int = 0) -> None:
        """Serve one job."""
        super().__init__("flowcat")
        self.files = files
        self.pointer = pointer
        self._number = number

    def load_table(self, identifier: str | Identifier = IDENTIFIER) -> Table:
        """The table as its metadata file says."""
        if self.pointer is None:
            raise Internal("An Iceberg table was asked for before it was made.")
        metadata = FromInputFile.table_metadata(self.files.new_input(self.pointer))
        return Table(IDENTIFIER, metadata, self.pointer, self.files, self)

    def new_table(
        self, schema: Schema, location: str, spec: PartitionSpec, properties: Properties
    ) -> CreateTableTransaction:
        """A transaction whose commit makes the table."""
        return self.create_table_transaction(
            IDENTIFIER, schema, location, spec, properties=properties
        )

    def commit_table(
        self,
        table: Table,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
    ) -> CommitTableResponse:
        """Write the metadata file of a commit and remember it.

        :raises CommitFailedException: the table is not as the commit requires it.
        """
        base = None if self.pointer is None else self.load_table()
        for requirement in requirements:
            requirement.validate(base.metadata if base else None)
        metadata = update_table_metadata(
            base_metadata=base.metadata if base else self._empty_table_metadata(),
            updates=updates,
            enforce_validation=base is None,
            metadata_location=base.metadata_location if base else None,
        )
        if base is not None and metadata == base.metadata:
            return _response(metadata, base.metadata_location)
        location = self._next_location(metadata)
        self._write_metadata(metadata, self.files, location)
        self.pointer = location
        return _response(metadata, location)

    def _next_location(self, metadata: TableMetadata) -> str:
        number = self._number
        if self.pointer is not None:
            number = max(number, metadata_number(self.pointer) + 1)
        provider = load_location_provider(metadata.location, metadata.properties)
        return provider.new_table_metadata_file_location(number)

    def _load_file_io(
        self, properties: Properties = EMPTY_DICT, location: str | None = None
    ) -> FileIO:
        return self.files

    @staticmethod
    def _delete_old_metadata(io: FileIO, base: TableMetadata, metadata: TableMetadata) -> None:
        """Keep them: until the server has recorded a commit, an old one is the table."""

    def _absent(self, *_args: Any, **_more: Any) -> NoReturn:
        raise Internal("The catalog of an Iceberg table's job holds this one table.")

    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        """The one table."""
        return [IDENTIFIER]

    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        """The one namespace."""
        return [IDENTIFIER[:1]]

    def list_views(self, namespace: str | Identifier) -> list[Identifier]:
        """None."""
        return []

    def view_exists(self, identifier: str | Identifier) -> bool:
        """Never."""
        return False

    def load_namespace_properties(self, namespace: str | Identifier) -> Properties:
        """None."""
        return {}

    create_table = _absent
    register_table = _absent
    register_view = _absent
    drop_table = _absent
    rename_table = _absent
    create_namespace = _absent
    drop_namespace = _absent
    update_namespace_properties = _absent
    load_view = _absent
    drop_view = _absent


def _response(metadata: TableMetadata, location: str) -> CommitTableResponse:
    return CommitTableResponse.model_validate({"metadata": metadata, "metadata-location": location})


def metadata_number(pointer: str) -> int:
    """The number in a metadata file's name; -1 where it has none."""
    return PointerCatalog._parse_metadata_version(pointer)
