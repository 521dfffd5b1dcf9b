"""The worker process's side: take one job after the other off the socket and answer each."""

from __future__ import annotations

import ctypes
import logging
import os
import queue
import re
import signal
import socket
import sys
import threading
import uuid
from collections.abc import Callable
from importlib import import_module
from typing import Any

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import FlowcatError, Internal, Invalid, LimitExceeded
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.worker import frames
from flowcat_jupyter.worker.context import JobContext, JobFunction, Progress, RateLimitedProgress

LOG = logging.getLogger("flowcat.worker")
_PR_SET_PDEATHSIG = 1
_FAR_TIME = re.compile(r"out-of-range date|`\w+ \+ TimeDelta` overflowed")


class Channel:
    """The worker's end of the socket. Frames may be sent from any thread."""

    def __init__(self, end: socket.socket) -> None:
        """Send on, and listen to, ``end``."""
        self._end = end
        self._lock = threading.Lock()
        self.requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def send(self, body: dict[str, Any]) -> None:
        """Send one frame.

        :raises TypeError: it holds something JSON cannot carry; nothing was sent.
        """
        frame = frames.pack(body)
        with self._lock:
            self._end.sendall(frame)

    def listen(self) -> None:
        """Queue what the server sends. Its end ends this process, whatever it is doing."""
        while (body := frames.read(self._end)) is not None:
            self.requests.put(body)
        os._exit(0)


def open_channel(descriptor: int) -> Channel:
    """Take over the inherited socket and begin to listen on a thread of its own."""
    os.set_inheritable(descriptor, False)
    channel = Channel(socket.socket(fileno=descriptor))
    threading.Thread(target=channel.listen, name="flowcat-channel", daemon=True).start()
    return channel


def die_with_parent(parent: int) -> None:
    """On Linux, have the kernel end this process with its parent.

    The listening thread does the same everywhere, but cannot while a job holds the interpreter's
    lock, as a regular expression may for ever.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def preload(modules: tuple[str, ...]) -> None:
    """Import ``modules`` now."""
    for module in modules:
        import_module(module)


def serve(
    channel: Channel,
    jobs: Registry[JobFunction],
    context_factory: Callable[[Progress], JobContext],
) -> None:
    """Say that the worker is ready, then answer requests until the server goes away.

    Returns only after a fault that may have damaged the process.
    """
    channel.send({"kind": "ready", "protocol": wire.PROTOCOL, "pid": os.getpid()})
    sound = True
    while sound:
        sound = _answer(channel, channel.requests.get(), jobs, context_factory)


def _answer(
    channel: Channel,
    request: dict[str, Any],
    jobs: Registry[JobFunction],
    context_factory: Callable[[Progress], JobContext],
) -> bool:
    """Answer one request; whether the process may take another."""
    ticket = request["ticket"]

    def report(body: dict[str, Any]) -> None:
        channel.send({"kind": "progress", "ticket": ticket, "progress": body})

    try:
        job = wire.decode(request["job"])
        answer = jobs.get(job.kind)(job, context_factory(RateLimitedProgress(report)))
        channel.send({"kind": "answer", "ticket": ticket, "answer": wire.encode(answer)})
    except FlowcatError as error:
        channel.send({"kind": "error", "ticket": ticket, "error": error.to_wire()})
    except MemoryError:
        channel.send({"kind": "error", "ticket": ticket, "error": _out_of_memory().to_wire()})
    except BaseException as error:
        reference = uuid.uuid4().hex[:12]
        LOG.exception("fault %s", reference)
        # A Rust panic is no Exception: what it was doing is half done, so this process ends.
        sound = isinstance(error, Exception)
        fault = (system_fault(error) or _far_time(error) or _fault(reference)).to_wire()
        channel.send({"kind": "error", "ticket": ticket, "error": fault, "last": not sound})
        return sound
    return True


def _out_of_memory() -> LimitExceeded:
    return LimitExceeded(
        "The worker's memory limit was met.",
        hint="Select fewer columns or rows, or raise the worker's memory limit.",
    )


def _far_time(error: BaseException) -> Invalid | None:
    """What polars panics of: it keeps days and instants that no calendar of its reaches."""
    if not _FAR_TIME.search(str(error)):
        return None
    return Invalid(
        "A date or time among the rows lies too far away to be shown.",
        condition="DATETIME_OVERFLOW",
        sqlstate="22008",
        hint="Look at the other columns, or leave out such rows: a value that stands for "
        "infinity, or one in milliseconds where seconds are meant.",
    )


def _fault(reference: str) -> Internal:
    return Internal(f"Something went wrong inside the worker (reference {reference}).")
