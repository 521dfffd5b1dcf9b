"""What an executor tells of its workers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkerFacts:
    """A worker process by its number: whether it is ``starting``, ``idle`` or ``busy``, and with
    what kind of job; ``memory_bytes`` is what it may use.
    """

    number: int
    state: str
    job: str | None
    memory_bytes: int
