"""What workers are asked to write by SQL, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job, QueryPlan, TableFacts, UsedTable
from flowcat_jupyter.shared.wire_definitions import Definition


@dataclass(frozen=True)
class Assigned:
    """Which of a table's columns a query's columns are for.

    ``names`` are the table's columns in the query's order, None for all of them; with ``by_name``
    the query's own headings say it.
    """

    names: tuple[str, ...] | None = None
    by_name: bool = False


@dataclass(frozen=True, kw_only=True)
class LakeJob(Job):
    """A job that writes to a table of ``format``. ``pointer`` is the metadata file of the Iceberg
    table that it builds on, None for one that it makes; what it answers names the one it wrote.
    """

    format: str = "delta"
    pointer: str | None = None


@dataclass(frozen=True)
class SqlWriteJob(LakeJob):
    """Write the rows of ``plan`` to the table ``name`` at ``location``, in one commit or not
    at all.

    ``mode``: ``create`` (nothing may be at ``location``), or from ``base_version`` ``append`` or
    ``overwrite``, which with ``redefine`` takes the query's columns and ``partition_by`` in place
    of the table's.
    ``fixed`` gives one row: values of partition columns, by their names, that every row gets. An
    overwrite with them takes away the rows of their partition alone, and with ``unless_there``
    nothing is written if there are any; one that is ``dynamic`` takes away the partitions that
    rows are written to. With ``evolves`` an append gives the table the columns that it lacks.
    ``spool`` is a file that the rows may go through; with ``dry_run`` they are only counted, each
    checked against its column. Answers a `SqlWriteOutcome`.
    """

    kind: ClassVar[str] = "sql_write"
    name: tuple[str, ...]
    location: str
    mode: str
    base_version: int | None
    spool: str
    commit_info: dict[str, str]
    plan: QueryPlan
    assigned: Assigned = field(default_factory=Assigned)
    partition_by: tuple[str, ...] = ()
    redefine: bool = False
    fixed: QueryPlan | None = None
    dynamic: bool = False
    unless_there: bool = False
    evolves: bool = False
    definition: Definition = field(default_factory=Definition)
    dry_run: bool = False


@dataclass(frozen=True)
class DefineTableJob(LakeJob):
    """Make the table ``name`` at ``location`` of a list of columns, without rows; with a
    ``base_version`` in place of the table that is there. ``definition`` is what else is said of it.

    Answers a `SqlWriteOutcome`.
    """

    kind: ClassVar[str] = "define_table"
    name: tuple[str, ...]
    location: str
    base_version: int | None
    commit_info: dict[str, str]
    columns: tuple[Column, ...]
    partition_by: tuple[str, ...] = ()
    definition: Definition = field(default_factory=Definition)


@dataclass(frozen=True)
class AddColumnsJob(LakeJob):
    """Give the table ``name`` at ``location`` more columns, as of ``base_version``; they are
    NULL in the rows it has. Answers a `SqlWriteOutcome`.
    """

    kind: ClassVar[str] = "add_columns"
    name: tuple[str, ...]
    location: str
    base_version: int | None
    commit_info: dict[str, str]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class MaintainJob(LakeJob):
    """Look after the table ``name`` at ``location`` as of ``base_version``.

    ``action``: ``optimize`` puts its files together, sorted along ``order_by`` if that is given;
    ``vacuum`` removes files that no version younger than ``retain_hours`` needs, or with
    ``dry_run`` only finds them; ``restore`` makes its ``version``, or what it was at
    ``timestamp``, the newest. Answers a `MaintainOutcome`.
    """

    kind: ClassVar[str] = "maintain"
    action: str
    name: tuple[str, ...]
    location: str
    base_version: int | None
    commit_info: dict[str, str] = field(default_factory=dict)
    order_by: tuple[str, ...] = ()
    retain_hours: int | None = None
    dry_run: bool = False
    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True)
class MaintainOutcome:
    """What was done: in words, for ``vacuum`` each file with its bytes, for ``optimize`` how many
    files were ``taken`` and ``made``. ``facts`` of the table after it, None where there was nothing
    to do.
    """

    facts: TableFacts | None
    note: str
    files: tuple[tuple[str, int], ...]
    worker_ms: float
    taken: int = 0
    made: int = 0


@dataclass(frozen=True)
class SqlWriteOutcome:
    """A commit: the table's facts after it (None if there was nothing to do), how many rows it
    wrote, and by which engine.
    """

    facts: TableFacts | None
    rows: int
    engine: str
    used_tables: tuple[UsedTable, ...]
    warnings: tuple[str, ...]
    worker_ms: float


@dataclass(frozen=True)
class RowAction:
    """What becomes of rows: ``kind`` is ``delete``, ``update`` or ``insert``, ``columns`` are the
    table's that get values. ``new`` rows are the source's alone and not the table's.
    """

    kind: str
    new: bool
    columns: tuple[str, ...]


@dataclass(frozen=True)
class RowShape:
    """How rows say what becomes of rows of a table.

    They hold values of the table's columns ``keys``, the number of one of ``actions`` (from 1),
    and the values of all actions in their order. Rows of the table that are equal in all keys,
    NULL included, get that action; with ``once`` none may get two. ``by_source``: the rows are
    the source's, of which nobody knows yet whether the table has such rows. Then two numbers
    follow the keys: of the action if it has, and of the one if it has not; NULL keys are equal to
    nothing.
    """

    keys: tuple[str, ...]
    actions: tuple[RowAction, ...]
    once: bool
    by_source: bool = False


@dataclass(frozen=True)
class RowPlan:
    """A query that gives such rows."""

    plan: QueryPlan
    shape: RowShape


@dataclass(frozen=True)
class DirectChange:
    """Rows that meet ``predicate``, in the words of the table's library, are deleted, or get
    ``updates``: by column a constant in the same words.
    """

    predicate: str
    updates: dict[str, str] | None = None


@dataclass(frozen=True)
class RowChangeJob(LakeJob):
    """Change rows of the table ``name`` at ``location`` as of ``base_version``, in one commit
    or not at all.

    ``rows`` say it; ``quick`` says the same by the source's rows, and serves where it can: where
    the keys are of the table's own types and no row would be told of twice; ``direct`` says the
    same to the table's library. With ``evolves`` the
    table gets the columns that it lacks. ``spool`` is a file that these rows may go through. With
    ``dry_run`` what would change is only counted. Answers a `RowChangeOutcome`.
    """

    kind: ClassVar[str] = "row_change"
    name: tuple[str, ...]
    location: str
    base_version: int
    spool: str
    commit_info: dict[str, str]
    rows: RowPlan
    quick: RowPlan | None = None
    evolves: bool = False
    dry_run: bool = False
    direct: DirectChange | None = None


@dataclass(frozen=True)
class ChangedRows:
    """How many rows a change inserted, updated and deleted."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.inserted + self.updated + self.deleted


@dataclass(frozen=True)
class RowChangeOutcome:
    """What a change did, by which engine; ``facts`` of the table after it, None without a commit
    because no row was to be changed.
    """

    facts: TableFacts | None
    rows: ChangedRows
    engine: str
    used_tables: tuple[UsedTable, ...]
    warnings: tuple[str, ...]
    worker_ms: float


@dataclass(frozen=True)
class ReplayJob(LakeJob):
    """Add what an append to the Iceberg table ``name`` added, whose metadata file is ``lost`` as
    another write was recorded first, to the table as it is now. Answers a `SqlWriteOutcome`.
    """

    kind: ClassVar[str] = "replay"
    name: tuple[str, ...]
    location: str
    lost: str


wire.register(dict(globals()))
