"""What workers are asked to do with tables of files, and with files that are no table's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job, OptionLayer, QueryPlan
from flowcat_jupyter.shared.wire_writes import Assigned


@dataclass(frozen=True)
class SaveJob(Job):
    """Save the rows of ``plan`` in a format that is no lake's, together or not at all; without a
    plan, make the place for rows of ``columns``.

    ``mode`` is ``error``, ``ignore``, ``append`` or ``overwrite``; ``columns`` are those of the
    table ``name`` (none: the query's are taken), which ``assigned`` says the query's are for.
    ``location`` is empty where the format has no place. ``spool`` is a file that the rows may go
    through. Answers a `SqlWriteOutcome`, whose facts are None where there is nothing to read.
    """

    kind: ClassVar[str] = "save"
    name: tuple[str, ...]
    format: str
    location: str
    mode: str
    spool: str
    plan: QueryPlan | None
    columns: tuple[Column, ...] = ()
    options: tuple[OptionLayer, ...] = ()
    partition_by: tuple[str, ...] = ()
    assigned: Assigned = field(default_factory=Assigned)


wire.register(dict(globals()))
