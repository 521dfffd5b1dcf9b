"""What the domain needs from outside; `bootstrap` and tests hand it in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from flowcat_jupyter.shared.wire import Job

Progress = dict[str, Any]
"""How far a job is: ``done``, ``total`` (or None), ``unit`` and ``message``."""


class Executor(Protocol):
    """Runs jobs in workers. Never called inside a transaction."""

    async def run(
        self,
        job: Job,
        *,
        job_id: str,
        deadline_s: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        """The message the job's docstring promises.

        :raises FlowcatError: what the worker raised, `Cancelled`, or `LimitExceeded` after
            ``deadline_s`` seconds.
        """
        ...

    def cancel(self, job_id: str) -> bool:
        """Stop a job, queued or running; False if there is none of that id."""
        ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        ...


class Storage(Protocol):
    """Where tables' data are kept."""

    def new_table_location(self, catalog_storage_uri: str | None, name: str) -> str:
        """A location no table ever had; made from text alone, nothing is touched."""
        ...

    def remove(self, location: str) -> None:
        """Delete a managed table's data; nothing there is no error.

        :raises FlowcatError: it cannot be deleted, or is not the catalog's own.
        """
        ...

    def owns(self, location: str) -> bool:
        """Whether a location lies in the catalog's own storage."""
        ...

    def check_external(self, path: str) -> str:
        """The real path of data to register, which lies under an allowed root.

        :raises Forbidden: it lies elsewhere.
        :raises NotFound: there is nothing.
        """
        ...
