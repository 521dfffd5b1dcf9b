"""Making a table of a list of columns."""

from __future__ import annotations

import time

import polars as pl

from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.shared.wire_writes import DefineTableJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext


def run_define_table(job: DefineTableJob, context: JobContext) -> SqlWriteOutcome:
    """Make or replace a table, as `DefineTableJob` says.

    :raises Conflict: somebody else wrote to the table that is replaced.
    """
    started = time.perf_counter()
    delta = context.formats.get("delta")
    schema = pl.Schema({column.name: polars_type(column.type) for column in job.columns})
    warnings = delta.warnings(schema, job.location)
    version = delta.define(
        job.columns,
        location=job.location,
        base_version=job.base_version,
        partition_by=job.partition_by,
        commit_info=job.commit_info,
    )
    facts = delta.facts(Source("target", "table", job.name, "delta", job.location, version))
    return SqlWriteOutcome(
        facts=facts,
        rows=0,
        engine="",
        used_tables=(),
        warnings=tuple(dict.fromkeys((*warnings, *facts.warnings))),
        worker_ms=(time.perf_counter() - started) * 1000,
    )
