"""Statements that change something in a catalog that is not in the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from flowcat_jupyter.catalog.carrying.alter import add_columns
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.inserts import insert
from flowcat_jupyter.catalog.carrying.memory import MemoryCommits
from flowcat_jupyter.catalog.carrying.row_changes import change_rows
from flowcat_jupyter.catalog.carrying.tables import create_table
from flowcat_jupyter.catalog.carrying.upkeep import maintain
from flowcat_jupyter.catalog.planning.alter import AddColumns, Comment
from flowcat_jupyter.catalog.planning.function_reading import CreateFunction, DropFunction
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.view_reading import AlterView, CreateView, DropView
from flowcat_jupyter.catalog.planning.writes import CreateSchema, CreateTable, Drop
from flowcat_jupyter.catalog.providers.protocol import Asker, Provider, SchemaFacts, read_only
from flowcat_jupyter.shared.errors import AlreadyExists, NotFound, SqlError
from flowcat_jupyter.shared.names import TableName

_VIEWS = (AlterView, CreateView, DropView)


def target_of(change: Any, place: tuple[str, str]) -> tuple[str, ...] | None:
    """The full name of what a statement changes, its catalog first; None where it names nothing
    that a catalog holds.
    """
    name = getattr(change, "name", None)
    parts = name.parts if isinstance(name, TableName) else name
    if not isinstance(parts, tuple) or not parts:
        return None
    if isinstance(change, (CreateFunction, DropFunction)):
        return None if change.temporary else (*place[: 3 - len(parts)], *parts)
    if isinstance(change, _VIEWS):
        # A temporary view has no catalog, and others are made in the database alone.
        return parts if len(parts) == 3 else None
    if isinstance(change, Comment):
        if change.what == "CATALOG":
            return parts
        parts = parts[:-1] if change.what == "COLUMN" else parts
    schema = isinstance(change, CreateSchema) or getattr(change, "what", None) == "SCHEMA"
    most = 2 if schema else 3
    return (*place[: max(most - len(parts), 0)], *parts)


async def change_elsewhere(carrier: Carrier, provider: Provider, change: Any) -> Done:
    """Carry out a statement in a provider's catalog.

    :raises SqlError: it is not done there; it is named.
    """
    asker = Asker(carrier.actor, carrier.asking.session)
    path = target_of(change, carrier.place) or ()
    what = " ".join(change.piece.text.split()[:2]).upper()
    if not provider.writable:
        raise read_only(provider.name, what)
    if isinstance(change, CreateSchema):
        return await _create_schema(provider, asker, change, path)
    if isinstance(change, Drop):
        return await _drop(provider, asker, change, path)
    carry = _FAMILIES.get(type(change))
    if carry is None:
        raise not_done(provider, what)
    carrier.commits = MemoryCommits(carrier.actor, carrier.deps, carrier.asking)
    return await carry(carrier, change)


def not_done(provider: Provider, what: str) -> SqlError:
    """The error for a statement that is not carried out in a provider's catalog."""
    return SqlError(
        f"{what} is not supported in the catalog {provider.name}.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="There are CREATE TABLE with columns or AS SELECT, INSERT, UPDATE, DELETE, MERGE, "
        "ALTER TABLE … ADD COLUMN, OPTIMIZE, RESTORE, CREATE SCHEMA and DROP.",
    )


async def _create_schema(
    provider: Provider, asker: Asker, change: CreateSchema, path: tuple[str, ...]
) -> Done:
    try:
        await provider.create_schema(asker, SchemaFacts(path[-1], change.comment))
    except AlreadyExists as error:
        if not change.if_not_exists:
            raise
        return Done("CREATE SCHEMA", warnings=(error.message,), changed=False)
    return Done("CREATE SCHEMA")


async def _drop(provider: Provider, asker: Asker, change: Drop, path: tuple[str, ...]) -> Done:
    try:
        if change.what == "SCHEMA":
            await provider.drop_schema(asker, path[-1], cascade=change.cascade)
        else:
            await provider.drop_table(asker, path[-2], path[-1])
    except NotFound as error:
        if not change.if_exists:
            raise
        return Done(f"DROP {change.what}", warnings=(error.message,), changed=False)
    return Done(f"DROP {change.what}")


_FAMILIES: dict[type[Any], Callable[[Carrier, Any], Awaitable[Done]]] = {
    AddColumns: add_columns,
    ChangeRows: change_rows,
    CreateTable: create_table,
    Insert: insert,
    Maintain: maintain,
}
