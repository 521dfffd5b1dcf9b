"""What becomes of a worker that misbehaves, and what its user is told."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import flowcat_jupyter
from flowcat_jupyter.shared.errors import Internal, Invalid, LimitExceeded, NotFound, Unavailable

SERVER = """
import asyncio, json, sys
from flowcat_jupyter.shared.wire import PreviewImportJob
from flowcat_jupyter.worker.pool import WorkerPool

async def main():
    pool = WorkerPool(registries="worker_jobs:registries")
    await pool.start()
    while pool.stats().idle < 4:
        await asyncio.sleep(0.05)
    jobs = [
        asyncio.ensure_future(pool.run(PreviewImportJob(name, None, {"s": "600"}, {}), job_id=name))
        for name in ("spin", "sleep")
    ]
    await asyncio.sleep(0.3)
    assert pool.stats().running == 2
    sys.stdout.write("busy\\n")
    sys.stdout.flush()
    await asyncio.gather(*jobs)

asyncio.run(main())
"""


async def still_works(pool, do):
    return await asyncio.wait_for(pool.run(do("echo", n="yes"), job_id="after"), 60)


@pytest.mark.parametrize("runaway", ["grow", "polars_join"])
async def test_a_runaway_job_dies_of_its_ceiling_while_others_are_answered(make_pool, do, runaway):
    pool = make_pool(worker_memory=400 << 20)
    running = asyncio.ensure_future(pool.run(do(runaway), job_id="big"))
    answered = 0
    while not running.done():
        await pool.run(do("echo"), job_id="small")
        answered += 1
        await asyncio.sleep(0.02)
    with pytest.raises(LimitExceeded, match="needed more than 400 MB of memory") as caught:
        await running
    assert caught.value.hint
    assert answered > 0
    assert await still_works(pool, do)


@pytest.mark.parametrize(
    ("crash", "kind", "words"),
    [
        ("exit_silently", Unavailable, "ended with code 3"),
        ("segfault", Unavailable, "SIGSEGV"),
        ("killed", LimitExceeded, "killed by the operating system"),
        ("exit_talking", Unavailable, "disk on fire"),
    ],
)
async def test_a_crash_is_told_with_its_reason_and_the_worker_replaced(
    make_pool, do, crash, kind, words
):
    pool = make_pool(size=1, short=0)
    with pytest.raises(kind, match=words) as caught:
        await pool.run(do(crash), job_id="a")
    assert "/home" not in caught.value.message
    assert "abc" not in caught.value.message
    assert await still_works(pool, do)
    assert pool.stats().died == 1


@pytest.mark.parametrize("fault", ["bug", "unsendable", "leave"])
async def test_a_fault_of_ours_tells_a_reference_and_nothing_else(make_pool, do, caplog, fault):
    pool = make_pool()
    with pytest.raises(Internal, match=r"reference [0-9a-f]{12}") as caught:
        await pool.run(do(fault), job_id="a")
    assert "private" not in caught.value.message
    assert await still_works(pool, do)
    await pool.stop()
    reference = caught.value.message.rpartition(" ")[2].rstrip(").")
    assert reference in caplog.text
    assert "Traceback" in caplog.text


async def test_an_error_raised_by_a_job_arrives_whole(make_pool, do):
    pool = make_pool()
    with pytest.raises(NotFound) as caught:
        await pool.run(do("missing"), job_id="a")
    assert caught.value.to_wire() == NotFound("table", "a.b", hint="Look again.").to_wire()


async def test_a_memory_error_is_a_limit_and_the_worker_goes_on(make_pool, do):
    pool = make_pool()
    with pytest.raises(LimitExceeded):
        await pool.run(do("memory_error"), job_id="a")
    assert await still_works(pool, do)
    assert pool.stats().died == 0


@pytest.mark.parametrize("far", ["far_date", "far_instant"])
async def test_a_time_that_polars_panics_of_is_named(make_pool, do, far):
    pool = make_pool()
    with pytest.raises(Invalid, match="too far away") as caught:
        await pool.run(do(far), job_id="a")
    assert caught.value.condition == "DATETIME_OVERFLOW"
    assert await still_works(pool, do)


async def test_what_a_library_prints_does_not_reach_the_answers(make_pool, do):
    pool = make_pool(size=1, short=0)
    for number in range(20):
        assert await pool.run(do("chatter"), job_id=str(number)) == "said"


async def test_a_job_that_json_cannot_carry_fails_for_its_caller_alone(make_pool, do):
    pool = make_pool()
    with pytest.raises(TypeError):
        await pool.run(do("echo").__class__(object(), None, {}, {}), job_id="a")
    assert await still_works(pool, do)
    assert pool.stats().running == 0


async def test_workers_that_cannot_start_fail_their_jobs_instead_of_hanging(make_pool, do):
    pool = make_pool(jobs="broken", size=1, short=0)
    for name in ("a", "b"):
        with pytest.raises(Unavailable, match=r"cannot start.*no such luck"):
            await asyncio.wait_for(pool.run(do("echo"), job_id=name), 60)
    await asyncio.wait_for(pool.stop(), 30)


async def test_an_idle_worker_that_dies_is_replaced(make_pool, do, until):
    pool = make_pool(size=1, short=0)
    victim = (await pool.run(do("echo"), job_id="a"))["pid"]
    os.kill(victim, signal.SIGKILL)
    await until(lambda: pool.stats().died == 1)
    assert (await still_works(pool, do))["pid"] != victim


async def test_a_worker_gets_no_token_and_a_session_of_its_own(make_pool, do, monkeypatch):
    for name in ("FLOWCAT_TOKEN", "JUPYTERHUB_API_TOKEN", "JUPYTER_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "sesame")
    pool = make_pool(worker_memory=512 << 20)
    seen = await pool.run(do("environ"), job_id="a")
    assert "sesame" not in json.dumps(seen)
    assert seen["env"]["POLARS_OOMKILL_THRESHOLD_MB"] == "512"
    assert seen["env"]["PATH"] == os.environ["PATH"]
    assert seen["sid"] == seen["pid"]
    assert "" not in seen["path"]


async def test_no_worker_outlives_a_killed_server_even_a_busy_one(workers_find_test_jobs):
    paths = [str(Path(flowcat_jupyter.__file__).parent.parent), os.environ["PYTHONPATH"]]
    server = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVER,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert server.stdout is not None
    assert await asyncio.wait_for(server.stdout.readline(), 60) == b"busy\n"
    workers = psutil.Process(server.pid).children()
    assert len(workers) == 4
    server.kill()
    await server.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, workers, timeout=20)
    assert [worker for worker in alive if worker.status() != psutil.STATUS_ZOMBIE] == []


async def test_a_worker_that_keeps_much_memory_is_replaced_before_the_next_job(make_pool, do):
    pool = make_pool(size=1, short=0, worker_memory=400 << 20)
    big = await pool.run(do("hoard", mb=250), job_id="b")
    later = [(await pool.run(do("echo"), job_id=str(n)))["pid"] for n in range(5)]
    assert big["pid"] not in later
    assert pool.stats().died == 0


async def test_an_answer_too_large_to_send_is_a_limit_not_a_death(make_pool, do):
    pool = make_pool()
    with pytest.raises(LimitExceeded, match="too large"):
        await pool.run(do("verbose", mb=65), job_id="a")
    assert len(await pool.run(do("verbose", mb=20), job_id="b")) == 20 << 20
    assert pool.stats().died == 0


async def test_a_worker_is_buried_though_all_of_the_loops_threads_are_busy(make_pool, do):
    loop, release = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    busy = loop.run_in_executor(None, release.wait)
    try:
        with pytest.raises(Unavailable, match="ended with code 3"):
            await make_pool().run(do("exit_silently"), job_id="a")
    finally:
        release.set()
        await busy
