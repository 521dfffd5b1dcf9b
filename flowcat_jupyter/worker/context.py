"""What a job is given besides its message."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from flowcat_jupyter.shared.registry import Registry

PROGRESS_INTERVAL_S = 0.1


class Progress(Protocol):
    """Tells whoever waits for a job how far it is."""

    def __call__(self, done: int, total: int | None, unit: str, message: str | None = None) -> None:
        """Say that ``done`` of ``total`` (None: unknown) ``unit`` are finished."""


def no_progress(done: int, total: int | None, unit: str, message: str | None = None) -> None:
    """Tell nobody."""


class RateLimitedProgress:
    """Passes on at most one report per `PROGRESS_INTERVAL_S`, and always the one that finishes.

    May be called from any thread.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        """``send`` takes what passes, as JSON."""
        self._send = send
        self._lock = threading.Lock()
        self._next = 0.0

    def __call__(self, done: int, total: int | None, unit: str, message: str | None = None) -> None:
        """Pass the report on, or drop it because another went out just before."""
        finished = total is not None and done >= total
        with self._lock:
            now = time.monotonic()
            if now < self._next and not finished:
                return
            self._next = now + PROGRESS_INTERVAL_S
        self._send({"done": done, "total": total, "unit": unit, "message": message})


@dataclass(frozen=True)
class JobContext:
    """The implementations a job may use, and where it reports how far it is."""

    engines: Registry[Any]
    formats: Registry[Any]
    progress: Progress = no_progress


JobFunction = Callable[[Any, JobContext], Any]
"""Takes a job's message and its context, gives the answer's message."""


@dataclass(frozen=True)
class WorkerRegistries:
    """Everything a worker process can do.

    ``jobs`` are functions by `Job.kind`; ``preload`` are modules imported before the worker says
    that it is ready, so that no first job pays for them.
    """

    jobs: Registry[JobFunction]
    engines: Registry[Any]
    formats: Registry[Any]
    preload: tuple[str, ...] = ()
