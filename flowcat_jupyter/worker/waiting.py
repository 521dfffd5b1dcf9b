"""Who waits for a worker, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ProgressCallback = Callable[[dict[str, Any]], None]

_WHAT = {"import": "The import", "preview_import": "The preview", "explain": "The explanation"}


@dataclass(eq=False)
class Ticket:
    """One job on its way through the pool.

    ``request`` is the packed frame that asks a worker for it. ``on_short_slot``: it has one.
    """

    job_id: str
    kind: str
    short: bool
    request: bytes
    answer: asyncio.Future[Any]
    deadline_s: float | None = None
    on_progress: ProgressCallback | None = None
    on_short_slot: bool = False

    @property
    def what(self) -> str:
        """What an error calls this job."""
        return _WHAT.get(self.kind, "The query")

    def succeed(self, answer: Any) -> None:
        """Give the caller an answer, unless there is one already."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Give the caller an error, unless there is an answer already."""
        if not self.answer.done():
            self.answer.set_exception(error)


class Slots:
    """A queue before ``size`` slots for any job and ``short`` slots that only short jobs get.

    First come, first served; a short job takes whichever slot is free first.
    """

    def __init__(self, size: int, short: int) -> None:
        """Begin with nobody waiting and every slot free."""
        self.size = size
        self.short = short
        self._waiting: dict[str, Ticket] = {}
        self._running: set[Ticket] = set()

    @property
    def waiting(self) -> int:
        """How many jobs are queued."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many jobs run."""
        return len(self._running)

    def position(self, job_id: str) -> int | None:
        """1 for the next in the queue; None for a job that is not queued."""
        if job_id not in self._waiting:
            return None
        return list(self._waiting).index(job_id) + 1

    def join(self, ticket: Ticket) -> None:
        """Queue a job."""
        self._waiting[ticket.job_id] = ticket

    def take(self) -> Ticket | None:
        """The job whose turn it is, which now holds a slot; None while no slot is free for any."""
        ticket = self._next()
        if ticket is not None:
            del self._waiting[ticket.job_id]
            self._running.add(ticket)
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Give up a job's place in the queue, or its slot."""
        # By identity: the id may by now be another job's.
        if self._waiting.get(ticket.job_id) is ticket:
            del self._waiting[ticket.job_id]
        self._running.discard(ticket)

    def everybody(self) -> list[Ticket]:
        """Every job, running or queued."""
        return [*self._running, *self._waiting.values()]

    def queued(self) -> list[Ticket]:
        """Every queued job, in order."""
        return list(self._waiting.values())

    def _next(self) -> Ticket | None:
        on_short = sum(ticket.on_short_slot for ticket in self._running)
        if on_short < self.short:
            for ticket in self._waiting.values():
                if ticket.short:
                    ticket.on_short_slot = True
                    return ticket
        if len(self._running) - on_short < self.size:
            return next(iter(self._waiting.values()), None)
        return None
