"""One clone of the last commit, and what is built from it, for every test of packaging."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.packaging import PLAIN_PATH, ROOT, Built, run


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packaging") / "clone"
    run(["git", "clone", "-q", ROOT, folder], folder.parent, PLAIN_PATH)
    return folder


@pytest.fixture(scope="session")
def built(clone: Path) -> Built:
    """The sdist, whose making builds the front end, and the wheel made from the sdist alone."""
    path = f"{Path(sys.executable).parent}:{PLAIN_PATH}"
    run([sys.executable, "-m", "build", "-o", clone / "dist"], clone, path)
    (sdist,) = (clone / "dist").glob("*.tar.gz")
    (wheel,) = (clone / "dist").glob("*.whl")
    return Built(clone, sdist, wheel)
