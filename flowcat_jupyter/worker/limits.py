"""How much memory a worker may use, and who sees to it.

Three nets, because each has holes: polars' own threshold is exact but only polars', the watch sees
every engine but 50 ms late, and the kernel's limit on private data holds when the server is busy.
Where there is no ``/proc`` the watch does nothing and the other two remain.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

POLL_S = 0.05
SHARE_OF_MACHINE = 0.6
MOST_BYTES = 8 << 30
LEAST_BYTES = 256 << 20
HARD_FACTOR = 1.5

_LOG = logging.getLogger("flowcat.worker")
# Importing this on Windows must not fail: the pool itself says there that it cannot work.
_POSIX = os.name == "posix"
_PAGE = os.sysconf("SC_PAGE_SIZE") if _POSIX else 4096
_CGROUPS = Path("/sys/fs/cgroup")


def machine_memory(cgroups: Path = _CGROUPS) -> int:
    """Bytes of memory this machine, container or service may use."""
    physical = os.sysconf("SC_PHYS_PAGES") * _PAGE if _POSIX else MOST_BYTES
    files = [cgroups / "memory/memory.limit_in_bytes", *_cgroup_files(cgroups, "memory.max")]
    limits = [int(text) for text in map(_text, files) if text.isdigit()]
    return min([physical, *limits])


def machine_threads(cgroups: Path = _CGROUPS) -> int:
    """How many threads this machine, container or service can run at once, at least 1."""
    threads = [os.cpu_count() or 1]
    for text in map(_text, _cgroup_files(cgroups, "cpu.max")):
        quota, _, period = text.partition(" ")
        if quota.isdigit() and period.isdigit() and int(period):
            threads.append(max(1, round(int(quota) / int(period))))
    return min(threads)


def _cgroup_files(cgroups: Path, name: str) -> list[Path]:
    """Where a limit called ``name`` on the control groups this process is in may be written."""
    own = [line[3:] for line in _text(Path("/proc/self/cgroup")).splitlines() if line[:3] == "0::"]
    groups = [cgroups / group.lstrip("/") for group in ("", *own)]
    inside = {folder for group in groups for folder in (group, *group.parents)}
    return [folder / name for folder in sorted(inside) if folder.is_relative_to(cgroups)]


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def default_ceiling(workers: int) -> int:
    """Bytes each of ``workers`` may use while all are busy, so that the machine has some left."""
    share = int(machine_memory() * SHARE_OF_MACHINE / workers)
    return max(LEAST_BYTES, min(MOST_BYTES, share))


def limit_this_process(ceiling: int) -> None:
    """Let the kernel refuse this process private memory far beyond ``ceiling`` bytes.

    The limit is generous because reserved memory counts, used or not. A crash leaves no memory
    image either: it would hold people's data.
    """
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = int(ceiling * HARD_FACTOR)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def readable(size: int) -> str:
    """``size`` bytes as people say it."""
    if size < 1 << 30:
        return f"{size / (1 << 20):.0f} MB"
    return f"{size / (1 << 30):.3g} GB"


class Watched:
    """A busy worker under watch. ``exceeded`` tells why it died."""

    def __init__(self, pid: int, ceiling: int) -> None:
        """Open the record of the process group's leader ``pid``; ``ceiling`` is in bytes."""
        self.pid = pid
        self.ceiling = ceiling
        self.exceeded = False
        # An open descriptor stays bound to this process even after its number is given to another.
        self._statm: int | None = None
        with suppress(OSError):
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)

    def used(self) -> int:
        """Bytes of memory of its own; pages of files are not counted, the kernel may drop them."""
        if self._statm is None:
            return 0
        try:
            fields = os.pread(self._statm, 256, 0).split()
        except OSError:
            return 0
        return (int(fields[1]) - int(fields[2])) * _PAGE if len(fields) > 2 else 0

    def enforce(self) -> None:
        """Kill the worker when it is above its ceiling."""
        if self.exceeded or self.used() <= self.ceiling:
            return
        self.exceeded = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Stop watching."""
        if self._statm is not None:
            os.close(self._statm)
            self._statm = None


class MemoryWatch:
    """Kills workers above their ceiling, from one thread that sleeps while none is busy."""

    def __init__(self) -> None:
        """Begin with nothing to watch and no thread."""
        self._watched: set[Watched] = set()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def add(self, pid: int, ceiling: int) -> Watched:
        """Watch a process until `remove`."""
        watched = Watched(pid, ceiling)
        with self._change:
            self._watched.add(watched)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="flowcat-memory-watch", daemon=True
                )
                self._thread.start()
            self._change.notify()
        return watched

    def remove(self, watched: Watched) -> None:
        """Stop watching a process."""
        with self._change:
            self._watched.discard(watched)
            watched.close()

    def stop(self) -> None:
        """End the thread."""
        with self._change:
            self._stopped = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        with self._change:
            while not self._stopped:
                for watched in self._watched:
                    watched.enforce()
                self._change.wait(POLL_S if self._watched else None)
