"""Changing the rows of a table that a query names."""

from __future__ import annotations

import time
from pathlib import Path

from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowChangeJob, RowChangeOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query_rows import ready


def run_row_change(job: RowChangeJob, context: JobContext) -> RowChangeOutcome:
    """Run a plan and commit what it says becomes of rows, as `RowChangeJob` says.

    :raises SqlError: a value made the query fail.
    :raises Invalid: a value does not fit its column, or a row would change twice; nothing has
        been committed.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    asked = ready(job.plan, context)
    spool = Path(job.spool)
    facts, rows = None, ChangedRows()
    if asked.run(spool):
        delta = context.formats.get("delta")
        names = tuple(f"c{place}" for place in range(len(asked.columns)))
        rows = delta.change(
            asked.frame(spool, names),
            location=job.location,
            base_version=job.base_version,
            keys=job.keys,
            actions=job.actions,
            once=job.once,
            commit_info=job.commit_info,
        )
        facts = delta.facts(Source("target", "table", job.name, "delta", job.location))
    return RowChangeOutcome(
        facts=facts,
        rows=rows,
        engine=asked.engine,
        used_tables=asked.used_tables,
        warnings=tuple(dict.fromkeys((*asked.warnings, *(facts.warnings if facts else ())))),
        worker_ms=(time.perf_counter() - started) * 1000,
    )
