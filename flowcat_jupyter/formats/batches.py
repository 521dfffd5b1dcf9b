"""Frames that come one after the other, as one lazy frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.types import exactly


def lazily(frames: Callable[[], Iterator[pl.DataFrame]], schema: pl.Schema) -> pl.LazyFrame:
    """The rows of ``frames``, which are of ``schema``: asked for anew at each collect, and no
    further than the query needs.

    An error that ``frames`` raises reaches whoever collects as polars's, with its text alone.
    """

    def batches(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        left = rows
        for frame in frames():
            wanted = frame if left is None else frame.head(left)
            left = None if left is None else left - wanted.height
            wanted = wanted if predicate is None else wanted.filter(predicate)
            yield wanted if columns is None else wanted.select(exactly(*columns))
            if left == 0:
                return

    return register_io_source(batches, schema=schema)
