"""JupyterLab and kernels start as fast, or nearly so, with the extension as without."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from tests.support.ledger import Ledger
from tests.support.live import TOKEN, clean_env, free_port
from tests.support.measure import Report

pytestmark = pytest.mark.benchmark

ROUNDS = 15
LAB_BOUND, KERNEL_BOUND = 1.05, 1.3


Took = tuple[float, float]
"""Seconds of the clock, and of the process's processor time."""


def _start_lab(home: Path, extension: bool) -> Took:
    """What it takes from starting JupyterLab to its first answer."""
    port = free_port()
    command = [
        sys.executable,
        *("-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={home}"),
        # Jupytext is installed for tests alone, and is no part of a plain JupyterLab.
        "--ServerApp.jpserver_extensions="
        f"{{'flowcat_jupyter': {extension}, 'jupyterlab_jupytext': False}}",
    ]
    return _until(command, home, lambda process: _answers(process, port))


def _start_kernel(home: Path, module: str) -> Took:
    """What it takes from starting a kernel to its first answer."""
    file = str(home / f"kernel-{uuid4().hex}.json")
    write_connection_file(file)
    client = BlockingKernelClient(connection_file=file)
    client.load_connection_file()
    client.start_channels()
    try:
        command = [sys.executable, "-m", module, "-f", file]
        return _until(command, home, lambda _: client.wait_for_ready(60))
    finally:
        client.stop_channels()


def _until(
    command: list[str], home: Path, ready: Callable[[subprocess.Popen[bytes]], None]
) -> Took:
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - words of our own
        command,
        env=clean_env(home, IPYTHONDIR=str(home / "ipython")),
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ready(process)
        took = time.perf_counter() - began
        return took, float(sum(psutil.Process(process.pid).cpu_times()[:2]))
    finally:
        process.kill()
        process.wait()


def _answers(process: subprocess.Popen[bytes], port: int) -> None:
    while not _answered(port):
        assert process.poll() is None, "JupyterLab ended"
        time.sleep(0.005)


def _answered(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/api/status", headers={"Authorization": f"token {TOKEN}"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _paired(
    report: Report, without: Callable[[], Took], with_it: Callable[[], Took]
) -> tuple[float, float]:
    """The medians of the ratios of starts that follow each other, of both kinds of seconds."""
    with_it()
    pairs = [(without(), with_it()) for _ in range(ROUNDS)]
    report.line("without", [plain[0] for plain, _ in pairs])
    report.line("with", [ours[0] for _, ours in pairs])
    wall, cpu = (statistics.median(o[kind] / p[kind] for p, o in pairs) for kind in (0, 1))
    return wall, cpu


def test_lab_starts_as_fast_with_the_extension(tmp_path: Path, ledger: Ledger) -> None:
    report = Report("JupyterLab to its first answer; baseline: without the extension")
    wall, cpu = _paired(
        report, lambda: _start_lab(tmp_path, False), lambda: _start_lab(tmp_path, True)
    )
    ledger.hold("Start of JupyterLab", "without the extension", wall, LAB_BOUND, cpu=cpu)


def test_a_kernel_starts_nearly_as_fast_as_a_plain_one(tmp_path: Path, ledger: Ledger) -> None:
    report = Report("a kernel to its first answer; baseline: a plain ipykernel")
    wall, cpu = _paired(
        report,
        lambda: _start_kernel(tmp_path, "ipykernel_launcher"),
        lambda: _start_kernel(tmp_path, "flowcat_jupyter.entry.kernel"),
    )
    ledger.hold("Start of a kernel", "a plain ipykernel", wall, KERNEL_BOUND, cpu=cpu)
