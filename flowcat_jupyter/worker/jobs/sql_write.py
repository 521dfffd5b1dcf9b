"""Writing the rows of a query to a table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from flowcat_jupyter.formats.protocol import LakeFormat, Parts
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_writes import Assigned, SqlWriteJob, SqlWriteOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.alter import alterable, tells_more
from flowcat_jupyter.worker.jobs.lakes import lake_of, rehearsing, target_of
from flowcat_jupyter.worker.jobs.query_rows import Ready, ready

_NOT_STORED = ("map<", "interval", "variant")


def run_sql_write(job: SqlWriteJob, context: JobContext) -> SqlWriteOutcome:
    """Run a plan and commit its rows, as `SqlWriteJob` says.

    :raises SqlError: the columns are not the table's, or a value made the query fail.
    :raises Invalid: a value does not fit its column; nothing has been written.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    asked = ready(job.plan, context)
    lake = lake_of(job, job.name, context)
    table = None
    if job.mode != "create" and not job.redefine:
        table = lake.facts(target_of(job, job.name, job.location, job.base_version)).columns
    fixed = _fixed(job, context)
    names = _names(job, asked.columns, table, fixed)
    count = asked.run(Path(job.spool))
    frame = _filled(asked.frame(Path(job.spool), tuple(names)), fixed)
    if job.dry_run:
        count = rehearsing(lake, job.name).rehearse_write(
            frame,
            location=job.location,
            mode=job.mode,
            base_version=job.base_version,
            add_columns=job.evolves,
        )
        return _outcome(asked, None, count, (), started)
    warnings = lake.warnings(frame.collect_schema(), job.location)
    version = _written(job, lake, frame, table, _parts(job, fixed))
    facts = lake.facts(target_of(job, job.name, job.location, version))
    done = job.mode == "create" or version != job.base_version
    warnings = (*warnings, *facts.warnings)
    return _outcome(asked, facts if done else None, count if done else 0, warnings, started)


def _written(
    job: SqlWriteJob,
    lake: LakeFormat,
    frame: pl.LazyFrame,
    table: tuple[Column, ...] | None,
    parts: Parts | None,
) -> int:
    """The version that the rows make."""
    if tells_more(job, lake):
        return alterable(lake, job).make_with(
            frame,
            job.definition,
            location=job.location,
            base_version=job.base_version,
            partition_by=job.partition_by,
            commit_info=job.commit_info,
        )
    return lake.write(
        frame,
        location=job.location,
        mode=job.mode,
        base_version=job.base_version,
        partition_by=job.partition_by,
        commit_info=job.commit_info,
        keep_columns=not job.redefine,
        seen=table,
        parts=parts,
        add_columns=job.evolves,
    )


def _outcome(
    asked: Ready, facts: TableFacts | None, rows: int, warnings: Sequence[str], started: float
) -> SqlWriteOutcome:
    return SqlWriteOutcome(
        facts=facts,
        rows=rows,
        engine=asked.engine,
        used_tables=asked.used_tables,
        warnings=tuple(dict.fromkeys((*asked.warnings, *warnings))),
        worker_ms=(time.perf_counter() - started) * 1000,
    )


def _fixed(job: SqlWriteJob, context: JobContext) -> pl.DataFrame | None:
    """The values that columns get in every row, one row of them."""
    if job.fixed is None:
        return None
    asked = ready(job.fixed, context)
    with TemporaryDirectory(prefix="flowcat-fixed-") as folder:
        file = Path(folder, "row.arrow")
        asked.run(file)
        return asked.frame(file, tuple(column.name for column in asked.columns)).collect()


def _filled(frame: pl.LazyFrame, fixed: pl.DataFrame | None) -> pl.LazyFrame:
    if fixed is None:
        return frame
    return frame.with_columns(pl.lit(values).first().alias(values.name) for values in fixed)


def _parts(job: SqlWriteJob, fixed: pl.DataFrame | None) -> Parts | None:
    """What an overwrite takes away, if that is not all."""
    if job.mode != "overwrite" or (fixed is None and not job.dynamic):
        return None
    return Parts(None if job.dynamic else fixed, job.unless_there)


def _names(
    job: SqlWriteJob,
    columns: Sequence[Column],
    table: Sequence[Column] | None,
    fixed: pl.DataFrame | None,
) -> list[str]:
    """What the columns of the query are called in the table."""
    if table is not None:
        apart = () if fixed is None else fixed.columns
        wanted = [column for column in table if column.name not in apart]
        return matched(columns, job.assigned, wanted, evolves=job.evolves)
    return new_columns(columns)


def new_columns(columns: Sequence[Column]) -> list[str]:
    """What the columns of a query are called in a table that is made of it.

    :raises SqlError: two have the same name, one is kept for the catalog, or of a type that no
        table has.
    """
    names = _new_names([column.name for column in columns])
    check_storable(columns)
    return names


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


def check_storable(columns: Sequence[Column]) -> None:
    """Check that a table can have new columns of these types.

    :raises SqlError: it cannot.
    """
    for column in columns:
        if "void" in column.type:
            alone = column.type == "void"
            raise SqlError(
                f"Column {column.name} is NULL in every row and has no type."
                if alone
                else f"Column {column.name} is {column.type}, which says no type for a part of it.",
                condition="UNSUPPORTED_DATATYPE",
                sqlstate="0A000",
                hint="Say which type it has, as in CAST(NULL AS STRING).",
            )
        if any(kind in column.type for kind in _NOT_STORED):
            raise SqlError(
                f"Column {column.name} is {column.type}, which no table here can hold.",
                condition="UNSUPPORTED_DATATYPE",
                sqlstate="0A000",
                hint="Cast it to a type that tables have, or leave it out.",
            )


def matched(
    given: Sequence[Column], assigned: Assigned, table: Sequence[Column], *, evolves: bool = False
) -> list[str]:
    """The table's column for each of the query's; one that it lacks, if it ``evolves``.

    :raises SqlError: there is none, or one is given twice or not at all.
    """
    known = {name_key(column.name): column.name for column in table}
    if evolves:
        new = [column for column in given if name_key(column.name) not in known]
        _new_names([column.name for column in new])
        check_storable(new)
        known.update((name_key(column.name), column.name) for column in new)
    if assigned.by_name:
        _check_extra(given, known)
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


def _check_extra(given: Sequence[Column], known: dict[str, str]) -> None:
    extra = [column.name for column in given if name_key(column.name) not in known]
    if extra:
        raise SqlError(
            f"The table has no column {', '.join(extra)}.",
            condition="INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
            sqlstate="KD000",
            hint=f"It has: {', '.join(known.values())}.",
        )


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
