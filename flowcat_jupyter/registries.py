"""What a worker can do, and which engines there are: everything that goes by a name.

Importing this file is cheap: what the names stand for is imported when it is first asked for.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from flowcat_jupyter.shared.extensions import (
    DATA_SOURCE,
    ENGINE,
    FAILED,
    FORMAT,
    SOURCE_MADE_BY,
    known_extensions,
)
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.worker.context import WorkerRegistries
from flowcat_jupyter.worker.jobs import JOBS


def engines() -> Registry[Any]:
    """Every SQL engine: ours, then those of installed packages."""
    registry: Registry[Any] = Registry("engine")
    registry.register_extensions(known_extensions(ENGINE))
    return registry


@lru_cache(maxsize=1)
def usable_engines() -> tuple[str, ...]:
    """The names of the engines that can run here: DuckDB only where its extra is installed.

    What packages there are is looked up once: every page asks for this.
    """
    absent = set() if find_spec("duckdb") else {"duckdb"}
    usable = (item for item in known_extensions(ENGINE) if item.state != FAILED)
    return tuple(item.name for item in usable if item.name not in absent)


def formats() -> Registry[Any]:
    """Every table format: ours, then those and the data sources of installed packages."""
    registry: Registry[Any] = Registry("format")
    registry.register_extensions(known_extensions(FORMAT))
    registry.register_extensions(known_extensions(DATA_SOURCE), made_by=SOURCE_MADE_BY)
    return registry


def worker_registries() -> WorkerRegistries:
    """Everything a worker process can do; called in the worker."""
    jobs: Registry[Any] = Registry("job")
    for kind, target in JOBS.items():
        jobs.register(kind, target)
    preload = tuple(sorted({target.partition(":")[0] for target in JOBS.values()}))
    return WorkerRegistries(
        jobs=jobs,
        engines=engines(),
        formats=formats(),
        preload=(*preload, "flowcat_jupyter.engines.polars", "flowcat_jupyter.formats.delta"),
    )
