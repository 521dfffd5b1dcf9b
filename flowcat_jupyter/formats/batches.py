"""Frames that come one after the other, as one lazy frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import polars as pl
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import FlowcatError


def lazily(frames: Callable[[], Iterator[pl.DataFrame]], schema: pl.Schema) -> pl.LazyFrame:
    """The rows of ``frames``, which are of ``schema``: asked for anew at each collect, and no
    further than the query needs.

    An error that ``frames`` raises reaches whoever collects as polars's, with its text alone;
    `KeptError` passes it on whole.
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


class KeptError:
    """The error of frames that are read lazily, kept past polars for whoever collects them."""

    def __init__(self) -> None:
        """None so far."""
        self._error: FlowcatError | None = None

    def of(self, frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The same ``frames``; what they raise is kept."""
        try:
            yield from frames
        except FlowcatError as error:
            self._error = error
            raise

    @contextmanager
    def told(self) -> Iterator[None]:
        """Have an error of the frames raised in place of what became of it on its way here."""
        try:
            yield
        except FlowcatError:
            if self._error is not None:
                raise self._error from None
            raise
