"""Rows put in place of those that meet a condition."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import polars as pl

from flowcat_jupyter.formats.protocol import ReplacingFormat
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.shared.wire_inserts import ReplaceRowsJob
from flowcat_jupyter.shared.wire_writes import RowChangeOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.lakes import lake_of, target_of, unchanged
from flowcat_jupyter.worker.jobs.query_rows import ready
from flowcat_jupyter.worker.jobs.sql_write import matched

_SHOWN = 60


def run_replace_rows(job: ReplaceRowsJob, context: JobContext) -> RowChangeOutcome:
    """Replace rows, as `ReplaceRowsJob` says.

    :raises SqlError: a value made a query fail, or a new row does not meet the condition.
    :raises Invalid: a value does not fit its column.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    replacing = lake
    if not isinstance(replacing, ReplacingFormat):
        raise Invalid(
            f"REPLACE WHERE is not supported in tables of the format {job.format}.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Use DELETE and INSERT, or a table USING delta.",
        )
    base = lake.facts(target_of(job, job.name, job.location, job.base_version))
    asked = ready(job.plan, context)
    names = matched(asked.columns, job.assigned, base.columns)
    asked.run(Path(job.spool))
    gone = ready(job.gone.plan, context)
    with TemporaryDirectory(prefix="flowcat-gone-") as folder:
        file = Path(folder, "gone.arrow")
        gone.run(file)
        rows = replacing.replace_rows(
            asked.frame(Path(job.spool), tuple(names)),
            gone.frame(file, tuple(f"c{place}" for place in range(len(gone.columns)))),
            location=job.location,
            base_version=job.base_version,
            keys=job.gone.shape.keys,
            check=lambda new: _check(job, new, Path(folder), context),
            commit_info=job.commit_info,
        )
    told = lake.facts(target_of(job, job.name, job.location))
    warnings = (*asked.warnings, *gone.warnings, *told.warnings)
    return RowChangeOutcome(
        facts=None if unchanged(job, told, job.base_version) else told,
        rows=rows,
        engine=asked.engine,
        used_tables=tuple(dict.fromkeys((*asked.used_tables, *gone.used_tables))),
        warnings=tuple(dict.fromkeys(warnings)),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _check(job: ReplaceRowsJob, new: Path, folder: Path, context: JobContext) -> None:
    """Check that new rows meet the condition, as it is computed for the table's own."""
    sources = tuple(
        Source(source.relation, "inline", source.name, "frame", str(new))
        for source in job.misfits.sources
    )
    asked = ready(replace(job.misfits, sources=sources), context)
    file = folder / "misfits.arrow"
    if asked.run(file):
        _refuse(job, asked.frame(file, tuple(c.name for c in asked.columns)).collect())


def _refuse(job: ReplaceRowsJob, misfits: pl.DataFrame) -> NoReturn:
    (row,) = misfits.rows(named=True)
    values = ", ".join(f"{name} = {_text(value)}" for name, value in row.items())
    raise SqlError(
        f"A row to write does not meet REPLACE WHERE {job.condition}: {values}.",
        condition="DELTA_REPLACE_WHERE_MISMATCH",
        sqlstate="44000",
        hint="Nothing was changed. Leave such rows out of the query, or widen the condition.",
    )


def _text(value: object) -> str:
    text = "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
