"""What SHOW and DESCRIBE have to read of tables and queries."""

from __future__ import annotations

import polars as pl

from flowcat_jupyter.formats.protocol import DetailedFormat
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError
from flowcat_jupyter.shared.wire_shows import (
    DescribeQueryInfo,
    DescribeQueryJob,
    DetailInfo,
    DetailJob,
    PartitionsInfo,
    PartitionsJob,
)
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query import choose_engine
from flowcat_jupyter.worker.jobs.sources import open_plan, open_source, reading

MOST_PARTITIONS = 100_000
_TIMES = "%Y-%m-%d %H:%M:%S%.f"


def run_partitions(job: PartitionsJob, context: JobContext) -> PartitionsInfo:
    """Find a table's partitions, as `PartitionsJob` says.

    :raises SqlError: they are made by other than columns.
    :raises LimitExceeded: they are more than can be told.
    """
    scan = open_source(job.source, context)
    names = {column.name for column in scan.columns}
    if not names.issuperset(job.columns):
        raise SqlError(
            f"The table is partitioned by {', '.join(job.columns)}, which are not columns of it.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Partitions can be listed where they are made by columns.",
        )
    with reading():
        found = scan.declared().select(exactly(*job.columns)).unique().collect(engine="streaming")
    if found.height > MOST_PARTITIONS:
        raise LimitExceeded(
            f"The table has {found.height:,} partitions; {MOST_PARTITIONS:,} can be listed.",
            hint="Ask for some of them: SHOW PARTITIONS t PARTITION (a = 1).",
        )
    return PartitionsInfo(job.columns, tuple(found.select(map(_text, found)).rows()))


def run_detail(job: DetailJob, context: JobContext) -> DetailInfo:
    """Read what a table's log says of the table."""
    format = context.formats.get(job.source.format)
    if isinstance(format, DetailedFormat):
        return format.detail(job.source)
    return DetailInfo(format.facts(job.source))


def run_describe_query(job: DescribeQueryJob, context: JobContext) -> DescribeQueryInfo:
    """Find the columns of a query.

    :raises SqlError: it is wrong, or no engine runs it.
    """
    chosen = choose_engine(job.plan, open_plan(job.plan, context), context)
    return DescribeQueryInfo(tuple(chosen.prepared.columns))


def _text(series: pl.Series) -> pl.Series:
    """Values as Spark writes them in a partition's name."""
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.to_string(_TIMES).str.replace(r"\.?0*$", "")
    return series.cast(pl.String)
