"""Real parts that tests of several folders share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgres import Server, running_server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One PostgreSQL server for the whole run; it fails, never skips, where there is none."""
    with running_server() as server:
        yield server
