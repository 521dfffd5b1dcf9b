"""What a format gives to compare two versions of a table by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import polars as pl

from flowcat_jupyter.shared.wire import Column, Source


@dataclass(frozen=True)
class Side:
    """A version of a table, and the rows of it that may not be in the other one.

    ``frame`` has these as a scan has them; ``own_rows`` (None: unknown), ``own_bytes`` on disk and
    ``own_files`` tell how much that is. ``rows`` and ``files`` count the whole version.
    """

    version: int
    columns: tuple[Column, ...]
    settings: Mapping[str, str]
    rows: int | None
    files: int
    frame: pl.LazyFrame
    own_rows: int | None
    own_bytes: int
    own_files: int


@runtime_checkable
class ComparableFormat(Protocol):
    """A format whose versions can be compared."""

    def compare(self, before: Source, after: Source) -> tuple[Side, Side]:
        """Two versions of one table, rows that both surely have left out.

        :raises Gone: files that only one of them has were removed; it is named.
        """
        ...
