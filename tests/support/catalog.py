"""A catalog on a real database, with fakes at its ports."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.background import Background
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.frames import Frames
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.results import Results
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.sql_sessions import SqlSessions
from flowcat_jupyter.catalog.threads import Threads
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, NotFound
from flowcat_jupyter.shared.events import Event
from flowcat_jupyter.shared.settings import load
from flowcat_jupyter.shared.wire_rows import RowsJob
from flowcat_jupyter.storage.folders import StoredFolder
from flowcat_jupyter.storage.rejects import RejectFiles

COLUMNS = (wire.Column("id", "bigint"), wire.Column("Carrier", "string"))


@dataclass
class FakeClock:
    """A clock that moves when told."""

    time: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def forward(self, **amount: float) -> None:
        self.time += timedelta(**amount)


@dataclass
class FakeStorage:
    """Folders that are only names; it insists that no transaction waits for it."""

    begin: UnitFactory
    folders: set[str] = field(default_factory=set)
    removed: list[str] = field(default_factory=list)
    aside: set[str] = field(default_factory=set)
    committed: set[str] = field(default_factory=set)
    age_s: float = 1e6
    ours: bool = True
    failure: FlowcatError | None = None

    def new_table_location(self, catalog_storage_uri: str | None, name: str) -> str:
        return f"{catalog_storage_uri or '/managed'}/t_{uuid4().hex}"

    def remove(self, location: str) -> None:
        assert self.begin.open_here == 0, "removing a folder inside a transaction"
        if self.failure:
            raise self.failure
        assert self.owns(location), "removing what is not ours"
        self.removed.append(location)
        self.folders.discard(location)

    def owns(self, location: str) -> bool:
        return location.startswith("/managed/")

    def table_folders(self) -> tuple[StoredFolder, ...]:
        assert self.begin.open_here == 0, "looking at folders inside a transaction"
        return tuple(
            StoredFolder(place, place in self.committed, self.age_s)
            for place in sorted(filter(self.owns, self.folders))
        )

    def is_there(self, location: str) -> bool:
        return location in self.folders

    def set_aside(self, location: str) -> str:
        assert self.owns(location), "moving what is not ours"
        self.folders.discard(location)
        self.aside.add(location)
        return location

    def claim(self, catalog_id: str, *, known: bool) -> bool:
        return self.ours

    def check_external(self, path: str) -> str:
        assert self.begin.open_here == 0, "looking at files inside a transaction"
        if not path.startswith(("/allowed/", "/managed/")):
            raise Forbidden("read", "path", path)
        return path

    def check_place(self, path: str) -> str:
        return self.check_external(path)

    def files(self, path: str) -> tuple[str, ...]:
        assert self.begin.open_here == 0, "looking at files inside a transaction"
        if not path.startswith("/allowed/"):
            raise Forbidden("import", "file", path)
        return (path,)


@dataclass
class FakeExecutor:
    """Answers jobs from a log of commits by location; it insists that no transaction waits."""

    begin: UnitFactory
    storage: FakeStorage
    logs: dict[str, list[wire.TableFacts]] = field(default_factory=dict)
    made: dict[tuple[str, int], tuple[str | None, str | None]] = field(default_factory=dict)
    jobs: list[wire.Job] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    failure: FlowcatError | None = None
    gate: asyncio.Event | None = None
    import_failure: FlowcatError | None = None
    outcome: dict[str, Any] = field(default_factory=dict)
    proposals: list[wire.ImportProposal | FlowcatError] = field(default_factory=list)
    importing: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(
        self,
        job: wire.Job,
        *,
        job_id: str,
        deadline_s: float | None = None,
        on_progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> Any:
        assert self.begin.open_units == 0, "waiting for a worker inside a transaction"
        self.jobs.append(job)
        if isinstance(job, wire.ImportJob):
            if on_progress:
                on_progress({"done": 1, "total": 3, "unit": "rows", "message": None})
            return await self._import(job)
        if isinstance(job, wire.PreviewImportJob):
            answer = self.proposals.pop(0)
            if isinstance(answer, FlowcatError):
                raise answer
            return answer
        if self.failure:
            raise self.failure
        await asyncio.sleep(0)
        return self._answer(job)

    async def _import(self, job: wire.ImportJob) -> wire.ImportOutcome:
        self.storage.folders.add(job.location)
        self._reject(job)
        self.importing.set()
        if self.gate:
            await self.gate.wait()
        if fault := self.import_failure or self.failure:
            raise fault
        facts = self.commit(job.location, run_id=job.commit_info["run_id"])
        counts = {"loaded": 3, "lines": 3, **self.outcome}
        return wire.ImportOutcome(**vars(facts), **counts)

    def _reject(self, job: wire.ImportJob) -> None:
        if job.rejects and self.outcome.get("rejected"):
            Path(job.rejects).touch()

    def _answer(self, job: wire.Job) -> Any:
        if isinstance(job, wire.InspectJob):
            return self._facts(job.source)
        if isinstance(job, wire.HistoryJob):
            return self._history(job.source)
        if isinstance(job, RowsJob) and job.spool:
            return wire.PageInfo((), 0, int(self.outcome.get("rejected", 0)), None)
        return wire.PageInfo(COLUMNS, 1, 1, 0)

    def _history(self, source: wire.Source) -> wire.HistoryInfo:
        newest = len(self._log(source)) - 1
        entries = tuple(
            wire.HistoryEntry(
                v,
                "",
                "WRITE",
                None,
                3,
                0,
                False,
                *self.made.get((source.location, v), (None, None)),
            )
            for v in range(newest, -1, -1)
        )
        return wire.HistoryInfo(entries, len(entries))

    def _log(self, source: wire.Source) -> list[wire.TableFacts]:
        log = self.logs.get(source.location)
        if not log:
            raise NotFound("file", source.location)
        return log

    def cancel(self, job_id: str) -> bool:
        self.cancelled.append(job_id)
        return True

    def position(self, job_id: str) -> int | None:
        return None

    def commit(
        self,
        location: str,
        rows: int = 3,
        *,
        maintenance: bool = False,
        run_id: str | None = None,
        write_id: str | None = None,
        **changes: Any,
    ) -> wire.TableFacts:
        """Pretend that a writer committed at a location."""
        log = self.logs.setdefault(location, [])
        self.made[location, len(log)] = (run_id, write_id)
        self.storage.folders.add(location)
        version = len(log)
        newest = log[-1].data_files_version if maintenance else version
        facts = wire.TableFacts("delta", COLUMNS, (), rows, rows * 10, version, newest)
        log.append(replace(facts, **changes))
        return log[-1]

    def _facts(self, source: wire.Source) -> wire.TableFacts:
        log = self.logs.get(source.location, [])
        version = len(log) - 1 if source.version is None else source.version
        if not 0 <= version < len(log):
            raise NotFound("file", source.location)
        return log[version]


@dataclass
class FolderFiles:
    """Results in a folder."""

    folder: Path

    def new_path(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / uuid4().hex

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def new_kept(self) -> Path:
        return self.new_path()

    def let_go(self, path: Path) -> None:
        shutil.rmtree(path, ignore_errors=True)


class World:
    """One process on one database."""

    def __init__(self, engine: Engine, home: Any, *, clock: FakeClock | None = None) -> None:
        self.engine = engine
        self.clock = clock or FakeClock()
        self.reactions = Reactions()
        self.events: list[Event] = []
        self.reactions.subscribe(self.events.append)
        self.passed: Callable[[], float] = lambda: self.clock.time.timestamp()
        self.begin = UnitFactory(engine, self.clock, self.reactions, lambda: self.passed())
        self.storage = FakeStorage(self.begin)
        self.executor = FakeExecutor(self.begin, self.storage)
        self.threads = Threads(4)
        self.background = Background(self.begin, self.threads, watch_s=0.05)
        self.deps = Deps(
            begin=self.begin,
            threads=self.threads,
            executor=self.executor,
            storage=self.storage,
            clock=self.clock,
            background=self.background,
            settings=load({"FLOWCAT_HOME": str(home)}),
            results=Results(FolderFiles(Path(home)), ttl_s=60),
            frames=Frames(FolderFiles(Path(home)), ttl_s=60),
            rejects=RejectFiles(Path(home) / "rejects"),
            sessions=SqlSessions(),
        )

    def catalog(self, actor: Actor = LOCAL) -> Catalog:
        return Catalog(actor, self.deps)

    async def schema(self, catalog: str = "main", schema: str = "default") -> tuple[int, int]:
        """Make a catalog with a schema; answer their ids."""
        spaces = self.catalog().namespaces
        above = await spaces.create(catalog)
        below = await spaces.create(schema, parent_id=above.id)
        return above.id, below.id

    async def table(self, name: str, actor: Actor = LOCAL) -> int:
        """Make a managed table, as a kernel would; answer its id."""
        writes = self.catalog(actor).writes
        opened = await writes.begin(name, "error", columns=COLUMNS)
        facts = self.executor.commit(opened.location)
        assert facts.version is not None
        return (await writes.commit(opened.id, facts.version)).id

    def group(self, name: str, *members: str) -> int:
        with self.begin(LOCAL, write=True) as unit:
            return unit.grants.add_group(name, at=unit.now, members=members)

    def grant(self, securable_id: int, group_id: int, level: str) -> None:
        with self.begin(LOCAL, write=True) as unit:
            unit.grants.grant(securable_id, group_id, level, by="admin", at=unit.now)

    async def close(self) -> None:
        await self.background.close()
        self.threads.close()
