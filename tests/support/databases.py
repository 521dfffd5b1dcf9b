"""Fixtures for suites that run on SQLite and PostgreSQL alike; conftest files import them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.store.migrate import upgrade
from tests.support.catalog import World
from tests.support.postgres import Server

BACKENDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql))


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "catalog.db"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_server: Server) -> str:
    url = postgres_server.database()
    _migrate(url)
    return url.rsplit("/", 1)[1]


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Server = request.getfixturevalue("postgres_server")
    url = server.database()
    yield url
    server.drop(url)


@pytest.fixture(params=BACKENDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database with the newest schema and nothing in it."""
    if request.param == "sqlite":
        path = tmp_path / "catalog.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    server: Server = request.getfixturevalue("postgres_server")
    url = server.database(request.getfixturevalue("postgres_template"))
    yield url
    server.drop(url)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
async def world(engine: Engine, tmp_path: Path) -> AsyncIterator[World]:
    made = World(engine, tmp_path / "home")
    yield made
    await made.close()


def _migrate(url: str) -> None:
    engine = open_engine(url)
    upgrade(engine)
    engine.dispose()
