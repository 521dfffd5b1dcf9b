"""Running and explaining a query."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl

from flowcat_jupyter.engines.protocol import Engine, Prepared, Relation
from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.shared.wire import ExplainInfo, ExplainJob, QueryJob, QueryPlan, ResultInfo
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_json_rows
from flowcat_jupyter.worker.jobs.explain import lines_told, sources_told, steps_told
from flowcat_jupyter.worker.jobs.sources import open_plan, used_tables

DEFAULT_ENGINE = "polars"


def run_query(job: QueryJob, context: JobContext) -> ResultInfo:
    """Run a plan over exactly its sources and spool the rows, as `QueryJob` says."""
    started = time.perf_counter()
    scans = open_plan(job.plan, context)
    engine, prepared = _prepare(job.plan, scans, context)
    rows, truncated = prepared.sink(Path(job.spool), limit=job.max_rows, max_bytes=job.max_bytes)
    if job.json_path:
        write_json_rows(pl.scan_ipc(job.spool), job.json_path)
    warnings = [text for scan in scans.values() for text in scan.warnings]
    return ResultInfo(
        columns=tuple(prepared.columns),
        row_count=rows,
        truncated=truncated,
        engine=engine.name,
        used_tables=used_tables(job.plan.sources, scans),
        warnings=tuple(dict.fromkeys([*warnings, *prepared.warnings])),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def run_explain(job: ExplainJob, context: JobContext) -> ExplainInfo:
    """Say how a plan would run, without running it."""
    scans = open_plan(job.plan, context)
    engine, prepared = _prepare(job.plan, scans, context)
    sources = sources_told(job.plan, scans)
    steps = steps_told(job.plan, sources)
    reason = _reason(job.plan)
    warnings = [text for scan in scans.values() for text in scan.warnings]
    notes = tuple(dict.fromkeys([*warnings, *prepared.warnings]))
    lines = lines_told(engine.name, reason, sources, steps, notes)
    if job.extended:
        lines = (*lines, "The engine's own plan:", *(f"  {line}" for line in prepared.explain()))
    return ExplainInfo(
        engine=engine.name,
        lines=lines,
        used_tables=used_tables(job.plan.sources, scans),
        reason=reason,
        sources=sources,
        steps=steps,
    )


def _reason(plan: QueryPlan) -> str:
    if plan.engine:
        return "It is the one that was asked for."
    return "It is the default and has everything that this query uses."


def _prepare(
    plan: QueryPlan, scans: dict[str, Scan], context: JobContext
) -> tuple[Engine, Prepared]:
    engine: Engine = context.engines.get(plan.engine or DEFAULT_ENGINE)
    names = {source.relation: source.name for source in plan.sources}
    relations = {
        key: Relation(name=names[key], columns=scan.columns, frame=scan.frame)
        for key, scan in scans.items()
    }
    return engine, engine.prepare(plan, relations)
