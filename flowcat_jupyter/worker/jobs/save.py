"""Rows of a query saved as files, or given to whatever else takes rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from flowcat_jupyter.formats.delta_assign import assign, check_required, plan_assignment
from flowcat_jupyter.formats.protocol import SinkFormat
from flowcat_jupyter.formats.sink_files import FileSink
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column, Source, TableFacts, UsedTable
from flowcat_jupyter.shared.wire_files import SaveJob
from flowcat_jupyter.shared.wire_writes import SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query_rows import ready
from flowcat_jupyter.worker.jobs.sql_write import matched, new_columns


def run_save(job: SaveJob, context: JobContext) -> SqlWriteOutcome:
    """Save rows, as `SaveJob` says.

    :raises SqlError: the query's columns are not the table's, or a value made it fail.
    :raises Invalid: a value does not fit its column, or the format cannot hold it.
    :raises AlreadyExists: the mode is ``error``, and something is there.
    """
    started = time.perf_counter()
    sink = context.formats.get(job.format)
    if not isinstance(sink, SinkFormat):
        raise Invalid(
            f"{job.format} cannot be written.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="It is only read; write to another format.",
        )
    if job.plan is None:
        return _defined(job, sink, started)
    # What others write while the rows are computed is never replaced by them.
    sink = sink.begun(job.location, job.mode) if isinstance(sink, FileSink) else sink
    asked = ready(job.plan, context)
    if job.columns:
        names = matched(asked.columns, job.assigned, job.columns)
        columns = job.columns
    else:
        names = new_columns(asked.columns)
        columns = tuple(
            Column(name, column.type) for name, column in zip(names, asked.columns, strict=True)
        )
    asked.run(Path(job.spool))
    frame = asked.frame(Path(job.spool), tuple(names))
    rows = sink.save(
        _fitted(frame, columns),
        location=job.location or None,
        mode=job.mode,
        options=job.options,
        partition_by=job.partition_by,
        columns=columns,
    )
    return SqlWriteOutcome(
        facts=_facts(job, sink, columns),
        rows=rows,
        engine=asked.engine,
        used_tables=asked.used_tables,
        warnings=asked.warnings,
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _defined(job: SaveJob, sink: Any, started: float) -> SqlWriteOutcome:
    sink.define(
        job.columns,
        location=job.location,
        options=job.options,
        partition_by=job.partition_by,
    )
    used: tuple[UsedTable, ...] = ()
    spent = (time.perf_counter() - started) * 1000
    return SqlWriteOutcome(_facts(job, sink, job.columns), 0, "", used, (), spent)


def _fitted(frame: pl.LazyFrame, columns: Sequence[Column]) -> pl.LazyFrame:
    """Rows in a table's own columns and types, none of whose values has changed on the way.

    :raises Invalid: a value would.
    """
    plans = plan_assignment(frame.collect_schema(), columns)
    check_required(plans)
    schema = {column.name: polars_type(column.type) for column in columns}
    return frame.map_batches(lambda batch: assign(batch, plans), schema=schema, streamable=True)


def _facts(job: SaveJob, sink: Any, columns: tuple[Column, ...]) -> TableFacts | None:
    """What the table is now; None for a place that is no table's."""
    if not job.name:
        return None
    source = Source(
        "target",
        "table",
        job.name,
        job.format,
        job.location,
        options=job.options,
        columns=columns,
    )
    facts: TableFacts = sink.facts(source)
    if facts.partition_columns or not job.partition_by:
        return facts
    # An empty folder does not say by what it is to be partitioned.
    return replace(facts, partition_columns=job.partition_by)
