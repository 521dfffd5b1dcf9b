"""What a format is whose tables' definitions can be told and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import polars as pl

from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_alter import Moved
from flowcat_jupyter.shared.wire_definitions import Definition


@runtime_checkable
class AlterableFormat(Protocol):
    """A `LakeFormat` whose tables' definitions can be told and changed."""

    def define_with(
        self,
        columns: Sequence[Column],
        definition: Definition,
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """What `LakeFormat.define` does, with more said of the table than its columns.

        :raises AlreadyExists: there is a table, and none is to be replaced.
        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: a default does not fit its column.
        """
        ...

    def make_with(
        self,
        frame: pl.LazyFrame,
        definition: Definition,
        *,
        location: str,
        base_version: int | None,
        partition_by: Sequence[str] = (),
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Make a table of the rows of ``frame``, or with a ``base_version`` replace one by it, of
        which more is said; the version made.

        :raises AlreadyExists: there is a table, and none is to be replaced.
        :raises Conflict: somebody else committed since ``base_version``.
        """
        ...

    def alter(
        self,
        change: Definition,
        *,
        location: str,
        base_version: int | None,
        operation: str,
        parameters: Mapping[str, str],
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Change what is said of a table beside its columns, its rows left as they are; the
        version made, or the table's own if all is so already.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: it has no such column, or a default is none.
        """
        ...

    def rewrite(
        self,
        columns: Sequence[Moved],
        *,
        location: str,
        base_version: int | None,
        operation: str,
        parameters: Mapping[str, str],
        commit_info: Mapping[str, str] | None = None,
    ) -> int:
        """Write all rows again in other columns; how many they are.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: a value does not fit its column, or the table cannot be written again
            without losing something; it is named.
        """
        ...
