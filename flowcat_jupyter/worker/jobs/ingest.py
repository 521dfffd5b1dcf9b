"""Files into tables: looking at one, and loading it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import polars as pl
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.files import read_file
from flowcat_jupyter.formats.files_reading import Reading, Request
from flowcat_jupyter.formats.types import exactly, polars_type, storable_warnings
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.wire import (
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

SAMPLE_ABOVE = 200 << 20


def run_preview(job: PreviewImportJob, ctx: JobContext) -> ImportProposal:
    """Read a file and propose types, with its first ``job.rows`` rows in them.

    The whole file is read, unless it is plain text of more than 200 MB: then a sample, which the
    warnings say. Rows that do not fit are a warning here; the import stops at them.
    """
    request = Request(
        types=job.types,
        sample_above=SAMPLE_ABOVE,
        keep=False,
        report=lambda rows: ctx.progress(rows, None, "rows"),
    )
    with read_file(job.path, format=job.format, options=job.options, request=request) as reading:
        return ImportProposal(
            format=reading.format,
            options=reading.options,
            columns=_honest(reading),
            rows=tuple(json_rows(reading.head(job.rows))),
            rows_read=reading.rows,
            warnings=reading.all_warnings(),
        )


def _honest(reading: Reading) -> tuple[ProposedColumn, ...]:
    if not reading.sampled:
        return reading.columns
    return tuple(
        replace(column, reason=f"{column.reason} (in a sample of the file)")
        for column in reading.columns
    )


def run_import(job: ImportJob, ctx: JobContext) -> ImportOutcome:
    """Load a file into a Delta table in one commit, or not at all."""
    delta = ctx.formats.get("delta")
    source = Source("import", "table", ("import",), "delta", job.location)
    target = {}
    if job.mode == "append":
        pinned = replace(source, version=job.base_version)
        target = {column.name: column.type for column in delta.facts(pinned).columns}
    request = Request(
        types=job.types,
        target=target,
        report=lambda rows: ctx.progress(rows, None, "rows", "reading"),
    )
    with read_file(job.path, format=job.format, options=job.options, request=request) as reading:
        reading.refuse_bad_rows()
        rows = _Rows(reading, ctx)
        try:
            version = delta.write(
                rows.frame(),
                location=job.location,
                mode=job.mode,
                base_version=job.base_version,
                commit_info=job.commit_info,
            )
        except FlowcatError:
            if rows.error is not None:
                raise rows.error from None
            raise
        facts: TableFacts = delta.facts(replace(source, version=version))
        told = storable_warnings(rows.schema) if job.mode == "create" else ()
        return _outcome(replace(facts, warnings=(*facts.warnings, *told)), reading)


def _outcome(facts: TableFacts, reading: Reading) -> ImportOutcome:
    return ImportOutcome(
        **{item.name: getattr(facts, item.name) for item in fields(TableFacts)}
        | {"warnings": (*facts.warnings, *reading.all_warnings())},
        loaded=reading.rows,
        rejected=reading.bad.count,
        lines=reading.rows + reading.bad.count,
        read_as=reading.format,
        options=reading.options,
        types={column.name: column.type for column in reading.columns},
    )


class _Rows:
    """A reading as a lazy frame. An error of its rows is kept: polars passes on only its text."""

    def __init__(self, reading: Reading, ctx: JobContext) -> None:
        self._reading = reading
        self._ctx = ctx
        self.error: FlowcatError | None = None
        self.schema = pl.Schema({c.name: polars_type(c.type) for c in reading.columns})

    def frame(self) -> pl.LazyFrame:
        """The rows, read again from the start each time the frame is collected."""
        return register_io_source(self._source, schema=self.schema, validate_schema=False)

    def _source(
        self,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        _batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        done = 0
        try:
            for frame in self._reading.frames():
                done += frame.height
                self._ctx.progress(done, self._reading.rows, "rows", "writing")
                chosen = frame if n_rows is None else frame.head(n_rows)
                chosen = chosen if predicate is None else chosen.filter(predicate)
                yield chosen if with_columns is None else chosen.select(exactly(*with_columns))
        except FlowcatError as error:
            self.error = error
            raise
