"""Upkeep of a table: its files put together, old ones removed, a version brought back."""

from __future__ import annotations

import time
from collections.abc import Callable

from flowcat_jupyter.formats.protocol import LakeFormat
from flowcat_jupyter.shared.counts import many, size
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Source, TableFacts
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome
from flowcat_jupyter.worker.context import JobContext

Files = tuple[tuple[str, int], ...]


def run_maintain(job: MaintainJob, context: JobContext) -> MaintainOutcome:
    """Carry out an action, as `MaintainJob` says.

    :raises Invalid: the table has a feature that would suffer, or files are too young.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    delta = context.formats.get("delta")
    note, files = _ACTIONS[job.action](job, delta)
    source = Source("target", "table", job.name, "delta", job.location)
    facts: TableFacts | None = None if job.dry_run else delta.facts(source)
    if facts is not None and facts.version == job.base_version:
        facts = None
    return MaintainOutcome(facts, note, files, (time.perf_counter() - started) * 1000)


def _optimize(job: MaintainJob, delta: LakeFormat) -> tuple[str, Files]:
    taken, made = delta.compact(
        location=job.location,
        base_version=job.base_version,
        order_by=job.order_by,
        commit_info=job.commit_info,
    )
    if not taken:
        return "nothing to put together", ()
    return f"{many(taken, 'file')} became {made}", ()


def _vacuum(job: MaintainJob, delta: LakeFormat) -> tuple[str, Files]:
    files = delta.vacuum(
        location=job.location,
        base_version=job.base_version,
        hours=job.retain_hours,
        dry_run=job.dry_run,
        commit_info=job.commit_info,
    )
    if not files:
        return "nothing to remove", ()
    return f"{many(len(files), 'file')} removed, {size(sum(taken for _, taken in files))}", tuple(
        files
    )


def _restore(job: MaintainJob, delta: LakeFormat) -> tuple[str, Files]:
    version = delta.restore(
        location=job.location,
        base_version=job.base_version,
        label=TableName(job.name).sql,
        version=job.version,
        timestamp=job.timestamp,
        commit_info=job.commit_info,
    )
    newest = version == job.base_version
    return f"version {version} is {'the newest already' if newest else 'back'}", ()


_ACTIONS: dict[str, Callable[[MaintainJob, LakeFormat], tuple[str, Files]]] = {
    "optimize": _optimize,
    "vacuum": _vacuum,
    "restore": _restore,
}
