"""What binder/ says, followed step by step, ends with the demo in a catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.packaging import PLAIN_PATH, make_env, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_binder_starts_with_the_demo(clone: Path, tmp_path: Path) -> None:
    programs = make_env(tmp_path / "env")
    path, where = f"{programs}:{PLAIN_PATH}", {"FLOWCAT_HOME": str(tmp_path / "catalog")}
    run(["pip", "install", "-q", "-r", "binder/requirements.txt"], clone, path)
    run(["./binder/postBuild"], clone, path, **where)
    listed = run([programs / "flowcat", "ls", "demo.nyc"], tmp_path, path, **where)
    assert [name for name in ("flights", "weather") if name not in listed] == []
