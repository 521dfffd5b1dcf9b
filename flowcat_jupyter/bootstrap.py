"""Where everything is built and joined; nothing else constructs a part of the product.

Importing this file is cheap: it is loaded by Jupyter Server's start and by every worker. What is
heavy is imported where it is built, off the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from flowcat_jupyter.kernel.tokens import KernelTokens, kernel_tokens
from flowcat_jupyter.registries import usable_engines
from flowcat_jupyter.shared.errors import FlowcatError, Unavailable
from flowcat_jupyter.shared.mounts import ADVICE, network_kind
from flowcat_jupyter.shared.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from flowcat_jupyter.catalog.access import Actor
    from flowcat_jupyter.catalog.deps import Deps
    from flowcat_jupyter.catalog.session import Catalog
    from flowcat_jupyter.catalog.threads import Threads
    from flowcat_jupyter.catalog.watch import ChangeWatcher
    from flowcat_jupyter.handlers.schemas import StatusReply
    from flowcat_jupyter.storage.targets import LocalStorage
    from flowcat_jupyter.storage.uploads import Uploads
    from flowcat_jupyter.worker.pool import WorkerPool
    from flowcat_jupyter.worker.spool import Spool

State = Literal["starting", "upgrading", "ready", "failed"]
READY_S = 30.0
LATER_S = 1.0
UPKEEP_S = 60.0
UPLOAD_TTL_S = 86_400.0
RESULTS_KEPT = 5
log = logging.getLogger(__name__)


def notices(settings: Settings) -> list[str]:
    """What whoever runs the catalog should know of where it lies."""
    backend, _, place = settings.db_url.partition(":///")
    kind = network_kind(Path(unquote(place)).parent) if backend == "sqlite" else None
    return [f"The catalog's database lies on a network file system ({kind}). {ADVICE}"] * bool(kind)


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """This instant, in UTC."""
        return datetime.now(UTC)


class Runtime:
    """One process's running catalog, behind handlers or a command line.

    It starts in the background; `ready` waits for that. ``roots`` are folders whose files may be
    registered where ``allowed_roots`` says nothing. ``notify`` hears each new change number.
    """

    deps: Deps
    threads: Threads
    pool: WorkerPool
    spool: Spool
    uploads: Uploads
    storage: LocalStorage
    watcher: ChangeWatcher

    def __init__(
        self,
        settings: Settings,
        *,
        roots: Sequence[Path] = (),
        notify: Callable[[int], None] | None = None,
        warm: bool = True,
        upkeep_s: float = UPKEEP_S,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        """Nothing is opened yet; ``warm`` keeps workers ready before they are needed.

        ``upkeep_s`` are the seconds between two rounds of upkeep. ``opened`` is called, on the
        event loop, once everything is imported and built.
        """
        self.settings = settings
        self.tokens: KernelTokens = kernel_tokens
        self.tokens.keep_env = frozenset(settings.kernel_keep_env)
        self._roots = tuple(roots)
        self._notify = notify
        self._warm = warm
        self._upkeep_s = upkeep_s
        self._opened = opened
        self._open_parts = AsyncExitStack()
        self._state: State = "starting"
        self._failure: FlowcatError | None = None
        self._opening: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to open the catalog, on the running event loop; once is enough."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), name="flowcat-open")

    def start_soon(self) -> None:
        """Begin in a moment, or when somebody asks for the catalog before that.

        Opening takes most of a second of processor time, which a server that has just begun to
        answer needs for its first page.
        """
        self._later = asyncio.get_running_loop().call_later(LATER_S, self.start)

    async def ready(self) -> None:
        """Return once the catalog can be used.

        :raises FlowcatError: why it could not be opened; `Unavailable` while it is still opening.
        """
        if self._later is not None:
            self.start()
        if self._opening is None:
            raise Unavailable("The catalog is stopped.")
        done, _ = await asyncio.wait([self._opening], timeout=READY_S)
        if not done:
            raise Unavailable("The catalog is still starting.", hint="Try again in a moment.")
        if self._failure is not None:
            # One of its own for each caller: an error keeps the frames of all who raised it.
            raise Unavailable(self._failure.message, hint=self._failure.hint)

    async def stop(self) -> None:
        """End runs, workers and threads; safe at any time, and twice."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        opening, self._opening = self._opening, None
        if opening is not None:
            await asyncio.wait([opening])
        self._state = "failed"
        await self._open_parts.aclose()

    def session(self, actor: Actor) -> Catalog:
        """One actor's directory of services."""
        from flowcat_jupyter.catalog.session import Catalog

        return Catalog(actor, self.deps)

    def local_actor(self) -> Actor:
        """The fixed owner of embedded mode."""
        from flowcat_jupyter.catalog.access import LOCAL

        return LOCAL

    def named_actor(self, name: str) -> Actor:
        """A user whom a named identity provider vouches for: restricted to own and granted."""
        from flowcat_jupyter.catalog.access import Actor

        return Actor(name)

    @property
    def hands_results_over(self) -> bool:
        """Whether who owns everything may be told where results lie, instead of their bytes."""
        return self.settings.mode == "embedded" and self.settings.result_handover == "auto"

    def activity(self) -> int:
        """How many queries are running or waiting."""
        if self._state != "ready":
            return 0
        stats = self.pool.stats()
        return stats.running + stats.queued

    async def status(self, actor: Actor) -> StatusReply:
        """How the catalog is doing, as ``actor`` sees it; never raises a `FlowcatError`."""
        from flowcat_jupyter.catalog.demo import is_loaded
        from flowcat_jupyter.formats.demo import is_available
        from flowcat_jupyter.handlers.schemas import StatusReply
        from flowcat_jupyter.shared.wire import PROTOCOL

        if self._later is not None:
            self.start()
        reply = StatusReply(
            state=self._state,
            message=self._failure.message if self._failure else None,
            version=version("flowcat-jupyter"),
            protocol=PROTOCOL,
            session_timezone=self.settings.session_timezone or "UTC",
            default_catalog=self.settings.default_catalog,
            default_schema=self.settings.default_schema,
            demo_loaded=False,
            demo_available=is_available(),
            active_runs=0,
            seq=0,
            engines=list(usable_engines()),
            default_engine=self.settings.sql_engine,
            notices=notices(self.settings),
            result_max_bytes=self.settings.result_max_bytes,
        )
        if self._state != "ready":
            return reply
        catalog = self.session(actor)
        try:
            demo = await is_loaded(catalog)
            runs = await catalog.runs.active_count()
        except FlowcatError as error:
            return reply.model_copy(update={"message": error.message, "seq": self.watcher.seq})
        return reply.model_copy(
            update={"demo_loaded": demo, "active_runs": runs, "seq": self.watcher.seq}
        )

    async def _open(self) -> None:
        try:
            self._state = "upgrading"
            await asyncio.to_thread(self._build)
            self._open_parts.push_async_callback(self.pool.stop)
            await self.pool.start()
            await self._begin()
            self._state = "ready"
            self._opened()
        except FlowcatError as error:
            await self._fail(error)
        except Exception:
            log.exception("the catalog could not be opened")
            await self._fail(Unavailable("The catalog could not be opened; the log says why."))

    async def _fail(self, error: FlowcatError) -> None:
        self._failure = Unavailable(error.message, hint=error.hint)
        self._state = "failed"
        await self._open_parts.aclose()

    def _build(self) -> None:
        """Import and construct; runs in a thread, for it takes most of a second."""
        from flowcat_jupyter.catalog.store.engine import open_engine
        from flowcat_jupyter.catalog.store.migrate import upgrade
        from flowcat_jupyter.catalog.threads import Threads
        from flowcat_jupyter.catalog.watch import ChangeWatcher
        from flowcat_jupyter.storage.targets import LocalStorage
        from flowcat_jupyter.storage.uploads import Uploads
        from flowcat_jupyter.worker.pool import WorkerPool
        from flowcat_jupyter.worker.spool import Spool

        settings = self.settings
        home = settings.make_home()
        allowed = settings.allowed_roots
        roots = self._roots if allowed is None else tuple(Path(root) for root in allowed)
        self.storage = LocalStorage(Path(settings.storage_root), roots, private=(home,))
        engine = open_engine(settings.db_url)
        for notice in notices(settings):
            log.warning("%s", notice)
        self._close_with(engine.dispose)
        upgrade(engine)
        self.threads = Threads()
        self._close_with(self.threads.close)
        try:
            self.spool = Spool(home / "results", settings.result_ttl)
        except Unavailable:
            # A home that can only be read: results may lie elsewhere.
            self.spool = Spool(Path(mkdtemp(prefix="flowcat-")), settings.result_ttl)
        self._close_with(self.spool.close)
        self.uploads = Uploads(home / "uploads")
        self.watcher = ChangeWatcher(engine, self._notify)
        self.pool = WorkerPool(
            size=settings.workers,
            worker_memory=settings.worker_memory,
            warm=self._warm,
            scratch=self.spool.scratch(),
        )
        self.deps = self._joined(engine, self.storage)

    def _joined(self, engine: Engine, storage: LocalStorage) -> Deps:
        """What the services are given, made of the parts that are open."""
        from flowcat_jupyter.catalog.background import Background
        from flowcat_jupyter.catalog.deps import Deps
        from flowcat_jupyter.catalog.frames import Frames
        from flowcat_jupyter.catalog.reactions import Reactions
        from flowcat_jupyter.catalog.results import Results
        from flowcat_jupyter.catalog.sql_sessions import SqlSessions
        from flowcat_jupyter.catalog.unit import UnitFactory
        from flowcat_jupyter.storage.rejects import FOLDER, RejectFiles

        settings, clock = self.settings, SystemClock()
        begin = UnitFactory(engine, clock, Reactions())
        ttl_s, most_bytes = settings.result_ttl, RESULTS_KEPT * settings.result_max_bytes
        return Deps(
            begin=begin,
            threads=self.threads,
            executor=self.pool,
            storage=storage,
            clock=clock,
            background=Background(begin, self.threads),
            settings=settings,
            results=Results(self.spool, ttl_s=ttl_s, most_bytes=most_bytes),
            frames=Frames(self.spool, ttl_s=ttl_s, most_bytes=most_bytes),
            rejects=RejectFiles(storage.root / FOLDER),
            sessions=SqlSessions(),
        )

    def _close_with(self, close: Callable[[], None]) -> None:
        """Have ``close`` called, in a thread, when this catalog closes: what is last goes first."""
        self._open_parts.push_async_callback(asyncio.to_thread, close)

    async def _begin(self) -> None:
        from flowcat_jupyter.catalog.access import LOCAL

        self._open_parts.push_async_callback(self.deps.background.close)
        catalog = self.session(LOCAL)
        start = await catalog.settings.start()
        self.settings = replace(self.settings, session_timezone=start.session_timezone)
        self.deps = replace(self.deps, settings=self.settings)
        try:
            await catalog.runs.recover()
            await catalog.upkeep.claim()
        except Unavailable as error:
            # A database that can only be read is still worth reading; upkeep tries again.
            log.warning("The catalog cannot be written: %s", error.message)
        self.watcher.start(await self.session(LOCAL).changes.latest())
        self._close_with(self.watcher.stop)
        upkeep = asyncio.create_task(self._keep_up(), name="flowcat-upkeep")
        self._open_parts.push_async_callback(_end, upkeep)

    async def _keep_up(self) -> None:
        """Now and then: expired tickets, purges that are due, lost runs, old files.

        A part that fails keeps neither the others nor the next round from being done.
        """
        catalog = self.session(self.local_actor())
        # What was committed and not reported when everything ended is found at once.
        first = partial(catalog.writes.repair, older=timedelta(0))
        await self._try(first)
        files = partial(self.threads.run_on_disk, self.storage.mend)
        await self._try(files)
        while True:
            await asyncio.sleep(self._upkeep_s)
            for part in (
                catalog.writes.repair,
                catalog.runs.recover,
                catalog.rejects.sweep,
                files,
                partial(self.threads.run_on_disk, self.spool.sweep),
                partial(self.threads.run_on_disk, partial(self.uploads.sweep, UPLOAD_TTL_S)),
            ):
                await self._try(part)

    @staticmethod
    async def _try(part: Callable[[], Awaitable[object]]) -> None:
        try:
            await part()
        except Unavailable as error:
            log.warning("upkeep failed and is tried again: %s", error.message)
        except Exception:
            log.exception("upkeep failed and is tried again")


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
