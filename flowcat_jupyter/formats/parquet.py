"""Parquet files as a table that can only be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from glob import has_magic
from pathlib import Path, PurePath

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.parquet_scan import Files, path_values, read_parquet, scan_files
from flowcat_jupyter.formats.protocol import Reading, Scan, label_of
from flowcat_jupyter.formats.skipping import Known, wanted_files
from flowcat_jupyter.formats.source_partitions import partition_type
from flowcat_jupyter.formats.types import (
    exactly,
    parsed,
    polars_type,
    readable,
    spark_columns,
    widened,
    with_texts,
)
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.looking import is_file, is_folder
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo, Source, TableFacts
from flowcat_jupyter.storage.paths import check_inside, local_path
from flowcat_jupyter.storage.settling import settle, settled

_UNSIGNED = (pl.UInt8, pl.UInt16, pl.UInt32)
_TOLD = 10
_DELTA_LOG = "_delta_log"


class ParquetFormat:
    """One Parquet file, a folder of them (``name=value`` folders are columns), or a glob pattern.

    There are no versions; a file that changes while it is read may give an error.
    """

    name = "parquet"

    def open(self, source: Source) -> OpenedParquet:
        """Find the files as they are now, and read their schemas."""
        label = label_of(source)
        refuse_version(source, label)
        return OpenedParquet(*_open(source.location, label))

    def scan(self, source: Source) -> Scan:
        """All rows of the files."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """Schema, counts and size from the files' footers."""
        files, warnings = _open(source.location, label_of(source))
        rows = read_parquet(files.paths, _widened(files).stored)
        stats = [Path(path).stat() for path in files.paths]
        return TableFacts(
            format=self.name,
            columns=spark_columns(_declared(files)),
            partition_columns=tuple(files.partitions.names()),
            row_count=int(rows.select(pl.len()).collect().item()),
            size_bytes=sum(stat.st_size for stat in stats),
            version=None,
            data_files_version=None,
            warnings=warnings,
            files=len(stats),
            written_at=_when(max((stat.st_mtime for stat in stats), default=None)),
        )

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Nothing: Parquet files keep no history."""
        _open(source.location, label_of(source))
        return HistoryInfo(entries=(), total=0)


def _when(seconds: float | None) -> str | None:
    """A file's time as ISO 8601 in UTC; None if it is no time anybody could mean."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


