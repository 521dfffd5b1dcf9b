"""Pages of rows, and single values of them."""

from __future__ import annotations

from flowcat_jupyter.shared.errors import LimitExceeded, NotFound
from flowcat_jupyter.shared.wire import PageInfo
from flowcat_jupyter.shared.wire_rows import CellInfo, CellJob, RowsJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_arrow, write_json_rows
from flowcat_jupyter.worker.jobs.display import display_frame
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.texts import shown
from flowcat_jupyter.worker.jobs.views import open_view

MOST_BYTES = 16 << 20


def run_rows(job: RowsJob, context: JobContext) -> PageInfo:
    """Write a page as `RowsJob` says.

    :raises NotFound: a column does not exist.
    :raises Invalid: a filter's value is not of its column's type.
    :raises Gone: the result has expired.
    """
    view = open_view(job, context)
    with reading():
        total = view.count()
        page = view.page(job.offset, job.limit)
    if job.as_json:
        write_json_rows(page.lazy(), job.out)
    else:
        write_arrow(display_frame(page, job.time_zone) if job.display else page, job.out)
    return PageInfo(columns=view.columns, row_count=page.height, total=total, version=view.version)


def run_cell(job: CellJob, context: JobContext) -> CellInfo:
    """The whole of one value.

    :raises NotFound: there is no such row or column.
    :raises LimitExceeded: its text is beyond `MOST_BYTES`.
    """
    view = open_view(job, context)
    field = view.field(job.column)
    with reading():
        page = view.page(job.row, 1) if job.row >= 0 else None
        if page is None or page.is_empty():
            raise NotFound("row", job.row)
        text = shown(field.name, field.dtype, job.time_zone).alias("text")
        value = page.select(text).item()
    size = 0 if value is None else len(value.encode())
    if size > MOST_BYTES:
        raise LimitExceeded(
            f"The value is {size / 1e6:,.0f} MB of text.", hint="Export the rows to a file."
        )
    return CellInfo(value=value, type=field.spark, bytes=size)
