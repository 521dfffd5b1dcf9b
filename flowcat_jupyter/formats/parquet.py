"""Parquet files as a table that can only be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path, PurePath
from urllib.parse import unquote

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.formats.types import literal, spark_columns, to_storable, widened
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.names import quote
from flowcat_jupyter.shared.wire import HistoryInfo, Source, TableFacts
from flowcat_jupyter.storage.paths import local_path

_NULL = "__HIVE_DEFAULT_PARTITION__"
_INTEGER = re.compile(r"(0|-?[1-9][0-9]{0,17})\Z")
_UNSIGNED = (pl.UInt8, pl.UInt16, pl.UInt32)
_CASTS = pl.ScanCastOptions(integer_cast="upcast", datetime_cast="nanosecond-downcast")
Parts = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class _Opened:
    files: dict[Parts, list[str]]
    stored: pl.Schema
    partitions: pl.Schema

    @property
    def paths(self) -> list[str]:
        return [path for group in self.files.values() for path in group]


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
        opened = _open(source.location, label)
        frames = [_group(opened, parts, paths) for parts, paths in opened.files.items()]
        frame, warnings = _convertible(frames[0] if len(frames) == 1 else pl.concat(frames))
        columns = spark_columns(_declared(opened))
        return Scan(frame=to_storable(frame), columns=columns, version=None, warnings=warnings)

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and size from the files' footers."""
        opened = _open(source.location, _label(source))
        rows = pl.scan_parquet(
            opened.paths,
            glob=False,
            hive_partitioning=False,
            missing_columns="insert",
            extra_columns="ignore",
            schema=_widened(opened.stored),
            cast_options=_CASTS,
        )
        return TableFacts(
            format=self.name,
            columns=spark_columns(_declared(opened)),
            partition_columns=tuple(opened.partitions.names()),
            row_count=int(rows.select(pl.len()).collect().item()),
            size_bytes=sum(Path(path).stat().st_size for path in opened.paths),
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


def _open(location: str, label: str) -> _Opened:
    root = local_path(location)
    found = list(_expand(root))
    if not found:
        raise NotFound("table data", label, hint="No Parquet file is there.")
    files: dict[Parts, list[str]] = {}
    for path, parts in found:
        files.setdefault(parts, []).append(path)
    stored = _merged_schema(path for path, _ in found)
    return _Opened(files=files, stored=stored, partitions=_partitions(list(files), label))


def _expand(root: str) -> Iterable[tuple[str, Parts]]:
    base = Path(root)
    if base.is_file():
        yield root, ()
    elif base.is_dir():
        for path in sorted(base.rglob("*.parquet")):
            inner = path.relative_to(base)
            if path.is_file() and not any(part.startswith(("_", ".")) for part in inner.parts):
                yield str(path), _parts(inner)
    elif has_magic(root):
        pattern = PurePath(root).relative_to("/")
        for path in sorted(Path("/").glob(str(pattern))):
            if path.is_file():
                yield str(path), ()


def _parts(inner: PurePath) -> Parts:
    pairs = (part.partition("=") for part in inner.parts[:-1] if "=" in part)
    return tuple((key, None if value == _NULL else unquote(value)) for key, _, value in pairs)


def _partitions(groups: Sequence[Parts], label: str) -> pl.Schema:
    names = [tuple(name for name, _ in parts) for parts in groups]
    if len(set(names)) > 1:
        raise Invalid(f"The folders of {label} are not all partitioned by the same columns.")
    columns: dict[str, pl.DataType] = {}
    for index, name in enumerate(names[0]):
        values = [parts[index][1] for parts in groups]
        whole = all(value is None or _INTEGER.match(value) for value in values)
        columns[name] = pl.Int64() if whole else pl.String()
    return pl.Schema(columns)


def _merged_schema(paths: Iterable[str]) -> pl.Schema:
    merged: dict[str, pl.DataType] = {}
    for path in paths:
        for name, dtype in _schema_of(path).items():
            other = merged.setdefault(name, dtype)
            if widened(other) != widened(dtype):
                raise Invalid(
                    f"Column {name} is {dtype} in {Path(path).name} and {other} in other files.",
                    hint="Convert the files to one type, or register them as separate tables.",
                )
    return pl.Schema(merged)


def _schema_of(path: str) -> pl.Schema:
    try:
        return pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
    except FileNotFoundError as error:
        raise Gone(f"{Path(path).name} has been removed.") from error
    except PolarsError as error:
        raise Invalid(f"{Path(path).name} is not a Parquet file that can be read.") from error


def _widened(stored: pl.Schema) -> pl.Schema:
    return pl.Schema(
        {
            name: pl.Int64() if isinstance(dtype, _UNSIGNED) else widened(dtype)
            for name, dtype in stored.items()
        }
    )


def _group(opened: _Opened, parts: Parts, paths: list[str]) -> pl.LazyFrame:
    frame = pl.scan_parquet(
        paths,
        schema=_widened(opened.stored),
        cast_options=_CASTS,
        missing_columns="insert",
        extra_columns="ignore",
        glob=False,
        hive_partitioning=False,
    )
    return frame.with_columns(
        literal(value, opened.partitions[name]).alias(name) for name, value in parts
    )


def _declared(opened: _Opened) -> pl.Schema:
    columns = {name: _plain(dtype) for name, dtype in opened.stored.items()}
    return pl.Schema({**columns, **opened.partitions})


def _plain(dtype: pl.DataType) -> pl.DataType:
    if isinstance(dtype, pl.Time):
        return pl.String()
    return pl.Int64() if isinstance(dtype, pl.Duration) else dtype


def _convertible(frame: pl.LazyFrame) -> tuple[pl.LazyFrame, tuple[str, ...]]:
    changes: list[pl.Expr] = []
    warnings: list[str] = []
    for name, dtype in frame.collect_schema().items():
        if isinstance(dtype, pl.Time):
            changes.append(pl.col(name).cast(pl.String))
            warnings.append(f"Column {name} holds times of day; they are read as text.")
        elif isinstance(dtype, pl.Duration):
            changes.append(pl.col(name).dt.total_microseconds())
            warnings.append(f"Column {name} holds durations; they are read as microseconds.")
    return frame.with_columns(changes), tuple(warnings)


FORMAT = ParquetFormat()
"""The one instance: formats keep no state."""
