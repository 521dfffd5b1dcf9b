"""What the domain needs from outside; `bootstrap` and tests hand it in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from flowcat_jupyter.shared.wire import Job
from flowcat_jupyter.shared.workforce import WorkerFacts

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

    def position(self, job_id: str) -> int | None:
        """The job's place in the queue, 1 being next; None when it runs or is unknown."""
        ...


@runtime_checkable
class Workforce(Protocol):
    """An executor that tells of its workers."""

    def workers(self) -> tuple[WorkerFacts, ...]:
        """Every process."""
        ...

    def metrics(self) -> dict[str, tuple[float, str]]:
        """What is counted: how many, and what in words, by name."""
        ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        ...


class StoredFolder(Protocol):
    """A folder that was made for a table."""

    @property
    def location(self) -> str:
        """Where it is."""
        ...

    @property
    def committed(self) -> bool:
        """Whether rows were ever committed to it."""
        ...

    @property
    def age_s(self) -> float:
        """The seconds since anything in it changed."""
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

    def table_folders(self) -> Sequence[StoredFolder]:
        """Every folder that was made for a managed table."""
        ...

    def is_there(self, location: str) -> bool:
        """Whether anything lies at a location."""
        ...

    def set_aside(self, location: str) -> str:
        """Move a managed table's folder to where no table is looked for; where that is.

        :raises FlowcatError: it cannot be moved, or is not the catalog's own.
        """
        ...

    def claim(self, catalog_id: str, *, known: bool) -> bool:
        """Whether the storage belongs to a catalog; taken for it if it belongs to none, and the
        catalog has ``known`` tables there or nobody has any.
        """
        ...

    def check_external(self, path: str) -> str:
        """The real path of data to register, which lies under an allowed root.

        :raises Forbidden: it lies elsewhere.
        :raises NotFound: there is nothing.
        """
        ...

    def check_place(self, path: str) -> str:
        """The real path of a place to write to, under an allowed root; it need not be there.

        :raises Forbidden: it lies elsewhere.
        """
        ...

    def files(self, path: str) -> tuple[str, ...]:
        """The real paths of the files that a path, a folder or a pattern means, for an import.

        :raises Forbidden: they lie under no allowed root, or are the catalog's own.
        :raises NotFound: there is none.
        :raises LimitExceeded: there are too many.
        """
        ...


class RejectFiles(Protocol):
    """Where the rejected lines of imports are kept, a file a run."""

    def new_location(self) -> str:
        """Where a run may put its file; made from text alone, nothing is touched."""
        ...

    def prepare(self) -> None:
        """Make ready for a worker to write there.

        :raises Unavailable: it cannot be.
        """
        ...

    def exists(self, location: str) -> bool:
        """Whether a run left a file."""
        ...

    def remove(self, location: str) -> None:
        """Delete a file of ours; one that is gone already is fine."""
        ...

    def all(self) -> tuple[str, ...]:
        """Where every file is."""
        ...
