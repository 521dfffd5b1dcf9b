"""Changing the rows of a table that a query names."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.direct import DirectFormat
from flowcat_jupyter.formats.protocol import LakeFormat
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import (
    ChangedRows,
    RowChangeJob,
    RowChangeOutcome,
    RowPlan,
)
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.lakes import lake_of, rehearsing, target_of, unchanged
from flowcat_jupyter.worker.jobs.query_rows import Ready, ready
from flowcat_jupyter.worker.jobs.sql_write import check_storable


def run_row_change(job: RowChangeJob, context: JobContext) -> RowChangeOutcome:
    """Run a plan and commit what it says becomes of rows, as `RowChangeJob` says.

    :raises SqlError: a value made the query fail.
    :raises Invalid: a value does not fit its column, or a row would change twice; nothing has
        been committed.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    done = None if job.dry_run else _quickly(job, context, lake) or _directly(job, context, lake)
    if done is None:
        ran = _ran(job, context, lake)
        done = ran, _changed(job, ran, lake)
    ran, rows = done
    told = lake.facts(target_of(job, job.name, job.location))
    facts = None if unchanged(job, told, job.base_version) else told
    warnings = (*ran.asked.warnings, *(facts.warnings if facts else ()))
    return RowChangeOutcome(
        facts=facts,
        rows=rows,
        engine=ran.asked.engine,
        used_tables=ran.asked.used_tables,
        warnings=tuple(dict.fromkeys(warnings)),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _changed(job: RowChangeJob, ran: _Ran, lake: LakeFormat) -> ChangedRows:
    if not ran.count:
        if isinstance(lake, DirectFormat):
            lake.check_changeable(job.location)
        return ChangedRows()
    if job.dry_run:
        return rehearsing(lake, job.name).rehearse_change(
            ran.frame,
            location=job.location,
            base_version=job.base_version,
            shape=ran.plan.shape,
            add_columns=job.evolves,
        )
    return lake.change(
        ran.frame,
        location=job.location,
        base_version=job.base_version,
        shape=ran.plan.shape,
        commit_info=job.commit_info,
        add_columns=job.evolves,
    )


@dataclass(frozen=True)
class _Ran:
    """A plan's rows, in a file."""

    plan: RowPlan
    asked: Ready
    count: int
    spool: Path

    @property
    def frame(self) -> pl.LazyFrame:
        names = tuple(f"c{place}" for place in range(len(self.asked.columns)))
        return self.asked.frame(self.spool, names)


def _ran(job: RowChangeJob, context: JobContext, lake: LakeFormat) -> _Ran:
    asked = ready(job.rows.plan, context)
    if job.evolves:
        check_storable(_new_columns(job, asked, lake))
    spool = Path(job.spool)
    return _Ran(job.rows, asked, asked.run(spool), spool)


def _new_columns(job: RowChangeJob, asked: Ready, lake: LakeFormat) -> list[Column]:
    """The columns that the table gets."""
    facts = lake.facts(target_of(job, job.name, job.location, job.base_version))
    known = {name_key(column.name) for column in facts.columns}
    shape = job.rows.shape
    names = [name for action in shape.actions for name in action.columns]
    values = asked.columns[len(shape.keys) + 1 :]
    pairs = zip(names, values, strict=True)
    return [replace(value, name=name) for name, value in pairs if name_key(name) not in known]


def _quickly(
    job: RowChangeJob, context: JobContext, lake: LakeFormat
) -> tuple[_Ran, ChangedRows] | None:
    """The change by the quick plan; None where it cannot serve.

    It computes values of clauses that may take no row. Where one of them fails, nothing has been
    committed, and the other plan says whether it matters.
    """
    if job.quick is None:
        return None
    try:
        asked = ready(job.quick.plan, context)
        if not _same_types(asked.columns, _keys(job, job.quick, lake)):
            return None
        ran = _Ran(job.quick, asked, asked.run(Path(job.spool)), Path(job.spool))
        return None if _repeats(ran) else (ran, _changed(job, ran, lake))
    except (SqlError, Invalid):
        return None


def _directly(
    job: RowChangeJob, context: JobContext, lake: LakeFormat
) -> tuple[_Ran, ChangedRows] | None:
    """The change by the table's own library; None where it cannot serve.

    What the library refuses has not been committed, and the plan says why it may not be.
    """
    if job.direct is None or not isinstance(lake, DirectFormat):
        return None
    asked = ready(job.rows.plan, context)
    try:
        rows = lake.change_directly(
            job.direct,
            location=job.location,
            base_version=job.base_version,
            commit_info=job.commit_info,
        )
    except Invalid:
        return None
    return None if rows is None else (_Ran(job.rows, asked, 0, Path(job.spool)), rows)


def _keys(job: RowChangeJob, plan: RowPlan, lake: LakeFormat) -> list[Column]:
    source = target_of(job, job.name, job.location, job.base_version)
    table = {column.name: column for column in lake.facts(source).columns}
    return [table[key] for key in plan.shape.keys]


def _same_types(given: Sequence[Column], wanted: Sequence[Column]) -> bool:
    """Whether values are equal as they are compared in SQL exactly when they are as stored."""
    pairs = zip(given[: len(wanted)], wanted, strict=True)
    kinds = [(parse_type(a.type), parse_type(b.type)) for a, b in pairs]
    return all(a == b or (a.is_integer and b.is_integer) for a, b in kinds)


def _repeats(ran: _Ran) -> bool:
    """Whether a row of the table might be told of twice."""
    keys = [f"c{place}" for place in range(len(ran.plan.shape.keys))]
    matched = f"c{len(keys)}"
    told = ran.frame.filter(pl.col(matched).is_not_null()).select(keys).drop_nulls()
    counted = told.group_by(keys).len("__flowcat_count").filter(pl.col("__flowcat_count") > 1)
    return bool(counted.head(1).collect().height)
