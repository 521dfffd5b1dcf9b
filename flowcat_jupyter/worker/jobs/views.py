"""Rows as somebody looks at them: a result or a table, filtered and in an order.

Nulls come first ascending and last descending; rows that are equal keep the order they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import polars as pl

from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.formats.types import exactly, spark_columns
from flowcat_jupyter.shared.errors import Gone, Internal, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_rows import View
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.filters import Field, condition
from flowcat_jupyter.worker.jobs.sources import open_source

_ROW = "__flowcat_row"
# Up to here finding the first rows is much cheaper than putting all of them in order.
FIRST_ROWS = 5_000


@dataclass(frozen=True)
class Opened:
    """A view that can be read. ``frame`` has every row, in the declared types.

    Its columns keep the names of what they come from: ``c0`` … for a result, a table's own.
    """

    view: View
    frame: pl.LazyFrame
    columns: tuple[Column, ...]
    version: int | None

    @cached_property
    def schema(self) -> pl.Schema:
        """The frame's columns."""
        return self.frame.collect_schema()

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every column."""
        return tuple(self.field(index) for index in range(len(self.columns)))

    def field(self, wanted: int | str) -> Field:
        """A column by its index, or by its name whatever the case.

        :raises NotFound: there is none.
        """
        index = self._index(wanted)
        name = self.schema.names()[index]
        column = self.columns[index]
        return Field(name, column.name, self.schema[name], column.type)

    def filtered(self) -> pl.LazyFrame:
        """The rows that the filter keeps, in the order they have."""
        return self._kept(self.frame)

    def rows(self) -> pl.LazyFrame:
        """The rows that the filter keeps, in the order that was asked for."""
        return self._sorted(self.filtered())

    def count(self) -> int:
        """How many rows the filter keeps."""
        return int(self.filtered().select(pl.len()).collect().item())

    def page(self, offset: int, limit: int) -> pl.DataFrame:
        """Some of the rows."""
        limit = max(limit, 0)
        if self.view.sort is None and self.view.spool is not None:
            return self._stretch(offset, limit).collect()
        if self.view.order is None or self.view.sort is None:
            return self.rows().slice(offset, limit).collect()
        if offset + limit <= FIRST_ROWS and not Path(self.view.order).is_file():
            return self.rows().slice(offset, limit).collect()
        numbers = self._order(Path(self.view.order)).slice(offset, limit).collect().to_series()
        return self.frame.select(pl.all().gather(numbers)).collect()

    def _stretch(self, offset: int, limit: int) -> pl.LazyFrame:
        """Rows of a result in the order they have, looking for them in the filter's columns alone.

        A slice behind a filter would have every column filtered from end to end.
        """
        if not self.view.filters:
            return self.frame.slice(offset, limit)
        kept = self._kept(self.frame.with_row_index(_ROW)).select(_ROW)
        numbers = kept.slice(offset, limit).collect().to_series()
        if numbers.is_empty():
            return self.frame.head(0)
        first, last = numbers[0], numbers[-1]
        return self._kept(self.frame.slice(first, last - first + 1))

    def in_order(self, values: pl.Expr) -> pl.Series:
        """One value for each of the rows, in the order that was asked for."""
        value = values.alias("value")
        if self.view.order is None or self.view.sort is None:
            key = [] if self.view.sort is None else [exactly(self._key).alias(_ROW)]
            chosen = self.filtered().select(value, *key)
            return self._by(chosen, _ROW).collect()["value"] if key else chosen.collect()["value"]
        numbers = self._order(Path(self.view.order)).collect().to_series()
        return self.frame.select(value).collect()["value"].gather(numbers)

    def _order(self, path: Path) -> pl.LazyFrame:
        """The numbers of the rows in the order that was asked for, found once and then kept."""
        if not path.is_file():
            numbered = self._kept(self.frame.with_row_index(_ROW))
            found = numbered.select(pl.col(_ROW), exactly(self._key).alias("key")).collect()
            numbers = _in_order(found, descending=self.view.descending)
            part = path.with_name(f"{path.name}-{uuid4().hex}")
            numbers.write_ipc(part, compression="uncompressed")
            part.replace(path)
        return pl.scan_ipc(path)

    def _kept(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        for term in self.view.filters:
            frame = frame.filter(condition(term, self.field(term.column), self.view.time_zone))
        return frame

    def _sorted(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame if self.view.sort is None else self._by(frame, self._key)

    def _by(self, frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
        down = self.view.descending
        return frame.sort(exactly(name), descending=down, nulls_last=down, maintain_order=True)

    @property
    def _key(self) -> str:
        return self.field(0 if self.view.sort is None else self.view.sort).name

    def _index(self, wanted: int | str) -> int:
        if isinstance(wanted, int):
            if 0 <= wanted < len(self.columns):
                return wanted
        else:
            key = name_key(wanted)
            for index, column in enumerate(self.columns):
                if name_key(column.name) == key:
                    return index
        raise NotFound("column", wanted)


def _in_order(found: pl.DataFrame, *, descending: bool) -> pl.DataFrame:
    """The row numbers of ``found`` by its ``key``, those of equal keys as they come."""
    if not isinstance(found.schema["key"], pl.String):
        order = pl.arg_sort_by(
            "key", descending=descending, nulls_last=descending, maintain_order=True
        )
        return found.select(pl.col(_ROW).gather(order))
    # Texts are often the same: putting each in its place once is several times as fast.
    texts = found.select("key").unique()
    places = texts.sort("key", descending=descending, nulls_last=descending).with_row_index("place")
    placed = found.join(places, on="key", how="left", nulls_equal=True, maintain_order="left")
    return placed.select(pl.col(_ROW).gather(pl.arg_sort_by("place", maintain_order=True)))


def open_view(view: View, context: JobContext) -> Opened:
    """Open the rows a job is about.

    :raises Gone: the result has expired, or the table's version has been removed.
    :raises NotFound: there is no table.
    """
    if view.spool is not None:
        scan = _spooled(view, view.spool)
        return Opened(view, scan.frame, scan.columns, None)
    if view.source is None:
        raise Internal("a view names neither a spool nor a source")
    scan = open_source(view.source, context)
    return Opened(view, scan.declared(), scan.columns, scan.version)


def _spooled(view: View, spool: str) -> Scan:
    if not Path(spool).is_file():
        raise Gone("The result has expired.", hint="Run the query again.")
    frame = pl.scan_ipc(spool)
    columns = view.columns or spark_columns(frame.collect_schema())
    return Scan(frame=frame, columns=columns, version=None)
