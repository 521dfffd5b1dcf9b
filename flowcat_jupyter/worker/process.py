"""One worker process, seen from the server."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flowcat_jupyter.worker import frames
from flowcat_jupyter.worker.limits import machine_threads

_LOG = logging.getLogger("flowcat.worker")
_KEPT_OUTPUT = 16_384
_REAP_S = 10.0
_LEAST_PAUSE_S, _MOST_PAUSE_S = 0.001, 0.05
_MOST_THREADS = 16
# Nothing else of the server's environment reaches a worker: it may hold tokens.
_KEPT = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TZ", "VIRTUAL_ENV", "CONDA_PREFIX"})
_KEPT_PREFIXES = ("LANG", "LC_", "TMP", "TEMP", "PYTHON", "POLARS_", "LD_LIBRARY_", "DYLD_", "SSL_")


@dataclass(frozen=True)
class Setup:
    """How to start a worker: ``registries`` (``module:function``) and ``memory`` in bytes.

    ``scratch`` is the folder for its temporary files; None: the system's own.
    """

    registries: str
    memory: int
    scratch: Path | None = None


def environment(
    server: Mapping[str, str], memory: int, scratch: Path | None = None
) -> dict[str, str]:
    """The part of the server's environment that a worker gets, and what it gets besides.

    Where nobody chose a folder for temporary files they lie in ``scratch``, which goes with the
    server: a worker that is killed removes nothing itself.
    """
    kept = {
        name: value
        for name, value in server.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    kept.setdefault("POLARS_MAX_THREADS", str(min(_MOST_THREADS, machine_threads())))
    kept["POLARS_OOMKILL_THRESHOLD_MB"] = str(max(1, memory >> 20))
    kept["FLOWCAT_WORKER_MEMORY"] = str(memory)
    if scratch is not None and not any(name in kept for name in ("TMPDIR", "TEMP", "TMP")):
        kept["TMPDIR"] = str(scratch)
    root = str(Path(__file__).resolve().parents[2])
    if root not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        # A server run from a source tree: the worker must load the same code.
        kept["PYTHONPATH"] = os.pathsep.join([root, kept.get("PYTHONPATH", "")])
    # An empty entry would mean the current folder, where any user may put a module.
    folders = [folder for folder in kept.pop("PYTHONPATH", "").split(os.pathsep) if folder]
    return {**kept, "PYTHONPATH": os.pathsep.join(folders)} if folders else kept


class WorkerProcess:
    """A started worker. It is its process group's leader and dies with its socket."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Take over a process that `spawn` started, and its socket."""
        self._process = process
        self._reader = reader
        self._writer = writer
        self._output = bytearray()
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def spawn(cls, setup: Setup) -> WorkerProcess:
        """Start a worker; `receive` gives its "ready" when it has imported what it needs.

        :raises OSError: the system refused another process or file.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            try:
                process = _started(setup, theirs.fileno())
            except BaseException:
                writer.close()
                raise
        return cls(process, reader, writer)

    @property
    def pid(self) -> int:
        """Its process id, also its group's."""
        return self._process.pid

    @property
    def output(self) -> str:
        """The last of what it wrote to standard output and error."""
        return self._output.decode(errors="replace")

    def send(self, frame: bytes) -> None:
        """Send one packed frame; one that cannot arrive is dropped, as `receive` will tell."""
        self._writer.write(frame)

    async def receive(self) -> dict[str, Any] | None:
        """Its next frame; None when it is dead or dying."""
        return await frames.read_async(self._reader)

    def kill(self) -> None:
        """End it and everything it started, now."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def ended(self) -> int | None:
        """Wait until it is gone and give its exit status (negative: a signal).

        Kills it when it does not go by itself. None when not even that is seen to work.
        """
        self._writer.close()
        status = await self._reap(1.0)
        if status is None:
            self.kill()
            status = await self._reap(_REAP_S)
        await asyncio.wait({self._listening}, timeout=1.0)
        self._listening.cancel()
        await asyncio.wait({self._listening})
        if self._process.stdout is not None:
            self._process.stdout.close()
        return status

    async def _reap(self, seconds: float) -> int | None:
        # Looked at from the loop: a thread each would be missed by others while the worker ends.
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + seconds, _LEAST_PAUSE_S
        while self._process.poll() is None and loop.time() < until:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MOST_PAUSE_S)
        return self._process.returncode

    async def _listen(self) -> None:
        reader = asyncio.StreamReader()
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._process.stdout
        )
        try:
            while part := await reader.read(_KEPT_OUTPUT):
                self._output += part
                del self._output[:-_KEPT_OUTPUT]
                _LOG.warning("worker %d: %s", self.pid, part.decode(errors="replace").rstrip())
        finally:
            pipe.close()


def _started(setup: Setup, descriptor: int) -> subprocess.Popen[bytes]:
    """Start a worker, at once: asyncio's own way waits for the pipes to be connected, and in a loop
    that is being closed at that moment for ever.
    """
    return subprocess.Popen(  # noqa: S603 - the words are our own
        _command(setup, descriptor),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(descriptor,),
        env=environment(os.environ, setup.memory, setup.scratch),
        start_new_session=True,
    )


def _command(setup: Setup, descriptor: int) -> list[str]:
    return [
        sys.executable,
        # Without -P the folder the server was started in would come first on the worker's path.
        "-P",
        "-m",
        "flowcat_jupyter.entry.worker",
        f"--channel={descriptor}",
        f"--parent={os.getpid()}",
        f"--memory={setup.memory}",
        f"--registries={setup.registries}",
    ]
