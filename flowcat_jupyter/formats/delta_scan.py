"""Reading a Delta snapshot's files.

This is a scan of our own, because polars' ``scan_delta`` cannot open a root with a space or an
accent in it and offers no schema to widen integers with. Predicates, projections and Parquet
statistics reach the files all the same.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.delta_log import DataFile, Snapshot, gone
from flowcat_jupyter.formats.parquet_scan import Files, read_parquet, scan_files
from flowcat_jupyter.formats.types import exactly, literal, polars_type, widened
from flowcat_jupyter.storage.paths import check_inside

_ROW = "__flowcat_row"


def scan_snapshot(snapshot: Snapshot, label: str) -> pl.LazyFrame:
    """The rows of a snapshot, integers widened to Int64, columns in the declared order.

    :raises Gone: one of its files is no longer there.
    :raises Forbidden: one of them lies outside the table's folder.
    """
    schema = frame_schema(snapshot)
    files = snapshot.files()
    check_inside((file.path for file in files), snapshot.location, label)
    if not all(Path(file.path).is_file() for file in files):
        raise gone(label)
    partitions = pl.Schema({name: schema[name] for name in snapshot.partition_columns})
    stored = pl.Schema({name: schema[name] for name in schema if name not in partitions})
    deletions = snapshot.deletions()
    plain = [file for file in files if file.path not in deletions]
    frames = []
    if plain:
        whole = Files(
            root=snapshot.location,
            paths=[file.path for file in plain],
            stored=stored,
            partitions=partitions,
            values=[file.partition for file in plain],
        )
        frames.append(scan_files(whole))
    for file in files:
        if file.path in deletions:
            frames.append(_without(file, deletions[file.path], stored, partitions))
    if not frames:
        return pl.LazyFrame(schema=schema)
    return pl.concat([frame.select(exactly(*schema.names())) for frame in frames])


def frame_schema(snapshot: Snapshot) -> pl.Schema:
    """The polars schema of a snapshot's rows as `scan_snapshot` gives them."""
    return pl.Schema(
        {column.name: widened(polars_type(column.type)) for column in snapshot.columns}
    )


def _without(
    file: DataFile, keep: pl.Series, stored: pl.Schema, partitions: pl.Schema
) -> pl.LazyFrame:
    """One file without its deleted rows."""
    deleted = (~keep).arg_true().implode()
    frame = read_parquet([file.path], stored, row_column=_ROW)
    values = zip(partitions.items(), file.partition, strict=True)
    return (
        frame.filter(~pl.col(_ROW).is_in(deleted))
        .with_columns(literal(value, dtype).alias(name) for (name, dtype), value in values)
        .drop(_ROW)
    )
