"""What the system's own tables are made of: each table's columns, and how its rows are made.

Rows are made of metadata, in one transaction, of what the caller may see and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.extensions import loaded_extensions
from flowcat_jupyter.catalog.planning.session_settings import SETTINGS, value_of
from flowcat_jupyter.catalog.ports import Workforce
from flowcat_jupyter.catalog.providers.protocol import Asker
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.wire import Column

MOST_ROWS = 10_000
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Look:
    """What rows are made from."""

    unit: Unit
    deps: Deps
    asker: Asker

    @property
    def everybody(self) -> bool:
        """Whether the caller sees what others do."""
        return self.asker.actor.unrestricted


@dataclass(frozen=True)
class SystemTable:
    """One table; ``columns`` are in words: name, type and what it means, lines of three parts."""

    schema: str
    name: str
    comment: str
    columns: tuple[Column, ...]
    rows: Callable[[Look], Iterable[Row]]


def _columns(text: str) -> tuple[Column, ...]:
    found = []
    for line in filter(str.strip, text.splitlines()):
        name, ddl, meaning = (part.strip() for part in line.split("|"))
        required = ddl.endswith("!")
        found.append(Column(name, ddl.rstrip("!"), not required, meaning))
    return tuple(found)


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _sessions(look: Look) -> Iterable[Row]:
    for told in look.deps.sessions.told(None if look.everybody else look.asker.actor.name):
        session = told.session
        place = session.place or (None, None)
        mine = session is look.asker.session
        yield session.id, session.actor, mine, *place, told.running, round(told.idle_s, 3)


def _settings(look: Look) -> Iterable[Row]:
    said, defaults = look.asker.session.settings, look.deps.settings
    for setting in SETTINGS:
        value = value_of(said, setting.name, defaults)
        yield setting.name, value, setting.name in said, setting.meaning


def _variables(look: Look) -> Iterable[Row]:
    for variable in list(look.asker.session.variables.values()):
        yield variable.name, variable.type, variable.sql


def _queries(look: Look) -> Iterable[Row]:
    only = None if look.everybody else look.asker.actor.name
    for told in look.deps.results.told(only):
        job = told.job_id
        state = told.state
        if state == "running" and job and look.deps.executor.position(job) is not None:
            state = "queued"
        yield (
            told.query_id,
            told.actor,
            state,
            told.statement,
            told.engine,
            told.row_count,
            told.elapsed_ms,
        )


def _workers(look: Look) -> Iterable[Row]:
    executor = look.deps.executor
    if isinstance(executor, Workforce):
        for told in executor.workers():
            kind = told.job if look.everybody else None
            yield told.number, told.state, kind, told.memory_bytes


def _runs(look: Look) -> Iterable[Row]:
    after: str | None = None
    count = 0
    while count < MOST_ROWS:
        page = look.unit.runs.page(limit=1000, after=after)
        for run in page.items:
            count += 1
            yield (
                run.id,
                run.kind,
                run.title,
                run.state,
                run.owner,
                run.attempt,
                json.dumps(run.error) if run.error else None,
                _time(run.created_at),
                _time(run.started_at),
                _time(run.ended_at),
            )
        after = page.after
        if after is None:
            return


def _locks(look: Look) -> Iterable[Row]:
    for ticket in look.unit.tickets.open():
        path = ticket.spec.get("path") or ()
        yield (
            ticket.id,
            ticket.actor,
            ".".join(path) or None,
            ticket.mode,
            ticket.base_version,
            _time(ticket.created_at),
            _time(ticket.expires_at),
        )


def _metrics(look: Look) -> Iterable[Row]:
    counts = look.deps.results.counts()
    found: dict[str, tuple[float, str]] = {
        "queries.running": (counts.running, "queries that run or wait"),
        "results.kept": (counts.kept, "results that can still be read"),
        "results.bytes": (counts.size, "bytes that these take on disk"),
        "sessions.kept": (look.deps.sessions.count(), "SQL sessions that are kept"),
        "runs.active": (look.unit.runs.active_count(), "background runs that wait or work"),
    }
    executor = look.deps.executor
    if isinstance(executor, Workforce):
        found |= executor.metrics()
    for name, (value, meaning) in sorted(found.items()):
        yield name, float(value), meaning


def _extensions(_look: Look) -> Iterable[Row]:
    for found in loaded_extensions():
        yield found.kind, found.name, found.target, found.origin, found.state, found.reason


def _information_schemata(look: Look) -> Iterable[Row]:
    for catalog, schemas in _namespaces(look.unit):
        for schema in schemas:
            yield catalog.name, schema.name, schema.owner or None, schema.description


def _information_tables(look: Look) -> Iterable[Row]:
    for table in _tables(look.unit):
        kind = "EXTERNAL" if table.table_type == "external" else "BASE TABLE"
        yield *table.path, kind, table.format, table.owner or None, table.description
    for _, schemas in _namespaces(look.unit):
        for schema in schemas:
            for view in look.unit.views.beneath(schema.id):
                yield *view.path, "VIEW", "view", view.owner or None, view.description


def _information_views(look: Look) -> Iterable[Row]:
    for _, schemas in _namespaces(look.unit):
        for schema in schemas:
            for view in look.unit.views.beneath(schema.id):
                yield *view.path, view.public_text


def _information_columns(look: Look) -> Iterable[Row]:
    for table in _tables(look.unit):
        for place, column in enumerate(table.columns, start=1):
            null = "YES" if column.nullable else "NO"
            yield *table.path, column.name, place, column.type, null, column.comment


def _namespaces(unit: Unit) -> Iterable[tuple[Any, list[Any]]]:
    for catalog in _children(unit, None):
        yield catalog, _children(unit, catalog.id)


def _children(unit: Unit, parent_id: int | None) -> list[Any]:
    nodes: list[Any] = []
    after: str | None = None
    while True:
        page = unit.securables.children(parent_id, limit=1000, after=after)
        nodes += page.items
        after = page.after
        if after is None:
            return nodes


def _tables(unit: Unit) -> Iterable[Any]:
    after: str | None = None
    while True:
        page = unit.tables.page(limit=1000, after=after)
        yield from page.items
        after = page.after
        if after is None:
            return


_NAMED = """
table_catalog | string! | the catalog
table_schema | string! | the schema
table_name | string! | the name
"""

TABLES: tuple[SystemTable, ...] = (
    SystemTable(
        "session",
        "sessions",
        "SQL sessions of yours, or of everybody if you own everything.",
        _columns(
            """
            session_id | string! | what requests name it by; empty for one that ends with its text
            actor | string! | whose it is
            current | boolean! | whether this statement runs in it
            catalog | string | the current catalog, where USE said so
            schema | string | the current schema, where USE said so
            running | int! | how many texts run in it now
            idle_seconds | double! | the seconds since it was last used
            """
        ),
        _sessions,
    ),
    SystemTable(
        "session",
        "settings",
        "What can be set in this session, and what it is set to.",
        _columns(
            """
            name | string! | the setting, as SET has it
            value | string! | its value
            is_set | boolean! | whether this session set it
            meaning | string! | what it does
            """
        ),
        _settings,
    ),
    SystemTable(
        "session",
        "variables",
        "The variables of this session.",
        _columns(
            """
            name | string! | the variable
            type | string! | its type
            value | string! | its value, as SQL
            """
        ),
        _variables,
    ),
    SystemTable(
        "execution",
        "queries",
        "Queries of yours that run, wait or have a result; everybody's if you own everything.",
        _columns(
            """
            query_id | string! | what requests name it by
            actor | string! | whose it is
            state | string! | queued, running or done
            statement | string | what its last statement was
            engine | string | the engine that ran it
            row_count | bigint | the rows of its result
            elapsed_ms | double | the milliseconds it has taken
            """
        ),
        _queries,
    ),
    SystemTable(
        "execution",
        "workers",
        "The processes that run queries and writes.",
        _columns(
            """
            worker | int! | its number
            state | string! | starting, idle or busy
            job | string | what kind of job it has
            memory_bytes | bigint | the memory that it may use
            """
        ),
        _workers,
    ),
    SystemTable(
        "execution",
        "runs",
        "Background runs: imports, upkeep and others, the newest first.",
        _columns(
            """
            run_id | bigint! | its number
            kind | string! | what it does
            title | string! | what it does, in words
            state | string! | queued, running, succeeded, failed, cancelled or lost
            owner | string! | whose it is
            attempt | int! | which attempt this is
            error | string | what went wrong, as JSON
            created_at | timestamp! | when it was asked for
            started_at | timestamp | when it began
            ended_at | timestamp | when it ended
            """
        ),
        _runs,
    ),
    SystemTable(
        "execution",
        "locks",
        "Writes that are under way: each has leave to commit to one table.",
        _columns(
            """
            write_id | string! | what requests name it by
            actor | string! | whose it is
            table_name | string | the table's full name
            mode | string! | how it writes
            base_version | bigint | the version it starts from
            created_at | timestamp! | when it began
            expires_at | timestamp! | when the leave ends
            """
        ),
        _locks,
    ),
    SystemTable(
        "telemetry",
        "metrics",
        "What the server counts.",
        _columns(
            """
            name | string! | what is counted
            value | double! | how many there are now
            meaning | string! | the same in words
            """
        ),
        _metrics,
    ),
    SystemTable(
        "runtime",
        "extensions",
        "Engines, formats and data sources: those that come with the product, and packages'.",
        _columns(
            """
            kind | string! | engine, format or data source
            name | string! | what it is called
            target | string! | where its code is
            source | string! | the package it comes with
            state | string! | whether it can be used
            problem | string | why not
            """
        ),
        _extensions,
    ),
    SystemTable(
        "information_schema",
        "schemata",
        "The schemas that you see.",
        _columns(
            """
            catalog_name | string! | the catalog
            schema_name | string! | the name
            schema_owner | string | whose it is
            comment | string | what is said of it
            """
        ),
        _information_schemata,
    ),
    SystemTable(
        "information_schema",
        "tables",
        "The tables and views that you see.",
        _columns(
            _NAMED
            + """
            table_type | string! | BASE TABLE, EXTERNAL or VIEW
            data_source_format | string! | how its rows are kept
            table_owner | string | whose it is
            comment | string | what is said of it
            """
        ),
        _information_tables,
    ),
    SystemTable(
        "information_schema",
        "columns",
        "The columns of the tables that you see.",
        _columns(
            _NAMED
            + """
            column_name | string! | the name
            ordinal_position | int! | its place, from 1
            data_type | string! | its type
            is_nullable | string! | YES or NO
            comment | string | what is said of it
            """
        ),
        _information_columns,
    ),
    SystemTable(
        "information_schema",
        "views",
        "The views that you see; their queries are for those who may change them.",
        _columns(_NAMED + "view_definition | string | the query"),
        _information_views,
    ),
)
