"""Running and explaining a query."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl

from flowcat_jupyter.engines.choice import Choice, choose
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.shared.wire import ExplainInfo, ExplainJob, QueryJob, QueryPlan, ResultInfo
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_json_rows
from flowcat_jupyter.worker.jobs.explain import hidden_told, lines_told, sources_told, steps_told
from flowcat_jupyter.worker.jobs.sources import open_plan, used_tables


def run_query(job: QueryJob, context: JobContext) -> ResultInfo:
    """Run a plan over exactly its sources and spool the rows, as `QueryJob` says."""
    started = time.perf_counter()
    scans = open_plan(job.plan, context)
    chosen = choose_engine(job.plan, scans, context)
    prepared = chosen.prepared
    rows, truncated = prepared.sink(Path(job.spool), limit=job.max_rows, max_bytes=job.max_bytes)
    if job.json_path:
        write_json_rows(pl.scan_ipc(job.spool), job.json_path)
    warnings = [text for scan in scans.values() for text in scan.warnings]
    return ResultInfo(
        columns=tuple(prepared.columns),
        row_count=rows,
        truncated=truncated,
        engine=chosen.engine.name,
        used_tables=used_tables(job.plan.sources, scans),
        warnings=tuple(dict.fromkeys([*warnings, *prepared.warnings])),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def run_explain(job: ExplainJob, context: JobContext) -> ExplainInfo:
    """Say how a plan would run, without running it."""
    scans = open_plan(job.plan, context)
    chosen = choose_engine(job.plan, scans, context)
    prepared, reason = chosen.prepared, chosen.reason
    sources = sources_told(job.plan, scans)
    hidden = hidden_told(job.plan)
    steps = hidden or steps_told(job.plan, sources)
    warnings = [text for scan in scans.values() for text in scan.warnings]
    notes = tuple(dict.fromkeys([*warnings, *prepared.warnings]))
    lines = lines_told(chosen.engine.name, reason, sources, steps, notes)
    if job.extended and not hidden:
        lines = (*lines, "The engine's own plan:", *(f"  {line}" for line in prepared.explain()))
    return ExplainInfo(
        engine=chosen.engine.name,
        lines=lines,
        used_tables=used_tables(job.plan.sources, scans),
        reason=reason,
        sources=sources,
        steps=steps,
    )


def choose_engine(plan: QueryPlan, scans: dict[str, Scan], context: JobContext) -> Choice:
    """The engine that runs a plan, with the plan prepared over its open sources.

    :raises SqlError: it is wrong, or none can.
    """
    names = {source.relation: source.name for source in plan.sources}
    relations = {
        key: Relation(
            name=names[key],
            columns=scan.columns,
            frame=scan.frame,
            files=(scan.reading.paths or ()) if scan.reading is not None else (),
        )
        for key, scan in scans.items()
    }
    return choose(plan, relations, context.engines)
