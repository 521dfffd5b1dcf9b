"""What workers are asked about two versions of a table, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job, Source


@dataclass(frozen=True)
class DiffJob(Job):
    """Compare two versions of one table, whole rows with how often each is there.

    ``before`` without a version is the one before ``after``'s. At most ``sample`` of the rows that
    differ are told; instants are shown in ``time_zone``. Answers a `DiffInfo`.
    """

    kind: ClassVar[str] = "diff"
    before: Source
    after: Source
    sample: int = 100
    time_zone: str = "UTC"


@dataclass(frozen=True)
class ColumnChange:
    """A column that is not the same in both versions; None where a version has it not."""

    before: Column | None
    after: Column | None


@dataclass(frozen=True)
class SettingChange:
    """A property that is not the same in both versions; None where a version has it not."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class DiffSide:
    """A version, and how many rows and files it has; ``rows`` None: nobody recorded it."""

    version: int
    rows: int | None
    files: int


@dataclass(frozen=True)
class DiffRow:
    """A row that is ``count`` times more in one version: ``added`` is only after, ``removed`` only
    before. ``values`` are texts as the grid shows them, None: NULL. One that stands ``beside`` the
    row that is told before it has most of its values, and may be what became of it.
    """

    change: str
    count: int
    values: tuple[str | None, ...]
    beside: bool = False


@dataclass(frozen=True)
class DiffInfo:
    """In what two versions differ.

    Rows are compared by the columns ``compared``, which both have in types that can be held
    against each other; ``left_out`` are names of others that both have. ``added`` and ``removed``
    count rows that are only after and only before, each as often as it is there; None where no
    column can be compared. ``sample`` has some of them, ordered by their values. ``files_read``
    counts the files that had to be looked into.
    """

    before: DiffSide
    after: DiffSide
    columns: tuple[ColumnChange, ...]
    settings: tuple[SettingChange, ...]
    compared: tuple[Column, ...]
    left_out: tuple[str, ...]
    added: int | None
    removed: int | None
    sample: tuple[DiffRow, ...]
    files_read: int


wire.register(dict(globals()))
