"""What the operating system says of a running server: memory, mapped libraries, children."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ENGINES = ("polars", "deltalake", "duckdb", "pyarrow", "arro3", "numpy", "pandas")


def mapped_engines(pid: int) -> set[str]:
    """The data engines whose shared objects a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    files = {line.split(maxsplit=5)[5] for line in lines if ".so" in line}
    return {engine for engine in ENGINES for file in files if f"/{engine}" in file.lower()}


def rss(pid: int) -> int:
    """Bytes of memory a process holds, its children's not counted."""
    return int(psutil.Process(pid).memory_info().rss)


def workers(pid: int) -> list[psutil.Process]:
    """The worker processes of a server."""
    return [child for child in psutil.Process(pid).children() if _is_worker(child)]


def settle(pid: int, count: int, timeout_s: float = 60.0) -> None:
    """Wait until a server has ``count`` workers that have imported all and rest."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if len(workers(pid)) == count and not _busy(pid, 0.02):
            return
    raise AssertionError(f"there are {len(workers(pid))} workers, or they do not rest")


def busy_worker(pid: int, timeout_s: float = 20.0) -> psutil.Process:
    """The worker of a settled server that computes, waited for."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if found := _busy(pid, 0.1):
            return found[0]
    raise AssertionError("no worker is busy")


def _busy(pid: int, seconds: float) -> list[psutil.Process]:
    """The workers that spend more than so much processor time in half a second."""
    before = {worker: sum(worker.cpu_times()[:2]) for worker in workers(pid)}
    time.sleep(0.5)
    return [worker for worker, spent in before.items() if _spent(worker) - spent > seconds]


def _spent(worker: psutil.Process) -> float:
    try:
        return float(sum(worker.cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0


def eventually(what: Callable[[], bool], timeout_s: float = 10.0) -> bool:
    """Whether ``what`` comes true in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.05)
    return what()


@dataclass
class Peak:
    """The most memory a process held, above what it began with."""

    start: int
    most: int

    @property
    def grown_mb(self) -> float:
        return (self.most - self.start) / 1e6


@contextmanager
def watching_rss(pid: int, every_s: float = 0.01) -> Iterator[Peak]:
    """Look at a process's memory for as long as the block runs."""
    peak = Peak(rss(pid), rss(pid))
    done = threading.Event()

    def watch() -> None:
        while not done.wait(every_s):
            peak.most = max(peak.most, rss(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "flowcat_jupyter.entry.worker" in process.cmdline()
    except psutil.Error:
        return False
