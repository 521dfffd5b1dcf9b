"""How large single values of a result are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten

import polars as pl
from polars.datatypes import DataType, DataTypeClass

from flowcat_jupyter.engines.sql_errors import cell_too_large
from flowcat_jupyter.shared.wire import Column

_OFFSET_BYTES = 8
_SHOWN = 80


@dataclass(frozen=True)
class CellLimit:
    """At most ``most`` bytes in a value of a result with these ``columns``."""

    most: int
    columns: Sequence[Column]

    def check(self, frame: pl.DataFrame | pl.LazyFrame, size: int) -> None:
        """Look at every value of a frame that takes ``size`` bytes in all.

        :raises LimitExceeded: one is too large; its column is named.
        """
        if size <= self.most:
            return
        lazy = frame.lazy()
        sizes = [
            _bytes_of(pl.col(name), kind).max().alias(str(at))
            for at, (name, kind) in enumerate(lazy.collect_schema().items())
            if isinstance(kind, (pl.String, pl.Binary)) or kind.is_nested()
        ]
        if not sizes:
            return
        for at, largest in lazy.select(sizes).collect().row(0, named=True).items():
            if largest is not None and largest > self.most:
                heading = shorten(self.columns[int(at)].name, _SHOWN, placeholder=" …")
                raise cell_too_large(self.most, f"The column {heading}")


def _bytes_of(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """About how many bytes each value of a type takes."""
    if isinstance(kind, pl.String):
        return value.str.len_bytes().cast(pl.Int64)
    if isinstance(kind, pl.Binary):
        return value.bin.size().cast(pl.Int64)
    if isinstance(kind, pl.Struct):
        parts = [_bytes_of(value.struct.field(it.name), _type(it.dtype)) for it in kind.fields]
        return pl.sum_horizontal(parts) if parts else pl.lit(0, dtype=pl.Int64)
    if isinstance(kind, pl.List):
        return _bytes_of_items(value, _type(kind.inner))
    return pl.lit(_OFFSET_BYTES, dtype=pl.Int64)


def _bytes_of_items(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if isinstance(kind, (pl.String, pl.Binary)) or kind.is_nested():
        return value.list.eval(_bytes_of(pl.element(), kind)).list.sum()
    return value.list.len().cast(pl.Int64) * _OFFSET_BYTES


def _type(kind: DataType | DataTypeClass) -> pl.DataType:
    return kind if isinstance(kind, pl.DataType) else kind()
