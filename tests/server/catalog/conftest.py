from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import LiveServer, live_server, with_demo


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo, loaded as a user would."""
    return with_demo(tmp_path_factory.mktemp("demo-home"))


@pytest.fixture(scope="session")
def server(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server over the demo, shared: tests make tables of their own and leave the demo's alone."""
    root = tmp_path_factory.mktemp("root")
    with live_server(demo_home, root) as running:
        yield running
