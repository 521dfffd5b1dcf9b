"""Importing a large file, beside polars reading it with its defaults into a Delta table."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.big_csv import write_big_csv
from tests.support.live import LiveServer
from tests.support.measure import Report
from tests.support.usage import Usage, alone, with_children

pytestmark = pytest.mark.benchmark

DEFAULT_MB = 1000
SMALL_MB = 300
TIME_BOUND, MEMORY_BOUND = 2.5, 1.5
POLARS = (
    "pl.scan_csv(sys.argv[1], try_parse_dates=True, truncate_ragged_lines=True)"
    ".sink_delta(sys.argv[2])"
)


def test_an_import_with_full_inference_and_rejects(
    server: LiveServer, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    megabytes = int(request.config.getoption("--import-mb", default=DEFAULT_MB))
    path = server.root / f"{uuid4().hex}.csv"
    good, bad = write_big_csv(path, megabytes)

    def imported() -> None:
        body = {
            "table": f"main.default.t{uuid4().hex}",
            "path": path.name,
            "options": {"bad_rows": "skip"},
        }
        run = server.run_to_end(server.post("tables/import", body, 202))
        assert run["state"] == "succeeded", run
        assert run["result"]["rows_loaded"] == good, run
        assert run["result"]["rows_rejected"] == bad, run

    ours, theirs = list[Usage](), list[Usage]()
    for _ in range(1 if megabytes > SMALL_MB else 3):
        theirs.append(alone("import polars as pl", POLARS, str(path), str(tmp_path / uuid4().hex)))
        ours.append(with_children(server.pid, imported))
    size = path.stat().st_size / 1e6
    path.unlink()
    title = (
        f"importing {good:,} lines, {size:.0f} MB of CSV; baseline: polars scan_csv → sink_delta"
    )
    time = _beside(f"{title}, time", theirs, ours, "wall")
    cpu = _beside("the same, processor time", theirs, ours, "cpu")
    peak = _beside("the same, peak memory of a process", theirs, ours, "peak", 1e-6, "MB")
    assert time <= TIME_BOUND
    assert cpu <= TIME_BOUND
    assert peak <= MEMORY_BOUND


def _beside(
    title: str,
    theirs: list[Usage],
    ours: list[Usage],
    what: str,
    scale: float = 1.0,
    unit: str = "s",
) -> float:
    report = Report(title)
    report.line("polars", [getattr(one, what) for one in theirs], scale=scale, unit=unit)
    return report.line(
        "import over HTTP", [getattr(one, what) for one in ours], scale=scale, unit=unit
    )
