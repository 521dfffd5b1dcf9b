"""One process's catalog: opening, failing to open, upkeep, and closing all it opened."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from flowcat_jupyter.bootstrap import Runtime
from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.watch import ChangeWatcher
from flowcat_jupyter.shared.errors import FlowcatError, Unavailable
from flowcat_jupyter.shared.settings import load


def runtime(home: Path, upkeep_s: float = 60) -> Runtime:
    return Runtime(load({"FLOWCAT_HOME": str(home)}), warm=False, upkeep_s=upkeep_s)


@pytest.fixture
def threads() -> Callable[[], set[str]]:
    """The names of the threads of ours that have begun since the test did."""
    before = set(threading.enumerate())

    def names() -> set[str]:
        begun = set(threading.enumerate()) - before
        return {thread.name for thread in begun if thread.name.startswith("flowcat")}

    return names


def results(home: Path) -> list[Path]:
    return list((home / "results").iterdir())


async def test_what_was_opened_is_closed_and_answers_that_it_is(
    tmp_path: Path, threads: Callable[[], set[str]]
) -> None:
    catalog = runtime(tmp_path)
    catalog.start()
    await catalog.ready()
    assert (await catalog.status(LOCAL)).state == "ready"
    assert threads()
    assert results(tmp_path)
    session = catalog.session(LOCAL)
    await catalog.stop()
    await catalog.stop()
    assert threads() == set()
    assert results(tmp_path) == []
    assert (await catalog.status(LOCAL)).state == "failed"
    with pytest.raises(Unavailable):
        await catalog.ready()
    with pytest.raises(Unavailable):
        await session.namespaces.tree()


async def test_a_server_that_has_just_started_opens_when_it_is_asked(
    tmp_path: Path, threads: Callable[[], set[str]]
) -> None:
    catalog = runtime(tmp_path)
    catalog.start_soon()
    assert threads() == set()
    assert (await catalog.status(LOCAL)).state == "starting"
    await catalog.ready()
    assert (await catalog.status(LOCAL)).state == "ready"
    await catalog.stop()


async def test_a_server_that_stops_at_once_never_opens(tmp_path: Path) -> None:
    catalog = runtime(tmp_path)
    catalog.start_soon()
    await catalog.stop()
    with pytest.raises(Unavailable):
        await catalog.ready()
    assert not (tmp_path / "catalog.db").exists()


async def test_a_catalog_that_could_not_begin_leaves_nothing_open(
    tmp_path: Path, threads: Callable[[], set[str]]
) -> None:
    first = runtime(tmp_path)
    first.start()
    await first.ready()
    await first.stop()
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
        database.execute("DROP TABLE runs")
    before = psutil.Process().num_fds()
    broken = runtime(tmp_path)
    broken.start()
    with pytest.raises(FlowcatError):
        await broken.ready()
    assert threads() == set()
    assert results(tmp_path) == []
    assert psutil.Process().num_fds() <= before
    await broken.stop()


async def test_upkeep_survives_whatever_goes_wrong_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = runtime(tmp_path, upkeep_s=0.05)
    catalog.start()
    await catalog.ready()

    shutil.rmtree(catalog.spool.folder)
    for _ in range(100):
        await asyncio.sleep(0.1)
        if sum("upkeep failed" in record.message for record in caplog.records) > 1:
            break
    else:
        pytest.fail("upkeep ended at its first fault")

    await catalog.stop()


async def test_a_watcher_that_stops_wakes_whoever_waits(tmp_path: Path) -> None:
    catalog = runtime(tmp_path)
    catalog.start()
    await catalog.ready()
    watcher: ChangeWatcher = catalog.watcher
    waiting = asyncio.ensure_future(watcher.wait(1 << 40, 60))
    await asyncio.sleep(0)
    asyncio.get_running_loop().set_debug(True)
    await asyncio.to_thread(watcher.stop)
    assert await asyncio.wait_for(waiting, 5) is False
    asyncio.get_running_loop().set_debug(False)
    await catalog.stop()
