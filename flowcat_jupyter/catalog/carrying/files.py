"""Tables of files: making them over files that are there or of new ones, adding rows to them, and
saving a query's rows in a folder.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import (
    WriteSpec,
    check_columns,
    existing_target,
    find_target,
    strict_target,
)
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, told_of
from flowcat_jupyter.catalog.directory import DECLARED, checked_paths, layers_of
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.extensions import check_no_secrets, check_table_of
from flowcat_jupyter.catalog.planning.filling import filling_of
from flowcat_jupyter.catalog.planning.formats import FILES, LAKES
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.using import FileTable, WriteDirectory
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import TableRow, Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import AlreadyExists, Forbidden, Invalid, NotFound
from flowcat_jupyter.shared.events import TableCreated
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import (
    InspectJob,
    OptionLayer,
    QueryPlan,
    Source,
    TableFacts,
)
from flowcat_jupyter.shared.wire_files import SaveJob
from flowcat_jupyter.shared.wire_writes import Assigned, ChangedRows, SqlWriteOutcome

_CREATE, _INSERT = "CREATE TABLE", "INSERT"
_LOCAL = ("socket",)
"""Formats that reach what only who owns the machine may."""


async def make_file_table(carrier: Carrier, change: FileTable) -> Done:
    """Make a table of files, over those that are there or of a query's rows."""
    await check_readable(carrier, change)
    try:
        location = await _location(carrier, change)
        if location is None:
            change = replace(change, options={**_kept(change), **change.options})
        if change.source is not None:
            return await _of_query(carrier, change, location)
        if location is None and change.format in FILES:
            return await _managed(carrier, change)
        return await _over(carrier, change, location or "")
    except AlreadyExists as error:
        if not change.if_not_exists or error.condition == "PATH_ALREADY_EXISTS":
            raise
        return Done(_CREATE, warnings=(error.message,), changed=False)


async def check_readable(carrier: Carrier, change: FileTable) -> None:
    """Check that the actor may read so, whatever lies there.

    :raises Forbidden: the format or an option is not for the actor.
    :raises Invalid: the columns cannot be.
    """
    await _check_format(carrier, change.format)
    if change.format in _LOCAL and not carrier.actor.unrestricted:
        raise Forbidden("make a table of", "format", change.format)
    check_no_secrets(change.options)
    check_no_secrets(change.properties)
    check_columns(change.columns)


async def _check_format(carrier: Carrier, format: str) -> None:
    """See `check_table_of`, which opens the metadata of every package: not on the event loop."""
    allowed = carrier.deps.settings.allowed_data_sources
    unrestricted = carrier.actor.unrestricted
    await carrier.threads.run(
        lambda: check_table_of(format, unrestricted=unrestricted, allowed=allowed)
    )


def file_source(carrier: Carrier, change: FileTable) -> Source:
    """Files as a worker opens them.

    :raises Forbidden: the path is not for the actor.
    :raises NotFound: nothing is there.
    """
    location = change.location or ""
    if change.format in (*FILES, *LAKES):
        location = _place(carrier, location)
    return _source(change, location)


def _source(change: FileTable, location: str) -> Source:
    return Source(
        "r1",
        "table",
        change.name.parts,
        change.format,
        location,
        options=() if change.format in LAKES else _layers(change),
        columns=change.columns,
    )


def _kept(change: FileTable) -> dict[str, str]:
    """Options with which files that the catalog keeps give back just the rows they were given:
    in CSV an empty text is no NULL, and a line break within a text ends no row.
    """
    said = {name.casefold().replace("_", "") for name in change.options}
    wanted = {"multiLine": "true", "nullValue": "\\N"} if change.format == "csv" else {}
    return {name: value for name, value in wanted.items() if name.casefold() not in said}


async def _location(carrier: Carrier, change: FileTable) -> str | None:
    """Where the files are, if somebody said so."""

    def work() -> str | None:
        with carrier.begin(carrier.actor) as unit:
            find_target(unit, _spec(carrier, change, None))
        if change.location is None:
            return None
        if change.format not in (*FILES, *LAKES):
            # What it means is for the format's own code to say, and who may run that was asked.
            return change.location
        return _place(carrier, change.location, exists=change.source is None)

    return await carrier.threads.run(work)


