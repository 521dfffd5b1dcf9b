"""What a table is: its facts, its history, and the whole of it as a stream."""

from __future__ import annotations

import polars as pl

from flowcat_jupyter.shared.wire import (
    HistoryInfo,
    HistoryJob,
    InspectJob,
    PageInfo,
    StreamJob,
    TableFacts,
)
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.sources import open_source, reading


def run_inspect(job: InspectJob, context: JobContext) -> TableFacts:
    """Read a table's schema, counts and versions from its log or footers."""
    facts: TableFacts = context.formats.get(job.source.format).facts(job.source)
    return facts


def run_history(job: HistoryJob, context: JobContext) -> HistoryInfo:
    """Read a table's commits, newest first."""
    history: HistoryInfo = context.formats.get(job.source.format).history(job.source, job.limit)
    return history


def run_stream(job: StreamJob, context: JobContext) -> PageInfo:
    """Write a whole table in its declared types as an Arrow IPC file, in bounded memory."""
    scan = open_source(job.source, context)
    with reading():
        write_arrow(scan.declared(), job.out)
    count = int(pl.scan_ipc(job.out).select(pl.len()).collect().item())
    return PageInfo(columns=scan.columns, row_count=count, total=count, version=scan.version)
