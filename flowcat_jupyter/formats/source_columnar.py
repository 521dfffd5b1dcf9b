"""Arrow and Avro files as tables: they bring their own types, and columns go by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import ColumnNotFoundError, PolarsError

from flowcat_jupyter.formats.delta_assign import Cast, cast_kind
from flowcat_jupyter.formats.options import Option, Options
from flowcat_jupyter.formats.source_listing import DataFile, Listed
from flowcat_jupyter.formats.types import (
    exactly,
    polars_type,
    queryable,
    spark_columns,
    with_texts,
)
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

_SPANS = (pl.Time, pl.Duration)


class ColumnarReader:
    """Files that bring their own types; see `FileReader`."""

    options: tuple[Option, ...] = ()

    def __init__(self, name: str, scan: Callable[[Path], pl.LazyFrame]) -> None:
        """The format ``name``, a file of which ``scan`` opens."""
        self.name = name
        self._scan = scan

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """The columns of the first file.

        :raises Invalid: another file has others.
        """
        first, *others = files.files
        found = self._columns(first)
        for file in others:
            own = self._columns(file)
            if {(name_key(c.name), c.type) for c in own} != {
                (name_key(c.name), c.type) for c in found
            }:
                raise Invalid(
                    f"{Path(file.path).name} has other columns than {Path(first.path).name}.",
                    hint="Declare the columns: what a file lacks is then NULL in it.",
                )
        return found

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Any type may be there."""

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """A file's rows; a column that it lacks is NULL."""
        label = Path(file.path).name
        frame = self._opened(file)
        own = {name_key(name): (name, dtype) for name, dtype in frame.collect_schema().items()}
        parts = [fitted(column, own.get(name_key(column.name)), label) for column in columns]
        try:
            yield from frame.select(parts).collect_batches(maintain_order=True, lazy=True)
        except PolarsError as error:
            raise _unreadable(label, error) from error

    def _columns(self, file: DataFile) -> tuple[Column, ...]:
        return tuple(
            Column(c.name, "string" if c.type == "void" else c.type)
            for c in spark_columns(self._opened(file).collect_schema())
        )

    def _opened(self, file: DataFile) -> pl.LazyFrame:
        path = Path(file.path)
        try:
            frame = self._scan(path)
            spans = [
                exactly(name).dt.to_string("iso")
                if isinstance(dtype, pl.Time)
                else exactly(name).dt.total_microseconds()
                for name, dtype in frame.collect_schema().items()
                if isinstance(dtype, _SPANS)
            ]
            return queryable(frame.with_columns(spans))
        except FileNotFoundError:
            raise
        except (PolarsError, OSError) as error:
            raise _unreadable(path.name, error) from error


def fitted(column: Column, own: tuple[str, pl.DataType] | None, label: str) -> pl.Expr:
    """A declared column out of the one that a file has, NULL if it has none.

    :raises Invalid: values could change on the way.
    """
    dtype = polars_type(column.type)
    if own is None:
        return pl.lit(None, dtype=dtype).alias(column.name)
    name, stored = own
    value = exactly(name)
    if stored == dtype:
        return value.alias(column.name)
    if isinstance(stored, pl.Datetime) and isinstance(dtype, pl.Datetime):
        # Avro says of no time in which zone it is; instants are written in UTC.
        return value.dt.replace_time_zone(dtype.time_zone).alias(column.name)
    if not _alike(stored, dtype) and cast_kind(with_texts(stored), dtype) is not Cast.FREE:
        raise Invalid(
            f"Column {name} is {stored} in {label}, which is not read as {column.type}.",
            condition="FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
            sqlstate="KD001",
            hint="Declare the type that the files have, and CAST in the query.",
        )
    return value.cast(dtype).alias(column.name)


def _alike(stored: pl.DataType, declared: pl.DataType) -> bool:
    """Whether types differ in the widths of integers alone: none of them is cut, a value that does
    not fit is an error.
    """
    if isinstance(stored, pl.List) and isinstance(declared, pl.List):
        return _alike(_made(stored.inner), _made(declared.inner))
    if isinstance(stored, pl.Struct) and isinstance(declared, pl.Struct):
        pairs = zip(stored.fields, declared.fields, strict=False)
        return len(stored.fields) == len(declared.fields) and all(
            own.name == wanted.name and _alike(_made(own.dtype), _made(wanted.dtype))
            for own, wanted in pairs
        )
    return stored == declared or (stored.is_integer() and declared.is_integer())


def _made(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def _unreadable(label: str, error: Exception) -> Invalid:
    if isinstance(error, ColumnNotFoundError):
        return Invalid(f"{label} changed while it was read.", hint="Read it again.")
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return Invalid(
        f"{label} cannot be read: {reason}.",
        condition="FAILED_READ_FILE.NO_HINT",
        sqlstate="KD001",
        hint="It may be damaged, or of another format.",
    )


def scan_arrow(path: Path) -> pl.LazyFrame:
    """An Arrow IPC file, or a stream, which is read into memory."""
    with path.open("rb") as raw:
        is_file = raw.read(6) == b"ARROW1"
    return pl.scan_ipc(path) if is_file else pl.read_ipc_stream(path).lazy()


def scan_avro(path: Path) -> pl.LazyFrame:
    """An Avro file, read into memory."""
    return pl.read_avro(path).lazy()
