"""Opening the relations a job names, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.formats.types import spark_columns, to_storable
from flowcat_jupyter.shared.errors import Gone, Internal, Invalid
from flowcat_jupyter.shared.wire import Source, UsedTable
from flowcat_jupyter.worker.context import JobContext


def open_sources(sources: Iterable[Source], context: JobContext) -> dict[str, Scan]:
    """Every source opened, by its relation.

    Two sources that are the same table without a version are one version of it.
    """
    opened: dict[tuple[str, str, int | None, str | None], Scan] = {}
    scans: dict[str, Scan] = {}
    for source in sources:
        key = (source.format, source.location, source.version, source.timestamp)
        if key not in opened:
            opened[key] = open_source(source, context)
        scans[source.relation] = opened[key]
    return scans


def open_source(source: Source, context: JobContext) -> Scan:
    """One source opened and pinned.

    :raises Gone: an inline source's file has expired.
    """
    if source.kind == "table":
        scan: Scan = context.formats.get(source.format).scan(source)
        return scan
    if source.kind != "inline":
        raise Internal(f"unknown kind of source: {source.kind}")
    try:
        frame = to_storable(pl.scan_ipc(source.location))
        columns = spark_columns(frame.collect_schema())
    except FileNotFoundError as error:
        raise Gone("The data sent with the query have expired.", hint="Send it again.") from error
    return Scan(frame=frame, columns=columns, version=None)


@contextmanager
def reading() -> Iterator[None]:
    """Turn what goes wrong while rows are read into our errors.

    :raises Gone: a file went away after the table was opened.
    :raises Invalid: the rows cannot be computed.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise Gone(
            "Data files have been removed while they were read.",
            condition="DELTA_FILE_NOT_FOUND",
            sqlstate="42K03",
            hint="Read the table again.",
        ) from error
    except PolarsError as error:
        reason = str(error).splitlines()[0]
        raise Invalid(f"The rows cannot be read so: {reason}.") from error


def used_tables(sources: Iterable[Source], scans: dict[str, Scan]) -> tuple[UsedTable, ...]:
    """The tables among the sources with the versions they were read at, each once."""
    used = {
        UsedTable(name=source.name, version=scans[source.relation].version): None
        for source in sources
        if source.kind == "table"
    }
    return tuple(used)
