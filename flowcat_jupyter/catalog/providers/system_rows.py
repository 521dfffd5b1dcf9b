"""How the rows of the system's own tables are made, of metadata and in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.extensions import loaded_extensions
from flowcat_jupyter.catalog.planning.session_settings import SETTINGS, value_of
from flowcat_jupyter.catalog.ports import Workforce
from flowcat_jupyter.catalog.providers.protocol import Asker
from flowcat_jupyter.catalog.unit import Unit

MOST_ROWS = 10_000
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Look:
    """What rows are made from, of what the caller may see and nothing else."""

    unit: Unit
    deps: Deps
    asker: Asker

    @property
    def everybody(self) -> bool:
        """Whether the caller sees what others do."""
        return self.asker.actor.unrestricted


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def sessions(look: Look) -> Iterable[Row]:
    """SQL sessions that are kept."""
    for told in look.deps.sessions.told(None if look.everybody else look.asker.actor.name):
        session = told.session
        place = session.place or (None, None)
        mine = session is look.asker.session
        yield session.id, session.actor, mine, *place, told.running, round(told.idle_s, 3)


def settings(look: Look) -> Iterable[Row]:
    """What can be set, and what it is."""
    said, defaults = look.asker.session.settings, look.deps.settings
    for setting in SETTINGS:
        value = value_of(said, setting.name, defaults)
        yield setting.name, value, setting.name in said, setting.meaning


def variables(look: Look) -> Iterable[Row]:
    """The session's variables."""
    for variable in list(look.asker.session.variables.values()):
        yield variable.name, variable.type, variable.sql


def queries(look: Look) -> Iterable[Row]:
    """What runs, and what is done and kept."""
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
            told.text,
            _time(look.unit.now - timedelta(seconds=told.ago_s)),
            told.statement,
            told.engine,
            told.row_count,
            told.elapsed_ms,
        )


def workers(look: Look) -> Iterable[Row]:
    """The processes that do jobs."""
    executor = look.deps.executor
    if isinstance(executor, Workforce):
        for told in executor.workers():
            kind = told.job if look.everybody else None
            yield told.number, told.state, kind, told.memory_bytes


def runs(look: Look) -> Iterable[Row]:
    """Background runs, the newest first."""
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


def locks(look: Look) -> Iterable[Row]:
    """Writes under way."""
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


def metrics(look: Look) -> Iterable[Row]:
    """What is counted."""
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


def extensions(_look: Look) -> Iterable[Row]:
    """What the product is made of."""
    for found in loaded_extensions():
        yield found.kind, found.name, found.target, found.origin, found.state, found.reason


def information_schemata(look: Look) -> Iterable[Row]:
    """Schemas."""
    for catalog, schemas in _namespaces(look.unit):
        for schema in schemas:
            yield catalog.name, schema.name, schema.owner or None, schema.description


def information_tables(look: Look) -> Iterable[Row]:
    """Tables, then views."""
    for table in _tables(look.unit):
        kind = "EXTERNAL" if table.table_type == "external" else "BASE TABLE"
        yield *table.path, kind, table.format, table.owner or None, table.description
    for _, schemas in _namespaces(look.unit):
        for schema in schemas:
            for view in look.unit.views.beneath(schema.id):
                yield *view.path, "VIEW", "view", view.owner or None, view.description


def information_views(look: Look) -> Iterable[Row]:
    """Views."""
    for _, schemas in _namespaces(look.unit):
        for schema in schemas:
            for view in look.unit.views.beneath(schema.id):
                yield *view.path, view.public_text


def information_columns(look: Look) -> Iterable[Row]:
    """Columns of tables."""
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
