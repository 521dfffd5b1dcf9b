"""A table's versions and files: comparing, restoring, putting together, removing what is old."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, find_target, strict_target
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.upkeep import Care, tend
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import readable, source_of
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.maintenance import OPTIMIZE, RESTORE, VACUUM
from flowcat_jupyter.catalog.planning.planner import Defining
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Conflict, Internal, Invalid
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Job, QueryPlan, Source
from flowcat_jupyter.shared.wire_diff import DiffInfo, DiffJob
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome

SAMPLE = 100
"""So many rows that differ are shown."""


@dataclass(frozen=True)
class Upkeep:
    """What was done to a table, or for a dry run would be.

    It was at version ``before`` and is at ``after``. ``removed`` files with ``freed`` bytes went,
    ``added`` came; ``note`` says it in words.
    """

    action: str
    table: TableRow
    before: int | None
    after: int | None
    note: str | None = None
    removed: int = 0
    added: int = 0
    freed: int = 0


class MaintenanceService:
    """One actor's care for tables. All raise, besides what they say:

    :raises NotFound: the actor sees no such table.
    :raises Invalid: there is no such version, or the table's format or features forbid it.
    """

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps

    async def diff(self, table_id: int, before: int | None, after: int | None) -> DiffInfo:
        """In what two versions differ; None is the newest, and the one before it.

        :raises Forbidden: the actor may only browse the table.
        :raises Gone: data of a version were removed.
        """
        table = await self._row(lambda unit: readable(unit, table_id))
        zone = self._deps.settings.session_timezone or "UTC"
        job = DiffJob(_source(table, before), _source(table, after), SAMPLE, zone)
        info: DiffInfo = await self._work(job)
        return info

    async def restore(self, table_id: int, version: int) -> Upkeep:
        """Make a version the newest again.

        :raises Forbidden: the actor does not manage the table.
        :raises Conflict: somebody else wrote to it meanwhile.
        :raises Gone: data of that version were removed.
        """
        return await self._tend(table_id, Care(RESTORE, version=version))

    async def optimize(self, table_id: int, order_by: tuple[str, ...] = ()) -> Upkeep:
        """Put small files together, or sort the rows along columns.

        :raises Forbidden: the actor does not manage the table.
        :raises Conflict: somebody else wrote to it meanwhile.
        """
        return await self._tend(table_id, Care(OPTIMIZE, order_by=order_by))

    async def vacuum(
        self, table_id: int, *, retain_hours: int | None = None, dry_run: bool = False
    ) -> Upkeep:
        """Remove files that no version needs which is younger than ``retain_hours``, None for the
        table's own rule; with ``dry_run`` only tell them.

        :raises Forbidden: the actor does not manage the table.
        :raises Conflict: somebody else wrote to it meanwhile.
        """
        if retain_hours is not None and retain_hours < 0:
            raise Invalid("The hours that files are kept are a whole number from 0 up.")
        if not dry_run:
            return await self._tend(table_id, Care(VACUUM, retain_hours=retain_hours))
        table = await self._row(lambda unit: _manageable(unit, table_id))
        job = MaintainJob(
            action=VACUUM.lower(),
            name=table.path,
            location=table.location,
            base_version=None,
            retain_hours=retain_hours,
            dry_run=True,
            format=table.format,
            pointer=table.pointer,
        )
        told: MaintainOutcome = await self._work(job)
        return _upkeep(VACUUM, table, table.delta_version, told)

    async def _tend(self, table_id: int, care: Care) -> Upkeep:
        table = await self._row(lambda unit: _manageable(unit, table_id))
        spec = _spec(table)

        def still(unit: Unit) -> Care:
            there = strict_target(unit, spec).table
            if there is None or there.id != table_id:
                raise Conflict(
                    f"{table.sql_name} was renamed or dropped meanwhile.", hint="Look again."
                )
            return care

        done = await tend(Carrier(self._actor, self._deps, self._asking(care)), spec, still)
        fresh = await self._row(lambda unit: unit.tables.get(table_id))
        return _upkeep(care.kind, fresh, done.before, done.outcome)

    def _asking(self, care: Care) -> Asking:
        return Asking(
            catalog=self._deps.settings.default_catalog,
            schema=self._deps.settings.default_schema,
            job_id=_job_id(care.kind.lower()),
            spool=self._deps.results.files.new_path(),
            plan=_no_query,
            check=lambda: None,
        )

    async def _row(self, look: Callable[[Unit], TableRow]) -> TableRow:
        def work() -> TableRow:
            with self._deps.begin(self._actor) as unit:
                return look(unit)

        return await self._deps.threads.run(work)

    async def _work(self, job: Job) -> Any:
        return await self._deps.executor.run(
            job, job_id=_job_id(job.kind), deadline_s=self._deps.deadline_s
        )


def _no_query(_unit: Unit, _query: Select, /, defining: Defining | None = None) -> QueryPlan:
    raise Internal(f"upkeep asks no query and defines no {defining}")


def _job_id(what: str) -> str:
    return f"{what}-{uuid4().hex}"


def _source(table: TableRow, version: int | None) -> Source:
    return source_of(table, version)


def _spec(table: TableRow) -> WriteSpec:
    return WriteSpec(TableName(table.path), CHANGE, table.path[0], table.path[1], writable=LAKES)


def _manageable(unit: Unit, table_id: int) -> TableRow:
    """A table that the actor may look after."""
    table = unit.tables.get(table_id)
    find_target(unit, _spec(table))
    return table


def _upkeep(
    action: str, table: TableRow, before: int | None, told: MaintainOutcome | None
) -> Upkeep:
    if told is None:
        return Upkeep(action, table, before, table.delta_version)
    return Upkeep(
        action=action,
        table=table,
        before=before,
        after=table.delta_version if told.facts is None else told.facts.version,
        note=told.note,
        removed=told.taken or len(told.files),
        added=told.made,
        freed=sum(taken for _, taken in told.files),
    )
