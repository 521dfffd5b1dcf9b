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
ROGUE = "[flowcat.data_sources]\nrogue = flowcat_test_rogue:Rogue\n"
ROGUE_CODE = """
import os, time
from flowcat_jupyter.formats.data_source import DataSource, DataSourceReader, DataSourceWriter

with open(__file__ + ".pids", "a") as importers:
    importers.write(f"{os.getpid()}\\n")


class Rogue(DataSource):
    @classmethod
    def name(cls):
        return "rogue"

    def reader(self, schema):
        deed = self.options["deed"]

        class Reader(DataSourceReader):
            def read(self, partition):
                yield (1,)
                if deed == "exit":
                    os._exit(3)
                while deed == "hang":
                    time.sleep(0.05)

        return Reader()

    def writer(self, schema, overwrite):
        class Writer(DataSourceWriter):
            def write(self, iterator):
                os._exit(3)

        return Writer()
"""


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
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
    done = subprocess.run(  # noqa: S603 - words of our own
        [*command, "--target", str(packages), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    _add(packages, "broken_extension", BROKEN)
    _add(packages, "rogue_extension", ROGUE)
    (packages / "flowcat_test_rogue.py").write_text(ROGUE_CODE)
    return Place(home, str(packages))


def _add(packages: Path, package: str, points: str) -> None:
    folder = packages / f"{package}-3.1.dist-info"
    folder.mkdir()
    name = package.replace("_", "-")
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.1\n")
    (folder / "entry_points.txt").write_text(points)


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
