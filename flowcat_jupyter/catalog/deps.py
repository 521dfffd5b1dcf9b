"""What every service is built from."""

from __future__ import annotations

from dataclasses import dataclass, field

from flowcat_jupyter.catalog.background import Background
from flowcat_jupyter.catalog.frames import Frames
from flowcat_jupyter.catalog.ports import Clock, Executor, RejectFiles, Storage
from flowcat_jupyter.catalog.results import Results
from flowcat_jupyter.catalog.sql_sessions import SqlSessions
from flowcat_jupyter.catalog.threads import Threads
from flowcat_jupyter.catalog.turns import Queues
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared.settings import Settings


@dataclass(frozen=True)
class Deps:
    """One process's parts; `bootstrap` makes them once, each request's services share them."""

    begin: UnitFactory
    threads: Threads
    executor: Executor
    storage: Storage
    clock: Clock
    background: Background
    settings: Settings
    results: Results
    frames: Frames
    rejects: RejectFiles
    sessions: SqlSessions
    queues: Queues = field(default_factory=Queues)

    @property
    def deadline_s(self) -> float | None:
        """Seconds that somebody waits for a worker's answer at most; None is without end."""
        return self.settings.query_timeout or None
