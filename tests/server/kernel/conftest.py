"""A Jupyter server with Flowcat in a process of its own, and kernels it starts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from tests.support.kernels import LiveKernel

ROOT = Path(__file__).parents[3]
KERNELSPEC = ROOT / "flowcat_jupyter" / "_config" / "kernels" / "flowcat"
ENTRY_POINT = """[jupyter_client.kernel_provisioners]
flowcat-provisioner = flowcat_jupyter.kernel.provisioner:FlowcatProvisioner
"""


@dataclass
class LiveServer:
    """A running server; ``token`` is Jupyter's own."""

    url: str
    token: str
    runtime: Path
    kernels: list[LiveKernel] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """The JSON of an answer, or its status when it is an error."""
        request = Request(  # noqa: S310
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {token or self.token}"},
        )
        try:
            with urlopen(request, timeout=60) as answer:  # noqa: S310
                text = answer.read()
        except HTTPError as error:
            with error:
                return error.code
        return json.loads(text) if text else None

    def start_kernel(self, name: str = "flowcat") -> LiveKernel:
        kernel_id = self.ask("POST", "api/kernels", {"name": name})["id"]
        client = BlockingKernelClient()
        client.load_connection_file(str(self.runtime / f"kernel-{kernel_id}.json"))
        client.start_channels()
        kernel = LiveKernel(kernel_id, client)
        self.kernels.append(kernel)
        kernel.wait_until_ready()
        return kernel

    def is_ready(self) -> bool:
        try:
            status = self.ask("GET", "flowcat/catalog/status")
        except URLError:
            return False
        return isinstance(status, dict) and status["state"] == "ready"


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for the tests of this folder."""
    home = tmp_path_factory.mktemp("jupyter")
    shutil.copytree(KERNELSPEC, home / "share" / "kernels" / "flowcat")
    installed = home / "site" / "flowcat_kernel_spec-0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: flowcat-kernel-spec\n")
    (installed / "entry_points.txt").write_text(ENTRY_POINT)
    (home / "root").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.base_url": "/a%40b/",
        "ServerApp.root_dir": str(home / "root"),
        "ServerApp.allow_root": True,
        "ServerApp.jpserver_extensions": {"flowcat_jupyter": True},
        "IdentityProvider.token": "jupyters-own",
    }
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{home / 'site'}",
        "JUPYTER_PATH": str(home / "share"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "FLOWCAT_HOME": str(home / "flowcat"),
        "JUPYTERHUB_API_TOKEN": "the hub's",
    }
    arguments = [f"--{key}={value}" for key, value in settings.items()]
    log = (home / "server.log").open("w")
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "jupyter_server", *arguments], env=env, stdout=log, stderr=log
    )
    server = LiveServer(f"http://127.0.0.1:{port}/a%40b/", "jupyters-own", home / "runtime")
    try:
        _until(lambda: process.poll() is not None or server.is_ready(), 60)
        assert server.is_ready(), (home / "server.log").read_text()
        yield server
    finally:
        for kernel in server.kernels:
            kernel.client.stop_channels()
            kernel.client.context.destroy(linger=0)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()


def _until(condition: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
