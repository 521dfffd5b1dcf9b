"""What workers are asked to change of a table's definition; they answer a `SqlWriteOutcome`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.shared.wire_definitions import Definition as Definition
from flowcat_jupyter.shared.wire_writes import LakeJob


@dataclass(frozen=True)
class Proof:
    """That no row breaks a constraint: ``count`` says in one row how many do, ``example`` gives
    the values that matter of one that does.

    ``kind`` is ``check``, by the constraint's ``name`` and its ``condition``, or ``not null``, by
    the column's ``name``.
    """

    kind: str
    name: str
    condition: str
    count: QueryPlan
    example: QueryPlan


@dataclass(frozen=True)
class AlterTableJob(LakeJob):
    """Change what the log says of the table ``name`` at ``location`` as of
    ``base_version``, its rows left as they are; first, ``proofs`` are looked at.

    ``operation`` and ``parameters`` are what the table's history tells. ``spool`` is a file that
    may be written to.
    """

    kind: ClassVar[str] = "alter_table"
    name: tuple[str, ...]
    location: str
    base_version: int | None
    commit_info: dict[str, str]
    spool: str
    operation: str
    parameters: dict[str, str]
    change: Definition
    proofs: tuple[Proof, ...] = ()


@dataclass(frozen=True)
class Moved:
    """A column of a table that is rewritten, and the one that its values come from; None: NULL."""

    column: Column
    source: str | None


@dataclass(frozen=True)
class RewriteTableJob(LakeJob):
    """Write all rows of the table ``name`` at ``location`` again, as of ``base_version``, in
    other ``columns``, all else said of the table unchanged. No columns: as it is.
    """

    kind: ClassVar[str] = "rewrite_table"
    name: tuple[str, ...]
    location: str
    base_version: int | None
    commit_info: dict[str, str]
    operation: str
    parameters: dict[str, str]
    columns: tuple[Moved, ...]


wire.register(dict(globals()))
