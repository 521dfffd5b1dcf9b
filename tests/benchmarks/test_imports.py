"""Importing a large file, beside polars reading it with its defaults into a Delta table."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.big_csv import write_big_csv
from tests.support.ledger import Ledger
from tests.support.live import LiveServer
from tests.support.measure import Report
from tests.support.usage import Usage, alone, with_children

pytestmark = pytest.mark.benchmark

POLL_S = 0.5
"""How often a person's browser looks how far it is."""
TIME_BOUND, MEMORY_BOUND = 2.5, 1.5
POLARS_SAID = "polars scan_csv → sink_delta"
POLARS = (
    "pl.scan_csv(sys.argv[1], try_parse_dates=True, truncate_ragged_lines=True)"
    ".sink_delta(sys.argv[2])"
)


def test_an_import_with_full_inference_and_rejects(
    server: LiveServer, tmp_path: Path, request: pytest.FixtureRequest, ledger: Ledger
) -> None:
    megabytes = int(request.config.getoption("--import-mb"))
    path = server.root / f"{uuid4().hex}.csv"
    good, bad = write_big_csv(path, megabytes)

    def imported() -> None:
        body = {
            "table": f"main.default.t{uuid4().hex}",
            "path": path.name,
            "options": {"bad_rows": "skip"},
        }
        run = server.post("tables/import", body, 202)
        while run["state"] in ("queued", "running"):
            time.sleep(POLL_S)
            run = server.get(f"runs/{run['id']}")
        assert run["state"] == "succeeded", run
        assert run["result"]["rows_loaded"] == good, run
        assert run["result"]["rows_rejected"] == bad, run

    ours, theirs = list[Usage](), list[Usage]()
    for _ in range(3):
        theirs.append(alone("import polars as pl", POLARS, str(path), str(tmp_path / uuid4().hex)))
        ours.append(with_children(server.pid, imported))
    size = path.stat().st_size / 1e6
    path.unlink()
    report = Report(f"importing {good:,} lines, {size:.0f} MB of CSV; baseline: {POLARS_SAID}")
    wall, cpu = (_beside(report, theirs, ours, what) for what in ("wall", "cpu"))
    peak = _beside(report, theirs, ours, "peak")
    note = f"{size:.0f} MB, {good:,} lines and {bad} rejected"
    ledger.hold("Import of a CSV file", POLARS_SAID, wall, TIME_BOUND, cpu=cpu, note=note)
    ledger.hold("Import of a CSV file, peak memory", POLARS_SAID, peak, MEMORY_BOUND, note=note)


def _beside(report: Report, theirs: list[Usage], ours: list[Usage], what: str) -> float:
    """The ratio of the medians of one measure, noted."""
    their, our = (statistics.median(getattr(one, what) for one in some) for some in (theirs, ours))
    scale, unit = (1e-6, "MB") if what == "peak" else (1.0, "s")
    report.note(f"{what}: {our * scale:.1f} {unit} against {their * scale:.1f} {unit}")
    return our / their
