"""Imports that tests of the catalog begin, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import event

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.barrier import WriteSpec, find_target, open_ticket
from flowcat_jupyter.catalog.importing import REJECTS_KEPT, ImportSpec, source_of
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.store.rows import Run, Ticket
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import (
    ImportJob,
    ImportProposal,
)
from tests.support.catalog import World

LEASE = timedelta(seconds=90)
MAY, JUNE = "/in/sales_2024-05.csv", "/in/sales_2024-06.csv"
PROPOSAL = ImportProposal("csv", {}, (), (), 3)


def spec(path: str = MAY, **choices: str) -> ImportSpec:
    return ImportSpec((path,), options=choices, source=source_of([path]))


async def settled(world: World, run_id: int) -> Run:
    await world.background.wait(run_id)
    return await world.catalog().runs.get(run_id)


async def imported(world: World, given: ImportSpec, table: str = "t", mode: str = "append") -> Run:
    run = await world.catalog().imports.start(ImportTarget(table, mode), given)
    return await settled(world, run.id)


def last_job(world: World) -> ImportJob:
    return [job for job in world.executor.jobs if isinstance(job, ImportJob)][-1]


async def orphan(world: World, table: str = "t", mode: str = "append") -> tuple[Run, Ticket]:
    """An import whose process was killed while it worked."""
    write = WriteSpec(TableName((table,)), mode, "main", "default")
    with world.begin(LOCAL, write=True) as unit:
        target = find_target(unit, write)
        run_id = unit.runs.add("import", "An import", owner="local", payload={}, at=unit.now)
        ticket = open_ticket(
            unit,
            write,
            target,
            new_location=world.storage.new_table_location,
            base_version=0 if target.table else None,
            ttl=timedelta(days=1),
            run_id=run_id,
        )
        location = world.deps.rejects.new_location()
        unit.rejects.add(run_id, location, expires_at=unit.now + REJECTS_KEPT)
        run = unit.runs.claim(run_id, holder="elsewhere:1:a", lease=LEASE, now=unit.now)
    assert run is not None
    world.clock.forward(seconds=100)
    return run, ticket


def lose(job: ImportJob) -> Path:
    """Lose an import's rejected lines, and leave a file of nobody's in their place."""
    gone = Path(job.rejects or "")
    return gone.rename(gone.with_name("stray.arrow"))


@contextmanager
def counted(world: World) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.append(statement)

    event.listen(world.engine, "before_cursor_execute", note)
    yield statements
    event.remove(world.engine, "before_cursor_execute", note)
