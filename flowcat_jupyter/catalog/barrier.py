"""The barrier every write to a table's data passes: a ticket before, a record after.

Opening a ticket for a table that is to be made inserts it as ``creating``: the name is held and
resolves to nothing. Settling activates it; abandoning removes it and queues its folder's removal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from uuid import uuid4

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.dropping import queue_purge
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.observing import PointerMoved as PointerMoved
from flowcat_jupyter.catalog.observing import check_pointer, recorded
from flowcat_jupyter.catalog.observing import observe as observe
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.views import not_a_table
from flowcat_jupyter.catalog.store.rows import Node, TableRow, Ticket
from flowcat_jupyter.catalog.store.seen import ACCESS, MANAGE, USE, check_text
from flowcat_jupyter.catalog.store.tables import fixed_folder
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Forbidden, Invalid, NotFound
from flowcat_jupyter.shared.events import TableCreated, TableWritten
from flowcat_jupyter.shared.names import RESERVED_PREFIX, TableName, check_name, name_key
from flowcat_jupyter.shared.partitioning import partition_of
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column, TableFacts

MODES = ("error", "overwrite", "append", "upsert", "update", "delete")
KEYED = ("upsert", "update", "delete")
EXISTING = ("update", "delete")
CHANGE = "change"
"""What a statement does to a table that is there."""


@dataclass(frozen=True)
class WriteSpec:
    """What somebody wants to write: where, how and what.

    ``catalog`` and ``schema`` are the session's current ones. ``format`` is that of a table that
    is to be made, or with ``remakes`` made anew; ``writable`` are those of tables that the writer
    can write to. A table is made at ``location``, which is not the catalog's own, if that is
    given; ``options`` are those of its format.
    """

    name: TableName
    mode: str
    catalog: str
    schema: str
    columns: tuple[Column, ...] = ()
    merge_keys: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    description: str | None = None
    origin: dict[str, str] = field(default_factory=dict)
    format: str = "delta"
    writable: tuple[str, ...] = ("delta",)
    remakes: bool = False
    location: str | None = None
    options: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what no table could take.

        :raises Invalid: the mode, a column, a key or a partition column cannot be.
        """
        if self.mode not in MODES:
            raise Invalid(f"There is no write mode {self.mode!r}.", hint=f"Use {', '.join(MODES)}.")
        if self.mode in KEYED and not self.merge_keys:
            raise Invalid(
                f"The mode {self.mode} needs merge keys.", hint="Name the columns that match rows."
            )
        check_text(self.description, "description")
        known = check_columns(self.columns)
        names = [column.name for column in self.columns]
        partitions = [partition_of(text, names).column for text in self.partition_by]
        for name in (*self.merge_keys, *partitions):
            if known and name_key(name) not in known:
                raise NotFound("column", name)


@dataclass(frozen=True)
class Target:
    """Where a name to write to leads: a schema, and the table in it if there is one."""

    schema: Node
    name: str
    table: TableRow | None

    @property
    def path(self) -> tuple[str, ...]:
        """The table's full name."""
        return self.table.path if self.table else (*self.schema.path, self.name)


def find_target(unit: Unit, spec: WriteSpec) -> Target:
    """Where ``spec`` would write, with the right to do so checked.

    Modes that only change rows find their table as a query would. The others never reach beyond
    the current schema for a bare name: an overwrite must not find a namesake elsewhere.

    :raises NotFound: the schema, or for ``update`` and ``delete`` the table, is not visible.
    :raises Forbidden: the actor does not manage it.
    :raises AlreadyExists: the mode is ``error`` and the table is there.
    """
    target = _existing(unit, spec) if spec.mode in EXISTING else strict_target(unit, spec)
    if target.table is None:
        require(target.schema, MANAGE, "create a table in")
        check_name(target.name, "table")
        return target
    if spec.mode == "error":
        raise AlreadyExists("table", target.table.sql_name)
    require(target.table, MANAGE, "write to")
    _check_writable(target.table, spec)
    return target


def _check_writable(table: TableRow, spec: WriteSpec) -> None:
    if table.format not in spec.writable:
        by_sql = table.format == "iceberg"
        raise Invalid(
            f"{table.sql_name} is a table USING {table.format} and cannot be written to so.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Write it by SQL: INSERT INTO, UPDATE, MERGE INTO; a frame df is FROM :df there."
            if by_sql
            else "INSERT adds rows to it. For the rest copy it into a table of the catalog's own "
            "with CREATE TABLE … AS SELECT.",
        )
    if spec.format != table.format and spec.mode == "overwrite" and spec.remakes:
        raise Invalid(
            f"{table.sql_name} is a table USING {table.format} and cannot become one USING "
            f"{spec.format}.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Drop it first, or make the new table under another name.",
        )


