"""Tables with column mapping, whose files name their columns otherwise than the table does.

polars has no public way to read them, so the Delta library's own query engine does, batch by
batch, for just the columns that are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from deltalake import QueryBuilder
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.delta_log import Snapshot, translated

_TABLE = "t"


def scan_mapped(snapshot: Snapshot, schema: pl.Schema, label: str) -> pl.LazyFrame:
    """The rows of a snapshot in the types of ``schema``; files are opened as rows are asked for."""

    def batches(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        names = schema.names() if columns is None else columns
        # A count asks for no column, and rows without one would have no number.
        names = names or schema.names()[:1]
        wanted = pl.Schema({name: schema[name] for name in names})
        left = rows
        for batch in _selected(snapshot, names, rows if predicate is None else None, label):
            frame = pl.DataFrame(
                [
                    batch.to_series(at).cast(dtype).alias(name)
                    for at, (name, dtype) in enumerate(wanted.items())
                ]
            )
            frame = frame if predicate is None else frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame
            if left is not None and left <= 0:
                return

    return register_io_source(batches, schema=schema, is_pure=True)


def _selected(
    snapshot: Snapshot, names: list[str], limit: int | None, label: str
) -> Iterator[pl.DataFrame]:
    listed = ", ".join(_quoted(name) for name in names)
    words = ["SELECT", listed, "FROM", _TABLE]
    if limit is not None:
        words += ["LIMIT", str(limit)]
    with translated(label):
        reader = QueryBuilder().register(_TABLE, snapshot.table).execute(" ".join(words))
        yield from map(pl.DataFrame, reader)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
