"""Folders in which nothing is half-done: waiting for who is at work, mending what a crash left.

A folder is locked while files are moved in it, and shared while its names are read. A lock goes
with its process. File systems that have none, and machines that do not see each other's, are told
apart by whether anything moves: nobody's work is touched that may go on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from flowcat_jupyter.shared.errors import Unavailable
from flowcat_jupyter.storage.moving import PLAN, STAGED, Moves, read_plan

WAIT_S = 60.0
"""How long a lock is waited for."""
QUIET_S = 30.0
"""Seconds without any move after which another machine's work is taken for dead."""
OLD_S = 600.0
"""The same, where a file's time says it."""
LEFT_S = 86_400.0
"""Seconds after which nobody writes any more into a hidden folder whose writer is unknown."""
_POLL_S = 0.01
Found = TypeVar("Found")


@cache
def machine() -> str:
    """What tells kernels apart, within which locks are seen; a reboot makes another."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip().split("-")[0]
    return f"{uuid.getnode():012x}"


def new_stage(folder: Path) -> tuple[Path, int | None]:
    """A new hidden folder below ``folder``, which is made; and what holds it as long as it is open.

    :raises OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder, fcntl.LOCK_SH):
        stage = folder / f"{STAGED}{machine()}-{uuid.uuid4().hex}"
        stage.mkdir(parents=True)
        descriptor = os.open(stage, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return stage, None
    return stage, descriptor


@contextmanager
def alone(folder: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """The folder for one process to move files in, with nothing left half-done by another.

    :raises Unavailable: another one is at work in it for long, or something cannot be mended.
    """
    with _locked(folder, fcntl.LOCK_EX, wait_s) as sure:
        _mend(folder, sure=sure)
        yield


def settled(folder: Path, look: Callable[[], Found]) -> Found:
    """What ``look`` finds in a folder while nobody moves files in it.

    What a crash left half-done there is finished first, and what it left over removed.

    :raises Unavailable: it cannot be finished, or somebody is at work for long.
    """
    if _stages(folder):
        tidy(folder)
    deadline = time.monotonic() + WAIT_S
    while True:
        with _locked(folder, fcntl.LOCK_SH) as sure:
            before = _changed(folder)
            if not _has(folder, PLAN):
                found = look()
                if sure or (not _has(folder, PLAN) and _changed(folder) == before):
                    return found
        if time.monotonic() > deadline:
            raise _busy(folder)
        mend(folder)


def tidy(folder: Path) -> None:
    """Remove the hidden folders of writers that are dead, if nobody is at work at this moment."""
    with suppress(Unavailable), _locked(folder, fcntl.LOCK_EX, wait_s=0):
        if not _has(folder, PLAN):
            _sweep(folder)


def settle(path: Path) -> None:
    """Finish what a crash left half-done in the folders that a path leads through.

    :raises Unavailable: it cannot be finished.
    """
    for folder in (path, *path.parents):
        if _has(folder, PLAN):
            mend(folder)


def is_settled(folder: Path) -> bool:
    """Whether nothing is half-done in a folder, nor being written to it."""
    return not (_has(folder, PLAN) or _stages(folder))


def mend(folder: Path, wait_s: float = WAIT_S) -> None:
    """Finish what a crash left half-done in a folder, and remove what nobody needs.

    :raises Unavailable: it cannot be finished, or somebody is at work for long.
    """
    with alone(folder, wait_s):
        return


def publish(moves: Moves) -> None:
    """Take all steps, or none if one cannot be.

    :raises OSError: one cannot be, and all have been taken back.
    """
    try:
        moves.take()
    except OSError:
        with suppress(OSError):
            moves.take_back()
        raise


def _mend(folder: Path, *, sure: bool) -> None:
    plan = read_plan(folder)
    if plan is not None:
        if not sure or plan.machine != machine():
            _watch(folder)
        try:
            if read_plan(folder) == plan:
                Moves(folder, plan).take()
        except OSError as error:
            raise Unavailable(
                f"A write to {folder.name} was interrupted, and cannot be finished: "
                f"{error.strerror}.",
                hint="Read or write it once as somebody who may change files there.",
            ) from error
    _sweep(folder)


def _watch(folder: Path) -> None:
    """Wait until a plan is gone, or nothing has moved for long."""
    start, last = time.monotonic(), None
    while True:
        try:
            seen = (folder / PLAN).stat().st_mtime
        except OSError:
            return
        if time.time() - seen > OLD_S:
            return
        if seen != last:
            start, last = time.monotonic(), seen
        elif time.monotonic() - start > QUIET_S:
            return
        time.sleep(_POLL_S * 10)


def _sweep(folder: Path) -> None:
    """Remove the hidden folders of writers that are dead."""
    for stage in _stages(folder):
        if _is_abandoned(stage):
            shutil.rmtree(stage, ignore_errors=True)


def _stages(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as scan:
            return [Path(entry.path) for entry in scan if entry.name.startswith(STAGED)]
    except OSError:
        return []


def _is_abandoned(stage: Path) -> bool:
    here = stage.name.removeprefix(STAGED).startswith(f"{machine()}-")
    try:
        descriptor = os.open(stage, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        here = False
    finally:
        os.close(descriptor)
    return here or time.time() - _newest(stage) > LEFT_S


def _newest(stage: Path) -> float:
    newest = 0.0
    for root, _, names in os.walk(stage):
        for name in (".", *names):
            with suppress(OSError):
                newest = max(newest, (Path(root) / name).lstat().st_mtime)
    return newest


@contextmanager
def _locked(folder: Path, kind: int, wait_s: float = WAIT_S) -> Iterator[bool]:
    """A folder's lock; False where the file system has none, or the folder cannot be opened.

    :raises Unavailable: others have it for long.
    """
    deadline, taken = time.monotonic() + wait_s, False
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        while not taken:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                taken = True
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    break
                if time.monotonic() > deadline:
                    raise _busy(folder) from error
                time.sleep(_POLL_S)
        yield taken
    finally:
        os.close(descriptor)


def _busy(folder: Path) -> Unavailable:
    return Unavailable(
        f"Files of {folder.name} are being moved by another process.", hint="Try again later."
    )


def _has(folder: Path, name: str) -> bool:
    try:
        return os.path.lexists(folder / name)
    except (OSError, ValueError):
        return False


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
