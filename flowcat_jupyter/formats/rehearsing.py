"""What a format gives to tell what a write would do."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import polars as pl

from flowcat_jupyter.shared.wire_writes import ChangedRows, RowShape


@runtime_checkable
class RehearsingFormat(Protocol):
    """A `LakeFormat` whose writes can be tried without a commit.

    Both methods raise what the write itself would: `Conflict` where the table has moved past
    ``base_version``, `Invalid` where a value does not fit its column.
    """

    def rehearse_change(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        base_version: int,
        shape: RowShape,
        add_columns: bool = False,
    ) -> ChangedRows:
        """Count the rows that `LakeFormat.change` would change."""
        ...

    def rehearse_write(
        self,
        frame: pl.LazyFrame,
        *,
        location: str,
        mode: str,
        base_version: int | None,
        add_columns: bool = False,
    ) -> int:
        """Count the rows that `LakeFormat.write` would add, by appending or in place of others."""
        ...
