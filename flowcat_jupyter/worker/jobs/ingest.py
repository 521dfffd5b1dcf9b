"""Files into tables: looking at them, and loading them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import polars as pl

from flowcat_jupyter.formats.batches import KeptError, lazily
from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.formats.files_drift import drift_from, refuse_drift
from flowcat_jupyter.formats.files_options import offered
from flowcat_jupyter.formats.files_reading import Reading, Request
from flowcat_jupyter.formats.files_rejects import SHOWN, RejectLog
from flowcat_jupyter.formats.files_spool import spooling
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.wire import (
    Column,
    Drift,
    ImportJob,
    ImportOutcome,
    ImportProposal,
    PreviewImportJob,
    ProposedColumn,
    Source,
    TableFacts,
)
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import json_rows
from flowcat_jupyter.worker.jobs.ingest_keys import check_keys

SAMPLE_ABOVE = 200 << 20
_ADDING = ("append", "upsert")


def run_preview(job: PreviewImportJob, ctx: JobContext) -> ImportProposal:
    """Read files and propose types, with their first ``job.rows`` rows in them.

    The files are read whole, except for plain text of more than 200 MB: then a sample, which the
    warnings say. Rows that do not fit are a warning here; the import stops at them.
    """
    table = _columns_of(job.location, job.base_version, ctx) if job.location else ()
    request = Request(
        types=job.types,
        target={column.name: column.type for column in table},
        sample_above=SAMPLE_ABOVE,
        report=lambda rows: ctx.progress(rows, None, "rows"),
    )
    paths = job.paths or (job.path,)
    with read_files(paths, format=job.format, options=job.options, request=request) as reading:
        return ImportProposal(
            format=reading.format,
            options=reading.options,
            columns=_honest(reading),
            rows=tuple(json_rows(reading.head(job.rows))),
            rows_read=reading.rows,
            warnings=reading.all_warnings(),
            notes=reading.notes(),
            files=reading.files,
            rejected=reading.rejected,
            rejects=tuple(item for bad in reading.bad for item in bad.first)[:SHOWN],
            detected=reading.detected,
            choices=offered(reading.format, reading.choices),
            drift=drift_from(reading, table) if table else None,
        )


def _honest(reading: Reading) -> tuple[ProposedColumn, ...]:
    if not reading.sampled:
        return reading.columns
    return tuple(
        replace(column, reason=f"{column.reason} (in a sample of the file)")
        for column in reading.columns
    )


def _columns_of(location: str, version: int | None, ctx: JobContext) -> tuple[Column, ...]:
    delta = ctx.formats.get("delta")
    facts: TableFacts = delta.facts(replace(_source(location), version=version))
    return facts.columns


def _source(location: str) -> Source:
    return Source("import", "table", ("import",), "delta", location)


def run_import(job: ImportJob, ctx: JobContext) -> ImportOutcome:
    """Load files into a Delta table in one commit, or not at all.

    :raises Conflict: the files' columns are not the table's, which nobody accepted; or somebody
        else wrote to the table.
    :raises Invalid: a file cannot be read, or rows of it do not fit; nothing was imported.
    """
    adding = job.mode in _ADDING
    table = _columns_of(job.location, job.base_version, ctx) if adding else ()
    with spooling() as spool:
        log = RejectLog(spool)
        request = Request(
            types=job.types,
            target={column.name: column.type for column in table},
            report=lambda rows: ctx.progress(
                rows, None, "rows", f"{log.count:,} rejected, reading"
            ),
            keep=log.keep,
        )
        paths = job.paths or (job.path,)
        with read_files(paths, format=job.format, options=job.options, request=request) as reading:
            # Before anything can end the import, or a crash the process: they tell why.
            rejects = log.write(job.rejects)
            drift = drift_from(reading, table) if adding else None
            if drift is not None and not job.accept_drift:
                # First: values of another type are mostly among the lines that do not fit.
                raise refuse_drift(drift)
            reading.refuse_bad_rows()
            facts, warnings = _write(job, reading, ctx)
            outcome = _outcome(facts, reading, drift)
        return replace(
            outcome,
            rejects=rejects,
            warnings=(*facts.warnings, *warnings, *reading.all_warnings(), *log.note),
        )


def _write(job: ImportJob, reading: Reading, ctx: JobContext) -> tuple[TableFacts, tuple[str, ...]]:
    delta = ctx.formats.get("delta")
    schema = pl.Schema({column.name: polars_type(column.type) for column in reading.columns})
    kept = KeptError()
    frame = lazily(lambda: kept.of(_frames(reading, ctx)), schema)
    warnings = delta.warnings(schema, job.location)
    with kept.told():
        if job.merge_keys:
            check_keys(frame, schema.names(), job.merge_keys)
        version = delta.write(
            frame,
            location=job.location,
            mode=job.mode,
            base_version=job.base_version,
            merge_keys=job.merge_keys,
            commit_info=job.commit_info,
            add_columns=job.accept_drift,
        )
    return delta.facts(replace(_source(job.location), version=version)), warnings


def _frames(reading: Reading, ctx: JobContext) -> Iterator[pl.DataFrame]:
    """The rows in their types, read from the start, telling how far it is."""
    done = 0
    for frame in reading.frames():
        done += frame.height
        ctx.progress(done, reading.rows, "rows", f"{reading.rejected:,} rejected, writing")
        yield frame


def _outcome(facts: TableFacts, reading: Reading, drift: Drift | None) -> ImportOutcome:
    return ImportOutcome(
        **{item.name: getattr(facts, item.name) for item in fields(TableFacts)},
        loaded=reading.rows,
        rejected=reading.rejected,
        lines=reading.rows + reading.rejected,
        read_as=reading.format,
        options=reading.options,
        types={column.name: column.type for column in reading.columns},
        drift=drift,
    )
