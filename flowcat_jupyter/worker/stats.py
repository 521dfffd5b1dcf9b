"""What the pool tells of itself, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PoolStats:
    """What the pool is doing now. ``died`` counts workers that ended other than by `stop`."""

    running: int
    queued: int
    idle: int
    starting: int
    died: int
    worker_memory: int

    def metrics(self) -> dict[str, tuple[float, str]]:
        """What is counted of workers and jobs, by name, and what each number means."""
        return {
            "jobs.running": (self.running, "jobs that workers do"),
            "jobs.queued": (self.queued, "jobs that wait for a worker"),
            "workers.idle": (self.idle, "workers that have nothing to do"),
            "workers.starting": (self.starting, "workers that are being started"),
            "workers.died": (self.died, "workers that ended by themselves or were stopped"),
        }
