from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fuzz import Fuzzed, fuzzed_server


@pytest.fixture(scope="session")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """A server of its own over the demo: what is sent to it may drop and change anything."""
    home: Path = tmp_path_factory.mktemp("fuzz-home")
    with fuzzed_server(home, tmp_path_factory.mktemp("fuzz-root")) as running:
        yield running
