"""The lines that imports rejected: looking at them, and removing them when their time is over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from flowcat_jupyter.catalog.access import SYSTEM, Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import Rejects
from flowcat_jupyter.shared.errors import Gone, NotFound
from flowcat_jupyter.shared.wire import PageInfo
from flowcat_jupyter.shared.wire_rows import RowsJob

PAGE_S = 60.0
AT_ONCE = 500


@dataclass(frozen=True)
class Strays:
    """What a crash left: ``files`` of no run, and ``missing``, runs whose file is gone."""

    files: tuple[str, ...]
    missing: tuple[int, ...]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.files) + len(self.missing)


class RejectService:
    """The rejected lines of one actor's runs."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps

    @asynccontextmanager
    async def page(
        self, run_id: int, *, offset: int, limit: int, as_json: bool
    ) -> AsyncIterator[tuple[Path, PageInfo]]:
        """A page of a run's rejected lines, in a file that is there as long as the context.

        Its columns are file, line, reason and text.

        :raises NotFound: the actor has no such run, it rejected nothing, or they are gone.
        """
        found = await self._deps.threads.run(lambda: self._of(run_id))
        files = self._deps.results.files
        out = files.new_path()
        job = RowsJob(
            out=str(out), offset=offset, limit=limit, spool=found.location, as_json=as_json
        )
        try:
            info: PageInfo = await self._deps.executor.run(
                job, job_id=f"rejects-{uuid4().hex}", deadline_s=PAGE_S
            )
            yield out, info
        except Gone as error:
            raise _none(run_id) from error
        finally:
            files.remove(out)

    def _of(self, run_id: int) -> Rejects:
        with self._deps.begin(self._actor) as unit:
            unit.runs.get(run_id)
            found = unit.rejects.find(run_id)
        if found is None or found.row_count is None:
            raise _none(run_id)
        return found

    async def sweep(self) -> int:
        """Remove lines that are no longer kept; answer of how many runs. For upkeep."""

        def work() -> int:
            with self._deps.begin(SYSTEM) as unit:
                expired = unit.rejects.expired(unit.surely, AT_ONCE)
            for item in expired:
                self._deps.rejects.remove(item.location)
            if expired:
                with self._deps.begin(SYSTEM, write=True) as unit:
                    unit.rejects.remove([item.run_id for item in expired])
            return len(expired)

        return await self._deps.threads.run(work)

    async def strays(self) -> Strays:
        """Files and records that do not belong together. For the doctor."""
        return await self._deps.threads.run(self._strays)

    async def repair(self) -> int:
        """Remove strays; answer how many there were. For the doctor."""

        def work() -> int:
            strays = self._strays()
            for location in strays.files:
                self._deps.rejects.remove(location)
            if strays.missing:
                with self._deps.begin(SYSTEM, write=True) as unit:
                    unit.rejects.remove(strays.missing)
            return len(strays)

        return await self._deps.threads.run(work)

    def _strays(self) -> Strays:
        # Files first: a run notes its file before it makes one.
        there = self._deps.rejects.all()
        with self._deps.begin(SYSTEM) as unit:
            known = unit.rejects.all()
        missing = tuple(r.run_id for r in known if r.row_count and r.location not in there)
        return Strays(tuple(sorted(set(there) - {r.location for r in known})), missing)


def _none(run_id: int) -> NotFound:
    return NotFound(
        "list of rejected lines of run",
        run_id,
        hint="The run rejected none, or they are no longer kept.",
    )
