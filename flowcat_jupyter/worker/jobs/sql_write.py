"""Writing the rows of a query to a table."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from flowcat_jupyter.engines.protocol import Prepared
from flowcat_jupyter.formats.batches import lazily
from flowcat_jupyter.formats.delta_assign import Assignment, assign, check_required, plan_assignment
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import FlowcatError, SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.wire import Column, Source, TableFacts
from flowcat_jupyter.shared.wire_writes import Assigned, SqlWriteJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query import choose_engine
from flowcat_jupyter.worker.jobs.sources import open_plan


def run_sql_write(job: SqlWriteJob, context: JobContext) -> SqlWriteOutcome:
    """Run a plan and commit its rows, as `SqlWriteJob` says.

    :raises SqlError: the columns are not the table's, or a value made the query fail.
    :raises Invalid: a value does not fit its column; nothing has been written.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    rows = _Rows(job, context)
    delta = context.formats.get("delta")
    frame = rows.frame()
    warnings = delta.warnings(frame.collect_schema(), job.location)
    try:
        version = delta.write(
            frame,
            location=job.location,
            mode=job.mode,
            base_version=job.base_version,
            partition_by=job.partition_by,
            commit_info=job.commit_info,
        )
    except FlowcatError:
        if rows.error is not None:
            raise rows.error from None
        raise
    facts = delta.facts(_source(job.location, version))
    return SqlWriteOutcome(
        facts=facts,
        rows=rows.count,
        engine=rows.engine,
        warnings=tuple(dict.fromkeys((*rows.warnings, *warnings, *facts.warnings))),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _source(location: str, version: int | None) -> Source:
    return Source("target", "table", ("target",), "delta", location, version)


class _Rows:
    """The rows to write, once the query has run. An error of theirs is kept: polars passes on
    only its text.
    """

    def __init__(self, job: SqlWriteJob, context: JobContext) -> None:
        self.count, self.engine = 0, ""
        self.warnings: tuple[str, ...] = ()
        self.error: FlowcatError | None = None
        self._spool = Path(job.spool)
        self._names: list[str] = []
        self._table = _table(job, context)
        scans = open_plan(job.plan, context)
        chosen = choose_engine(job.plan, scans, context)
        self._run(job, chosen.prepared)
        told = (*chosen.prepared.warnings, *(w for s in scans.values() for w in s.warnings))
        self.engine, self.warnings = chosen.engine.name, told

    def _run(self, job: SqlWriteJob, prepared: Prepared) -> None:
        if self._table is None:
            self._names = _new_names([column.name for column in prepared.columns])
            _check_typed(prepared.columns)
        else:
            self._names = _matched(prepared.columns, job.assigned, self._table)
        self.count, _ = prepared.sink(self._spool, limit=None, max_bytes=job.most_bytes)

    def frame(self) -> pl.LazyFrame:
        """The rows under the table's names, and for a table that is there as it stores them."""
        spooled = pl.scan_ipc(self._spool)
        cells = zip(spooled.collect_schema().names(), self._names, strict=True)
        named = spooled.select(pl.col(cell).alias(name) for cell, name in cells)
        if self._table is None:
            return named
        plans = plan_assignment(named.collect_schema(), self._table)
        check_required(plans)
        schema = pl.Schema({plan.column.name: plan.dtype for plan in plans})
        return lazily(lambda: self._assigned(named, plans), schema)

    def _assigned(self, named: pl.LazyFrame, plans: Sequence[Assignment]) -> Iterator[pl.DataFrame]:
        try:
            for batch in named.collect_batches(lazy=True, maintain_order=True):
                yield assign(batch, plans)
        except FlowcatError as error:
            self.error = error
            raise


def _table(job: SqlWriteJob, context: JobContext) -> tuple[Column, ...] | None:
    """The columns that rows are to fit; None where the query's own make the table."""
    if job.mode == "create" or job.redefine:
        return None
    facts: TableFacts = context.formats.get("delta").facts(_source(job.location, job.base_version))
    return facts.columns


def _new_names(names: list[str]) -> list[str]:
    seen: dict[str, str] = {}
    for name in names:
        if name_key(name) in seen:
            raise SqlError(
                f"Two columns of the query are called {name}.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
                hint="Give each a name of its own with AS.",
            )
        if name.casefold().startswith(RESERVED_PREFIX):
            raise SqlError(
                f"Names beginning {RESERVED_PREFIX} are kept for the catalog itself.",
                condition="INVALID_IDENTIFIER",
                sqlstate="42602",
                hint=f"Call {name} something else with AS.",
            )
        seen[name_key(name)] = name
    return names


def _check_typed(columns: Sequence[Column]) -> None:
    for column in columns:
        if column.type == "void":
            raise SqlError(
                f"Column {column.name} is NULL in every row and has no type.",
                condition="UNSUPPORTED_DATATYPE",
                sqlstate="0A000",
                hint="Say which type it has, as in CAST(NULL AS STRING).",
            )


def _matched(given: Sequence[Column], assigned: Assigned, table: Sequence[Column]) -> list[str]:
    """The table's column for each of the query's."""
    known = {name_key(column.name): column.name for column in table}
    if assigned.by_name:
        return _listed([column.name for column in given], known)
    wanted = [column.name for column in table]
    if assigned.names is not None:
        wanted = _listed(assigned.names, known)
    if len(given) != len(wanted):
        few = len(given) < len(wanted)
        raise SqlError(
            f"The query gives {many(len(given), 'column')} where {len(wanted)} are wanted: "
            f"{', '.join(wanted)}.",
            condition="INSERT_COLUMN_ARITY_MISMATCH."
            + ("NOT_ENOUGH_DATA_COLUMNS" if few else "TOO_MANY_DATA_COLUMNS"),
            sqlstate="21S01",
            hint="List the columns that the query is for after the table's name, or use BY NAME.",
        )
    return wanted


def _listed(names: Sequence[str], known: dict[str, str]) -> list[str]:
    found: list[str] = []
    for name in names:
        own = known.get(name_key(name))
        if own is None:
            raise SqlError(
                f"The table has no column {name}.",
                condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
                sqlstate="42703",
                hint=f"It has: {', '.join(known.values())}.",
            )
        if own in found:
            raise SqlError(
                f"Column {own} is given twice.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
                hint="Give each column once.",
            )
        found.append(own)
    return found
