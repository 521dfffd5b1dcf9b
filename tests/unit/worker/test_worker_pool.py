"""The pool, with real worker processes."""

from __future__ import annotations

import asyncio
import itertools
import time

import psutil
import pytest

from flowcat_jupyter.shared.errors import Cancelled, Conflict, LimitExceeded, Unavailable
from flowcat_jupyter.worker.pool import WorkerPool


async def test_a_thousand_jobs_are_each_answered_with_their_own_answer(make_pool, do):
    pool = make_pool()
    for number in range(1000):
        answer = await pool.run(do("echo", n=number), job_id=str(number))
        assert answer["n"] == str(number)
    assert pool.stats().died == 0


async def test_cancelling_a_running_job_frees_its_caller_and_a_spare_answers(make_pool, do, until):
    pool = make_pool(size=1, short=0)
    await pool.run(do("echo"), job_id="warm")
    running = asyncio.ensure_future(pool.run(do("spin"), job_id="a"))
    await until(lambda: pool.stats().running == 1 and pool.stats().idle == 1)
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


async def test_only_so_many_jobs_may_wait(make_pool, do):
    pool = make_pool(size=1, short=0, most_waiting=2)
    waiting = [asyncio.ensure_future(pool.run(do("echo"), job_id=name)) for name in "ab"]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="Too many"):
        await pool.run(do("echo"), job_id="c")
    await asyncio.gather(*waiting)
    assert await pool.run(do("echo"), job_id="c")


async def test_a_stopped_pool_refuses_jobs(make_pool, do):
    pool = make_pool()
    await pool.stop()
    with pytest.raises(Unavailable):
        await pool.run(do("echo"), job_id="a")


async def test_a_queued_job_can_be_cancelled_and_the_next_one_moves_up(make_pool, do, until):
    pool = make_pool(size=1, short=0)
    first = asyncio.ensure_future(pool.run(do("sleep", s=0.5), job_id="a"))
    second = asyncio.ensure_future(pool.run(do("bug"), job_id="b"))
    third = asyncio.ensure_future(pool.run(do("echo"), job_id="c"))
    await until(lambda: pool.stats().running == 1)
    assert [pool.position(name) for name in "abcd"] == [None, 1, 2, None]
    assert pool.cancel("b")
    assert pool.position("c") == 1
    with pytest.raises(Cancelled):
        await second
    assert await first
    assert await third
    assert pool.stats().died == 0


async def test_a_job_ends_with_the_task_that_waits_for_it(make_pool, do):
    pool = make_pool(size=1, short=0)
    await pool.run(do("echo"), job_id="warm")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(pool.run(do("spin"), job_id="a"), 0.5)
    assert await pool.run(do("echo"), job_id="a")
    assert pool.stats().running == 0


async def test_an_id_can_be_used_again_once_its_job_is_over(make_pool, do):
    pool = make_pool()
    await pool.run(do("echo"), job_id="a")
    await pool.run(do("echo"), job_id="a")


async def test_a_running_job_is_killed_at_its_deadline(make_pool, do):
    pool = make_pool(size=1, short=0)
    await pool.run(do("echo"), job_id="warm")
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.5 seconds"):
        await pool.run(do("spin"), job_id="a", deadline_s=0.5)
    assert await pool.run(do("echo"), job_id="b")


async def test_a_job_that_never_began_by_its_deadline_says_that_it_waited(make_pool, do):
    pool = make_pool(size=1, short=0)
    busy = asyncio.ensure_future(pool.run(do("sleep", s=1), job_id="a"))
    await asyncio.sleep(0)
    with pytest.raises(LimitExceeded, match="waited"):
        await pool.run(do("echo"), job_id="b", deadline_s=0.2)
    assert await busy


async def test_two_hundred_jobs_at_once_never_share_a_worker(make_pool, do):
    pool = make_pool()
    spans = await asyncio.gather(
        *(pool.run(do("sleep", s=0.01), job_id=str(number)) for number in range(200))
    )
    by_worker: dict[int, list] = {}
    for span in spans:
        by_worker.setdefault(span["pid"], []).append((span["began"], span["ended"]))
    assert len(by_worker) <= 4
    for worked in by_worker.values():
        worked.sort()
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(worked))


