"""What the measurements are made of works, at sizes that take seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.big_csv import BLOCK, REJECTED_OF_A_BLOCK, write_big_csv
from tests.support.crowd import Crowd
from tests.support.live import live_server
from tests.support.usage import alone

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_small_crowd_sees_nothing_wrong(process_home: Path, tmp_path: Path) -> None:
    probe = "tests.support.lag_probe"
    with live_server(process_home, tmp_path, extensions=probe, PYTHONPATH=str(ROOT)) as server:
        server.request("GET", "lag", root="probe/")
        crowd = Crowd(server, 4)
        list(crowd.run(2, 0.2))
        lags = json.loads(server.request("GET", "lag", root="probe/").body)["lags"]
    assert crowd.told.wrong == []
    assert crowd.told.rounds
    assert lags


def test_a_large_file_has_as_many_lines_as_is_said(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    good, bad = write_big_csv(path, 30)
    assert (good, bad) == (2 * BLOCK, REJECTED_OF_A_BLOCK)
    assert path.read_bytes().count(b"\n") == 1 + good + bad


def test_what_a_process_uses_is_told() -> None:
    used = alone("import math", "sum(math.sqrt(n) for n in range(100_000))")
    assert used.wall > 0
    assert used.cpu > 0
    assert used.peak > 1e6
