"""Tables made of a list of columns, and columns that are added."""

from __future__ import annotations

import time

import polars as pl

from flowcat_jupyter.formats.protocol import LakeFormat
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.wire_writes import AddColumnsJob, DefineTableJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.alter import alterable, tells_more
from flowcat_jupyter.worker.jobs.lakes import lake_of, target_of


def run_define_table(job: DefineTableJob, context: JobContext) -> SqlWriteOutcome:
    """Make or replace a table, as `DefineTableJob` says.

    :raises Conflict: somebody else wrote to the table that is replaced.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    warnings = _warnings(job, lake)
    if tells_more(job, lake):
        version = alterable(lake, job).define_with(
            job.columns,
            job.definition,
            location=job.location,
            base_version=job.base_version,
            partition_by=job.partition_by,
            commit_info=job.commit_info,
        )
        return _outcome(job, lake, version, warnings, started)
    version = lake.define(
        job.columns,
        location=job.location,
        base_version=job.base_version,
        partition_by=job.partition_by,
        commit_info=job.commit_info,
    )
    return _outcome(job, lake, version, warnings, started)


def run_add_columns(job: AddColumnsJob, context: JobContext) -> SqlWriteOutcome:
    """Add columns, as `AddColumnsJob` says; none make no version.

    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    if not job.columns:
        return SqlWriteOutcome(None, 0, "", (), (), 0.0)
    lake = lake_of(job, job.name, context)
    warnings = _warnings(job, lake)
    version = lake.add_columns(
        job.columns,
        location=job.location,
        base_version=job.base_version,
        commit_info=job.commit_info,
    )
    return _outcome(job, lake, version, warnings, started)


def _warnings(job: DefineTableJob | AddColumnsJob, lake: LakeFormat) -> tuple[str, ...]:
    schema = pl.Schema({column.name: polars_type(column.type) for column in job.columns})
    return lake.warnings(schema, job.location)


def _outcome(
    job: DefineTableJob | AddColumnsJob,
    lake: LakeFormat,
    version: int,
    warnings: tuple[str, ...],
    started: float,
) -> SqlWriteOutcome:
    facts = lake.facts(target_of(job, job.name, job.location, version))
    return SqlWriteOutcome(
        facts=facts,
        rows=0,
        engine="",
        used_tables=(),
        warnings=tuple(dict.fromkeys((*warnings, *facts.warnings))),
        worker_ms=(time.perf_counter() - started) * 1000,
    )
