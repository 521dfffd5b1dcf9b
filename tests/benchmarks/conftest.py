from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ledger import Ledger
from tests.support.live import LiveServer, live_server, with_demo
from tests.support.processes import settle


def pytest_addoption(parser: pytest.Parser) -> None:
    """Sizes, smaller for a quick look, and where to keep what comes out."""
    group = parser.getgroup("benchmarks")
    group.addoption("--scale", default="1", help="scale factor of TPC-H; 1 is 6 M rows")
    group.addoption("--rounds", type=int, default=3, help="how often each query is measured")
    group.addoption("--lake", help="a folder to keep the tables of TPC-H in, or to find them in")
    group.addoption("--flowfile", help="a virtual environment with Flowfile, to measure it as well")
    group.addoption("--sail", help="a virtual environment with pysail, to measure it as well")
    group.addoption("--import-mb", type=int, default=1000, help="MB of the file to import")
    group.addoption("--seconds", type=int, default=120, help="how long 32 clients ask")
    group.addoption("--publish", help="a folder for performance.json and performance.md")


@pytest.fixture(scope="session")
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """Where the ratios of this run are kept."""
    folder = request.config.getoption("--publish")
    kept = Ledger(Path(folder) if folder else None)
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def bench_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo."""
    return with_demo(tmp_path_factory.mktemp("bench-home"))


@pytest.fixture(scope="session")
def bench_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder the server serves."""
    return tmp_path_factory.mktemp("bench-root")


@pytest.fixture(scope="session")
def lake_folder(request: pytest.FixtureRequest, bench_root: Path) -> Path:
    """Where the tables of TPC-H are, or are to be made."""
    given = request.config.getoption("--lake")
    folder = Path(given).absolute() if given else bench_root / "lake"
    return folder / f"tpch-{request.config.getoption('--scale')}"


@pytest.fixture(scope="session")
def server(bench_home: Path, bench_root: Path, lake_folder: Path) -> Iterator[LiveServer]:
    """A server over the demo, at rest."""
    roots = os.pathsep.join(map(str, (bench_root, lake_folder)))
    with live_server(bench_home, bench_root, FLOWCAT_ALLOWED_ROOTS=roots) as running:
        settle(running.pid, 4)
        yield running
