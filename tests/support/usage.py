"""What processes used: processor time and the most memory they held."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

_ALONE = """
import json, sys, time
{imports}
wall, cpu = time.perf_counter(), time.process_time()
{work}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
json.dump([wall, cpu, int(peak.split()[1]) * 1024], sys.stdout)
"""


@dataclass(frozen=True)
class Usage:
    """Seconds of the clock, seconds of processors, bytes at the peak."""

    wall: float
    cpu: float
    peak: float


def alone(imports: str, work: str, *arguments: str) -> Usage:
    """What Python code uses in a fresh process, what it imports apart."""
    done = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-c", _ALONE.format(imports=imports, work=work), *arguments],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return Usage(*json.loads(done.stdout))


def with_children(pid: int, work: Callable[[], object]) -> Usage:
    """What a process and its children use for ``work``; the peak is that of a single one."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    for process in family:
        # "5" makes the kernel forget the highest mark.
        Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    before = sum(map(_cpu, family))
    began = time.perf_counter()
    work()
    wall = time.perf_counter() - began
    return Usage(wall, sum(map(_cpu, family)) - before, max(_peak(one.pid) for one in family))


def _cpu(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


def _peak(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
