"""Text and binary files as tables: a row for every line, or for every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.options import Option, Options, flag
from flowcat_jupyter.formats.source_listing import DataFile, Listed
from flowcat_jupyter.formats.source_texts import (
    COMPRESSION,
    ENCODING,
    LINE_SEPARATOR,
    line_blocks,
    opened_text,
)
from flowcat_jupyter.formats.types import UTC_TIMESTAMP
from flowcat_jupyter.shared.errors import Forbidden, Invalid, LimitExceeded
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

MAX_CELL = 1 << 30


class TextReader:
    """A row for every line, or with ``wholeText`` for every file; see `FileReader`."""

    name = "text"
    options: tuple[Option, ...] = (
        flag("wholeText", False),
        ENCODING,
        LINE_SEPARATOR,
        COMPRESSION,
    )

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """The one column, ``value``."""
        return (Column("value", "string"),)

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse anything but one column of text."""
        for column in columns:
            if parse_type(column.type).kind != "string":
                raise Invalid(
                    f"Text files have no column {column.name} of type {column.type}.",
                    condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                    sqlstate="0A000",
                    hint="A text file has one column, of type STRING.",
                )
        if len(columns) != 1:
            raise Invalid(
                "Text files have one column, of type STRING.",
                condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                sqlstate="0A000",
            )

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """A file's lines."""
        name = columns[0].name
        if not options["wholeText"]:
            for lines in line_blocks(file.path, options["encoding"], options["lineSep"]):
                yield pl.DataFrame({name: pl.Series(lines, dtype=pl.String)})
            return
        with opened_text(file.path, options["encoding"], as_is=True) as text:
            whole = text.read(MAX_CELL + 1)
        if len(whole) > MAX_CELL:
            raise _too_long(file)
        yield pl.DataFrame({name: pl.Series([whole], dtype=pl.String)})


class BinaryReader:
    """A row for every file; see `FileReader`."""

    name = "binary"
    options: tuple[Option, ...] = ()
    _columns = (
        Column("path", "string"),
        Column("modificationTime", "timestamp"),
        Column("length", "bigint"),
        Column("content", "binary"),
    )

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """``path``, ``modificationTime``, ``length`` and ``content``."""
        return self._columns

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse columns that are not of these."""
        known = {name_key(column.name): column.type for column in self._columns}
        for column in columns:
            if known.get(name_key(column.name)) != parse_type(column.type).ddl:
                listed = ", ".join(f"{c.name} {c.type.upper()}" for c in self._columns)
                raise Invalid(
                    f"Binary files have no column {column.name} of type {column.type}.",
                    condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                    sqlstate="0A000",
                    hint=f"Their columns are {listed}.",
                )

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """The file."""
        path = Path(file.path)
        stat = path.stat()
        if stat.st_size > MAX_CELL:
            raise _too_long(file)
        try:
            content = path.read_bytes()
        except PermissionError as error:
            raise Forbidden("read", "file", path.name) from error
        values: dict[str, tuple[object, pl.DataType]] = {
            "path": (file.path, pl.String()),
            "modificationtime": (datetime.fromtimestamp(stat.st_mtime, UTC), UTC_TIMESTAMP),
            "length": (len(content), pl.Int64()),
            "content": (content, pl.Binary()),
        }
        yield pl.DataFrame(
            pl.Series(
                column.name, [values[name_key(column.name)][0]], values[name_key(column.name)][1]
            )
            for column in columns
        )


def _too_long(file: DataFile) -> LimitExceeded:
    return LimitExceeded(
        f"{Path(file.path).name} is too long to be one value ({MAX_CELL >> 20} MB at most)."
    )
