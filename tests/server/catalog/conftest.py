from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

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


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {name}; USE {name}")
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def folder(server: LiveServer) -> Path:
    """A folder that users may name, with nothing in it."""
    made = server.root / f"files-{uuid4().hex[:8]}"
    made.mkdir()
    return made
