"""Why a worker died, in words its user can do something with."""

from __future__ import annotations

import re
import signal

from flowcat_jupyter.shared.errors import FlowcatError, LimitExceeded, Unavailable
from flowcat_jupyter.worker.limits import readable

_MEMORY_LINES = re.compile(
    r"POLARS_OOMKILL_THRESHOLD|memory allocation of \d+ bytes failed|std::bad_alloc"
    r"|out of memory|MemoryError",
    re.IGNORECASE,
)
# Paths, addresses and long tokens stay in the log.
_PRIVATE = re.compile(r"\S*[/\\]\S*|\S*=\S+|[A-Za-z0-9+_-]{32,}")
_LONGEST = 200


def too_much_memory(what: str, ceiling: int) -> LimitExceeded:
    """``what`` (as "The query") met the worker's ceiling of so many bytes."""
    return LimitExceeded(
        f"{what} needed more than {readable(ceiling)} of memory.",
        hint="Filter earlier, select fewer columns, check the join's condition, "
        "or raise the worker's memory limit.",
    )


def too_slow(what: str, seconds: float) -> LimitExceeded:
    """``what`` was running when its time ran out."""
    return LimitExceeded(
        f"{what} did not finish within its time limit of {seconds:g} seconds.",
        hint="Filter earlier or select fewer rows, or ask for more time.",
    )


def never_began(what: str, seconds: float) -> LimitExceeded:
    """``what`` was still queued when its time ran out."""
    return LimitExceeded(
        f"{what} waited {seconds:g} seconds for a free worker and was not started.",
        hint="Other work is running; cancel it or try again later.",
    )


def why_it_died(what: str, status: int | None, output: str, ceiling: int) -> FlowcatError:
    """What its exit ``status`` (negative: a signal; None: unknown) and last ``output`` say."""
    if _MEMORY_LINES.search(output):
        return too_much_memory(what, ceiling)
    if status == -signal.SIGKILL:
        return LimitExceeded(
            "The worker was killed by the operating system, "
            "most likely because the machine ran out of memory.",
            hint="Close other programs, or make the query smaller.",
        )
    return Unavailable(f"The worker stopped: {_ending(status)}{_last_words(output)}.")


def why_it_never_started(status: int | None, output: str) -> Unavailable:
    """A worker ended, or took too long, before it was ready."""
    return Unavailable(
        f"The worker cannot start: {_ending(status)}{_last_words(output)}.",
        hint="The server's log has the details; check the installation.",
    )


def _ending(status: int | None) -> str:
    if status is None:
        return "it did not answer"
    if status >= 0:
        return f"it ended with code {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"it was ended by signal {-status}"


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if not lines:
        return ""
    words = _PRIVATE.sub("…", lines[-1])[:_LONGEST].rstrip(". ")
    return f" ({words})"
