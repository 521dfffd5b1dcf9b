"""CREATE TABLE."""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.catalog.barrier import WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.inserts import query_write, write_rows
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.portable import portable
from flowcat_jupyter.catalog.planning.portable_values import portable_value
from flowcat_jupyter.catalog.planning.writes import CreateTable
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict
from flowcat_jupyter.shared.wire_definitions import Definition
from flowcat_jupyter.shared.wire_writes import DefineTableJob, SqlWriteOutcome


async def create_table(carrier: Carrier, change: CreateTable) -> Done:
    """Make a table, of a query or of a list of columns."""
    spec = WriteSpec(
        change.name,
        "overwrite" if change.replace else "error",
        *carrier.place,
        partition_by=change.partition_by,
        description=change.comment,
        format=change.format,
        writable=LAKES,
        remakes=True,
    )
    try:
        if change.source is None:
            spec = replace(spec, columns=change.columns)
            return await define(carrier, spec, definition_of(change), exists=change.must_exist)
        write = replace(query_write(carrier, change, change.source, spec), exists=change.must_exist)
        return await write_rows(
            carrier,
            "CREATE TABLE",
            write,
            redefine=change.replace,
            definition=definition_of(change),
        )
    except AlreadyExists as error:
        if change.replace:
            raise Conflict(
                f"Somebody else is making {change.name.sql} at this moment.",
                hint="Run the statement again.",
            ) from error
        if not change.if_not_exists:
            raise
        return Done("CREATE TABLE", warnings=(error.message,), changed=False)


async def define(
    carrier: Carrier, spec: WriteSpec, definition: Definition, *, exists: bool
) -> Done:
    """Make a table of a list of columns; one that ``exists`` is replaced."""
    spec.check()

    def job(ticket: Ticket, _: None) -> DefineTableJob:
        return DefineTableJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, "CREATE TABLE"),
            columns=spec.columns,
            partition_by=spec.partition_by,
            definition=definition,
        )

    write = Write(spec, lambda _unit, _facts: None, exists=exists, described=True)
    done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    told = done.outcome
    return Done("CREATE TABLE", warnings=told.warnings if told else ())


def definition_of(change: CreateTable) -> Definition:
    """What a statement says of a table beside its columns.

    :raises SqlError: a condition, or what a column is computed from, is none that every engine
        reads alike.
    """
    plain = [column for column in change.columns if column.name not in change.generated]
    own = {column.name: column for column in change.columns}
    return Definition(
        constraints={
            name.lower(): portable(change.piece, tree, change.columns).text
            for name, tree in change.checks.items()
        },
        properties=dict(change.properties),
        defaults=dict(change.defaults),
        generated={
            name: portable_value(change.piece, tree, plain, own[name])
            for name, tree in change.generated.items()
        },
    )
