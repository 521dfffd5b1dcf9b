from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live import with_demo


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo, loaded as a user would."""
    return with_demo(tmp_path_factory.mktemp("cli-home"))
