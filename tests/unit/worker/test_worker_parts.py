"""Ceilings, reasons, environment, progress and frames, without any process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path

import pytest

from flowcat_jupyter.shared.errors import LimitExceeded, Unavailable
from flowcat_jupyter.worker import frames, limits, reasons
from flowcat_jupyter.worker.context import RateLimitedProgress
from flowcat_jupyter.worker.process import environment

GB = 1 << 30


def test_all_busy_workers_together_stay_below_the_machine():
    for workers in (1, 3, 16):
        assert limits.default_ceiling(workers) <= limits.MOST_BYTES
    assert limits.default_ceiling(3) * 3 < limits.machine_memory()


def test_there_is_memory_and_a_thread_for_somebody():
    assert limits.machine_memory() > limits.LEAST_BYTES
    assert 1 <= limits.machine_threads() <= (os.cpu_count() or 1)


def test_a_limit_on_the_container_counts(tmp_path):
    (tmp_path / "memory.max").write_text("1000000000\n")
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert limits.machine_memory(tmp_path) == 1_000_000_000
    assert limits.machine_threads(tmp_path) == 1
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert limits.machine_memory(tmp_path) > 1_000_000_000


def test_sizes_are_said_as_people_say_them():
    assert limits.readable(300 << 20) == "300 MB"
    assert limits.readable(4 * GB) == "4 GB"
    assert limits.readable(int(4.706 * GB)) == "4.71 GB"


def test_a_watched_process_that_is_gone_uses_nothing_and_is_not_killed():
    watched = limits.Watched(2**22 + 1, 0)
    watched.enforce()
    assert watched.used() == 0
    assert not watched.exceeded
    watched.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_is_read_from_the_process_itself():
    watched = limits.Watched(os.getpid(), GB)
    assert watched.used() > 1 << 20
    watched.close()


@pytest.mark.parametrize(
    "line",
    [
        "polars: memory usage exceeded POLARS_OOMKILL_THRESHOLD_MB or "
        "POLARS_OOMKILL_THRESHOLD_FRACTION, aborting",
        "memory allocation of 8589934592 bytes failed",
        "terminate called after throwing an instance of 'std::bad_alloc'",
    ],
)
def test_an_allocators_last_line_means_the_memory_limit(line):
    error = reasons.why_it_died("The query", -signal.SIGABRT, f"noise\n{line}\n", 4 * GB)
    assert isinstance(error, LimitExceeded)
    assert error.message == "The query needed more than 4 GB of memory."


@pytest.mark.parametrize(
    ("status", "output", "message"),
    [
        (3, "", "The worker stopped: it ended with code 3."),
        (-11, "a\n\nb\n", "The worker stopped: it was ended by SIGSEGV (b)."),
        (-250, "", "The worker stopped: it was ended by signal 250."),
        (None, "", "The worker stopped: it did not answer."),
        (1, "at /home/ada/x.py\n", "The worker stopped: it ended with code 1 (at …)."),
        (1, "bad token=s3cr3t", "The worker stopped: it ended with code 1 (bad …)."),
        (1, "got s3://key@bucket/x", "The worker stopped: it ended with code 1 (got …)."),
    ],
)
def test_a_death_is_told_without_paths_and_secrets(status, output, message):
    error = reasons.why_it_died("The query", status, output, GB)
    assert isinstance(error, Unavailable)
    assert error.message == message


def test_only_what_a_worker_needs_is_kept_of_the_environment():
    server = {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "LC_ALL": "C",
        "PYTHONPATH": f"{os.pathsep}/lib{os.pathsep}",
        "POLARS_MAX_THREADS": "3",
        "JUPYTERHUB_API_TOKEN": "x",
        "FLOWCAT_TOKEN": "x",
        "FLOWCAT_SECRET_KEY": "x",
        "JPY_PARENT_PID": "1",
        "DATABASE_URL": "x",
    }
    worker = environment(server, 2 * GB)
    assert "x" not in worker.values()
    assert "JPY_PARENT_PID" not in worker
    assert worker["POLARS_MAX_THREADS"] == "3"
    assert worker["POLARS_OOMKILL_THRESHOLD_MB"] == "2048"
    assert "" not in worker["PYTHONPATH"].split(os.pathsep)
    assert worker["PYTHONPATH"].endswith("/lib")
    assert int(environment({}, GB)["POLARS_MAX_THREADS"]) >= 1


def test_progress_is_thinned_but_its_end_is_always_told():
    told: list[dict] = []
    progress = RateLimitedProgress(told.append)
    progress(1, None, "rows")
    progress(2, None, "rows")
    progress(9, 9, "rows", "done")
    assert [report["done"] for report in told] == [1, 9]


async def test_a_frame_arrives_as_it_was_sent_and_a_torn_one_counts_as_the_end():
    ours, theirs = socket.socketpair()
    body = {"text": "ä\n\0😀", "n": [1, None, 2.5]}
    ours.sendall(frames.pack(body))
    assert frames.read(theirs) == body
    ours.sendall(frames.pack(body)[:-1])
    ours.close()
    assert frames.read(theirs) is None
    theirs.close()
    reader = asyncio.StreamReader()
    reader.feed_data(frames.pack(body) + b"\xff\xff\xff\xff")
    assert await frames.read_async(reader) == body
    assert await frames.read_async(reader) is None
