"""One scan over many Parquet files, some of whose columns are in their folders' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from flowcat_jupyter.formats.parquet_shape import shape_file
from flowcat_jupyter.formats.types import parsed

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_PATH = "__flowcat_path"
_PATH_TYPES = (pl.String, pl.Int64, pl.Date, pl.Boolean)
_CASTS = pl.ScanCastOptions(
    integer_cast="upcast",
    # Spark writes INT96, which reads as nanoseconds without a zone.
    datetime_cast=("nanosecond-downcast", "millisecond-upcast", "convert-timezone"),
    missing_struct_fields="insert",
    extra_struct_fields="ignore",
)


@dataclass(frozen=True)
class Files:
    """Files under ``root``. ``values`` has, for each of ``paths``, its values of ``partitions``
    as text; ``stored`` are the columns inside the files, in the types to read them as: integers
    may be wider than they are stored.
    """

    root: str
    paths: Sequence[str]
    stored: pl.Schema
    partitions: pl.Schema = field(default_factory=pl.Schema)
    values: Sequence[tuple[str | None, ...]] = ()


def scan_files(files: Files) -> pl.LazyFrame:
    """The rows of all files in one scan, however many they are: stored columns, then partitions.

    A stored column that a file lacks is NULL in it; one that nobody asked for is passed over.

    :raises Invalid: a partition value is not of its column's type.
    """
    if not files.partitions:
        return read_parquet(files.paths, files.stored)
    if partitioned_by_path(files):
        return read_parquet(files.paths, files.stored, partitions=files.partitions)
    frame = read_parquet(files.paths, files.stored, path_column=_PATH)
    return frame.with_columns(
        pl.col(_PATH)
        .replace_strict(
            pl.Series(files.paths),
            parsed([values[index] for values in files.values], dtype),
            return_dtype=dtype,
        )
        .alias(name)
        for index, (name, dtype) in enumerate(files.partitions.items())
    ).drop(_PATH)


def partitioned_by_path(files: Files) -> bool:
    """Whether polars would read from the paths just the values that `Files` says.

    If so, files that a predicate excludes are not opened. Never so under a folder with ``=`` in
    its name, which polars would take for a column as well.
    """
    if "=" in files.root:
        return False
    if not all(isinstance(dtype, _PATH_TYPES) for dtype in files.partitions.dtypes()):
        return False
    columns = files.partitions.names()
    order = sorted(range(len(columns)), key=columns.__getitem__)
    return all(
        sorted(path_values(path, files.root), key=itemgetter(0))
        == [(columns[index], values[index]) for index in order]
        for path, values in zip(files.paths, files.values, strict=True)
    )


def path_values(path: str, root: str) -> list[tuple[str, str | None]]:
    """The ``name=value`` folders between a root and a file; other folders have an empty name."""
    if not Path(path).is_relative_to(root):
        return []
    pairs = (part.partition("=") for part in Path(path).relative_to(root).parts[:-1])
    return [
        (name if mark else "", None if value == HIVE_NULL else unquote(value))
        for name, mark, value in pairs
    ]


def read_parquet(
    paths: Sequence[str],
    stored: pl.Schema,
    *,
    partitions: pl.Schema | None = None,
    path_column: str | None = None,
    row_column: str | None = None,
) -> pl.LazyFrame:
    """Scan just these files; optionally with their partitions, their paths or row numbers."""
    # Partition values are read from every path, and the shape has none in its own.
    shape = shape_file(stored) if partitions is None else None
    return pl.scan_parquet(
        [shape, *paths] if shape is not None else list(paths),
        schema=stored if shape is None else None,
        cast_options=_CASTS,
        missing_columns="insert",
        extra_columns="ignore",
        glob=False,
        hive_partitioning=partitions is not None,
        hive_schema=partitions,
        include_file_paths=path_column,
        row_index_name=row_column,
    )
