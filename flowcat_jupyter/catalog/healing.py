"""Whether a write whose end nobody saw was committed, and the record of it if it was.

A commit carries the id of its run, or of the ticket under which a kernel made it. What is in a
table's log is kept, whatever became of the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.barrier import abandon, settle
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import (
    Cancelled,
    FlowcatError,
    Internal,
    LimitExceeded,
    Unavailable,
)
from flowcat_jupyter.shared.wire import (
    HistoryEntry,
    HistoryInfo,
    HistoryJob,
    ImportOutcome,
    InspectJob,
    PageInfo,
    Source,
    TableFacts,
)
from flowcat_jupyter.shared.wire_rows import RowsJob

SEARCHED = 1000
"""Commits to look through, the newest first: others may have written since."""

UNSURE = (Cancelled, Internal, LimitExceeded, Unavailable)
"""Errors that tell nothing about whether a commit was made: the worker did not speak, or could
not."""


@dataclass(frozen=True)
class Commit:
    """A ticket's commit: the table's facts now, and how many rows and rejected lines it was."""

    facts: TableFacts
    loaded: int | None
    rejected: int


async def find_commit(deps: Deps, ticket: Ticket, rejects: str | None) -> Commit | None:
    """The commit that was made under a ticket; None if none was.

    ``rejects`` is where the rejected lines of its import are.

    :raises FlowcatError: the log cannot be read at the moment; one of `UNSURE`.
    """
    source = Source("r1", "table", tuple(ticket.spec["path"]), "delta", ticket.location)
    try:
        history: HistoryInfo = await deps.executor.run(
            HistoryJob(source, SEARCHED), job_id=str(uuid4())
        )
        base = -1 if ticket.base_version is None else ticket.base_version
        made = [e for e in history.entries if e.version > base and _is_of(e, ticket)]
        if not made:
            return None
        facts: TableFacts = await deps.executor.run(InspectJob(source), job_id=str(uuid4()))
    except FlowcatError as error:
        if isinstance(error, UNSURE):
            raise
        # There is no table.
        return None
    return Commit(facts, made[0].rows_added, await count_rejects(deps, rejects))


def _is_of(entry: HistoryEntry, ticket: Ticket) -> bool:
    if ticket.run_id is None:
        return entry.write_id == ticket.id
    return entry.run_id == str(ticket.run_id)


async def count_rejects(deps: Deps, location: str | None) -> int:
    """How many lines a file of rejected lines holds; none if it is not there or not whole."""
    if location is None or not await deps.threads.run(lambda: deps.rejects.exists(location)):
        return 0
    out = deps.results.files.new_path()
    job = RowsJob(out=str(out), offset=0, limit=0, spool=location, as_json=True)
    try:
        info: PageInfo = await deps.executor.run(job, job_id=str(uuid4()))
    except FlowcatError:
        return 0
    finally:
        deps.results.files.remove(out)
    return info.total


def settle_commit(unit: Unit, ticket: Ticket, commit: Commit) -> dict[str, Any]:
    """Record an import's commit; the run's result.

    :raises FlowcatError: the table is gone, or the ticket was taken back.
    """
    table = settle(unit, ticket, commit.facts)
    return result(table, commit.facts, commit.loaded, commit.rejected)


def result(table: TableRow, facts: TableFacts, loaded: int | None, rejected: int) -> dict[str, Any]:
    """What a run that imported says of it; ``loaded`` is None where no log counts the rows."""
    return {
        "table_id": table.id,
        "table": list(table.path),
        "row_count": facts.row_count,
        "version": facts.version,
        "warnings": list(facts.warnings),
        "rows_loaded": loaded,
        "rows_rejected": rejected,
        "lines": None if loaded is None else loaded + rejected,
    }


def outcome_result(table: TableRow, outcome: ImportOutcome) -> dict[str, Any]:
    """What a run says of an import that a worker told the end of."""
    return {
        **result(table, outcome, outcome.loaded, outcome.rejected),
        "lines": outcome.lines,
        "format": outcome.read_as,
    }


def abandon_all(unit: Unit, run_id: int) -> None:
    """Undo what a run that ended without a commit held."""
    for ticket in unit.everything.tickets.of_run(run_id):
        abandon(unit, ticket, "cancelled")


def leave(unit: Unit, ticket: Ticket) -> None:
    """Leave a write to who took its run over, and looks for its commit itself.

    If that is done, what was written after it goes too.
    """
    now = unit.everything.tickets.find(ticket.id)
    # A ticket goes with the table it was to make.
    if now is None or now.state in ("cancelled", "expired"):
        abandon(unit, ticket, "cancelled")