def _place(carrier: Carrier, said: str, *, exists: bool = True) -> str:
    """The real places of one path or several, which commas separate.

    :raises Forbidden: paths are not for this actor, or one is outside the allowed roots.
    :raises NotFound: nothing ``exists`` there, and something should.
    """
    if not carrier.actor.unrestricted:
        raise Forbidden("use", "path", said)
    storage = carrier.deps.storage

    def check(path: str) -> str:
        place = storage.check_external(path) if exists else storage.check_place(path)
        if storage.owns(place):
            raise Invalid(
                f"{path} lies in the catalog's own storage.",
                condition="INVALID_LOCATION",
                sqlstate="42K03",
                hint="Name a folder outside it, or leave LOCATION out: the catalog then chooses.",
            )
        return place

    return checked_paths(check, said)


def _spec(carrier: Carrier, change: FileTable, location: str | None) -> WriteSpec:
    return WriteSpec(
        change.name,
        "error",
        *carrier.place,
        columns=change.columns,
        partition_by=change.partition_by,
        description=change.comment,
        format=change.format,
        location=location,
        options=change.options,
    )


def _layers(change: FileTable) -> tuple[OptionLayer, ...]:
    properties = dict(change.properties)
    if change.columns:
        properties[DECLARED] = "listed"
    return layers_of(properties, change.options)


async def _over(carrier: Carrier, change: FileTable, location: str) -> Done:
    """Take in what lies at a place; nothing is stored unless it can be read."""
    if change.partition_by:
        _check_partitions(change)
    source = _source(change, location)
    facts: TableFacts = await carrier.deps.executor.run(
        InspectJob(source), job_id=carrier.asking.job_id, deadline_s=carrier.deps.deadline_s
    )
    check_columns(facts.columns)
    spec = _spec(carrier, change, location)

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            _take_in(unit, spec, facts)

    await carrier.threads.run(work)
    return Done(_CREATE, warnings=facts.warnings)


def _take_in(unit: Unit, spec: WriteSpec, facts: TableFacts) -> None:
    target = find_target(unit, spec)
    table_id = unit.securables.insert(
        "table",
        target.schema.id,
        target.name,
        by=unit.actor.name,
        at=unit.now,
        description=spec.description,
    )
    unit.tables.insert(
        table_id,
        table_type="external",
        format=spec.format,
        location=spec.location or "",
        options=spec.options,
    )
    unit.tables.record(table_id, facts, data_changed=True, at=unit.now)
    unit.record(TableCreated(*identity(unit.tables.get(table_id))))


def _check_partitions(change: FileTable) -> None:
    if change.format not in (*FILES, *LAKES):
        raise Invalid(
            f"A table USING {change.format} is not partitioned by columns.",
            condition="UNSUPPORTED_FEATURE.PARTITION_BY",
            sqlstate="0A000",
            hint="Leave PARTITIONED BY out; an option may say how its rows are divided.",
        )
    _spec_columns = {column.name.casefold() for column in change.columns}
    for name in change.partition_by:
        if _spec_columns and name.casefold() not in _spec_columns:
            raise NotFound("column", name)


async def _managed(carrier: Carrier, change: FileTable) -> Done:
    """Make an empty table whose files the catalog keeps."""
    if not change.columns:
        raise Invalid(
            "The columns of the table cannot be told: there are no files.",
            condition="UNABLE_TO_INFER_SCHEMA",
            sqlstate="42KD9",
            hint="List its columns, (id INT, name STRING), or say where files are with LOCATION.",
        )
    spec = _spec(carrier, change, None)
    spec.check()

    def job(ticket: Ticket, _: None) -> SaveJob:
        return _job(carrier, change, ticket, None)

    write = Write(spec, lambda _unit, _facts: None, exists=False, described=True)
    done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    return Done(_CREATE, warnings=done.outcome.warnings if done.outcome else ())


async def _of_query(carrier: Carrier, change: FileTable, location: str | None) -> Done:
    """Make a table of a query's rows."""
    if location is None and change.format not in FILES:
        raise Invalid(
            f"CREATE TABLE USING {change.format} takes no query.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Make the table first, and INSERT INTO it.",
        )
    spec = _spec(carrier, change, location)
    query = Select(change.piece, cast(exp.Expression, change.source))

    def plan(unit: Unit, _: TableFacts | None) -> QueryPlan:
        return carrier.asking.plan(unit, query)

    def job(ticket: Ticket, planned: QueryPlan) -> SaveJob:
        return _job(carrier, change, ticket, planned)

    write = Write(spec, plan, exists=False, described=True)
    done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    told = done.outcome
    if told is None:
        return Done(_CREATE)
    return told_of(_CREATE, ChangedRows(inserted=told.rows), told)


