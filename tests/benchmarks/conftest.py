from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import LiveServer, flowcat, live_server
from tests.support.processes import settle


@pytest.fixture(scope="session")
def bench_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo."""
    home = tmp_path_factory.mktemp("bench-home")
    done = flowcat(home, "demo")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(scope="session")
def server(bench_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server over the demo, at rest."""
    with live_server(bench_home, tmp_path_factory.mktemp("bench-root")) as running:
        settle(running.pid, 4)
        yield running
