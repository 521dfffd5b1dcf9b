"""JupyterLab starts as fast with the extension as without."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.live import TOKEN, clean_env, free_port
from tests.support.measure import Report, interleaved

pytestmark = pytest.mark.benchmark

ROUNDS = 7
PROMISED = 1.05


def _start(home: Path, extension: bool) -> float:
    """Seconds from starting JupyterLab to its first answer."""
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
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - words of our own
        command,
        env=clean_env(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not _answers(port):
            assert process.poll() is None, "JupyterLab ended"
            time.sleep(0.005)
        return time.perf_counter() - began
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/api/status", headers={"Authorization": f"token {TOKEN}"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def test_lab_starts_as_fast_with_the_extension(tmp_path: Path):
    _start(tmp_path, True)
    without, with_it = interleaved(
        ROUNDS, lambda: _start(tmp_path, False), lambda: _start(tmp_path, True)
    )
    report = Report("JupyterLab to its first answer; baseline: without the extension")
    report.line("without", without)
    report.line("with", with_it)
    pairs = [one / other for one, other in zip(with_it, without, strict=True)]
    ratio = statistics.median(pairs)
    report.note(f"median of the pairs' ratios: {ratio:.3f}")
    assert ratio <= PROMISED
