"""Rows given to a data source's writer: all of them and then the commit, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import polars as pl

from flowcat_jupyter.formats.data_source import Row
from flowcat_jupyter.formats.python_calls import FAILED, calling, cannot, overrides
from flowcat_jupyter.formats.python_schema import told_schema
from flowcat_jupyter.formats.types import spark_columns
from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Invalid, NotInstalled
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

MODES = ("error", "ignore", "append", "overwrite")
_ARROW = "DataSourceArrowWriter"
_WRITE = "write"
Told = Callable[[Any], Any]


def save(
    made: Any,
    frame: pl.LazyFrame,
    *,
    mode: str,
    columns: Sequence[Column],
    partition_by: Sequence[str],
    label: str,
) -> int:
    """Give all rows of ``frame`` to the writer of a data source, commit, and count them.

    What fails is aborted. ``columns`` are the declared ones; none: those of the frame.

    :raises AlreadyExists: the mode is ``error``, and there is something.
    :raises Invalid: the data source cannot be written, or so, or its code failed.
    """
    check_partitions(partition_by, label)
    if not overrides(made, "writer"):
        raise cannot(label, "be written", "Give its class a writer(schema, overwrite).")
    if mode in ("error", "ignore") and _exists(made, mode, label):
        if mode == "ignore":
            return 0
        raise AlreadyExists("data of the source", label, hint="Use the mode append or overwrite.")
    declared = tuple(columns) or spark_columns(frame.collect_schema())
    with calling(label, _WRITE):
        writer = made.writer(told_schema(declared), mode == "overwrite")
    rows = _Rows(frame, declared, as_arrow=_takes_arrow(writer))
    _committed(writer, rows, label)
    return rows.count


def check_partitions(partition_by: Sequence[str], label: str) -> None:
    """Refuse columns to partition by: no data source is told of them."""
    if partition_by:
        raise Invalid(
            f"The data source {label} is not partitioned by columns.",
            condition="UNSUPPORTED_FEATURE.PARTITION_BY",
            sqlstate="0A000",
            hint="Leave PARTITIONED BY and partitionBy out; its options may say how it divides.",
        )


def _exists(made: Any, mode: str, label: str) -> bool:
    exists = getattr(made, "exists", None)
    if not callable(exists):
        raise Invalid(
            f"The data source {label} cannot be written in the mode {mode}: it does not say "
            "whether there is something already.",
            condition="UNSUPPORTED_DATA_SOURCE_SAVE_MODE",
            sqlstate="0A000",
            hint="Use the mode append or overwrite; or give its class exists().",
        )
    with calling(label, "say whether there is something"):
        return bool(exists())


def _takes_arrow(writer: Any) -> bool:
    return any(base.__name__ == _ARROW for base in type(writer).__mro__)


def _committed(writer: Any, rows: _Rows, label: str) -> None:
    messages: list[Any] = []
    try:
        with rows.own_errors(), calling(label, _WRITE):
            messages.append(writer.write(rows.items))
        rows.check_exhausted(label)
        with calling(label, "commit"):
            writer.commit(messages)
    except BaseException:
        # The first error is the one to tell.
        with suppress(FlowcatError), calling(label, "abort"):
            writer.abort(messages)
        raise


class _Rows:
    """The rows of a frame as a writer takes them, counted."""

    def __init__(self, frame: pl.LazyFrame, columns: Sequence[Column], *, as_arrow: bool) -> None:
        self._frame = frame
        self._names = tuple(column.name for column in columns)
        self._told = tuple(_told(parse_type(column.type)) for column in columns)
        self._as_arrow = as_arrow
        self._error: BaseException | None = None
        self.count = 0
        self.items = self._all()

    @contextmanager
    def own_errors(self) -> Iterator[None]:
        """Have an error of the rows themselves told as it is, and not as the writer's."""
        try:
            yield
        except FlowcatError:
            if self._error is not None:
                raise self._error from None
            raise

    def check_exhausted(self, label: str) -> None:
        """Refuse a writer that stopped before the last row: what it left would be lost."""
        count = self.count
        if next(self.items, None) is not None:
            raise Invalid(
                f"The writer of the data source {label} stopped after {count:,} rows and left "
                "the rest.",
                condition=FAILED,
                sqlstate="38000",
                hint="write(iterator) is to take every row; nothing was committed.",
            )

    def _all(self) -> Iterator[Any]:
        batches = self._frame.collect_batches(lazy=True, maintain_order=True)
        while (batch := self._next(batches)) is not None:
            yield from self._batches(batch) if self._as_arrow else self._rows(batch)

    def _next(self, batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
        try:
            return next(batches, None)
        except BaseException as error:
            self._error = error
            raise

    def _rows(self, batch: pl.DataFrame) -> Iterator[Row]:
        plain = not any(self._told)
        for values in batch.iter_rows():
            self.count += 1
            yield Row.of(self._names, values if plain else self._converted(values))

    def _converted(self, values: Sequence[Any]) -> Iterator[Any]:
        for value, told in zip(values, self._told, strict=True):
            yield value if told is None or value is None else told(value)

    def _batches(self, batch: pl.DataFrame) -> Iterator[Any]:
        try:
            table = batch.to_arrow()
        except ModuleNotFoundError as error:
            self._error = NotInstalled("pyarrow", "pip install pyarrow")
            raise self._error from error
        for part in table.to_batches():
            self.count += part.num_rows
            yield part


def _told(kind: DataType) -> Told | None:
    """What makes a value of polars that of Python which PySpark has; None where it is the same."""
    if kind.kind == "array" and kind.element:
        inner = _told(kind.element)
        return None if inner is None else lambda value: [_each(inner, item) for item in value]
    if kind.kind == "map" and kind.key and kind.element:
        key, item = _told(kind.key), _told(kind.element)
        return lambda value: {
            _each(key, entry["key"]): _each(item, entry["value"]) for entry in value
        }
    if kind.kind == "struct":
        names = tuple(field.name for field in kind.fields)
        parts = [_told(field.type) for field in kind.fields]
        return lambda value: Row.of(
            names, (_each(part, value[name]) for part, name in zip(parts, names, strict=True))
        )
    return None


def _each(told: Told | None, value: Any) -> Any:
    return value if told is None or value is None else told(value)
