"""Importing files: a background run that ends with a table or leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import PurePath
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.background import Handle
from flowcat_jupyter.catalog.barrier import (
    Target,
    WriteSpec,
    abandon,
    check_unclaimed,
    find_target,
    open_ticket,
    settle,
)
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.store.rows import Run, TableRow, Ticket
from flowcat_jupyter.shared.errors import Forbidden, Invalid
from flowcat_jupyter.shared.names import TableName, quote
from flowcat_jupyter.shared.wire import (
    ImportJob,
    ImportProposal,
    InspectJob,
    PreviewImportJob,
    Source,
    TableFacts,
)

MODES = ("error", "append", "overwrite")
TTL = timedelta(days=1)


@dataclass(frozen=True)
class ImportSpec:
    """A file on the server, whose path the caller may read, and how to take it in.

    ``types`` maps column names to Spark DDL types and overrides what the file suggests.
    """

    path: str
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)


class ImportService:
    """One actor's imports."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def preview(self, spec: ImportSpec, *, rows: int = 50) -> ImportProposal:
        """What an import would make of a file, and why.

        :raises FlowcatError: the file cannot be read so.
        """
        job = PreviewImportJob(spec.path, spec.format, spec.options, spec.types, rows)
        proposal: ImportProposal = await self._deps.executor.run(
            job, job_id=str(uuid4()), deadline_s=self._deps.deadline_s
        )
        return proposal

    async def check_path(self, path: str) -> str:
        """The real path of a file that a client may have imported.

        :raises Forbidden: it lies under no allowed root, or in the catalog's own storage.
        :raises NotFound: there is no such file.
        """

        def work() -> str:
            real = self._deps.storage.check_external(path)
            if self._deps.storage.owns(real):
                # What lies there has owners; a query reads it with their leave.
                raise Forbidden("import", "file", quote(path))
            with self._begin(self._actor) as unit:
                check_unclaimed(unit, real)
            return real

        return await self._threads.run(work)

    async def start(
        self,
        table: str,
        spec: ImportSpec,
        *,
        mode: str = "error",
        catalog: str | None = None,
        schema: str | None = None,
        description: str | None = None,
        origin: dict[str, str] | None = None,
        afterwards: Callable[[], None] | None = None,
    ) -> Run:
        """Queue an import and begin it in the background; answer its run.

        ``mode`` error wants a new table; append and overwrite make it if it is not there.
        ``afterwards`` is called in a thread once the table has the rows, and only then.

        :raises NotFound: the actor sees no such schema.
        :raises Forbidden: the actor does not manage it, or the table.
        :raises AlreadyExists: the name is taken.
        """
        if mode not in MODES:
            raise Invalid(f"There is no import mode {mode!r}.", hint=f"Use {', '.join(MODES)}.")
        settings = self._deps.settings
        write = WriteSpec(
            TableName.parse(table),
            mode,
            catalog or settings.default_catalog,
            schema or settings.default_schema,
            description=description,
            origin=origin or {},
        )
        write.check()
        target = await self._threads.run(lambda: self._find(write))
        base = await self._base(target)
        run, ticket = await self._threads.run(lambda: self._queue(write, spec, base))

        async def work(handle: Handle) -> dict[str, object] | None:
            return await self._work(handle, spec, ticket, afterwards)

        self._deps.background.start(run.id, work)
        return run

    def _find(self, write: WriteSpec) -> Target:
        with self._begin(self._actor) as unit:
            return find_target(unit, write)

    async def _base(self, target: Target) -> int | None:
        table = target.table
        if table is None:
            return None
        source = Source("r1", "table", table.path, table.format, table.location)
        facts: TableFacts = await self._deps.executor.run(InspectJob(source), job_id=str(uuid4()))
        return facts.version

    def _queue(self, write: WriteSpec, spec: ImportSpec, base: int | None) -> tuple[Run, Ticket]:
        with self._begin(self._actor, write=True) as unit:
            target = find_target(unit, write)
            path = ".".join(target.path)
            run_id = unit.runs.add(
                "import",
                f"Import {PurePath(spec.path).name} into {path}",
                owner=self._actor.name,
                payload={"path": spec.path, "table": list(target.path)},
                at=unit.now,
                origin=write.origin,
            )
            ticket = open_ticket(
                unit,
                write,
                target,
                new_location=self._deps.storage.new_table_location,
                base_version=base,
                ttl=TTL,
                run_id=run_id,
            )
            return unit.runs.get(run_id), ticket

    async def _work(
        self,
        handle: Handle,
        spec: ImportSpec,
        ticket: Ticket,
        afterwards: Callable[[], None] | None,
    ) -> dict[str, object] | None:
        job_id = f"run-{handle.run.id}-{handle.run.fence}"
        job = ImportJob(
            path=spec.path,
            format=spec.format,
            options=spec.options,
            types=spec.types,
            location=ticket.location,
            mode="create" if ticket.creates else ticket.mode,
            base_version=ticket.base_version,
            commit_info={"user": self._actor.name, "run_id": str(handle.run.id)},
        )
        settled = False
        try:
            facts: TableFacts = await self._deps.executor.run(
                job, job_id=job_id, on_progress=handle.progress
            )
            table = await _to_the_end(
                self._threads.run(lambda: self._settle(ticket, facts, afterwards))
            )
            settled = True
        except asyncio.CancelledError:
            self._deps.executor.cancel(job_id)
            raise
        finally:
            if not settled:
                await self._give_up(ticket)
        return {
            "table_id": table.id,
            "table": list(table.path),
            "row_count": facts.row_count,
            "version": facts.version,
            "warnings": list(facts.warnings),
        }

    def _settle(
        self, ticket: Ticket, facts: TableFacts, afterwards: Callable[[], None] | None
    ) -> TableRow:
        with self._begin(self._actor, write=True) as unit:
            table = settle(unit, ticket, facts)
        if afterwards is not None:
            afterwards()
        return table

    async def _give_up(self, ticket: Ticket) -> None:
        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                abandon(unit, ticket, "cancelled")

        await self._threads.run(work)
        await purge_due(self._deps)


async def _to_the_end(work: Awaitable[TableRow]) -> TableRow:
    """What ``work`` gives, even if a cancel comes: it is too late, the table is there."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task
