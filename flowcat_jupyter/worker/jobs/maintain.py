"""Upkeep of a table: its files put together, old ones removed, a version brought back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from flowcat_jupyter.formats.protocol import LakeFormat
from flowcat_jupyter.shared.counts import many, size
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire_writes import MaintainJob, MaintainOutcome
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.lakes import lake_of, target_of, unchanged


@dataclass(frozen=True)
class _Told:
    """What an action did; see `MaintainOutcome`."""

    note: str
    files: tuple[tuple[str, int], ...] = ()
    taken: int = 0
    made: int = 0


def run_maintain(job: MaintainJob, context: JobContext) -> MaintainOutcome:
    """Carry out an action, as `MaintainJob` says.

    :raises Invalid: the table has a feature that would suffer, or files are too young.
    :raises Conflict: somebody else wrote to the table.
    """
    started = time.perf_counter()
    lake = lake_of(job, job.name, context)
    told = _ACTIONS[job.action](job, lake)
    now = None if job.dry_run else lake.facts(target_of(job, job.name, job.location))
    facts = None if now is None or unchanged(job, now, job.base_version) else now
    return MaintainOutcome(
        facts=facts,
        note=told.note,
        files=told.files,
        worker_ms=(time.perf_counter() - started) * 1000,
        taken=told.taken,
        made=told.made,
    )


def _optimize(job: MaintainJob, lake: LakeFormat) -> _Told:
    taken, made = lake.compact(
        location=job.location,
        base_version=job.base_version,
        order_by=job.order_by,
        commit_info=job.commit_info,
    )
    if not taken:
        return _Told("nothing to put together")
    return _Told(f"{many(taken, 'file')} became {made}", taken=taken, made=made)


def _vacuum(job: MaintainJob, lake: LakeFormat) -> _Told:
    files = lake.vacuum(
        location=job.location,
        base_version=job.base_version,
        hours=job.retain_hours,
        dry_run=job.dry_run,
        commit_info=job.commit_info,
    )
    if not files:
        return _Told("nothing to remove")
    note = f"{many(len(files), 'file')} removed, {size(sum(taken for _, taken in files))}"
    return _Told(note, tuple(files))


def _restore(job: MaintainJob, lake: LakeFormat) -> _Told:
    version = lake.restore(
        location=job.location,
        base_version=job.base_version,
        label=TableName(job.name).sql,
        version=job.version,
        timestamp=job.timestamp,
        commit_info=job.commit_info,
    )
    newest = version == job.base_version
    return _Told(f"version {version} is {'the newest already' if newest else 'back'}")


_ACTIONS: dict[str, Callable[[MaintainJob, LakeFormat], _Told]] = {
    "optimize": _optimize,
    "vacuum": _vacuum,
    "restore": _restore,
}
