"""Changing what a table is: the rows that are there are looked at first."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.altering import AlterableFormat
from flowcat_jupyter.formats.protocol import LakeFormat
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.shared.wire_alter import AlterTableJob, Proof, RewriteTableJob
from flowcat_jupyter.shared.wire_writes import DefineTableJob, LakeJob, SqlWriteJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.lakes import lake_of, target_of, unchanged
from flowcat_jupyter.worker.jobs.query_rows import ready

_SHOWN = 200


def run_alter_table(job: AlterTableJob, context: JobContext) -> SqlWriteOutcome:
    """Change a definition, as `AlterTableJob` says; one that is so already makes no version.

    :raises Invalid: a row breaks a new constraint, or the change does not fit the table.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    able = alterable(lake, job)
    for proof in job.proofs:
        _look(proof, Path(job.spool), context)
    able.alter(
        job.change,
        location=job.location,
        base_version=job.base_version,
        operation=job.operation,
        parameters=job.parameters,
        commit_info=job.commit_info,
    )
    done = _outcome(job, lake, job.name, job.location, 0, started)
    if done.facts is None or unchanged(job, done.facts, job.base_version):
        return SqlWriteOutcome(None, 0, "", (), (), 0.0)
    return done


def run_rewrite_table(job: RewriteTableJob, context: JobContext) -> SqlWriteOutcome:
    """Write all rows again in other columns, as `RewriteTableJob` says; none make no version.

    :raises Invalid: a value does not fit, or the table cannot be written again.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    if not job.columns:
        return SqlWriteOutcome(None, 0, "", (), (), 0.0)
    lake = lake_of(job, job.name, context)
    rows = alterable(lake, job).rewrite(
        job.columns,
        location=job.location,
        base_version=job.base_version,
        operation=job.operation,
        parameters=job.parameters,
        commit_info=job.commit_info,
    )
    return _outcome(job, lake, job.name, job.location, rows, started)


def tells_more(job: DefineTableJob | SqlWriteJob, lake: LakeFormat) -> bool:
    """Whether a table is made of which more is said than its columns, or was of the one before it,
    of which nothing may be left.
    """
    if job.definition:
        return True
    replaces = isinstance(job, DefineTableJob) or job.redefine
    if job.base_version is None or not replaces or not isinstance(lake, AlterableFormat):
        return False
    facts = lake.facts(target_of(job, job.name, job.location, job.base_version))
    return bool(facts.constraints or facts.properties)


def alterable(lake: LakeFormat, job: LakeJob) -> AlterableFormat:
    """The format of a job's table, whose definitions can be told.

    :raises Invalid: they cannot.
    """
    if isinstance(lake, AlterableFormat):
        return lake
    raise Invalid(
        f"Constraints, defaults and properties of tables USING {job.format} are not supported, and "
        "their columns stay as they are.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Copy the rows into a table USING delta: CREATE TABLE … AS SELECT.",
    )


def _look(proof: Proof, spool: Path, context: JobContext) -> None:
    """Check that no row breaks a constraint.

    :raises Invalid: some do; how many, and what is in one of them.
    """
    broken = int(_rows(proof.count, spool, context).item())
    if not broken:
        return
    example = _rows(proof.example, spool, context)
    values = ""
    if example.width and example.height:
        said = (f"{name} = {_shown(value)}" for name, value in example.row(0, named=True).items())
        values = f", for example one with {', '.join(said)}"
    if proof.kind == "check":
        raise Invalid(
            f"{many(broken, 'row')} of the table {'does' if broken == 1 else 'do'} not meet "
            f"{proof.condition}{values}.",
            condition="DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
            sqlstate="23512",
            hint="Mend or delete such rows first; a condition that is NULL is not met either. "
            "Nothing was changed.",
        )
    raise Invalid(
        f"{many(broken, 'row')} of the table {'has' if broken == 1 else 'have'} NULL in "
        f"{proof.name}{values}.",
        condition="DELTA_NEW_NOT_NULL_VIOLATION",
        sqlstate="23512",
        hint=f"Give such rows a value of {proof.name} first, or delete them. Nothing was changed.",
    )


def _rows(plan: QueryPlan, spool: Path, context: JobContext) -> pl.DataFrame:
    """The few rows of a query, under its headings."""
    asked = ready(plan, context)
    asked.run(spool)
    found = asked.frame(spool, tuple(column.name for column in asked.columns)).collect()
    spool.unlink(missing_ok=True)
    return found


def _shown(value: object) -> str:
    text = "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _outcome(
    job: LakeJob,
    lake: LakeFormat,
    name: tuple[str, ...],
    location: str,
    rows: int,
    started: float,
) -> SqlWriteOutcome:
    facts = lake.facts(target_of(job, name, location))
    spent = (time.perf_counter() - started) * 1000
    return SqlWriteOutcome(facts, rows, "", (), tuple(facts.warnings), spent)
