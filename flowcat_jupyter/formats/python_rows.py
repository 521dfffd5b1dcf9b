"""What a data source's reader gives, as frames of the declared columns."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from threading import Lock
from typing import Any

import polars as pl

from flowcat_jupyter.formats.data_source import InputPartition
from flowcat_jupyter.formats.delta_assign import assign, check_required, plan_assignment
from flowcat_jupyter.formats.files_spool import spooling
from flowcat_jupyter.formats.python_calls import calling
from flowcat_jupyter.formats.python_values import series
from flowcat_jupyter.formats.types import exactly, widened
from flowcat_jupyter.shared.errors import FlowcatError, Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

BATCH_ROWS = 4096
_READ = "read"
_PLAIN = (tuple, list)
"""Rows without names; PySpark's Row and named tuples have some."""


def frames_of(reader: Any, columns: Sequence[Column], label: str) -> Iterator[pl.DataFrame]:
    """The rows of all parts of a reader, one part after the other, integers as Int64.

    :raises Invalid: the reader failed, or a row has another width or a value of another type.
    """
    rows = _Rows(columns, label)
    for part in _parts(reader, label):
        with calling(label, _READ):
            items = iter(reader.read(part))
        yield from rows.frames(items)


def _parts(reader: Any, label: str) -> list[Any]:
    try:
        with calling(label, "say what its parts are"):
            if hasattr(reader, "partitions"):
                return list(reader.partitions())
    except Invalid as error:
        # As in base classes that have no parts of their own: then there is one.
        if not isinstance(error.__cause__, NotImplementedError):
            raise
    return [InputPartition(None)]


class _Rows:
    """The items of one reader, with how many rows there were so far."""

    def __init__(self, columns: Sequence[Column], label: str) -> None:
        self._columns = tuple(columns)
        self._names = [column.name for column in columns]
        self._label = label
        self._seen = 0

    def frames(self, items: Iterator[Any]) -> Iterator[pl.DataFrame]:
        """Frames of at most `BATCH_ROWS` rows each, whole ones as they come."""
        waiting: list[Any] = []
        while batch := self._next(items):
            for item in batch:
                if isinstance(item, (tuple, list)):
                    waiting.append(item)
                    continue
                if waiting:
                    yield self._of_rows(waiting)
                    waiting = []
                yield self._of_frame(item)
            if waiting:
                yield self._of_rows(waiting)
                waiting = []

    def _next(self, items: Iterator[Any]) -> list[Any]:
        """Some more items: many rows, or one frame, which may be large."""
        taken: list[Any] = []
        with calling(self._label, _READ):
            for item in islice(items, BATCH_ROWS):
                taken.append(item)
                if not isinstance(item, (tuple, list)):
                    break
        return taken

    def _of_rows(self, rows: list[Any]) -> pl.DataFrame:
        width = len(self._columns)
        first = self._seen + 1
        for at, row in enumerate(rows):
            if len(row) != width:
                raise self._misshapen(
                    f"row {first + at} has {len(row)} values, and there are {width} columns: "
                    f"{', '.join(self._names)}"
                )
            if type(row) not in _PLAIN:
                rows[at] = self._in_order(row, first + at)
        self._seen += len(rows)
        return pl.DataFrame(
            [
                series(values, column, first, self._label)
                for values, column in zip(zip(*rows, strict=True), self._columns, strict=True)
            ]
        )

    def _in_order(self, row: Any, number: int) -> Any:
        """A row whose values may have names, in the order of the columns."""
        names = getattr(row, "__fields__", None) or getattr(row, "_fields", None)
        if names is None or list(names) == self._names:
            return row
        given = dict(zip(map(name_key, names), row, strict=True))
        if len(given) != len(self._names) or given.keys() != set(map(name_key, self._names)):
            raise self._misshapen(
                f"row {number} has the values {', '.join(names)}, and the columns are "
                f"{', '.join(self._names)}"
            )
        return [given[name_key(name)] for name in self._names]

    def _of_frame(self, item: Any) -> pl.DataFrame:
        frame = self._as_frame(item)
        given = {name_key(name) for name in frame.columns}
        wanted = {name_key(name) for name in self._names}
        if given != wanted or len(frame.columns) != len(self._names):
            raise self._misshapen(
                f"a batch has the columns {', '.join(frame.columns) or 'none'}, and declared are "
                f"{', '.join(self._names)}"
            )
        try:
            plans = plan_assignment(frame.schema, self._columns)
            check_required(plans)
            fitted = assign(frame, plans)
        except FlowcatError as error:
            raise self._misshapen(error.message.rstrip(".")) from error
        self._seen += fitted.height
        return fitted.with_columns(
            exactly(name).cast(widened(dtype))
            for name, dtype in fitted.schema.items()
            if widened(dtype) != dtype
        )

    def _as_frame(self, item: Any) -> pl.DataFrame:
        if isinstance(item, pl.DataFrame):
            return item
        if hasattr(item, "__arrow_c_array__") or hasattr(item, "__arrow_c_stream__"):
            with calling(self._label, _READ):
                return pl.DataFrame(item)
        raise self._misshapen(
            f"it gave {type(item).__name__} where a tuple, a pyarrow RecordBatch or a polars "
            "DataFrame was due"
        )

    def _misshapen(self, what: str) -> Invalid:
        return Invalid(
            f"The rows of the data source {self._label} do not fit its columns: {what}.",
            condition="DATA_SOURCE_ROW_MISMATCH",
            sqlstate="22000",
            hint="Give rows as its schema declares them, or declare other columns.",
        )


class Once:
    """Frames asked for once, however often and by however many at a time they are read.

    They are kept on disk, so that a query which reads its source twice reads the same rows.
    """

    def __init__(self, frames: Callable[[], Iterator[pl.DataFrame]]) -> None:
        """Ask for ``frames`` when the first is wanted."""
        self._make = frames
        self._left: Iterator[pl.DataFrame] | None = None
        self._error: BaseException | None = None
        self._lock = Lock()
        # What is kept goes with the last frame that reads it.
        stack = ExitStack()
        self._spool = stack.enter_context(spooling())
        weakref.finalize(self, stack.close)

    def frames(self) -> Iterator[pl.DataFrame]:
        """All of them, from the first."""
        at = 0
        while (frame := self._at(at)) is not None:
            yield frame
            at += 1

    def _at(self, place: int) -> pl.DataFrame | None:
        with self._lock:
            if place < len(self._spool):
                return self._spool.at(place)
            if self._error is not None:
                raise self._error
            try:
                return self._pulled()
            except BaseException as error:
                self._error = error
                raise

    def _pulled(self) -> pl.DataFrame | None:
        if self._left is None:
            self._left = self._make()
        frame = next(self._left, None)
        if frame is not None:
            self._spool.add(frame)
        return frame
