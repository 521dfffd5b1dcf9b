"""Threads for transactions, and others for files."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from flowcat_jupyter.catalog.threads import Threads
from flowcat_jupyter.shared.errors import Unavailable


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads(1, 1)
    yield made
    made.close()


async def test_a_disk_that_does_not_answer_keeps_no_transaction_waiting(threads: Threads) -> None:
    release = threading.Event()
    slow = asyncio.ensure_future(threads.run_on_disk(release.wait))
    try:
        await asyncio.sleep(0)
        assert await asyncio.wait_for(threads.run(lambda: "read"), 30) == "read"
        assert not slow.done()
    finally:
        release.set()
    assert await slow


async def test_after_the_close_nothing_is_begun(threads: Threads) -> None:
    threads.close()
    for run in (threads.run, threads.run_on_disk):
        with pytest.raises(Unavailable, match="stopped"):
            await run(lambda: None)
