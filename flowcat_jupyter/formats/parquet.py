"""Parquet files as a table that can only be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from glob import has_magic
from pathlib import Path, PurePath

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.parquet_scan import Files, path_values, read_parquet, scan_files
from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.formats.types import exactly, spark_columns, to_storable, widened
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.names import quote
from flowcat_jupyter.shared.wire import HistoryInfo, Source, TableFacts
from flowcat_jupyter.storage.paths import check_inside, local_path

_INTEGER = re.compile(r"(0|-?[1-9][0-9]{0,17})\Z")
_UNSIGNED = (pl.UInt8, pl.UInt16, pl.UInt32)


class ParquetFormat:
    """One Parquet file, a folder of them (``name=value`` folders are columns), or a glob pattern.

    There are no versions; a file that changes while it is read may give an error.
    """

    name = "parquet"

    def scan(self, source: Source) -> Scan:
        """Open the files as they are now.

        Types without a Spark counterpart are converted, with a warning: times to text, durations
        to microseconds.
        """
        label = _label(source)
        _refuse_version(source, label)
        files = _open(source.location, label)
        frame, warnings = _convertible(scan_files(_widened(files)))
        columns = spark_columns(_declared(files))
        return Scan(frame=to_storable(frame), columns=columns, version=None, warnings=warnings)

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and size from the files' footers."""
        files = _open(source.location, _label(source))
        rows = read_parquet(files.paths, _widened(files).stored)
        return TableFacts(
            format=self.name,
            columns=spark_columns(_declared(files)),
            partition_columns=tuple(files.partitions.names()),
            row_count=int(rows.select(pl.len()).collect().item()),
            size_bytes=sum(Path(path).stat().st_size for path in files.paths),
            version=None,
            data_files_version=None,
        )

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Nothing: Parquet files keep no history."""
        _open(source.location, _label(source))
        return HistoryInfo(entries=(), total=0)


def _label(source: Source) -> str:
    return ".".join(quote(part) for part in source.name) or source.location


def _refuse_version(source: Source, label: str) -> None:
    if source.version is not None or source.timestamp is not None:
        raise Invalid(
            f"{label} is made of Parquet files, which have no versions.",
            condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
            sqlstate="0A000",
            hint="Copy it into a Delta table to read old versions.",
        )


def _open(location: str, label: str) -> Files:
    root = local_path(location)
    paths = list(_expand(root))
    if not paths:
        raise NotFound("table data", label, hint="No Parquet file is there.")
    check_inside(paths, _fixed(root), label)
    folders = [_named(path_values(path, root)) for path in paths]
    names = list(folders[0])
    if any(list(folder) != names for folder in folders):
        raise Invalid(f"The folders of {label} are not all partitioned by the same columns.")
    values = [tuple(folder.values()) for folder in folders]
    partitions = pl.Schema(
        {name: _value_type([row[index] for row in values]) for index, name in enumerate(names)}
    )
    return Files(
        root=root,
        paths=paths,
        stored=_merged_schema(paths, partitions),
        partitions=partitions,
        values=values,
    )


def _expand(root: str) -> Iterator[str]:
    base = Path(root)
    if base.is_file():
        yield root
    elif base.is_dir():
        for path in sorted(base.rglob("*.parquet")):
            inner = path.relative_to(base)
            if path.is_file() and not any(part.startswith(("_", ".")) for part in inner.parts):
                yield str(path)
    elif has_magic(root):
        pattern = PurePath(root).relative_to("/")
        yield from (str(path) for path in sorted(Path("/").glob(str(pattern))) if path.is_file())


def _fixed(root: str) -> str:
    """The folder that a pattern is looked for in; any other location itself."""
    path = Path(root)
    if path.exists():
        return root
    return str(next(parent for parent in path.parents if not has_magic(str(parent))))


def _named(pairs: Sequence[tuple[str, str | None]]) -> dict[str, str | None]:
    return {name: value for name, value in pairs if name}


def _value_type(values: Sequence[str | None]) -> pl.DataType:
    whole = all(value is None or _INTEGER.match(value) for value in values)
    return pl.Int64() if whole else pl.String()


def _merged_schema(paths: Sequence[str], partitions: pl.Schema) -> pl.Schema:
    merged: dict[str, pl.DataType] = {}
    for path in paths:
        for name, dtype in _schema_of(path).items():
            other = merged.setdefault(name, dtype)
            if widened(other) != widened(dtype):
                raise Invalid(
                    f"Column {name} is {dtype} in {Path(path).name} and {other} in other files.",
                    hint="Convert the files to one type, or register them as separate tables.",
                )
    return pl.Schema({name: dtype for name, dtype in merged.items() if name not in partitions})


def _schema_of(path: str) -> pl.Schema:
    try:
        return pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
    except FileNotFoundError as error:
        raise Gone(f"{Path(path).name} has been removed.") from error
    except PolarsError as error:
        raise Invalid(f"{Path(path).name} is not a Parquet file that can be read.") from error


def _widened(files: Files) -> Files:
    wide = {
        name: pl.Int64() if isinstance(dtype, _UNSIGNED) else widened(dtype)
        for name, dtype in files.stored.items()
    }
    return replace(files, stored=pl.Schema(wide))


def _declared(files: Files) -> pl.Schema:
    columns = {name: _plain(dtype) for name, dtype in files.stored.items()}
    return pl.Schema({**columns, **files.partitions})


def _plain(dtype: pl.DataType) -> pl.DataType:
    if isinstance(dtype, pl.Time):
        return pl.String()
    return pl.Int64() if isinstance(dtype, pl.Duration) else dtype


def _convertible(frame: pl.LazyFrame) -> tuple[pl.LazyFrame, tuple[str, ...]]:
    changes: list[pl.Expr] = []
    warnings: list[str] = []
    for name, dtype in frame.collect_schema().items():
        if isinstance(dtype, pl.Time):
            changes.append(exactly(name).cast(pl.String))
            warnings.append(f"Column {name} holds times of day; they are read as text.")
        elif isinstance(dtype, pl.Duration):
            changes.append(exactly(name).dt.total_microseconds())
            warnings.append(f"Column {name} holds durations; they are read as microseconds.")
    return frame.with_columns(changes), tuple(warnings)


FORMAT = ParquetFormat()
"""The one instance: formats keep no state."""
