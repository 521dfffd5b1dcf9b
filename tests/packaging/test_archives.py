"""What people install holds all it needs and nothing that is ours alone."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.packaging import PLAIN_PATH, Built, make_env, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SHARE = "flowcat_jupyter-{version}.data/data/share/jupyter"
NEEDED = (
    "flowcat_jupyter/py.typed",
    "flowcat_jupyter/extension.py",
    "flowcat_jupyter/handlers/changes.event.yaml",
    "flowcat_jupyter/catalog/store/migrations/env.py",
    "flowcat_jupyter/catalog/store/migrations/versions/v0001.py",
)
SHARED = (
    "share/jupyter/labextensions/flowcat-jupyter/package.json",
    "share/jupyter/labextensions/flowcat-jupyter/install.json",
    "share/jupyter/labextensions/flowcat-jupyter/static/style.js",
    "share/jupyter/labextensions/flowcat-jupyter/schemas/flowcat-jupyter/package.json.orig",
    "share/jupyter/kernels/flowcat/kernel.json",
    "etc/jupyter/jupyter_server_config.d/flowcat_jupyter.json",
)
PRIVATE = re.compile(rb"/root/|/home/\w|/tmp/pytest-")


def members(built: Built) -> Iterator[tuple[str, bytes]]:
    """Every file of both archives."""
    with zipfile.ZipFile(built.wheel) as wheel:
        for name in wheel.namelist():
            yield f"wheel: /{name}", wheel.read(name)
    with tarfile.open(built.sdist) as sdist:
        for member in sdist.getmembers():
            file = sdist.extractfile(member)
            yield f"sdist: {member.name}", file.read() if file else b""


def test_the_wheel_holds_what_a_server_a_browser_and_a_kernel_need(built: Built) -> None:
    names = set(zipfile.ZipFile(built.wheel).namelist())
    data = {name.partition(".data/data/")[2] for name in names}
    assert [name for name in NEEDED if name not in names] == []
    assert [name for name in SHARED if name not in data] == []


def test_neither_archive_holds_source_maps_or_paths_of_the_machine(built: Built) -> None:
    paths = [str(built.clone).encode(), str(Path(__file__).resolve().parents[2]).encode()]
    found = [
        name
        for name, content in members(built)
        if name.endswith(".map")
        or any(path in content for path in paths)
        or ("/flowcat_jupyter/" in name and PRIVATE.search(content))
    ]
    assert found == []


def test_the_wheel_holds_no_tests_and_no_typescript(built: Built) -> None:
    names = zipfile.ZipFile(built.wheel).namelist()
    assert [n for n in names if re.search(r"(^|/)tests?/|\.tsx?$|node_modules", n)] == []


def test_a_wheel_works_where_there_is_no_node(built: Built, tmp_path: Path) -> None:
    programs = make_env(tmp_path / "env")
    run([programs / "python", "-m", "pip", "install", "-q", built.wheel], tmp_path, PLAIN_PATH)
    empty = tmp_path / "empty"
    empty.mkdir()
    where = {"HOME": str(tmp_path), "FLOWCAT_HOME": str(tmp_path / "catalog")}

    def say(*command: str) -> str:
        return run([programs / command[0], *command[1:]], empty, str(programs), **where)

    assert re.search(r"flowcat_jupyter\s+enabled[\s\S]*OK", say("jupyter-server", *LIST))
    assert re.search(r"flowcat-jupyter v\S+ .*enabled.*OK", say("jupyter-labextension", "list"))
    assert "import" in say("flowcat", "--help")
    assert "FAULT" not in say("flowcat", "doctor")
    assert "1 row" in say("flowcat", "sql", "SELECT 1")


LIST = ("extension", "list")
