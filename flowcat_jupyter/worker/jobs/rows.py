"""A page of a spooled result or of a table, sorted and filtered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.formats.types import exactly, literal, spark_columns
from flowcat_jupyter.shared.errors import Gone, Internal, Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, PageInfo
from flowcat_jupyter.shared.wire_rows import FilterTerm, RowsJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import display_frame, write_arrow, write_json_rows
from flowcat_jupyter.worker.jobs.sources import open_source, reading

_COMPARISONS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "=": lambda column, value: column == value,
    "!=": lambda column, value: column != value,
    "<": lambda column, value: column < value,
    "<=": lambda column, value: column <= value,
    ">": lambda column, value: column > value,
    ">=": lambda column, value: column >= value,
}


def run_rows(job: RowsJob, context: JobContext) -> PageInfo:
    """Write a page as `RowsJob` says.

    Sorting is stable, nulls first ascending and last descending. Arrow columns keep the names of
    what they come from: ``c0`` … for a result, a table's own for a table. ``contains`` looks for
    text in a column's text form, whatever the case.

    :raises Invalid: a column does not exist, or a filter's value is not of its column's type.
    :raises Gone: the result has expired.
    """
    scan = _spooled(job) if job.spool else _table(job, context)
    frame = scan.declared() if job.source else scan.frame
    schema = frame.collect_schema()
    with reading():
        for term in job.filters:
            frame = frame.filter(_condition(term, schema))
        total = int(frame.select(pl.len()).collect().item())
        page = _sorted(frame, job, scan.columns).slice(job.offset, max(job.limit, 0)).collect()
    if job.as_json:
        write_json_rows(page.lazy(), job.out)
    else:
        write_arrow(display_frame(page) if job.display else page, job.out)
    return PageInfo(columns=scan.columns, row_count=page.height, total=total, version=scan.version)


def _spooled(job: RowsJob) -> Scan:
    path = Path(str(job.spool))
    if not path.is_file():
        raise Gone("The result has expired.", hint="Run the query again.")
    frame = pl.scan_ipc(path)
    columns = job.columns or spark_columns(frame.collect_schema())
    return Scan(frame=frame, columns=columns, version=None)


def _table(job: RowsJob, context: JobContext) -> Scan:
    if job.source is None:
        raise Internal("a rows job names neither a spool nor a source")
    return open_source(job.source, context)


def _condition(term: FilterTerm, schema: pl.Schema) -> pl.Expr:
    names = schema.names()
    if not 0 <= term.column < len(names):
        raise Invalid(f"There is no column number {term.column} to filter by.")
    name = names[term.column]
    column, dtype = exactly(name), schema[name]
    if term.op == "is_null":
        return column.is_null()
    if term.op == "not_null":
        return column.is_not_null()
    if dtype.is_nested() or isinstance(dtype, pl.Binary):
        raise Invalid("This column can be filtered by is_null and not_null only.")
    if term.op == "contains":
        return _contains(column, term.value or "")
    if term.op not in _COMPARISONS:
        raise Invalid(f"{term.op!r} is not a way to filter.")
    return _COMPARISONS[term.op](column, _typed_literal(term.value or "", dtype))


def _contains(column: pl.Expr, text: str) -> pl.Expr:
    return column.cast(pl.String).str.to_lowercase().str.contains(text.lower(), literal=True)


def _typed_literal(text: str, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        return pl.lit(text)
    if dtype.is_integer() and not text.strip().lstrip("+-").isdigit():
        # A fraction is a fair bound for whole numbers.
        return literal(text.strip(), pl.Float64())
    return literal(text if dtype == pl.String else text.strip(), dtype)


def _sorted(frame: pl.LazyFrame, job: RowsJob, columns: tuple[Column, ...]) -> pl.LazyFrame:
    if job.sort is None:
        return frame
    name = _sort_column(frame.collect_schema().names(), job.sort, columns)
    return frame.sort(
        exactly(name), descending=job.descending, nulls_last=job.descending, maintain_order=True
    )


def _sort_column(names: list[str], wanted: int | str, columns: tuple[Column, ...]) -> str:
    if isinstance(wanted, int):
        found = [wanted] if 0 <= wanted < len(names) else []
    else:
        key = name_key(wanted)
        found = [index for index, column in enumerate(columns) if name_key(column.name) == key]
    if not found:
        raise Invalid(
            f"There is no column {wanted} to sort by.",
            condition="UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
            sqlstate="42703",
        )
    return names[found[0]]
