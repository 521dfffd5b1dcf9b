"""Opening the relations a job names, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.protocol import Opened, Reading, Scan
from flowcat_jupyter.formats.types import exactly, queryable, spark_columns, widened
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.errors import Gone, Internal, Invalid
from flowcat_jupyter.shared.wire import Column, QueryPlan, Source, UsedTable
from flowcat_jupyter.sql.conditions import conditions_of
from flowcat_jupyter.sql.constant import Setting
from flowcat_jupyter.sql.tree import load_tree
from flowcat_jupyter.worker.context import JobContext

_AT_A_TIME = 4
Ask = Callable[[dict[str, tuple[Column, ...]]], dict[str, Conditions]]
"""From every relation's columns to what is asked of it."""


def open_plan(plan: QueryPlan, context: JobContext) -> dict[str, Scan]:
    """Every source of a query, without the files in which it wants no row."""
    return open_sources(plan.sources, context, lambda columns: _asked(plan, columns))


def open_sources(
    sources: Sequence[Source], context: JobContext, ask: Ask = lambda _columns: {}
) -> dict[str, Scan]:
    """Every source opened, by its relation.

    Two sources that are the same table without a version are one version of it.
    """
    tables = _opened([source for source in sources if source.kind == "table"], context)
    scans = {
        source.relation: open_source(source, context)
        for source in sources
        if source.kind != "table"
    }
    columns = {key: scan.columns for key, scan in scans.items()}
    columns |= {key: table.columns for key, table in tables.items()}
    asked = ask(columns)
    scans |= {key: table.scan(asked.get(key, ())) for key, table in tables.items()}
    return scans


def _opened(sources: Sequence[Source], context: JobContext) -> dict[str, Opened]:
    """The tables by their relations. Several are opened at a time: each waits for its log."""
    keys = {source.relation: _key(source) for source in sources}
    wanted: dict[tuple[object, ...], Source] = {}
    for source in sources:
        wanted.setdefault(keys[source.relation], source)

    def opened(source: Source) -> Opened:
        found: Opened = context.formats.get(source.format).open(source)
        return found

    if len(wanted) > 1:
        with ThreadPoolExecutor(min(len(wanted), _AT_A_TIME)) as pool:
            found = dict(zip(wanted, pool.map(opened, wanted.values()), strict=True))
    else:
        found = {key: opened(source) for key, source in wanted.items()}
    return {relation: found[key] for relation, key in keys.items()}


def _key(source: Source) -> tuple[object, ...]:
    at = (source.version, source.timestamp, source.pointer, source.ref)
    # A data source may be all in its options, and lie nowhere.
    said = tuple((layer.kind, *sorted(layer.values.items())) for layer in source.options)
    return (source.format, source.location, *at, said, source.columns)


def _asked(plan: QueryPlan, columns: dict[str, tuple[Column, ...]]) -> dict[str, Conditions]:
    """What the query asks of each table; nothing where it cannot be told."""
    try:
        now = datetime.fromisoformat(plan.now) if plan.now else datetime.now(UTC)
        setting = Setting(ZoneInfo(plan.time_zone), now, plan.params)
        return conditions_of(load_tree(plan.tree), columns, setting)
    except (ZoneInfoNotFoundError, ValueError, RecursionError):
        # The engine, which reads the same plan, says what is wrong with it.
        return {}


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
        frame = queryable(pl.scan_ipc(source.location))
        schema = frame.collect_schema()
        rows = int(frame.select(pl.len()).collect().item())
    except (FileNotFoundError, ValueError) as error:
        raise Gone("A frame sent with the query has expired.", hint="Send it again.") from error
    wide = [
        exactly(name).cast(widened(dtype))
        for name, dtype in schema.items()
        if widened(dtype) != dtype
    ]
    read = Reading(route="rows sent with the query", rows=rows)
    return Scan(frame.with_columns(wide), spark_columns(schema), None, reading=read)


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
