"""The template package, built and installed where a server, its workers and its kernels find it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from tests.support.kernels import LiveKernel
from tests.support.live import LiveServer, live_server

TEMPLATE = Path(__file__).parents[3] / "docs" / "template-extension"
BROKEN = "[flowcat.data_sources]\nbroken = flowcat_no_such_module:Broken\n"


@dataclass(frozen=True)
class Place:
    """A home with packages of its own."""

    home: Path
    packages: str

    @property
    def path(self) -> str:
        """What PYTHONPATH is to say."""
        return os.pathsep.join(filter(None, (self.packages, os.environ.get("PYTHONPATH"))))


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A home beside the installed template, and a package that cannot be imported."""
    home = tmp_path_factory.mktemp("extensions")
    source, packages = home / "source", home / "packages"
    shutil.copytree(TEMPLATE, source)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(  # noqa: S603 - words of our own
        [*command, "--target", str(packages), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    broken = packages / "broken_extension-3.1.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: broken-extension\nVersion: 3.1\n"
    )
    (broken / "entry_points.txt").write_text(BROKEN)
    return Place(home, str(packages))


@pytest.fixture(scope="session")
def server(place: Place) -> Iterator[LiveServer]:
    root = place.home / "root"
    root.mkdir()
    with live_server(place.home, root, PYTHONPATH=place.path) as running:
        yield running


@pytest.fixture(scope="module")
def kernel(server: LiveServer, place: Place) -> Iterator[LiveKernel]:
    """A kernel of the server's with the catalog in it."""
    reply = server.request("POST", "kernels", {"name": "python3"}, root="api/")
    assert reply.status == 201, reply.body
    with _spoken_to(place.home / "jupyter-runtime", reply.json["id"]) as started:
        started.text("%load_ext flowcat_jupyter\nimport polars as pl")
        yield started
    server.request("DELETE", f"kernels/{started.id}", root="api/")


@contextmanager
def _spoken_to(runtime: Path, kernel_id: str) -> Iterator[LiveKernel]:
    client = BlockingKernelClient()
    client.load_connection_file(str(runtime / f"kernel-{kernel_id}.json"))
    client.start_channels()
    kernel = LiveKernel(kernel_id, client)
    try:
        kernel.wait_until_ready()
        yield kernel
    finally:
        client.stop_channels()
        client.context.destroy(linger=0)
