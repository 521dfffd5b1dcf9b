"""What a format is that finds the rows of plain changes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from flowcat_jupyter.shared.wire_writes import ChangedRows, DirectChange


@runtime_checkable
class DirectFormat(Protocol):
    """A format whose library carries out plain changes."""

    def check_changeable(self, location: str) -> None:
        """Check that rows of a table may be changed, be there any to change or not.

        :raises Invalid: they may only be read, or only added.
        """
        ...

    def change_directly(
        self,
        change: DirectChange,
        *,
        location: str,
        base_version: int,
        commit_info: Mapping[str, str] | None = None,
    ) -> ChangedRows | None:
        """Commit a change, and count the rows changed; None if the table is one where it has to
        be made another way.

        :raises Conflict: somebody else committed since ``base_version``.
        :raises Invalid: the library refuses; nothing has been committed.
        """
        ...
