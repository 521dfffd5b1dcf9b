"""Files read and written in the kernel as SQL reads and writes them: ``flowfile_ctx.read`` and
``flowfile_ctx.write``, where a format, an option or a mode is SQL's own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.frames import as_polars
from flowcat_jupyter.kernel.queries import SqlOptions, run_sql
from flowcat_jupyter.kernel.refs import TableRef, table_ref
from flowcat_jupyter.kernel.sending import frames_named
from flowcat_jupyter.kernel.sources import (
    Options,
    as_options,
    layered,
    save_mode,
    spark_named,
    text,
)
from flowcat_jupyter.kernel.tables import write_table
from flowcat_jupyter.shared.errors import Invalid, NotFound, SqlError
from flowcat_jupyter.shared.extensions import FORMATS
from flowcat_jupyter.shared.names import TableName, text_literal
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire_plans import OptionLayer, Source

if TYPE_CHECKING:
    import polars as pl

Place: TypeAlias = "str | os.PathLike[str]"
LAKES = ("delta", "iceberg")
_ANYWHERE = ("rate", "socket", "noop", "console")


def format_of(name: str) -> Any:
    """The format called ``name`` among those that come with the product.

    :raises NotFound: there is none.
    """
    registry: Registry[Any] = Registry("format")
    for known, target in FORMATS.items():
        registry.register(known, target)
    return registry.get(name)


def is_format(name: str) -> bool:
    """Whether a format of that name comes with the product."""
    return name.casefold() in {known.casefold() for known in FORMATS}


@dataclass(frozen=True)
class SqlReader:
    """How files are to be read as SQL reads them; every method gives a new reader."""

    _format: str
    _options: Options = ()
    _schema: str | None = None

    def format(self, name: str) -> SqlReader:
        """Another format, by its name in SQL."""
        format_of(name)
        return replace(self, _format=name)

    def option(self, key: str, value: object) -> SqlReader:
        """Set an option, by its name in SQL's OPTIONS; one that the format does not have is
        refused when the files are read.
        """
        return replace(self, _options=(*self._options, (key, text(value))))

    def options(self, **values: object) -> SqlReader:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def schema(self, ddl: str) -> SqlReader:
        """The columns in place of those that would be found: ``"id bigint, name string"``."""
        return replace(self, _schema=ddl)

    def load(self, path: Place | Sequence[Place] | None = None) -> pl.LazyFrame:
        """The rows of a file, a folder, a pattern or several of them, by SQL's rules.

        Folders called ``name=value`` are columns. Rows are read when the frame is collected.

        :raises NotFound: there is no such file.
        :raises Invalid: an option or the schema does not suit the format.
        """
        from flowcat_jupyter.kernel.tables import as_declared
        from flowcat_jupyter.shared.wire_plans import Column

        if self._format.casefold() in LAKES:
            return as_declared(format_of(self._format).scan(self._versioned(path)))
        fields = () if self._schema is None else _fields(self._schema)
        source = Source(
            "r1",
            "table",
            (),
            self._format.casefold(),
            _location(self._format, path, self._options),
            options=_layers(self._options),
            columns=tuple(Column(name, ddl) for name, ddl in fields),
        )
        return as_declared(format_of(self._format).scan(source))

    def _versioned(self, path: Place | Sequence[Place] | None) -> Source:
        """A lake's table where it lies, at the version that the options say."""
        if self._schema is not None:
            raise Invalid(f"{self._format} tables have columns of their own.")
        said = {key.casefold().replace("_", ""): (key, v) for key, v in self._options}
        version, timestamp = said.pop("versionasof", None), said.pop("timestampasof", None)
        said.pop("path", None)
        if said:
            name = next(iter(said.values()))[0]
            raise Invalid(
                f"There is no option {name} to read {self._format}.",
                condition="INVALID_OPTIONS",
                sqlstate="42K06",
                hint="Its options are timestampAsOf, versionAsOf.",
            )
        if version is not None and not version[1].isdigit():
            raise Invalid(f"The option {version[0]} is a number, not {version[1]!r}.")
        return Source(
            "r1",
            "table",
            (),
            self._format.casefold(),
            _location(self._format, path, self._options),
            None if version is None else int(version[1]),
            None if timestamp is None else timestamp[1],
        )


def _fields(ddl: str) -> tuple[tuple[str, str], ...]:
    from flowcat_jupyter.shared.types import parse_type

    return tuple((item.name, item.type.ddl) for item in parse_type(f"struct<{ddl}>").fields)


def _layers(options: Options) -> tuple[OptionLayer, ...]:
    """The options but for the path, which is no option of a format."""
    return layered(tuple((key, value) for key, value in options if key.casefold() != "path"))


def _location(format: str, path: Place | Sequence[Place] | None, options: Options) -> str:
    from flowcat_jupyter.storage.patterns import joined

    given = next((value for key, value in options if key.casefold() == "path"), None)
    places = [given] if path is None and given else _places(path)
    if not places:
        if format.casefold() in _ANYWHERE:
            return ""
        raise Invalid("There is no file to read.", hint="Name a file or a folder: load(path).")
    return joined([_absolute(place) for place in places])


def _places(path: Place | Sequence[Place] | None) -> list[Place]:
    if path is None:
        return []
    return [path] if isinstance(path, (str, os.PathLike)) else list(path)


