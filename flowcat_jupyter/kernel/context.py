"""``flowfile_ctx``: the catalog as seen from a notebook."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.files import FORMATS as WRITE_FORMATS
from flowcat_jupyter.kernel.files import FileWriter
from flowcat_jupyter.kernel.frames import as_form, as_polars, check_form
from flowcat_jupyter.kernel.grid import bundle
from flowcat_jupyter.kernel.outcome import counts
from flowcat_jupyter.kernel.queries import SqlOptions, complete, run_sql
from flowcat_jupyter.kernel.reading import FORMATS as READ_FORMATS
from flowcat_jupyter.kernel.reading import FileReader
from flowcat_jupyter.kernel.refs import (
    CatalogRef,
    SchemaRef,
    TableRef,
    find_node,
    nodes,
    table_ref,
)
from flowcat_jupyter.kernel.sending import frames_named
from flowcat_jupyter.kernel.sources import SOURCES
from flowcat_jupyter.kernel.tables import read_table, write_table
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import TableName

if TYPE_CHECKING:
    import polars as pl


class FlowfileContext:
    """Reads and writes the catalog as the person whose kernel this is.

    Tables are named ``table``, ``schema.table`` or ``catalog.schema.table``, in any case; parts
    with other characters are quoted as in SQL. Every method that asks the server raises
    `Unavailable` when it does not answer, and `NotFound` for what is hidden as for what is not
    there.
    """

    def __init__(self, client: Client) -> None:
        """Ask the server through ``client``, and not before a method needs it."""
        self._client = client

    def read_catalog_table(
        self,
        table: str | TableRef,
        *,
        schema: str | SchemaRef | None = None,
        version: int | None = None,
        timestamp: str | date | None = None,
        delta_version: int | None = None,
    ) -> pl.LazyFrame:
        """The rows of a table, as a lazy frame that is a snapshot.

        The version is fixed now: the newest, or ``version`` (``delta_version`` is the same), or
        the one that was current at ``timestamp`` (text is read in the session's time zone). What
        others write later does not show, however late the frame is collected. Columns have their
        declared types; timestamps are microseconds in UTC.

        :raises Gone: the data of that version have been removed.
        :raises Invalid: there is no such version.
        """
        if version is not None and delta_version is not None:
            raise Invalid("version and delta_version are the same thing.", hint="Give one.")
        return read_table(
            self._client,
            full_name(table, schema),
            version=delta_version if version is None else version,
            timestamp=timestamp,
        )

    def write_catalog_table(
        self,
        df: Any,
        table: str | TableRef,
        *,
        schema: str | SchemaRef | None = None,
        write_mode: str = "overwrite",
        merge_keys: Sequence[str] | None = None,
        partition_by: Sequence[str] | None = None,
        description: str | None = None,
    ) -> TableRef:
        """Write a frame as one new version of a table, which is made if it is not there.

        ``df`` is a polars frame (a lazy one is streamed), a pandas frame or Arrow data.
        ``write_mode``: ``overwrite``; ``overwrite_partitions``, which takes away only the rows of
        partitions that the frame has rows in; ``error`` (only if there is no table); ``append``;
        ``upsert``, ``update`` and ``delete``, which find rows by ``merge_keys``. ``partition_by``
        and ``description`` are for a table that is made. Either the whole frame is written or
        nothing.

        :raises Conflict: somebody else wrote the table meanwhile; both versions are named.
        :raises Invalid: columns or values do not fit the table; nothing has been written.
        """
        reply = write_table(
            self._client,
            df,
            full_name(table, schema),
            write_mode=write_mode,
            merge_keys=merge_keys or (),
            partition_by=partition_by or (),
            description=description,
        )
        return table_ref(self._client, reply)

    @property
    def read(self) -> FileReader:
        """Read files of your own, by the rules of an import: ``read.load("in/*.csv")``."""
        return FileReader(_client=self._client)

    def write(self, df: Any) -> FileWriter:
        """Write to a file of your own: ``write(df).format("parquet").save(path)``."""
        return FileWriter(df, _client=self._client)

    def register_data_source(self, cls: type) -> str:
        """Let `read` and `write` know a class of data sources by the name it gives itself.

        It is known in this kernel alone, and its code runs here. The server never gets it: to use
        it in SQL, put it into a package that is installed where the server runs.

        :raises AlreadyExists: a format or an installed data source has the name.
        :raises Invalid: it is no class of data sources.
        """
        return SOURCES.register(cls, (*READ_FORMATS, *WRITE_FORMATS))

    def sql(self, query: str, *, as_: str = "polars", **params: Any) -> Any:
        """Every row of a query's last result; ``:name`` in it is the value of ``name=``.

        After FROM and JOIN it is a frame: ``sql("SELECT * FROM :df", df=frame)`` reads a polars
        frame (a lazy one is computed), a pandas DataFrame or Arrow data as it is now. A
        RecordBatchReader is used up by it. ``as_`` is the form of the answer: ``polars``,
        ``pandas`` or ``arrow``. A statement without rows gives one row that counts those it wrote:
        ``num_affected_rows``, and of them ``num_inserted_rows``, ``num_updated_rows`` and
        ``num_deleted_rows``; NULL where it is not about rows. Columns of the same name become
        ``x``, ``x_2``, with a warning.

        :raises SqlError: the text is wrong, with line and column (from 1).
        :raises LimitExceeded: the result, or a frame, is larger than the server's limit on bytes.
        :raises NotInstalled: the form needs pandas or pyarrow, which is not there.
        """
        check_form(as_)
        frames = frames_named(query, params, "Give it by name: sql(query, df=df).")
        bound = {name: value for name, value in params.items() if name not in frames}
        options = SqlOptions(params=bound, frames=frames)
        result = complete(run_sql(self._client, query, options), "the result")
        for text in result.warnings:
            warnings.warn(text, stacklevel=2)
        return as_form(counts(result) if result.frame is None else result.frame, as_)

    def list_catalogs(self) -> list[CatalogRef]:
        """The catalogs you may see, by name."""
        return [CatalogRef(node["name"], self._client) for node in nodes(self._client, None)]

    def list_schemas(self, catalog: str | CatalogRef | None = None) -> list[SchemaRef]:
        """The schemas of a catalog, by default of every catalog."""
        if catalog is None:
            return [schema for known in self.list_catalogs() for schema in known.list_schemas()]
        chosen = catalog if isinstance(catalog, CatalogRef) else self.get_catalog(catalog)
        return chosen.list_schemas()

    def list_catalog_tables(self, schema: str | SchemaRef | None = None) -> list[TableRef]:
        """The tables and views of a schema, by default of `default_schema`."""
        if schema is None:
            return self.default_schema.list_tables()
        if isinstance(schema, SchemaRef):
            return schema.list_tables()
        parts = TableName.parse(schema).parts
        if len(parts) > 2:
            raise Invalid(f"{schema!r} is not a schema.", hint="Write catalog.schema.")
        catalog = parts[0] if len(parts) == 2 else self.default_schema.catalog
        return SchemaRef(catalog, parts[-1], self._client).list_tables()

    def get_catalog(self, name: str) -> CatalogRef:
        """The catalog called ``name``.

        :raises NotFound: there is none that you may see.
        """
        node = find_node(self._client, None, TableName.parse(name).leaf)
        return CatalogRef(node["name"], self._client)

    @property
    def default_schema(self) -> SchemaRef:
        """Where SQL looks for names of one part first: the server's default, or what USE said."""
        current = self._client.current
        if current is not None:
            return SchemaRef(current["catalog"], current["schema"], self._client)
        status = self._client.get("catalog/status")
        return SchemaRef(status["default_catalog"], status["default_schema"], self._client)

    def from_data(
        self, location: str | os.PathLike[str], table: str, *, description: str | None = None
    ) -> TableRef:
        """Take a Delta folder already under the catalog's storage into the catalog."""
        reply = self._client.post(
            "catalog/tables/from-data",
            {"table": table, "location": str(location), "description": description},
        )
        return table_ref(self._client, reply)

    def refresh(self, table: str | TableRef) -> TableRef:
        """Let the catalog read a table's schema and counts from its log again."""
        reply = self._client.get("catalog/tables/resolve", name=full_name(table, None))
        return table_ref(self._client, reply).refresh()

    def is_dry_run(self) -> bool:
        """Whether this run is only to find out what it would give; never so in a notebook."""
        return False

    def display(self, obj: Any, title: str | None = None, max_rows: int = 100) -> None:
        """Show a frame as a grid of its first ``max_rows`` rows, or anything as IPython does."""
        from IPython.core.display_functions import display

        show: Callable[..., object] = display
        frame = _as_frame(obj)
        if title is not None:
            sys.stdout.write(f"{title}\n")
        if frame is None:
            show(obj)
            return
        note = many(frame.height, "row")
        if frame.height > max_rows:
            note = f"first {max_rows:,} of {note}"
        show(bundle(frame, rows=max_rows, note=note), raw=True)

    def log(self, message: object, level: str = "INFO") -> None:
        """Print a line with its level; warnings and errors go to standard error."""
        stream = sys.stdout if level.upper() in ("DEBUG", "INFO") else sys.stderr
        stream.write(f"{level.upper()}: {message}\n")

    def log_info(self, message: object) -> None:
        """`log` with the level INFO."""
        self.log(message, "INFO")

    def log_warning(self, message: object) -> None:
        """`log` with the level WARNING."""
        self.log(message, "WARNING")

    def log_error(self, message: object) -> None:
        """`log` with the level ERROR."""
        self.log(message, "ERROR")

    def __repr__(self) -> str:
        """What a notebook shows for it."""
        return "flowfile_ctx: the catalog; try flowfile_ctx.list_catalogs()"


def full_name(table: str | TableRef, schema: str | SchemaRef | None) -> str:
    """The name to ask the server for: ``table``'s, within ``schema`` if that is given.

    :raises Invalid: both name a schema.
    """
    if isinstance(table, TableRef):
        table = table.full_name
        if schema is None:
            return table
    name = TableName.parse(table)
    if schema is None:
        return name.sql
    outer = TableName.parse(schema if isinstance(schema, str) else schema.full_name)
    if len(name.parts) > 1 or len(outer.parts) > 2:
        raise Invalid(
            f"{name} within schema {outer} is not a table's name.",
            hint="Give schema= with a table's own name alone.",
        )
    return TableName((*outer.parts, name.leaf)).sql


def _as_frame(obj: Any) -> pl.DataFrame | None:
    try:
        return as_polars(obj).lazy().collect()
    except Invalid:
        return None
