from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live import flowcat


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose catalog holds the demo, loaded as a user would."""
    home = tmp_path_factory.mktemp("cli-home")
    done = flowcat(home, "demo")
    assert done.returncode == 0, done.stderr
    return home