def _job(carrier: Carrier, change: FileTable, ticket: Ticket, plan: QueryPlan | None) -> SaveJob:
    # The columns of a table that is made of a query stay what they are.
    properties = {**change.properties, DECLARED: "listed"}
    return SaveJob(
        name=tuple(ticket.spec["path"]),
        format=change.format,
        location=ticket.location,
        mode="error",
        spool=str(carrier.asking.spool),
        plan=plan,
        columns=change.columns,
        options=layers_of(properties, change.options),
        partition_by=change.partition_by,
    )


async def file_table(carrier: Carrier, name: TableName) -> TableRow | None:
    """The table that a statement adds rows to, if it is none of a lake's."""
    spec = WriteSpec(name, "append", *carrier.place)

    def work() -> TableRow | None:
        with carrier.begin(carrier.actor) as unit:
            try:
                table = strict_target(unit, spec).table
            except NotFound:
                # Whoever writes says so, in the words for it.
                return None
            if table is None or table.format in LAKES:
                return None
            return existing_target(unit, replace(spec, writable=(table.format,))).table

    return await carrier.threads.run(work)


async def insert_files(carrier: Carrier, change: Insert, table: TableRow) -> Done:
    """Add a query's rows to a table of files, or put them in the place of all its files."""
    _check_insert(change, table)
    mode = "overwrite" if change.overwrite else "append"
    spec = WriteSpec(change.name, mode, *carrier.place, writable=(table.format,))

    def plan(unit: Unit, facts: TableFacts | None) -> tuple[QueryPlan, Assigned]:
        filling = filling_of(change, facts, dynamic=False)
        query = Select(change.piece, cast(exp.Expression, filling.source))
        return carrier.asking.plan(unit, query), Assigned(filling.columns, change.by_name)

    def job(ticket: Ticket, planned: tuple[QueryPlan, Assigned]) -> SaveJob:
        return SaveJob(
            name=table.path,
            format=table.format,
            location=ticket.location,
            mode=mode,
            spool=str(carrier.asking.spool),
            plan=planned[0],
            columns=table.logged,
            options=layers_of(table.properties, table.options),
            partition_by=table.partition_columns,
            assigned=planned[1],
        )

    done = await carrier.commits.commit(Write(spec, plan, exists=True), job, SqlWriteOutcome)
    told = done.outcome
    if told is None:
        return Done(_INSERT)
    return told_of(_INSERT, ChangedRows(inserted=told.rows), told)


def _check_insert(change: Insert, table: TableRow) -> None:
    for said, what in (
        (change.replaced is not None, "REPLACE WHERE"),
        (bool(change.partition), "PARTITION"),
        (change.evolves, "WITH SCHEMA EVOLUTION"),
    ):
        if said:
            raise Invalid(
                f"{table.sql_name} is a table USING {table.format}, and INSERT … {what} is for "
                "tables USING delta or iceberg.",
                condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
                sqlstate="0A000",
                hint="Give the query the partition columns, or copy the table with CREATE TABLE … "
                "AS SELECT.",
            )


async def write_directory(carrier: Carrier, change: WriteDirectory) -> Done:
    """Save a query's rows in a folder, in place of what is there."""
    await _check_format(carrier, change.format)
    if change.format in LAKES:
        raise Invalid(
            f"A directory is not written USING {change.format}.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Make a table: CREATE TABLE … AS SELECT.",
        )
    check_no_secrets(change.options)

    def planned() -> tuple[str, QueryPlan]:
        location = _place(carrier, change.location, exists=False)
        with carrier.begin(carrier.actor) as unit:
            query = Select(change.query.piece, change.query.tree)
            return location, carrier.asking.plan(unit, query)

    location, plan = await carrier.threads.run(planned)
    carrier.asking.check()
    job = SaveJob(
        name=(),
        format=change.format,
        location=location,
        mode="overwrite",
        spool=str(carrier.asking.spool),
        plan=plan,
        options=(OptionLayer("options", change.options),),
    )
    told: Any = await carrier.deps.executor.run(
        job, job_id=carrier.asking.job_id, deadline_s=carrier.deps.deadline_s
    )
    return told_of("INSERT OVERWRITE DIRECTORY", ChangedRows(inserted=told.rows), told)
