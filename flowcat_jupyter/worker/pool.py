"""The worker pool: the one place from which the server has data work done.

A pool belongs to one running event loop and is used from it alone. Cancelling, a missed deadline
and a met memory limit all mean the same here: the worker is killed and a spare takes its place.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import Cancelled, Conflict, FlowcatError, Unavailable
from flowcat_jupyter.shared.workforce import WorkerFacts
from flowcat_jupyter.worker import frames, reasons
from flowcat_jupyter.worker.limits import MemoryWatch, Watched, default_ceiling
from flowcat_jupyter.worker.process import Setup, WorkerProcess
from flowcat_jupyter.worker.stats import PoolStats
from flowcat_jupyter.worker.waiting import ProgressCallback, Slots, Ticket

REGISTRIES = "flowcat_jupyter.registries:worker_registries"
SPARES = 1
READY_S = 60.0
MOST_FALSE_STARTS = 3
MOST_WAITING = 500
LONGEST_PAUSE_S = 30.0

T = TypeVar("T")

_LOG = logging.getLogger("flowcat.worker")


@dataclass(eq=False)
class _Worker:
    """A live worker process and the job it has, if any."""

    process: WorkerProcess
    ready: bool = False
    ticket: Ticket | None = None
    watched: Watched | None = None
    retired: bool = False


class WorkerPool:
    """Runs jobs in child processes, one at a time in each."""

    def __init__(
        self,
        *,
        size: int = 2,
        short: int = 1,
        worker_memory: int | None = None,
        warm: bool = True,
        most_waiting: int = MOST_WAITING,
        registries: str = REGISTRIES,
        scratch: Path | None = None,
    ) -> None:
        """A pool of ``size`` slots for any job and ``short`` more for short ones.

        ``worker_memory`` is each worker's ceiling in bytes (default: a share of the machine).
        ``warm`` keeps every worker and a spare running; without it each starts when first needed.
        A job that would be more than the ``most_waiting``-th to wait is refused.
        ``registries`` names the function (``module:function``) that tells a worker what it can do.
        ``scratch`` is where their temporary files go, by default the system's folder for them.
        """
        self._slots = Slots(size, short)
        self._setup = Setup(registries, worker_memory or default_ceiling(size + short), scratch)
        self._warm = warm
        self._most_waiting = most_waiting
        self._most = size + short + SPARES
        self._watch = MemoryWatch()
        self._tickets: dict[str, Ticket] = {}
        self._workers: set[_Worker] = set()
        self._starting = 0
        self._lives: set[asyncio.Task[None]] = set()
        self._false_starts = 0
        self._not_before = 0.0
        self._revival: asyncio.TimerHandle | None = None
        self._refusal: tuple[int | None, str] | None = None
        self._died = 0
        self._stopped = False

    async def start(self) -> None:
        """Begin to start the warm workers; `run` does so too. Does not wait for them.

        :raises Unavailable: the operating system cannot run workers.
        """
        if os.name != "posix":
            raise Unavailable("Workers need Linux or macOS.", hint="On Windows, use WSL.")
        self._hire()

    async def stop(self) -> None:
        """Kill every worker, fail every job and wait until no process is left."""
        self._stopped = True
        for ticket in self._slots.everybody():
            ticket.fail(Unavailable("The server is shutting down."))
            self._slots.leave(ticket)
        if self._revival is not None:
            self._revival.cancel()
        for worker in self._workers:
            worker.process.kill()
        while self._lives:
            await asyncio.wait(self._lives)
        self._watch.stop()

    async def run(
        self,
        job: wire.Job,
        *,
        job_id: str,
        deadline_s: float | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Any:
        """Have ``job`` done and return its answer.

        ``deadline_s`` counts from now, waiting included. ``on_progress`` gets what the job reports
        as ``{"done", "total", "unit", "message"}``. Cancelling the caller's task ends the job too.

        :raises Conflict: a job of this id is queued or running.
        :raises Cancelled: `cancel` was called with this id.
        :raises LimitExceeded: the deadline passed or the memory ceiling was met.
        :raises Unavailable: the worker died, none can be started, or too many jobs wait already.
        :raises FlowcatError: whatever the job itself raised.
        """
        ticket = self._admit(job, job_id, deadline_s, on_progress)
        timer = self._timer(ticket)
        try:
            await self.start()
            self._dispatch()
            return await ticket.answer
        finally:
            if timer is not None:
                timer.cancel()
            del self._tickets[job_id]
            if not ticket.answer.done() or ticket.answer.cancelled():
                self._end(ticket)

    def cancel(self, job_id: str) -> bool:
        """End a queued or running job; whether there was one."""
        ticket = self._tickets.get(job_id)
        if ticket is None or ticket.answer.done():
            return False
        ticket.fail(Cancelled(ticket.what))
        self._end(ticket)
        return True

    def position(self, job_id: str) -> int | None:
        """The job's place in the queue, 1 being next; None when it runs or is unknown."""
        return self._slots.position(job_id)

    def stats(self) -> PoolStats:
        """What the pool is doing now."""
        return PoolStats(
            running=self._slots.running,
            queued=self._slots.waiting,
            idle=len(self._idle()),
            starting=self._unready(),
            died=self._died,
            worker_memory=self._setup.memory,
        )

    def workers(self) -> tuple[WorkerFacts, ...]:
        """Every process that there is."""
        found = []
        for worker in list(self._workers):
            job = worker.ticket.kind if worker.ticket is not None else None
            state = "busy" if job else "idle" if worker.ready else "starting"
            found.append(WorkerFacts(worker.process.pid, state, job, self._setup.memory))
        return tuple(sorted(found, key=lambda told: told.number))

    def metrics(self) -> dict[str, tuple[float, str]]:
        """What is counted of workers and jobs; see `PoolStats.metrics`."""
        return self.stats().metrics()

    def _admit(
        self,
        job: wire.Job,
        job_id: str,
        deadline_s: float | None,
        on_progress: ProgressCallback | None,
    ) -> Ticket:
        if self._stopped:
            raise Unavailable("The server is shutting down.")
        if self._refusal and asyncio.get_running_loop().time() < self._not_before:
            raise reasons.why_it_never_started(*self._refusal)
        if job_id in self._tickets:
            raise Conflict(
                f"There is already a query {job_id}.", hint="Give every query an id of its own."
            )
        if self._slots.waiting >= self._most_waiting:
            raise Unavailable("Too many queries wait for a worker.", hint="Try again in a moment.")
        answer = asyncio.get_running_loop().create_future()
        request = frames.pack({"kind": "run", "ticket": job_id, "job": wire.encode(job)})
        ticket = Ticket(job_id, job.kind, job.short, request, answer, deadline_s, on_progress)
        self._tickets[job_id] = ticket
        self._slots.join(ticket)
        return ticket

    def _timer(self, ticket: Ticket) -> asyncio.TimerHandle | None:
        if ticket.deadline_s is None:
            return None
        loop = asyncio.get_running_loop()
        return loop.call_later(max(0.0, ticket.deadline_s), self._expire, ticket)

    def _expire(self, ticket: Ticket) -> None:
        queued = self._slots.position(ticket.job_id) is not None
        late = reasons.never_began if queued else reasons.too_slow
        ticket.fail(late(ticket.what, ticket.deadline_s or 0.0))
        self._end(ticket)

    def _end(self, ticket: Ticket) -> None:
        """Take a job out of the queue, or kill the worker that has it."""
        self._slots.leave(ticket)
        for worker in list(self._workers):
            if worker.ticket is ticket:
                self._retire(worker)
        self._dispatch()

    def _retire(self, worker: _Worker) -> None:
        """Kill a worker and count on it no more; its life's task sees to the rest."""
        worker.retired = True
        worker.process.kill()
        self._hire()

    def _unready(self) -> int:
        """How many workers are being started."""
        started = sum(not (worker.ready or worker.retired) for worker in self._workers)
        return self._starting + started

    def _idle(self) -> list[_Worker]:
        return [
            worker
            for worker in self._workers
            if worker.ready and worker.ticket is None and not worker.retired
        ]

    def _dispatch(self) -> None:
        """Give every job whose turn it is to an idle worker."""
        for worker in self._idle():
            ticket = self._slots.take()
            if ticket is None:
                break
            worker.ticket = ticket
            worker.watched = self._watch.add(worker.process.pid, self._setup.memory)
            worker.process.send(ticket.request)
        self._hire()

    def _hire(self) -> None:
        """Start as many workers as are missing, unless the last ones would not start."""
        if self._stopped or asyncio.get_running_loop().time() < self._not_before:
            return
        wanted = self._most
        if not self._warm:
            wanted = min(wanted, self._slots.running + self._slots.waiting)
        present = self._starting + sum(not worker.retired for worker in self._workers)
        # One after the other unless jobs wait: starting them all at once slows down the server.
        at_once = max(1, self._slots.waiting) - self._unready()
        for _ in range(min(wanted - present, at_once)):
            self._starting += 1
            life = asyncio.ensure_future(self._live())
            self._lives.add(life)
            life.add_done_callback(self._lives.discard)

    async def _live(self) -> None:
        """A worker's whole life, until no process of it is left."""
        worker = await self._unless_closing(self._give_birth())
        if worker is None:
            return
        try:
            await self._unless_closing(self._attend(worker))
        finally:
            await self._bury(worker)

    async def _unless_closing(self, step: Coroutine[Any, Any, T]) -> T:
        try:
            return await step
        except asyncio.CancelledError:
            # Only a loop that is being closed cancels a life: nothing may be started any more.
            self._stopped = True
            raise

    async def _give_birth(self) -> _Worker | None:
        try:
            if self._stopped:
                return None
            worker = _Worker(await WorkerProcess.spawn(self._setup))
        except OSError as error:
            _LOG.exception("the system refused a worker")
            self._false_start(None, error.strerror or "")
            return None
        finally:
            self._starting -= 1
        self._workers.add(worker)
        return worker

    async def _attend(self, worker: _Worker) -> None:
        """Heed what a worker says until it dies or is retired."""
        if self._stopped or not await self._is_ready(worker):
            return
        worker.ready = True
        self._false_starts, self._refusal = 0, None
        self._dispatch()
        while not worker.retired and (frame := await worker.process.receive()) is not None:
            self._heed(worker, frame)

    async def _is_ready(self, worker: _Worker) -> bool:
        try:
            async with asyncio.timeout(READY_S):
                frame = await worker.process.receive()
        except TimeoutError:
            return False
        if frame is not None and frame["protocol"] != wire.PROTOCOL:
            _LOG.error("the installed version changed: restart the server")
            return False
        return frame is not None

    def _heed(self, worker: _Worker, frame: dict[str, Any]) -> None:
        ticket = worker.ticket
        if ticket is None or ticket.answer.done():
            return
        if frame["kind"] == "progress":
            if ticket.on_progress is not None:
                # Not called from here: what it raises is none of this worker's business.
                loop = asyncio.get_running_loop()
                loop.call_soon(ticket.on_progress, frame["progress"])
            return
        if frame["kind"] == "answer":
            ticket.succeed(wire.decode(frame["answer"]))
        else:
            ticket.fail(FlowcatError.from_wire(frame["error"]))
        used = self._free(worker)
        # Allocators keep what a big job used, which would count against the next one's ceiling.
        if frame.get("last") or used > self._setup.memory // 2:
            self._retire(worker)
        self._dispatch()

    def _free(self, worker: _Worker) -> int:
        """Part a worker from its job; the bytes it holds now."""
        if worker.ticket is None or worker.watched is None:
            return 0
        used = worker.watched.used()
        self._watch.remove(worker.watched)
        self._slots.leave(worker.ticket)
        worker.ticket = worker.watched = None
        return used

    async def _bury(self, worker: _Worker) -> None:
        """Reap a worker, say why it died to whoever waits for it, and have it replaced."""
        expected = worker.retired or self._stopped
        worker.retired = True
        if expected:
            worker.process.kill()
        status = await worker.process.ended()
        self._workers.discard(worker)
        output = worker.process.output
        if worker.ticket is not None:
            worker.ticket.fail(self._cause(worker, worker.ticket.what, status))
        self._free(worker)
        if not expected:
            self._died += 1
            _LOG.warning("worker %d ended with status %s", worker.process.pid, status)
        if not expected and not worker.ready:
            self._false_start(status, output)
        elif not self._stopped:
            self._dispatch()

    def _cause(self, worker: _Worker, what: str, status: int | None) -> FlowcatError:
        if worker.watched is not None and worker.watched.exceeded:
            return reasons.too_much_memory(what, self._setup.memory)
        return reasons.why_it_died(what, status, worker.process.output, self._setup.memory)

    def _false_start(self, status: int | None, output: str) -> None:
        """A worker did not start: pause before the next, and after a few give up waiting jobs."""
        self._false_starts += 1
        loop = asyncio.get_running_loop()
        pause = min(LONGEST_PAUSE_S, 0.1 * 2**self._false_starts)
        self._not_before = loop.time() + pause
        if self._revival is not None:
            self._revival.cancel()
        # A little later, so that the clock has surely passed the pause.
        self._revival = loop.call_later(pause + 0.05, self._hire)
        if self._false_starts >= MOST_FALSE_STARTS and not any(w.ready for w in self._workers):
            self._refusal = (status, output)
            for ticket in self._slots.queued():
                ticket.fail(reasons.why_it_never_started(status, output))
                self._slots.leave(ticket)
