"""Whether a write whose end nobody saw was committed, and the record of it if it was.

A commit carries the id of its run, or of the ticket under which a kernel made it. What is in a
table's log is kept, whatever became of the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.access import SYSTEM
from flowcat_jupyter.catalog.background import died
from flowcat_jupyter.catalog.barrier import abandon, observe, settle
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import (
    Cancelled,
    Conflict,
    FlowcatError,
    Internal,
    LimitExceeded,
    NotFound,
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
    if ticket.spec.get("format", "delta") != "delta":
        # What nobody recorded is no version of such a table: see `barrier.settle`.
        return None
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


def is_orphan(ticket: Ticket) -> bool:
    """Whether the process that wrote under a ticket is gone."""
    return died(ticket.spec.get("holder") or "")


async def mend_orphans(deps: Deps) -> bool:
    """End the writes of processes that are gone, as `mend` does; whether there were any."""

    def look() -> tuple[Ticket, ...]:
        with deps.begin(SYSTEM) as unit:
            return tuple(filter(is_orphan, unit.everything.tickets.unreported(unit.now)))

    done = [await mend(deps, ticket, over=True) for ticket in await deps.threads.run(look)]
    return any(done)


async def mend(deps: Deps, ticket: Ticket, *, over: bool) -> bool:
    """End a ticket whose commit nobody reported, or that is ``over`` without one; whether it did.

    What is in the table's log is recorded, whoever made the ticket.
    """
    try:
        commit = await find_commit(deps, ticket, None)
    except UNSURE:
        # Looked at again at the next round: what may be there is not thrown away.
        return False

    def work() -> None:
        with deps.begin(SYSTEM, write=True) as unit:
            if commit is not None:
                settle_commit(unit, ticket, commit)
            else:
                abandon(unit, ticket, "expired")

    if commit is None and not over:
        return False
    try:
        await deps.threads.run(work)
    except (Conflict, NotFound):
        # It was reported meanwhile, or the table is gone.
        commit = None
        await deps.threads.run(work)
    if commit is None and not ticket.creates:
        await _catch_up(deps, ticket)
    return True


async def _catch_up(deps: Deps, ticket: Ticket) -> None:
    if ticket.spec.get("format", "delta") != "delta":
        return
    source = Source("r1", "table", tuple(ticket.spec["path"]), "delta", ticket.location)
    try:
        facts: TableFacts = await deps.executor.run(InspectJob(source), job_id=str(uuid4()))
    except FlowcatError:
        # What cannot be read now is read when somebody asks for it.
        return

    def work() -> None:
        with deps.begin(SYSTEM, write=True) as unit:
            table = unit.tables.find(ticket.table_id)
            if table:
                observe(unit, table, facts)

    await deps.threads.run(work)


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
