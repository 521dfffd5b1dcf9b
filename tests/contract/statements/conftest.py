"""A case for every format it is to be run with, and one server for each database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from tests.support.live import LiveServer, live_server
from tests.support.postgres import Server
from tests.support.statement_files import cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Fill in ``case`` and ``format``."""
    if {"case", "format"} <= {*metafunc.fixturenames}:
        found = [(case, format) for case in cases() for format in case.formats]
        ids = [f"{case.family}-{case.name}-{format}".rstrip("-") for case, format in found]
        metafunc.parametrize(("case", "format"), found, ids=ids)


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server whose catalog is in SQLite."""
    with _server(tmp_path_factory) as running:
        yield running


@pytest.fixture(scope="module")
def on_postgresql(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: Server
) -> Iterator[LiveServer]:
    """A server whose catalog is in PostgreSQL."""
    url = postgres_server.database()
    with _server(tmp_path_factory, FLOWCAT_DB_URL=url) as running:
        yield running
    postgres_server.drop(url)


def _server(factory: pytest.TempPathFactory, **env: str) -> AbstractContextManager[LiveServer]:
    home, root = factory.mktemp("statements-home"), factory.mktemp("statements-root")
    return live_server(home, root, FLOWCAT_SESSION_TIMEZONE="UTC", **env)