def existing_target(unit: Unit, spec: WriteSpec) -> Target:
    """Where ``spec`` would write to a table that is there, with the right to do so checked.

    :raises NotFound: there is none that the actor sees.
    :raises Forbidden: the actor does not manage it.
    """
    if spec.mode not in EXISTING and strict_target(unit, spec).table is None:
        raise NotFound(
            "table",
            spec.name.sql,
            hint="Make it with CREATE TABLE, or write its full name.",
        )
    return find_target(unit, spec)


def _existing(unit: Unit, spec: WriteSpec) -> Target:
    directory = UnitDirectory(unit)
    entry = Resolver(directory, spec.catalog, spec.schema).table(spec.name.parts)
    if entry.view is not None:
        raise not_a_table(entry.sql_name)
    if entry.id is None:
        raise NotFound("table", spec.name.sql)
    table = directory.row(entry.id)
    return Target(unit.securables.get(table.parent_id), table.name, table)


def strict_target(unit: Unit, spec: WriteSpec) -> Target:
    """Where ``spec`` would write without looking beyond the current schema; rights unchecked.

    :raises NotFound: the schema is not visible.
    :raises AlreadyExists: the mode is ``error`` and a view is there.
    :raises SqlError: a view is there, which holds no rows.
    """
    current = (spec.catalog, spec.schema)
    catalog, name = (*current[: 3 - len(spec.name.parts)], *spec.name.parts[:-1])
    schema = unit.securables.schema(catalog, name)
    table = unit.tables.under(schema.id, spec.name.leaf)
    view = None if table else unit.views.under(schema.id, spec.name.leaf)
    if view is not None and spec.mode == "error":
        raise AlreadyExists("view", view.sql_name)
    if view is not None:
        raise not_a_table(view.sql_name)
    return Target(schema, spec.name.leaf, table)


def check_unclaimed(unit: Unit, location: str) -> None:
    """Let pass a location that is no way around a grant: no table there is hidden from the actor.

    :raises Forbidden: a table lies there that the actor may not read; as for a path not allowed.
    """
    if unit.actor.unrestricted:
        return
    # A pattern may match whatever lies in the folder it begins in.
    _check_read(unit, unit.tables.touching(fixed_folder(location)), location)


def check_files_unclaimed(unit: Unit, files: Sequence[str], asked: str) -> None:
    """The same for plain files, ``asked`` for with one path.

    :raises Forbidden: one belongs to a table that the actor may not read.
    """
    if not unit.actor.unrestricted:
        _check_read(unit, unit.tables.around(files), asked)


def _check_read(unit: Unit, table_ids: Iterable[int], asked: str) -> None:
    for table_id in table_ids:
        table = unit.tables.find(table_id)
        if table is None or ACCESS.index(table.access) < USE:
            raise Forbidden("use", "path", asked)


def open_ticket(
    unit: Unit,
    spec: WriteSpec,
    target: Target,
    *,
    new_location: Callable[[str | None, str], str],
    base_version: int | None,
    ttl: timedelta,
    pointer: str | None = None,
    run_id: int | None = None,
    holder: str | None = None,
) -> Ticket:
    """Leave to commit once to ``target``; a table that is not there is held as ``creating``.

    ``pointer`` is the metadata file that the write builds on, if the table is kept by one.
    ``holder`` is the process that writes, if it is one of ours: with it ends what it was making.

    :raises AlreadyExists: somebody else is creating it at this moment.
    """
    table = target.table
    if table:
        table_id, location = table.id, table.location
    else:
        storage = unit.securables.namespace(target.schema.parent_id).storage_uri
        location = spec.location or new_location(storage, target.name)
        table_id = _hold(unit, spec, target, location)
    ticket = Ticket(
        id=str(uuid4()),
        actor=unit.actor.name,
        table_id=table_id,
        creates=table is None,
        mode=spec.mode,
        location=location,
        base_version=base_version if table else None,
        spec={
            "path": list(target.path),
            "columns": [asdict(column) for column in spec.columns],
            "merge_keys": list(spec.merge_keys),
            "partition_by": list(spec.partition_by),
            "origin": spec.origin,
            "holder": holder,
            "format": table.format if table else spec.format,
            "external": spec.location is not None,
            "pointer": pointer,
        },
        run_id=run_id,
        state="open",
        created_at=unit.now,
        expires_at=unit.now + ttl,
    )
    unit.tickets.add(ticket)
    return ticket


