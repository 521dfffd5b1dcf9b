"""What workers are asked when rows are put in place of others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.shared.wire_writes import Assigned, LakeJob, RowPlan


@dataclass(frozen=True)
class ReplaceRowsJob(LakeJob):
    """Put the rows of ``plan`` in place of those that ``gone`` deletes, in the table ``name`` at
    ``location`` as of ``base_version``, in one commit or not at all.

    ``misfits`` reads the table alone: run over the new rows in its place, it gives one that may
    not be there because it does not meet ``condition``. ``spool`` is a file that rows may go
    through. Answers a `RowChangeOutcome`.
    """

    kind: ClassVar[str] = "replace_rows"
    name: tuple[str, ...]
    location: str
    base_version: int
    spool: str
    commit_info: dict[str, str]
    plan: QueryPlan
    gone: RowPlan
    misfits: QueryPlan
    condition: str
    assigned: Assigned = field(default_factory=Assigned)


wire.register(dict(globals()))
