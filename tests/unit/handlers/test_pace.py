"""Requests begin one by one, each in a round of the event loop of its own."""

from __future__ import annotations

import asyncio

from flowcat_jupyter.handlers.pace import Pace


class Rounds:
    """Counts the rounds of the loop from when it is started until `stop`."""

    def __init__(self) -> None:
        self.now = 0
        self._handle = asyncio.get_running_loop().call_soon(self._count)

    def _count(self) -> None:
        self.now += 1
        self._handle = asyncio.get_running_loop().call_soon(self._count)

    def stop(self) -> None:
        self._handle.cancel()


async def test_of_many_requests_at_once_one_begins_in_each_round_and_in_their_order() -> None:
    pace, rounds = Pace(), Rounds()
    begun: list[tuple[int, int]] = []

    async def request(number: int) -> None:
        await pace.turn()
        begun.append((rounds.now, number))

    await asyncio.gather(*map(request, range(20)))
    rounds.stop()
    assert [number for _, number in begun] == list(range(20))
    assert len({at for at, _ in begun}) == 20


async def test_who_comes_alone_does_not_wait() -> None:
    pace, rounds = Pace(), Rounds()
    for _ in range(3):
        before = rounds.now
        await pace.turn()
        assert rounds.now == before
        await asyncio.sleep(0.001)
    rounds.stop()


async def test_a_request_that_waits_for_a_worker_keeps_no_other_out() -> None:
    pace, free = Pace(), asyncio.Event()

    async def long() -> None:
        await pace.turn()
        await free.wait()

    waiting = asyncio.ensure_future(long())
    await asyncio.wait_for(asyncio.gather(*(pace.turn() for _ in range(5))), 5)
    assert not waiting.done()
    free.set()
    await waiting


async def test_clients_that_leave_while_they_wait_are_passed_over() -> None:
    pace = Pace()
    waiting = [asyncio.ensure_future(pace.turn()) for _ in range(6)]
    await asyncio.sleep(0)
    for task in waiting[1:5]:
        task.cancel()
    await asyncio.wait_for(waiting[5], 5)
    await asyncio.wait_for(pace.turn(), 5)
    assert all(task.cancelled() for task in waiting[1:5])
