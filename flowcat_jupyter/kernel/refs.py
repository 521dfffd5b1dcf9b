"""Handles on catalogs, schemas and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from typing import TYPE_CHECKING, Any

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.tables import read_table, write_table
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.names import TableName, name_key

if TYPE_CHECKING:
    import polars as pl

PAGE = 500
_MISSING = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")


@dataclass(frozen=True)
class TableRef:
    """A table by its full name; it may not exist yet."""

    catalog: str
    schema: str
    name: str
    _client: Client = field(repr=False, compare=False)

    @property
    def full_name(self) -> str:
        """``catalog.schema.table``, quoted where needed."""
        return TableName((self.catalog, self.schema, self.name)).sql

    @property
    def columns(self) -> dict[str, str]:
        """The columns and their Spark types, as the catalog has them now."""
        return {column["name"]: column["type"] for column in self._now()["columns"]}

    @property
    def version(self) -> int | None:
        """The newest Delta version the catalog knows of; None for other formats."""
        version: int | None = self._now()["delta_version"]
        return version

    @property
    def row_count(self) -> int | None:
        """The number of rows in that version; None where it is not known without reading."""
        rows: int | None = self._now()["row_count"]
        return rows

    def exists(self) -> bool:
        """Whether there is such a table that you may see."""
        try:
            self._now()
        except FlowcatError as error:
            if isinstance(error, NotFound) or error.condition in _MISSING:
                return False
            raise
        return True

    def read(
        self, *, version: int | None = None, timestamp: str | date | None = None
    ) -> pl.LazyFrame:
        """As `FlowfileContext.read_catalog_table`."""
        return read_table(self._client, self.full_name, version=version, timestamp=timestamp)

    def write(
        self,
        df: Any,
        *,
        write_mode: str = "overwrite",
        merge_keys: Sequence[str] | None = None,
        partition_by: Sequence[str] | None = None,
        description: str | None = None,
    ) -> TableRef:
        """As `FlowfileContext.write_catalog_table`."""
        reply = write_table(
            self._client,
            df,
            self.full_name,
            write_mode=write_mode,
            merge_keys=merge_keys or (),
            partition_by=partition_by or (),
            description=description,
        )
        return table_ref(self._client, reply)

    def refresh(self) -> TableRef:
        """Let the catalog read schema and counts from the table's log again."""
        reply = self._client.post(f"catalog/tables/{self._now()['id']}/refresh", {})
        return table_ref(self._client, reply)

    def _now(self) -> Mapping[str, Any]:
        reply: Mapping[str, Any] = self._client.get("catalog/tables/resolve", name=self.full_name)
        return reply

    def _repr_html_(self) -> str:
        return f"table <b>{escape(self.full_name)}</b>"


@dataclass(frozen=True)
class SchemaRef:
    """A schema of a catalog."""

    catalog: str
    name: str
    _client: Client = field(repr=False, compare=False)

    @property
    def full_name(self) -> str:
        """``catalog.schema``, quoted where needed."""
        return TableName((self.catalog, self.name)).sql

    def table(self, name: str) -> TableRef:
        """The table ``name`` of this schema, which need not exist."""
        return TableRef(self.catalog, self.name, one_part(name), self._client)

    def list_tables(self) -> list[TableRef]:
        """The tables and views of this schema that you may see, by name."""
        node = find_node(self._client, find_node(self._client, None, self.catalog)["id"], self.name)
        return [table_ref(self._client, item) for item in nodes(self._client, node["id"])]

    def _repr_html_(self) -> str:
        return f"schema <b>{escape(self.full_name)}</b>"


@dataclass(frozen=True)
class CatalogRef:
    """A catalog."""

    name: str
    _client: Client = field(repr=False, compare=False)

    def schema(self, name: str) -> SchemaRef:
        """The schema ``name`` of this catalog, which need not exist."""
        return SchemaRef(self.name, one_part(name), self._client)

    def list_schemas(self) -> list[SchemaRef]:
        """The schemas of this catalog that you may see, by name."""
        node = find_node(self._client, None, self.name)
        return [
            SchemaRef(self.name, item["name"], self._client)
            for item in nodes(self._client, node["id"])
        ]

    def _repr_html_(self) -> str:
        return f"catalog <b>{escape(TableName((self.name,)).sql)}</b>"


def table_ref(client: Client, reply: Mapping[str, Any]) -> TableRef:
    """The handle of a table the server described."""
    catalog, schema, name = reply["full_name"]
    return TableRef(catalog, schema, name, client)


def one_part(text: str) -> str:
    """The one name in ``text``, without its quotes.

    :raises Invalid: it has several parts.
    """
    parts = TableName.parse(text).parts
    if len(parts) != 1:
        raise Invalid(f"{text!r} is several names.", hint="Give the last part alone.")
    return parts[0]


def nodes(client: Client, parent: int | None) -> Iterator[Mapping[str, Any]]:
    """Everything directly beneath a node of the catalog tree (None: the catalogs)."""
    after: str | None = None
    while True:
        page = client.get("catalog/namespaces/tree", parent=parent, limit=PAGE, after=after)
        yield from page["items"]
        after = page["after"]
        if after is None:
            return


def find_node(client: Client, parent: int | None, name: str) -> Mapping[str, Any]:
    """The catalog (no parent) or the schema called ``name``.

    :raises NotFound: there is none that you may see.
    """
    key = name_key(name)
    for node in nodes(client, parent):
        if name_key(node["name"]) == key:
            return node
    raise NotFound("catalog" if parent is None else "schema", TableName((name,)).sql)
