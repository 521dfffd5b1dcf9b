"""Spools rows that the server made itself, so that every result is read the same way."""

from __future__ import annotations

import json
import time
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.wire import ResultInfo, ValuesJob
from flowcat_jupyter.worker.context import JobContext


def run_values(job: ValuesJob, _context: JobContext) -> ResultInfo:
    """Write the rows as `QueryJob` would write a query's."""
    started = time.perf_counter()
    schema = {f"c{i}": polars_type(column.type) for i, column in enumerate(job.columns)}
    frame = pl.DataFrame([list(row) for row in job.rows], schema=schema, orient="row")
    frame.write_ipc(Path(job.spool), compression="uncompressed", compat_level=_OLDEST)
    if job.json_path:
        Path(job.json_path).write_text(json.dumps(job.rows, allow_nan=False), encoding="utf-8")
    return ResultInfo(
        columns=job.columns,
        row_count=frame.height,
        truncated=False,
        engine="catalog",
        used_tables=(),
        warnings=(),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


_OLDEST = pl.CompatLevel.oldest()
