"""Behind a provider that vouches for names, a kernel is the user who had it started."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.live import LiveServer, grant, live_server
from tests.support.processes import eventually

REPOSITORY = Path(__file__).parents[3]
KERNELSPEC = REPOSITORY / "flowcat_jupyter" / "_config" / "kernels" / "flowcat"
ENTRY_POINT = """[jupyter_client.kernel_provisioners]
flowcat-provisioner = flowcat_jupyter.kernel.provisioner:FlowcatProvisioner
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of named users that can start Flowcat's kernels."""
    home = tmp_path_factory.mktemp("users-home")
    shutil.copytree(KERNELSPEC, home / "share" / "kernels" / "flowcat")
    installed = home / "site" / "flowcat_kernel_spec-0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: flowcat-kernel-spec\n")
    (installed / "entry_points.txt").write_text(ENTRY_POINT)
    root = tmp_path_factory.mktemp("users-root")
    with live_server(home, root) as setup:
        (main,) = setup.get("namespaces/tree")["items"]
    grant(home, "analysts", ["ann"], main["id"], "use")
    with live_server(
        home,
        root,
        "--ServerApp.identity_provider_class=tests.support.named_identity.NamedIdentity",
        token="user:" + "root",
        PYTHONPATH=f"{REPOSITORY}:{home / 'site'}",
        JUPYTER_PATH=str(home / "share"),
    ) as server:
        yield server


def _start(server: LiveServer, name: str) -> tuple[str, str]:
    """The id and the Flowcat token of a kernel that ``name`` starts."""
    reply = server.request(
        "POST", "api/kernels", {"name": "flowcat"}, token=f"user:{name}", root=""
    )
    assert reply.status == 201, reply.body
    kernel_id = reply.json["id"]
    assert eventually(lambda: _token(server, kernel_id) is not None)
    return kernel_id, str(_token(server, kernel_id))


def _token(server: LiveServer, kernel_id: str) -> str | None:
    for process in psutil.Process(server.pid).children(recursive=True):
        try:
            env = process.environ()
        except psutil.Error:
            continue
        if env.get("FLOWCAT_KERNEL_ID") == kernel_id:
            return env.get("FLOWCAT_TOKEN")
    return None


def test_a_kernel_sees_what_its_user_sees_whoever_restarts_it(shared: LiveServer):
    def names(token: str) -> list[str]:
        reply = shared.request("GET", "namespaces/tree", token=token)
        assert reply.status == 200, reply.body
        return [node["name"] for node in reply.json["items"]]

    kernel_id, ann = _start(shared, "ann")
    _, bob = _start(shared, "bob")
    assert names(ann) == names("user:ann") == ["main"]
    assert names(bob) == names("user:bob") == []
    restart = f"api/kernels/{kernel_id}/restart"
    assert shared.request("POST", restart, token="user:" + "bob", root="").status == 200
    assert names(ann) == ["main"]
