"""Looking for a text in all the rows of a view."""

from __future__ import annotations

import polars as pl

from flowcat_jupyter.shared.wire_rows import FindInfo, FindJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.filters import Field
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.texts import shown
from flowcat_jupyter.worker.jobs.views import open_view


def run_find(job: FindJob, context: JobContext) -> FindInfo:
    """The next row that shows ``job.text``, and the first column of it that does."""
    view = open_view(job, context)
    columns = [
        pl.when(_shows(field, job)).then(pl.lit(index, dtype=pl.Int32))
        for index, field in enumerate(view.fields)
    ]
    with reading():
        column = view.in_order(pl.coalesce(columns))
    rows = column.is_not_null().arg_true().cast(pl.Int64)
    if rows.is_empty():
        return FindInfo(None, None, 0)
    row = _next(rows, job.after, backwards=job.backwards)
    return FindInfo(row, column[row], rows.len())


def _shows(field: Field, job: FindJob) -> pl.Expr:
    text, wanted = shown(field.name, field.dtype, job.time_zone), job.text
    if not job.case:
        text, wanted = text.str.to_lowercase(), wanted.lower()
    return text.str.contains(wanted, literal=True)


def _next(rows: pl.Series, after: int, *, backwards: bool) -> int:
    """The entry of ``rows``, which ascend, that comes next; from either end on to the other."""
    beyond = rows.filter(rows < after) if backwards else rows.filter(rows > after)
    if beyond.is_empty():
        return int(rows[-1] if backwards else rows[0])
    return int(beyond[-1] if backwards else beyond[0])
