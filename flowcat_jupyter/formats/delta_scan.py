"""Reading a Delta snapshot's files.

This is a scan of our own, because polars' ``scan_delta`` cannot open a root with a space or an
accent in it and offers no schema to widen integers with. Predicates, projections and Parquet
statistics reach the files all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.delta_log import DataFile, Snapshot, gone
from flowcat_jupyter.formats.types import literal, polars_type, widened

_CASTS = pl.ScanCastOptions(
    integer_cast="upcast",
    datetime_cast="nanosecond-downcast",
    missing_struct_fields="insert",
    extra_struct_fields="ignore",
)
_ROW = "__flowcat_row"


def scan_snapshot(snapshot: Snapshot, label: str) -> pl.LazyFrame:
    """The rows of a snapshot, integers widened to Int64, columns in the declared order.

    :raises Gone: one of its files is no longer there.
    """
    schema = frame_schema(snapshot)
    files = snapshot.files()
    if not all(Path(file.path).is_file() for file in files):
        raise gone(label)
    deletions = snapshot.deletions()
    plain = [file for file in files if file.path not in deletions]
    frames = [_group(snapshot, schema, group) for group in _by_partition(plain)]
    for file in files:
        if file.path in deletions:
            frames.append(_without(snapshot, schema, file, deletions[file.path]))
    if not frames:
        return pl.LazyFrame(schema=schema)
    return frames[0] if len(frames) == 1 else pl.concat(frames)


def frame_schema(snapshot: Snapshot) -> pl.Schema:
    """The polars schema of a snapshot's rows as `scan_snapshot` gives them."""
    return pl.Schema(
        {column.name: widened(polars_type(column.type)) for column in snapshot.columns}
    )


def _by_partition(files: Sequence[DataFile]) -> list[list[DataFile]]:
    groups: dict[tuple[str | None, ...], list[DataFile]] = {}
    for file in files:
        groups.setdefault(file.partition, []).append(file)
    return list(groups.values())


def _group(snapshot: Snapshot, schema: pl.Schema, files: list[DataFile]) -> pl.LazyFrame:
    frame = _parquet(snapshot, schema, [file.path for file in files], None)
    return _finish(snapshot, schema, frame, files[0])


def _without(
    snapshot: Snapshot, schema: pl.Schema, file: DataFile, keep: pl.Series
) -> pl.LazyFrame:
    frame = _parquet(snapshot, schema, [file.path], _ROW)
    deleted = (~keep).arg_true()
    return _finish(
        snapshot, schema, frame.filter(~pl.col(_ROW).is_in(deleted.implode())).drop(_ROW), file
    )


def _parquet(
    snapshot: Snapshot, schema: pl.Schema, paths: list[str], row_index: str | None
) -> pl.LazyFrame:
    stored = {
        name: dtype for name, dtype in schema.items() if name not in snapshot.partition_columns
    }
    return pl.scan_parquet(
        paths,
        schema=stored,
        cast_options=_CASTS,
        missing_columns="insert",
        extra_columns="ignore",
        glob=False,
        hive_partitioning=False,
        row_index_name=row_index,
    )


def _finish(
    snapshot: Snapshot, schema: pl.Schema, frame: pl.LazyFrame, file: DataFile
) -> pl.LazyFrame:
    if not snapshot.partition_columns:
        return frame
    values = zip(snapshot.partition_columns, file.partition, strict=True)
    return frame.with_columns(
        literal(value, schema[name]).alias(name) for name, value in values
    ).select(schema.names())