@dataclass(frozen=True)
class OpenedParquet:
    """See `Opened`; there is no version."""

    files: Files
    warnings: tuple[str, ...] = ()
    version: None = None

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns: those inside the files, then those of the folders' names."""
        return spark_columns(_declared(self.files))

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows of the files; folders whose values do not meet ``conditions`` are left out.

        Types without a Spark counterpart are converted, with a warning: times to text, durations
        to microseconds.
        """
        kept = _kept(self.files, self.columns, conditions)
        wide = _widened(kept)
        nothing = pl.LazyFrame(schema={**wide.stored, **wide.partitions})
        frame, changes = _convertible(scan_files(wide) if kept.paths else nothing)
        reading = Reading(
            route="its Parquet files, in one scan",
            files=len(self.files.paths),
            files_skipped=len(self.files.paths) - len(kept.paths),
            rows_skipped=None if len(kept.paths) < len(self.files.paths) else 0,
        )
        warnings = (*self.warnings, *changes)
        return Scan(readable(frame), self.columns, None, warnings, reading)


def refuse_version(source: Source, label: str) -> None:
    """Refuse to read files as of a version or a time."""
    if source.version is not None or source.timestamp is not None:
        raise Invalid(
            f"{label} is made of Parquet files, which have no versions.",
            condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
            sqlstate="0A000",
            hint="Copy it into a Delta table to read old versions.",
        )


def _open(location: str, label: str) -> tuple[Files, tuple[str, ...]]:
    root = local_path(location)
    settle(Path(root))
    paths = _settled(root)
    if not paths:
        raise NotFound("table data", label, hint="No Parquet file is there.")
    check_inside(paths, _fixed(root), label)
    refuse_delta(paths, label)
    folders = [_named(path_values(path, root)) for path in paths]
    names = list(folders[0])
    if any(list(folder) != names for folder in folders):
        raise Invalid(f"The folders of {label} are not all partitioned by the same columns.")
    values = [tuple(folder.values()) for folder in folders]
    partitions = pl.Schema(
        {name: _value_type([row[index] for row in values]) for index, name in enumerate(names)}
    )
    stored, warnings = merged_schema(paths, partitions)
    return Files(root, paths, stored, partitions, values), warnings


def refuse_delta(paths: Sequence[str], label: str) -> None:
    """Refuse files of a Delta table, with deleted and old rows that only its log tells apart."""
    folders = {parent for path in paths for parent in Path(path).parents}
    if any(is_folder(folder / _DELTA_LOG) for folder in folders):
        raise Invalid(
            f"{label} means files of a Delta table, in which deleted and old rows may be.",
            condition="DELTA_INVALID_FORMAT",
            sqlstate="22000",
            hint="Name the Delta table's own folder, or Parquet files that belong to none.",
        )


def _kept(files: Files, columns: Sequence[Column], conditions: Conditions) -> Files:
    """The files in folders whose values may meet the conditions."""
    if not files.partitions:
        return files
    read = {
        name: parsed([row[at] for row in files.values], dtype)
        for at, (name, dtype) in enumerate(files.partitions.items())
    }
    names = {column.name: column.name for column in columns}
    known = Known(
        files=pl.DataFrame(read).select(pl.struct(exactly(*read)).alias("partition")),
        types={column.name: column.type for column in columns},
        partitions=files.partitions.names(),
        physical=names,
    )
    wanted = wanted_files(known, conditions)
    return replace(
        files,
        paths=[path for path, keep in zip(files.paths, wanted, strict=True) if keep],
        values=[row for row, keep in zip(files.values, wanted, strict=True) if keep],
    )


def _settled(root: str) -> list[str]:
    """The files of a location; of a folder as it is while nobody moves files in it."""
    if not is_folder(Path(root)):
        return list(_expand(root))
    return settled(Path(root), lambda: list(_expand(root)))


def _expand(root: str) -> Iterator[str]:
    base = Path(root)
    if is_file(base):
        yield root
    elif is_folder(base):
        for path in sorted(base.rglob("*.parquet")):
            inner = path.relative_to(base)
            if is_file(path) and not any(part.startswith(("_", ".")) for part in inner.parts):
                yield str(path)
    elif has_magic(root):
        pattern = PurePath(root).relative_to("/")
        yield from (str(path) for path in sorted(Path("/").glob(str(pattern))) if is_file(path))


def _fixed(root: str) -> str:
    """The folder that a pattern is looked for in; any other location itself."""
    path = Path(root)
    if is_file(path) or is_folder(path):
        return root
    return str(next(parent for parent in path.parents if not has_magic(str(parent))))


def _named(pairs: Sequence[tuple[str, str | None]]) -> dict[str, str | None]:
    return {name: value for name, value in pairs if name}


def _value_type(values: Sequence[str | None]) -> pl.DataType:
    return polars_type(partition_type(values))


def merged_schema(paths: Sequence[str], partitions: pl.Schema) -> tuple[pl.Schema, tuple[str, ...]]:
    """The columns of all files together, and what to tell of files that differ."""
    merged: dict[str, pl.DataType] = {}
    holders: Counter[str] = Counter()
    for path in paths:
        schema = _schema_of(path)
        holders.update(schema.names())
        for name, dtype in schema.items():
            other = merged.setdefault(name, dtype)
            if isinstance(other, pl.Null):
                # Written where all values were NULL: other files know better.
                merged[name] = other = dtype
            if not isinstance(dtype, pl.Null) and widened(other) != widened(dtype):
                raise Invalid(
                    f"Column {name} is {dtype} in {Path(path).name} and {other} in other files.",
                    hint="Convert the files to one type, or register them as separate tables.",
                )
    stored = pl.Schema({name: dtype for name, dtype in merged.items() if name not in partitions})
    empty = tuple(
        f"Column {name} holds nothing but NULL; it is read as text."
        for name, dtype in stored.items()
        if isinstance(dtype, pl.Null)
    )
    known = {name: pl.String() if dtype == pl.Null else dtype for name, dtype in stored.items()}
    return pl.Schema(known), (*_differences(stored, holders, len(paths)), *empty[:_TOLD])


def _differences(stored: pl.Schema, holders: Counter[str], count: int) -> tuple[str, ...]:
    partial = [name for name in stored if holders[name] < count]
    told = [
        f"Column {name} is in {holders[name]} of the {count} files only; it is NULL in the others."
        for name in partial[:_TOLD]
    ]
    if len(partial) > _TOLD:
        told.append(f"{len(partial) - _TOLD} more columns are missing in some files.")
    alike: dict[str, list[str]] = {}
    for name in stored:
        alike.setdefault(name_key(name), []).append(name)
    told += [
        f"Columns {' and '.join(names)} differ by upper and lower case only, so that SQL cannot "
        "name one of them."
        for names in alike.values()
        if len(names) > 1
    ]
    return tuple(told)


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
    apart = {name: widened(dtype) for name, dtype in files.partitions.items()}
    return replace(files, stored=pl.Schema(wide), partitions=pl.Schema(apart))


def _declared(files: Files) -> pl.Schema:
    columns = {name: _plain(dtype) for name, dtype in files.stored.items()}
    return pl.Schema({**columns, **files.partitions})


def _plain(dtype: pl.DataType) -> pl.DataType:
    if isinstance(dtype, pl.Time):
        return pl.String()
    return pl.Int64() if isinstance(dtype, pl.Duration) else with_texts(dtype)


def _convertible(frame: pl.LazyFrame) -> tuple[pl.LazyFrame, tuple[str, ...]]:
    changes: list[pl.Expr] = []
    warnings: list[str] = []
    for name, dtype in frame.collect_schema().items():
        if isinstance(dtype, pl.Time):
            # A cast would cut the fraction of the second.
            changes.append(exactly(name).dt.to_string("iso"))
            warnings.append(f"Column {name} holds times of day; they are read as text.")
        elif isinstance(dtype, pl.Duration):
            changes.append(exactly(name).dt.total_microseconds())
            warnings.append(f"Column {name} holds durations; they are read as microseconds.")
        elif (known := with_texts(dtype)) != dtype:
            changes.append(exactly(name).cast(known))
    return frame.with_columns(changes), tuple(warnings)