def _hold(unit: Unit, spec: WriteSpec, target: Target, location: str) -> int:
    _take_back_expired(unit, target)
    try:
        table_id = unit.securables.insert(
            "table",
            target.schema.id,
            target.name,
            by=unit.actor.name,
            at=unit.now,
            description=spec.description,
            state="creating",
        )
    except AlreadyExists as error:
        raise AlreadyExists(
            "table",
            TableName(target.path).sql,
            hint="It is being created at this moment; wait for it, or cancel that write.",
        ) from error
    unit.tables.insert(
        table_id,
        table_type="managed" if spec.location is None else "external",
        format=spec.format,
        location=location,
        columns=spec.columns,
        partition_columns=spec.partition_by,
        options=spec.options,
    )
    return table_id


def _take_back_expired(unit: Unit, target: Target) -> None:
    held = unit.tables.creating(target.schema.id, target.name)
    if held is None:
        return
    for ticket in unit.everything.tickets.expired(unit.surely):
        if ticket.table_id == held:
            abandon(unit, ticket, "expired")


def settle(unit: Unit, ticket: Ticket, facts: TableFacts) -> TableRow:
    """Record what was committed under a ticket, and show the table if the ticket made it.

    :raises Conflict: the ticket was used, cancelled or taken back, or its version was there
        before it.
    :raises NotFound: the table was dropped meanwhile.
    :raises Forbidden: the actor lost the right to write to it meanwhile.
    """
    table = unit.tables.hidden_while_creating(ticket.table_id)
    if table is None or table.location != ticket.location:
        raise NotFound("table", TableName(tuple(ticket.spec["path"])).sql)
    require(table, MANAGE, "write to")
    if facts.pointer is not None:
        check_pointer(unit, table, ticket)
    elif ticket.spec.get("format", "delta") not in LAKES:
        # Files have no versions: what lies in the folder is the table.
        pass
    elif facts.version is None or facts.version <= (-1 if ticket.creates else _base(ticket)):
        raise Conflict(
            f"Version {facts.version} of {table.sql_name} is not newer than version "
            f"{ticket.base_version}, on which the write was to build.",
            hint="Commit first, then report the version the commit made.",
        )
    if not unit.tickets.close(ticket.id, "committed"):
        raise Conflict(
            f"The write to {table.sql_name} is over: it was committed, cancelled or timed out.",
            hint="Begin a new one.",
        )
    if facts.version is not None:
        unit.tickets.note_version(ticket, facts.version)
    if ticket.creates:
        version = unit.tables.record(table.id, facts, data_changed=True, at=unit.now)
        unit.securables.activate(table.id, by=unit.actor.name, at=unit.now)
        table = unit.tables.get(table.id)
        unit.record(TableCreated(*identity(table)))
        unit.record(TableWritten(*identity(table), data_version=version))
        return table
    # A pointer has been found to be the one before; a log may be ahead of what is reported.
    return (observe if facts.pointer is None else recorded)(unit, table, facts)


def _base(ticket: Ticket) -> int:
    return -1 if ticket.base_version is None else ticket.base_version


def abandon(unit: Unit, ticket: Ticket, state: str) -> None:
    """End a ticket unused; a table it was making goes, and its folder's removal is queued.

    The folder is removed by `purging`, after the commit. Ending a ticket again removes what was
    written after it was ended; a ticket that made its table is left alone.
    """
    ended = unit.everything.tickets.close(ticket.id, state)
    if not ticket.creates:
        return
    if ended:
        unit.securables.delete(ticket.table_id)
    if not ticket.spec.get("external") and not unit.tables.uses(ticket.location):
        queue_purge(unit, ticket.location, tuple(ticket.spec["path"]))


def check_columns(columns: tuple[Column, ...]) -> set[str]:
    """Check that columns can be a table's; their names as they are compared.

    :raises Invalid: a name is empty, there twice or kept for the catalog, or a type is none.
    """
    known: set[str] = set()
    for column in columns:
        key = name_key(check_text(column.name, "column's name") or "")
        if not key or key in known or key.startswith(RESERVED_PREFIX):
            taken = key in known
            raise Invalid(
                f"{column.name!r} cannot be the name of a column here: names are not empty, "
                f"differ by more than case, and do not begin with {RESERVED_PREFIX}.",
                condition="COLUMN_ALREADY_EXISTS" if taken else "INVALID_IDENTIFIER",
                sqlstate="42711" if taken else "42602",
                hint="Rename the column.",
            )
        parse_type(column.type)
        known.add(key)
    return known
