"""Parquet, Arrow and Avro files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

import polars as pl

from flowcat_jupyter.formats.options import Option, Options, choice, number, refused
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

_PARQUET = ("none", "uncompressed", "snappy", "gzip", "brotli", "lz4", "lz4_raw", "zstd")
_PLAIN = ("none", "uncompressed")
_ROWS = "Set maxRowGroupSize to the rows of a group, or leave it out."


class ParquetWriter:
    """See `FileWriter`."""

    options: tuple[Option, ...] = (
        choice("compression", _PARQUET, "zstd", "codec"),
        number("maxRowGroupSize", None, least=1),
        refused("parquet.block.size", _ROWS),
    )

    def suffix(self, options: Options) -> str:
        """``.parquet``."""
        return ".parquet"

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Parquet holds everything."""

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """One file."""
        said = options["compression"]
        packing = {"none": "uncompressed", "lz4_raw": "lz4"}.get(said, said)
        frame.sink_parquet(
            path,
            compression=cast(Literal["zstd"], packing),
            row_group_size=options["maxRowGroupSize"],
        )


class ArrowWriter:
    """Arrow IPC files; see `FileWriter`."""

    options: tuple[Option, ...] = (
        choice("compression", (*_PLAIN, "lz4", "zstd"), "none", "codec"),
    )

    def suffix(self, options: Options) -> str:
        """``.arrow``."""
        return ".arrow"

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Arrow holds everything."""

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """One file."""
        said = options["compression"]
        packing = "uncompressed" if said in _PLAIN else said
        frame.sink_ipc(path, compression=cast(Literal["zstd"], packing))


class AvroWriter:
    """Avro files, each made in memory; see `FileWriter`."""

    options: tuple[Option, ...] = (
        choice("compression", (*_PLAIN, "deflate", "snappy"), "snappy", "codec"),
    )

    def suffix(self, options: Options) -> str:
        """``.avro``."""
        return ".avro"

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse names that Avro has not."""
        for column in columns:
            if not column.name.isidentifier() or not column.name.isascii():
                raise Invalid(
                    f"Avro files have no column called {column.name}.",
                    condition="INVALID_COLUMN_NAME_AS_PATH",
                    sqlstate="46121",
                    hint="Names in Avro are letters, digits and underscores: rename it with AS.",
                )

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """One file; instants are kept in UTC, narrow integers as INT."""
        said = options["compression"]
        packing = "uncompressed" if said in _PLAIN else said
        rows = frame.with_columns(_avro(column) for column in columns).collect()
        rows.write_avro(path, compression=cast(Literal["snappy"], packing), name="row")


def _avro(column: Column) -> pl.Expr:
    kind, value = parse_type(column.type).kind, exactly(column.name)
    if kind in ("tinyint", "smallint"):
        return value.cast(pl.Int32)
    return value.dt.replace_time_zone(None) if kind == "timestamp" else value
