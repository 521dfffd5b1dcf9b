"""Spools rows that the server made itself, so that every result is read the same way."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.wire import ResultInfo, ValuesJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_json_rows


def run_values(job: ValuesJob, _context: JobContext) -> ResultInfo:
    """Write the rows as `QueryJob` would write a query's."""
    started = time.perf_counter()
    rows = _rows(job)
    frame = _frame(job, rows)
    frame.write_ipc(Path(job.spool), compression="uncompressed", compat_level=_OLDEST)
    if job.json_path and all(column.type in _PLAIN for column in job.columns):
        Path(job.json_path).write_text(json.dumps(rows, allow_nan=False), encoding="utf-8")
    elif job.json_path:
        write_json_rows(frame.lazy(), job.json_path)
    return ResultInfo(
        columns=job.columns,
        row_count=frame.height,
        truncated=False,
        engine="catalog",
        used_tables=(),
        warnings=(),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _rows(job: ValuesJob) -> Sequence[Sequence[Any]]:
    if job.file is None:
        return job.rows
    with Path(job.file).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _frame(job: ValuesJob, rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """The rows; times came as ISO 8601, maps as objects."""
    names = job.names or tuple(f"c{i}" for i in range(len(job.columns)))
    values = zip(*rows, strict=True) if rows else [()] * len(job.columns)
    columns = zip(names, job.columns, values, strict=True)
    return pl.DataFrame([_series(name, column.type, found) for name, column, found in columns])


def _series(name: str, ddl: str, values: Sequence[Any]) -> pl.Series:
    dtype = polars_type(ddl)
    if ddl == "timestamp":
        found = [datetime.fromisoformat(v).astimezone(UTC) if v else None for v in values]
        return pl.Series(name, found, dtype=dtype)
    if ddl.startswith("map<"):
        entries = [
            None if v is None else [{"key": key, "value": item} for key, item in v.items()]
            for v in values
        ]
        return pl.Series(name, entries, dtype=dtype)
    return pl.Series(name, list(values), dtype=dtype)


_PLAIN = ("string", "boolean", "int")
_OLDEST = pl.CompatLevel.oldest()
