"""Few threads compute at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.store.migrate import upgrade
from flowcat_jupyter.catalog.turns import AT_ONCE, Turns
from flowcat_jupyter.catalog.unit import UnitFactory
from tests.support.catalog import FakeClock

WAIT_S = 20


def test_no_more_threads_have_a_turn_than_may() -> None:
    turns, lock = Turns(2), threading.Lock()
    now, most = 0, 0

    def work(_: int) -> None:
        nonlocal now, most
        with turns.taken():
            with lock:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.002)
            with lock:
                now -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert most == 2


def test_a_thread_that_has_a_turn_needs_no_other() -> None:
    turns = Turns(1)
    with turns.taken(), turns.taken():
        pass
    assert _free(turns)


def test_a_turn_ends_with_an_error() -> None:
    turns = Turns(1)
    with pytest.raises(ValueError, match="no"), turns.taken():
        raise ValueError("no")
    assert _free(turns)


def _free(turns: Turns) -> bool:
    """Whether another thread gets a turn."""

    def take() -> bool:
        with turns.taken():
            return True

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(take).result(WAIT_S)


def test_who_writes_waits_for_no_reader(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'catalog.db'}")
    upgrade(engine)
    begin = UnitFactory(engine, FakeClock(), Reactions())
    inside, done = threading.Barrier(AT_ONCE + 1), threading.Event()

    def read() -> None:
        with begin(LOCAL):
            inside.wait(WAIT_S)
            done.wait(WAIT_S)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        readers = [pool.submit(read) for _ in range(AT_ONCE)]
        inside.wait(WAIT_S)
        try:
            with begin(LOCAL, write=True) as unit:
                unit.flush()
        finally:
            done.set()
        for reader in readers:
            reader.result(WAIT_S)
    engine.dispose()
