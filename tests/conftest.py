"""Real parts that tests of several folders share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support.postgres import Server, running_server

# The same examples each time where a red run must mean a fault of the change; new ones elsewhere.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """One PostgreSQL server for the whole run; it fails, never skips, where there is none."""
    with running_server() as server:
        yield server
