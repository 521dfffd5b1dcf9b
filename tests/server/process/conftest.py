from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import LiveServer, live_server, with_demo


@pytest.fixture(scope="session")
def process_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo."""
    return with_demo(tmp_path_factory.mktemp("process-home"))


@pytest.fixture(scope="module")
def server(process_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server over the demo that the tests of one file share."""
    with live_server(process_home, tmp_path_factory.mktemp("process-root")) as running:
        yield running
