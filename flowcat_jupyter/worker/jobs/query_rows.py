"""The rows of a query, computed before anything is written with them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from flowcat_jupyter.engines.choice import Choice
from flowcat_jupyter.engines.spool import TOO_LARGE
from flowcat_jupyter.shared.errors import LimitExceeded
from flowcat_jupyter.shared.wire import Column, QueryPlan, UsedTable
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query import choose_engine
from flowcat_jupyter.worker.jobs.sources import open_plan, used_tables


@dataclass(frozen=True)
class Ready:
    """A query that has been planned and not yet run."""

    choice: Choice
    used_tables: tuple[UsedTable, ...]
    warnings: tuple[str, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it gives."""
        return tuple(self.choice.prepared.columns)

    @property
    def engine(self) -> str:
        """Which engine runs it."""
        return str(self.choice.engine.name)

    def run(self, spool: Path) -> int:
        """Put the rows into a file and count them.

        The file may take half of what is free on its disk: what is written of it takes the rest.

        :raises LimitExceeded: it would be larger.
        """
        most = shutil.disk_usage(spool.parent).free // 2
        try:
            count, _ = self.choice.prepared.sink(spool, limit=None, max_bytes=most)
        except LimitExceeded as error:
            if error.condition != TOO_LARGE:
                raise
            raise LimitExceeded(
                f"The rows to write take more than {most / 1_000_000:,.0f} MB, half of what is "
                "free on the disk of the server's files.",
                hint="Write them in parts, or make room there; nothing was changed.",
            ) from error
        return count

    def frame(self, spool: Path, names: tuple[str, ...]) -> pl.LazyFrame:
        """The rows in the file that `run` made, their columns under other ``names``."""
        spooled = pl.scan_ipc(spool)
        cells = zip(spooled.collect_schema().names(), names, strict=True)
        return spooled.select(pl.col(cell).alias(name) for cell, name in cells)


def ready(plan: QueryPlan, context: JobContext) -> Ready:
    """A plan over its open sources.

    :raises SqlError: it is wrong, or no engine can run it.
    """
    scans = open_plan(plan, context)
    choice = choose_engine(plan, scans, context)
    told = (*choice.prepared.warnings, *(w for scan in scans.values() for w in scan.warnings))
    return Ready(choice, used_tables(plan.sources, scans), tuple(told))
