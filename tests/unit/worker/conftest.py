from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flowcat_jupyter.shared.wire import InspectJob, PreviewImportJob, Source
from flowcat_jupyter.worker.pool import WorkerPool


def action(name: str, **options: object) -> PreviewImportJob:
    text = {key: str(value) for key, value in options.items()}
    return PreviewImportJob(name, None, text, {})


def short_job(seconds: float = 0) -> InspectJob:
    return InspectJob(Source("r1", "table", ("t",), "delta", str(seconds)))


@pytest.fixture
def workers_find_test_jobs(monkeypatch):
    here = str(Path(__file__).parent)
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, known] if known else [here]))


@pytest.fixture
async def make_pool(workers_find_test_jobs):
    pools = []

    def make(*, jobs: str = "registries", **options) -> WorkerPool:
        options.setdefault("worker_memory", 1 << 30)
        pool = WorkerPool(registries=f"worker_jobs:{jobs}", **options)
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        await pool.stop()


async def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("this never came about")


@pytest.fixture
def until():
    return wait_until


@pytest.fixture
def do():
    return action


@pytest.fixture
def short():
    return short_job
