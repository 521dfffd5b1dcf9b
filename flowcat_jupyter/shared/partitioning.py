"""What a table is partitioned by: columns, and for Iceberg what is computed from them.

A column stands for itself. What is computed is written as SQL has it, with the column in
back-ticks: ``days(`at`)``, ``bucket(16, `id`)``, ``truncate(`name`, 4)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from flowcat_jupyter.shared.names import back_ticked

COMPUTED = ("years", "months", "days", "hours", "bucket", "truncate")
_TEXT = re.compile(
    r"(?:(?P<unit>years|months|days|hours)\((?P<of>`(?:[^`]|``)*`)\)"
    r"|bucket\((?P<buckets>\d+), (?P<bucketed>`(?:[^`]|``)*`)\)"
    r"|truncate\((?P<cut>`(?:[^`]|``)*`), (?P<width>\d+)\))\Z",
    re.DOTALL,
)


@dataclass(frozen=True)
class Partition:
    """A column, or one of `COMPUTED` of it; ``number`` is how many buckets, or how wide a cut."""

    column: str
    transform: str | None = None
    number: int = 0

    @property
    def text(self) -> str:
        """How it is written."""
        name = back_ticked(self.column)
        if self.transform is None:
            return self.column
        if self.transform == "bucket":
            return f"bucket({self.number}, {name})"
        if self.transform == "truncate":
            return f"truncate({name}, {self.number})"
        return f"{self.transform}({name})"


def partition_of(text: str, columns: Collection[str] = ()) -> Partition:
    """What a text says; one of ``columns`` is a column, whatever it looks like."""
    match = None if text in columns else _TEXT.match(text)
    if match is None:
        return Partition(text)
    if match["unit"]:
        return Partition(_plain(match["of"]), match["unit"])
    if match["buckets"]:
        return Partition(_plain(match["bucketed"]), "bucket", int(match["buckets"]))
    return Partition(_plain(match["cut"]), "truncate", int(match["width"]))


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`")
