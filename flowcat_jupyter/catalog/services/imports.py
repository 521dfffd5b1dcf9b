"""Importing files: a background run that ends with a table or leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.background import Handle
from flowcat_jupyter.catalog.barrier import (
    Target,
    WriteSpec,
    abandon,
    check_files_unclaimed,
    find_target,
    open_ticket,
    settle,
)
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import source_of
from flowcat_jupyter.catalog.healing import (
    UNSURE,
    count_rejects,
    find_commit,
    leave,
    outcome_result,
    settle_commit,
)
from flowcat_jupyter.catalog.importing import REJECTS_KEPT, ImportSpec, blamed
from flowcat_jupyter.catalog.planning.constraints import check_understood
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.shielded import to_the_end
from flowcat_jupyter.catalog.store.rows import Memory, Run, Ticket
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, LimitExceeded, NotFound
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import (
    ImportJob,
    ImportOutcome,
    ImportProposal,
    InspectJob,
    PreviewImportJob,
    TableFacts,
)

MODES = ("error", "append", "overwrite", "upsert")
TTL = timedelta(days=1)
MOST_FILES = 10_000
FORGOTTEN = "What is remembered of this source does not suit these files and was left out: {}"


@dataclass(frozen=True)
class ImportTarget:
    """The table to import into, and how.

    ``mode`` error wants a new table; the others make it if it is not there. Of upsert,
    ``merge_keys`` are the columns that match rows. Columns that differ from the table's stop an
    append or an upsert unless ``accept_drift``.
    """

    table: str
    mode: str = "error"
    merge_keys: tuple[str, ...] = ()
    accept_drift: bool = False
    catalog: str | None = None
    schema: str | None = None
    description: str | None = None


@dataclass(frozen=True)
class Preview:
    """What an import would make of files; ``remembered`` if it began with what the source's last
    import was told.
    """

    proposal: ImportProposal
    remembered: bool


@dataclass(frozen=True)
class _Task:
    """What one run is to do; of ``spec``, the caller said what is ``given``."""

    given: ImportSpec
    spec: ImportSpec
    ticket: Ticket
    target: ImportTarget
    rejects: str
    remember: bool
    afterwards: Callable[[], None] | None = field(default=None, repr=False)


class ImportService:
    """One actor's imports."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def files(self, given: Sequence[str]) -> tuple[str, ...]:
        """The real paths of the files that a client's paths, folders and patterns mean.

        :raises Forbidden: one lies under no allowed root, or is the catalog's own or of a table
            that the actor may not read.
        :raises NotFound: there is none.
        :raises LimitExceeded: there are too many.
        """

        def check(path: str, found: tuple[str, ...]) -> None:
            with self._begin(self._actor) as unit:
                check_files_unclaimed(unit, found, path)

        files: dict[str, None] = {}
        for path in dict.fromkeys(given):
            found = await self._threads.run_on_disk(partial(self._deps.storage.files, path))
            await self._threads.run(partial(check, path, found))
            files.update(dict.fromkeys(found))
            if len(files) > MOST_FILES:
                raise LimitExceeded(f"An import takes {MOST_FILES:,} files at most.")
        return tuple(files)

    async def preview(
        self,
        spec: ImportSpec,
        *,
        rows: int = 50,
        target: ImportTarget | None = None,
        use_remembered: bool = True,
    ) -> Preview:
        """What an import would make of files, and why; with ``target``, its drift from there.

        :raises FlowcatError: the files cannot be read so.
        """
        table, memory = await self._threads.run(
            lambda: self._look(spec, target, use_remembered=use_remembered)
        )
        full = spec.over(memory)
        job = PreviewImportJob(
            path=full.paths[0],
            format=full.format,
            options=full.options,
            types=full.types,
            rows=rows,
            paths=full.paths,
            location=table,
        )
        try:
            return Preview(await self._propose(job), full != spec)
        except (Invalid, NotFound) as error:
            if full == spec:
                raise
            told = FORGOTTEN.format(error.message)
        plain = replace(job, format=spec.format, options=spec.options, types=spec.types)
        found = await self._propose(plain)
        found = replace(found, warnings=(told, *found.warnings), notes=(told, *found.notes))
        return Preview(found, remembered=False)

    async def _propose(self, job: PreviewImportJob) -> ImportProposal:
        proposal: ImportProposal = await self._deps.executor.run(
            job, job_id=str(uuid4()), deadline_s=self._deps.deadline_s
        )
        return proposal

    def _look(
        self, spec: ImportSpec, target: ImportTarget | None, *, use_remembered: bool
    ) -> tuple[str | None, Memory | None]:
        """The location of the table that is there already, and what is remembered."""
        with self._begin(self._actor) as unit:
            memory = unit.memories.find(spec.source) if spec.source and use_remembered else None
            if target is None:
                return None, memory
            try:
                # A name that is being typed means nothing yet.
                write = self._write_spec(replace(target, mode="append", merge_keys=()))
                found = find_target(unit, write).table
            except FlowcatError:
                found = None
            return (found.location if found else None), memory

    async def forget(self, source: str | None) -> int:
        """Forget how a source was read (None: every source); answer how many were forgotten."""

        def work() -> int:
            with self._begin(self._actor, write=True) as unit:
                if source is None:
                    return unit.memories.forget_all()
                return int(unit.memories.forget(source))

        return await self._threads.run(work)

    async def start(
        self,
        target: ImportTarget,
        spec: ImportSpec,
        *,
        use_remembered: bool = True,
        remember: bool = True,
        origin: dict[str, str] | None = None,
        afterwards: Callable[[], None] | None = None,
    ) -> Run:
        """Queue an import and begin it in the background; answer its run.

        ``afterwards`` is called in a thread once the table has the rows, and only then; so is
        what was asked for remembered for the source's next import, with ``remember``.

        :raises NotFound: the actor sees no such schema.
        :raises Forbidden: the actor does not manage it, or the table.
        :raises AlreadyExists: the name is taken.
        """
        if target.mode not in MODES:
            raise Invalid(
                f"There is no import mode {target.mode!r}.", hint=f"Use {', '.join(MODES)}."
            )
        if target.merge_keys and target.mode != "upsert":
            raise Invalid("Merge keys go with the mode upsert alone.")
        write = self._write_spec(target, origin)
        write.check()

        def look() -> tuple[Target, Memory | None]:
            with self._begin(self._actor) as unit:
                wanted = use_remembered and spec.source
                return find_target(unit, write), (
                    unit.memories.find(spec.source or "") if wanted else None
                )

        found, memory = await self._threads.run(look)
        base = await self._base(found)
        full = spec.over(memory)
        run, ticket, rejects = await self._threads.run(lambda: self._queue(write, full, base))
        task = _Task(spec, full, ticket, target, rejects, remember, afterwards)
        self._deps.background.start(run.id, lambda handle: self._work(handle, task))
        return run

    def _write_spec(self, target: ImportTarget, origin: dict[str, str] | None = None) -> WriteSpec:
        settings = self._deps.settings
        return WriteSpec(
            TableName.parse(target.table),
            target.mode,
            target.catalog or settings.default_catalog,
            target.schema or settings.default_schema,
            merge_keys=target.merge_keys,
            description=target.description,
            origin=origin or {},
        )

    async def _base(self, target: Target) -> int | None:
        table = target.table
        if table is None:
            return None
        job = InspectJob(source_of(table))
        facts: TableFacts = await self._deps.executor.run(job, job_id=str(uuid4()))
        return facts.version

    def _queue(
        self, write: WriteSpec, spec: ImportSpec, base: int | None
    ) -> tuple[Run, Ticket, str]:
        rejects = self._deps.rejects.new_location()
        self._deps.rejects.prepare()
        with self._begin(self._actor, write=True) as unit:
            target = find_target(unit, write)
            check_understood(target.table, write.name.sql)
            run_id = unit.runs.add(
                "import",
                f"Import {spec.title} into {'.'.join(target.path)}",
                owner=self._actor.name,
                payload={"files": len(spec.paths), "table": list(target.path)},
                at=unit.now,
                origin=write.origin,
                holder=self._deps.background.holder,
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
            unit.rejects.add(run_id, rejects, expires_at=unit.now + REJECTS_KEPT)
            return unit.runs.get(run_id), ticket, rejects

    async def _work(self, handle: Handle, task: _Task) -> dict[str, object] | None:
        job_id = f"run-{handle.run.id}-{handle.run.fence}"
        job = self._job(handle.run, task)
        settled: dict[str, object] | None = None
        fault: BaseException | None = None
        try:
            outcome: ImportOutcome = await self._deps.executor.run(
                job, job_id=job_id, on_progress=handle.progress
            )
            settled = await to_the_end(
                self._threads.run(lambda: self._settle(handle, task, outcome))
            )
        except asyncio.CancelledError as error:
            self._deps.executor.cancel(job_id)
            fault = error
        except FlowcatError as error:
            fault = blamed(error, task.given, task.spec)
        finally:
            if settled is None:
                settled = await to_the_end(self._give_up(handle, task, fault))
        if settled is None and fault is not None:
            raise fault
        return settled

    def _job(self, run: Run, task: _Task) -> ImportJob:
        ticket, spec = task.ticket, task.spec
        return ImportJob(
            path=spec.paths[0],
            format=spec.format,
            options=spec.options,
            types=spec.types,
            location=ticket.location,
            mode="create" if ticket.creates else ticket.mode,
            base_version=ticket.base_version,
            commit_info={"user": self._actor.name, "run_id": str(run.id)},
            paths=spec.paths,
            merge_keys=task.target.merge_keys,
            accept_drift=task.target.accept_drift,
            rejects=task.rejects,
        )

    def _settle(self, handle: Handle, task: _Task, outcome: ImportOutcome) -> dict[str, object]:
        spec, run = task.spec, handle.run
        with self._begin(self._actor, write=True) as unit:
            table = settle(unit, task.ticket, outcome)
            unit.rejects.ended(run.id, outcome.rejected, expires_at=unit.now + REJECTS_KEPT)
            if task.remember and spec.source and spec.says_something:
                unit.memories.put(
                    spec.source,
                    format=spec.format,
                    options=spec.lasting,
                    types=spec.types,
                    at=unit.now,
                )
            result = outcome_result(table, outcome)
            handle.succeed(unit, result)
        handle.ended = True
        if task.afterwards is not None:
            task.afterwards()
        return result

    async def _give_up(
        self, handle: Handle, task: _Task, fault: BaseException | None
    ) -> dict[str, object] | None:
        """End an import that was stopped; what it committed before that is kept, as its result."""
        commit = None
        if fault is None or isinstance(fault, (asyncio.CancelledError, *UNSURE)):
            try:
                commit = await find_commit(self._deps, task.ticket, task.rejects)
            except UNSURE:
                # Nobody can tell now; a commit that was made shows when the table is next read.
                commit = None
        rejected = commit.rejected if commit else await count_rejects(self._deps, task.rejects)

        def work() -> dict[str, object] | None:
            with self._begin(self._actor, write=True) as unit:
                if not unit.runs.holds(handle.run.id, handle.run.fence):
                    leave(unit, task.ticket)
                    return None
                kept = unit.now + REJECTS_KEPT
                unit.rejects.ended(handle.run.id, rejected, expires_at=kept)
                if commit is not None:
                    result = settle_commit(unit, task.ticket, commit)
                    handle.succeed(unit, result)
                    return result
                abandon(unit, task.ticket, "cancelled")
                return None

        found = await self._threads.run(work)
        handle.ended = found is not None
        if found is None and rejected:
            handle.result = {"rows_loaded": 0, "rows_rejected": rejected}
        await purge_due(self._deps)
        return found
