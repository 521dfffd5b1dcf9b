"""CREATE TABLE … LIKE."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.barrier import WriteSpec
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.tables import define
from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.liking import CreateLike
from flowcat_jupyter.catalog.planning.portable_values import kept_value
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, InspectJob, QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_definitions import Definition
from flowcat_jupyter.shared.wire_shows import DescribeQueryInfo, DescribeQueryJob


@dataclass(frozen=True)
class _Other:
    """What a table is to be like; ``row`` None for a view."""

    plan: QueryPlan
    row: TableRow | None


@dataclass(frozen=True)
class _Shape:
    columns: tuple[Column, ...]
    format: str
    partition_by: tuple[str, ...] = ()
    comment: str | None = None
    definition: Definition = field(default_factory=Definition)


async def create_like(carrier: Carrier, change: CreateLike) -> Done:
    """Make a table of another's columns, partitions and rules, without its rows."""
    carrier.asking.check()
    other = await carrier.threads.run(lambda: _look(carrier, change))
    shape = await _shape(carrier, other)
    format = change.format or (shape.format if shape.format in LAKES else "delta")
    _check_format(change, shape, format)
    definition = shape.definition if format == "delta" else Definition()
    spec = WriteSpec(
        change.name,
        "error",
        *carrier.place,
        columns=shape.columns,
        partition_by=shape.partition_by,
        description=shape.comment,
        format=format,
    )
    try:
        return await define(
            carrier, spec, replace(definition, properties=dict(change.properties)), exists=False
        )
    except AlreadyExists as error:
        if not change.if_not_exists:
            raise
        return Done("CREATE TABLE", warnings=(error.message,), changed=False)


def _look(carrier: Carrier, change: CreateLike) -> _Other:
    """What the name means, as in a query."""
    query = exp.Select().select("*").from_(change.source.copy())
    with carrier.begin(carrier.actor) as unit:
        plan = carrier.asking.plan(unit, Select(change.piece, cast(exp.Expression, query)))
        parts = change.other.parts
        if len(parts) == 1 and name_key(parts[0]) in carrier.asking.session.views:
            return _Other(plan, None)
        directory = UnitDirectory(unit)
        entry = Resolver(directory, *carrier.place).table(parts)
        is_table = entry.view is None and entry.id is not None
        return _Other(plan, directory.row(cast(int, entry.id)) if is_table else None)


async def _shape(carrier: Carrier, other: _Other) -> _Shape:
    async def ask(job: InspectJob | DescribeQueryJob) -> TableFacts | DescribeQueryInfo:
        found: TableFacts | DescribeQueryInfo = await carrier.deps.executor.run(
            job, job_id=carrier.asking.job_id, deadline_s=carrier.deps.deadline_s
        )
        return found

    row = other.row
    if row is None or row.format not in LAKES:
        told = cast(DescribeQueryInfo, await ask(DescribeQueryJob(other.plan)))
        if row is None:
            return _Shape(told.columns, "")
        columns = _commented(told.columns, row)
        return _Shape(columns, "", row.partition_columns, row.description)
    facts = cast(TableFacts, await ask(InspectJob(other.plan.sources[0])))
    return _Shape(
        _commented(facts.columns, row),
        row.format,
        facts.partition_columns,
        row.description,
        Definition(
            constraints=dict(facts.constraints),
            defaults=dict(facts.defaults),
            generated=_generated(row, facts),
        ),
    )


def _generated(row: TableRow, facts: TableFacts) -> dict[str, str]:
    """What columns are computed from, as a new table's log keeps it."""
    plain = [column for column in facts.columns if column.name not in facts.generated]
    own = {column.name: column for column in facts.columns}
    found = {}
    for name, text in facts.generated.items():
        try:
            found[name] = kept_value(text, plain, own[name])
        except SqlError as error:
            raise Invalid(
                f"Column {name} of {row.sql_name} is generated, and cannot be computed here: "
                f"{error.message}",
                condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
                sqlstate="0A000",
                hint="List the columns in CREATE TABLE.",
            ) from error
    return found


def _check_format(change: CreateLike, shape: _Shape, format: str) -> None:
    """Check that what is computed of columns can be kept in a format."""
    if format != shape.format and _computed(shape):
        told = "is partitioned by what is computed of columns, which cannot be said"
    elif format != "delta" and shape.definition.generated:
        told = "has generated columns, which cannot be kept"
    else:
        return
    raise Invalid(
        f"{change.other.sql} {told} of a table USING {format}.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Leave USING out.",
    )


def _commented(columns: tuple[Column, ...], row: TableRow) -> tuple[Column, ...]:
    known = {name_key(column.name): column.comment for column in row.columns}
    return tuple(
        replace(column, comment=known.get(name_key(column.name), column.comment))
        for column in columns
    )


def _computed(shape: _Shape) -> bool:
    names = {column.name for column in shape.columns}
    return not set(shape.partition_by) <= names