def _absolute(place: Place) -> str:
    return os.path.normpath(Path(place).expanduser().absolute())


@dataclass(frozen=True)
class SqlWriter:
    """How rows are to be saved as SQL saves them; every method gives a new writer."""

    _data: Any
    _format: str
    _options: Options = ()
    _mode: str = "error"
    _partition_by: tuple[str, ...] = ()
    _client: Client | None = None

    def option(self, key: str, value: object) -> SqlWriter:
        """Set an option, by its name in SQL's OPTIONS."""
        return replace(self, _options=(*self._options, (key, text(value))))

    def options(self, **values: object) -> SqlWriter:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def mode(self, name: str) -> SqlWriter:
        """What to do where something is: ``error`` (by default), ``ignore``, ``append`` or
        ``overwrite``.
        """
        return replace(self, _mode=save_mode(name))

    def partition_by(self, *columns: str) -> SqlWriter:
        """Put rows into folders by the values of columns, which are then in no file."""
        return replace(self, _partition_by=columns)

    def save(self, path: Place | None = None) -> int:
        """Save all rows as files in a folder, together or not at all; how many they were.

        :raises AlreadyExists: something is there, and the mode is ``error``.
        :raises Invalid: an option does not suit the format, or it cannot hold the rows.
        """
        from flowcat_jupyter.formats.protocol import SinkFormat
        from flowcat_jupyter.formats.types import queryable, spark_columns

        sink = format_of(self._format)
        if not isinstance(sink, SinkFormat) or self._format.casefold() in LAKES:
            raise Invalid(
                f"{self._format} is not saved to a path.",
                hint="Write a table: write(df).save_as_table(name).",
            )
        frame = queryable(as_polars(self._data).lazy())
        given = next((v for k, v in self._options if k.casefold() == "path"), None)
        place = given if path is None else path
        return sink.save(
            frame,
            location=None if place is None else _absolute(place),
            mode=self._mode,
            options=_layers(self._options),
            partition_by=self._partition_by,
            columns=spark_columns(frame.collect_schema()),
        )

    def save_as_table(self, name: str) -> TableRef:
        """Save all rows as a table of the catalog's, in this format.

        ``append`` and ``overwrite`` make a table that is not there, and match columns by name.

        :raises AlreadyExists: it is there, and the mode is ``error``.
        """
        return save_as_table(
            self._client,
            self._data,
            name,
            self._format,
            self._mode,
            self._partition_by,
            self._options,
        )

    def __getattr__(self, name: str) -> Any:
        """A method by Spark's name for it: ``partitionBy``, ``saveAsTable``."""
        return spark_named(self, name)


def save_as_table(
    client: Client | None,
    data: Any,
    name: str,
    format: str,
    mode: str,
    partition_by: Sequence[str] = (),
    options: Options = (),
) -> TableRef:
    """Save rows as a table of the catalog's; see `SqlWriter.save_as_table`."""
    if client is None:
        raise Invalid("There is no catalog to save to.", hint="Use flowfile_ctx.write(df).")
    parsed = TableName.parse(name)
    there = _there(client, parsed)
    if there is not None and mode == "ignore":
        return there
    if format.casefold() == "delta" and not options:
        return table_ref(
            client,
            write_table(
                client,
                data,
                parsed.sql,
                write_mode="error" if mode == "ignore" else mode,
                partition_by=partition_by if there is None else (),
            ),
        )
    creates = there is None or mode in ("error", "ignore")
    query = _created(parsed, format, partition_by, options) if creates else _added(parsed, mode)
    frames = frames_named(query, {"rows": data}, "")
    run_sql(client, query, SqlOptions(frames=frames))
    return table_ref(client, client.get("catalog/tables/resolve", name=parsed.sql))


def _there(client: Client, name: TableName) -> TableRef | None:
    try:
        return table_ref(client, client.get("catalog/tables/resolve", name=name.sql))
    except NotFound:
        return None
    except SqlError as error:
        if error.condition == "TABLE_OR_VIEW_NOT_FOUND":
            return None
        raise


def _created(name: TableName, format: str, partition_by: Sequence[str], options: Options) -> str:
    parts = [f"CREATE TABLE {name.sql} USING {TableName((format,)).sql}"]
    if options:
        said = ", ".join(f"{text_literal(key)} {text_literal(value)}" for key, value in options)
        parts.append(f"OPTIONS ({said})")
    if partition_by:
        columns = ", ".join(TableName((column,)).sql for column in partition_by)
        parts.append(f"PARTITIONED BY ({columns})")
    return " ".join((*parts, "AS SELECT * FROM :rows"))


def _added(name: TableName, mode: str) -> str:
    verb = "INTO" if mode == "append" else "OVERWRITE"
    return " ".join(("INSERT", verb, name.sql, "BY NAME SELECT * FROM :rows"))


def takes(format: str, key: str) -> bool:
    """Whether SQL's reader of a format has an option."""
    return _has(getattr(format_of(format), "read_options", ()), key)


def writes(format: str, key: str) -> bool:
    """Whether SQL's writer of a format has an option."""
    return _has(getattr(format_of(format), "write_options", ()), key)


def _has(known: Sequence[Any], key: str) -> bool:
    from flowcat_jupyter.formats.options import option_key

    return option_key(key) in {
        option_key(name) for option in known for name in (option.name, *option.also)
    }
