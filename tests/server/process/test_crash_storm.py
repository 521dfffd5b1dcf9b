"""A short storm of ``kill -9``; ``python -m scripts.crash_storm --kills 200`` is a long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.storm import Storm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
KILLS = 15


def test_whatever_is_killed_nothing_acknowledged_is_lost_and_nothing_left_over(
    tmp_path: Path,
) -> None:
    report = Storm(tmp_path / "home", seed=7).run(KILLS)
    assert report.faults == []
    assert sum(report.kills.values()) == KILLS
    assert report.done["imports"] and report.done["kernel writes"], report.done
