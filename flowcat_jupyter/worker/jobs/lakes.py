"""The format through which a job writes its table."""

from __future__ import annotations

import time

from flowcat_jupyter.formats.protocol import LakeFormat, PointedFormat, ReplayingFormat
from flowcat_jupyter.formats.rehearsing import RehearsingFormat
from flowcat_jupyter.shared.errors import Internal, Invalid
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Source, TableFacts
from flowcat_jupyter.shared.wire_writes import LakeJob, ReplayJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext


def lake_of(job: LakeJob, name: tuple[str, ...], context: JobContext) -> LakeFormat:
    """The format of a job's table, which is called ``name``; one that is kept by a pointer begins
    at the job's.

    :raises Invalid: tables of that format are only read.
    :raises NotInstalled: the format needs a part that is missing.
    """
    found = context.formats.get(job.format)
    pointed = isinstance(found, PointedFormat)
    lake: LakeFormat = found.written_from(name, job.pointer) if pointed else found
    if not hasattr(lake, "write"):
        raise Invalid(
            f"Tables of the format {job.format} are only read.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            hint="Copy the rows into a table USING delta.",
        )
    return lake


def rehearsing(lake: LakeFormat, name: tuple[str, ...]) -> RehearsingFormat:
    """The format of the table ``name`` as one whose writes can be tried.

    :raises Invalid: they cannot.
    """
    if isinstance(lake, RehearsingFormat):
        return lake
    raise Invalid(
        f"What a statement would do to {TableName(name).sql} cannot be told: it is a table of the "
        f"format {lake.name}.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Ask a query which rows the condition finds.",
    )


def target_of(
    job: LakeJob, name: tuple[str, ...], location: str, version: int | None = None
) -> Source:
    """A job's table as a source."""
    return Source("target", "table", name, job.format, location, version)


def unchanged(job: LakeJob, facts: TableFacts, base_version: int | None) -> bool:
    """Whether a table is still as the job found it."""
    if facts.pointer is not None:
        return facts.pointer == job.pointer
    return facts.version == base_version


def run_replay(job: ReplayJob, context: JobContext) -> SqlWriteOutcome:
    """Add what a lost append added, as `ReplayJob` says.

    :raises Conflict: the table's columns are others by now.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    if not isinstance(lake, ReplayingFormat):
        raise Internal(f"Appends to tables of the format {job.format} are not replayed.")
    lake.replay(job.lost, location=job.location)
    facts = lake.facts(target_of(job, job.name, job.location))
    spent = (time.perf_counter() - started) * 1000
    return SqlWriteOutcome(facts, 0, "", (), (), spent)