async def test_no_more_jobs_run_at_once_than_there_are_slots(make_pool, do):
    pool = make_pool(size=2, short=1)
    spans = await asyncio.gather(
        *(pool.run(do("sleep", s=0.05), job_id=str(number)) for number in range(30))
    )
    edges = sorted([(s["began"], 1) for s in spans] + [(s["ended"], -1) for s in spans])
    assert max(itertools.accumulate(step for _, step in edges)) <= 2


async def test_a_short_job_does_not_wait_for_long_ones(make_pool, do, short):
    pool = make_pool(size=1, short=1)
    long = [asyncio.ensure_future(pool.run(do("spin"), job_id=str(n))) for n in range(3)]
    await asyncio.sleep(0)
    for number in range(5):
        assert await asyncio.wait_for(pool.run(short(), job_id=f"s{number}"), 20)
    for number in range(3):
        pool.cancel(str(number))
    outcomes = await asyncio.gather(*long, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {Cancelled}


async def test_progress_arrives_thinned_out_and_complete(make_pool, do):
    pool = make_pool()
    reports: list[dict] = []
    await pool.run(do("progress"), job_id="a", on_progress=reports.append)
    assert reports[-1] == {"done": 2000, "total": 2000, "unit": "rows", "message": "reading"}
    assert len(reports) < 100


async def test_the_loop_stays_free_while_workers_are_busy(make_pool, do):
    pool = make_pool()
    jobs = [asyncio.ensure_future(pool.run(do("spin"), job_id=str(n))) for n in range(4)]
    late = []
    for _ in range(100):
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        late.append(time.perf_counter() - began - 0.01)
    for number in range(4):
        pool.cancel(str(number))
    await asyncio.gather(*jobs, return_exceptions=True)
    assert sorted(late)[50] < 0.5


async def test_a_lazy_pool_starts_only_what_it_needs(make_pool, do):
    pool = make_pool(warm=False)
    await pool.start()
    assert pool.stats().starting == 0
    first = await pool.run(do("echo"), job_id="a")
    second = await pool.run(do("echo"), job_id="b")
    assert first["pid"] == second["pid"]
    assert pool.stats().idle == 1


def children() -> set[psutil.Process]:
    """Child processes of this one, among them those of other tests' servers."""
    return set(psutil.Process().children())


async def test_stopping_while_workers_start_leaves_none(make_pool, do):
    before = children()
    for wait in (0, 0.001, 0.02, 0.1):
        pool = make_pool(jobs="slow_start")
        job = asyncio.ensure_future(pool.run(do("echo"), job_id="a"))
        await asyncio.sleep(wait)
        await asyncio.wait_for(pool.stop(), 30)
        with pytest.raises(Unavailable):
            await job
    assert children() <= before


async def test_stopping_twice_or_before_starting_is_fine(make_pool):
    pool = make_pool()
    await pool.stop()
    await pool.stop()


def test_a_pool_works_on_a_loop_of_its_own(workers_find_test_jobs, do):
    async def once():
        pool = WorkerPool(registries="worker_jobs:registries", warm=False)
        try:
            return await pool.run(do("echo", n=1), job_id="a")
        finally:
            await pool.stop()

    for _ in range(2):
        assert asyncio.run(once())["n"] == "1"


def test_a_loop_that_closes_while_workers_are_being_started_ends(workers_find_test_jobs):
    before = children()

    async def careless(rounds):
        await WorkerPool(registries="worker_jobs:registries").start()
        for _ in range(rounds):
            await asyncio.sleep(0)

    for rounds in range(12):
        asyncio.run(asyncio.wait_for(careless(rounds), 20))
    assert children() <= before


@pytest.mark.parametrize("wait", [0, 0.05, 0.1, 0.2, 0.4])
def test_a_loop_that_closes_without_stopping_the_pool_leaves_no_worker(
    workers_find_test_jobs, do, wait
):
    before = children()

    async def careless():
        pool = WorkerPool(registries="worker_jobs:registries")
        await pool.run(do("echo"), job_id="a")
        running = asyncio.ensure_future(pool.run(do("spin"), job_id="b"))
        await asyncio.sleep(wait)
        return running

    assert asyncio.run(careless()).cancelled()
    assert children() <= before
