"""The pool, with real worker processes."""

from __future__ import annotations

import asyncio
import time

import pytest

from flowcat_jupyter.shared.errors import Cancelled, Conflict, Unavailable


async def test_a_thousand_jobs_are_each_answered_with_their_own_answer(make_pool, do):
    pool = make_pool()
    for number in range(1000):
        answer = await pool.run(do("echo", n=number), job_id=str(number))
        assert answer["n"] == str(number)
    assert pool.stats().died == 0


async def test_cancelling_a_running_job_frees_its_caller_and_a_spare_answers(make_pool, do):
    pool = make_pool(size=1, short=0)
    await pool.run(do("echo"), job_id="warm")
    running = asyncio.ensure_future(pool.run(do("spin"), job_id="a"))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    assert pool.cancel("a")
    with pytest.raises(Cancelled):
        await running
    assert await pool.run(do("echo"), job_id="b")
    assert time.monotonic() - began < 3
    assert not pool.cancel("a")


async def test_a_second_job_of_the_same_id_is_a_conflict(make_pool, do):
    pool = make_pool()
    first = asyncio.ensure_future(pool.run(do("sleep", s=0.5), job_id="a"))
    await asyncio.sleep(0)
    with pytest.raises(Conflict):
        await pool.run(do("echo"), job_id="a")
    await first


async def test_a_stopped_pool_refuses_jobs(make_pool, do):
    pool = make_pool()
    await pool.stop()
    with pytest.raises(Unavailable):
        await pool.run(do("echo"), job_id="a")
