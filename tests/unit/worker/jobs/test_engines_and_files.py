"""Another engine reads a table's files itself only where that gives the same rows."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.worker.jobs.query import run_query
from tests.support.planning import planned, table

FRAME = pl.DataFrame(
    {
        "id": [1, 2, None],
        "small": [1, -1, 100],
        "name": ["a", None, "ü"],
        "ts": [datetime(2024, 1, 1, tzinfo=UTC), None, datetime(202, 1, 1, tzinfo=UTC)],
        "l": [[1], None, []],
    },
    schema_overrides={"small": pl.Int8, "ts": pl.Datetime("us", "UTC")},
)


@pytest.mark.parametrize("folder", ["t", "José #1", "a*b", "what?", "{a}"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t ORDER BY id",
        "SELECT name, count(*) AS n FROM t WHERE id = 2 OR id IS NULL GROUP BY name ORDER BY name",
        "SELECT small + 100 AS s, ts, l FROM t WHERE ts < '2024-06-01' ORDER BY s",
        "SELECT count(*) AS n FROM t WHERE id > 1000",
    ],
)
def test_both_engines_give_the_same_rows(tmp_path, engine_context, folder, text):
    engine_context.engines.register("duckdb", "flowcat_jupyter.engines.duckdb:ENGINE")
    location = str(tmp_path / folder / "t")
    lake = DeltaFormat()
    for at, rows in enumerate((FRAME, FRAME.with_columns(pl.col("id") + 10))):
        mode = "append" if at else "create"
        lake.write(rows, location=location, mode=mode, base_version=None)
    answers = []
    for engine in ("polars", "duckdb"):
        plan = planned(text, table(location), engine=engine)
        spool = tmp_path / engine
        info = run_query(wire.QueryJob(plan, str(spool), 100, 1 << 20), engine_context)
        answers.append((info.columns, sorted(pl.read_ipc(spool).rows(), key=repr)))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("f > 5", 1),
        ("f = CAST('NaN' AS DOUBLE)", 1),
        ("isnan(f)", 1),
        ("f <> 1", 1),
        ("NOT f <= 1", 1),
        ("f >= 1", 2),
        ("f > 5 OR id > 5", 1),
        ("f < 5", 1),
        ("f IS NULL", 1),
    ],
)
def test_nan_which_files_record_in_no_range_is_found(
    tmp_path, engine_context, engine, kind, condition, rows
):
    engine_context.engines.register("duckdb", "flowcat_jupyter.engines.duckdb:ENGINE")
    location = str(tmp_path / "t")
    frame = pl.DataFrame({"id": [1, 2, 3], "f": [math.nan, 1.0, None]}).cast({"f": kind})
    DeltaFormat().write(frame, location=location, mode="create", base_version=None)
    text = " ".join(("SELECT id FROM t WHERE", condition))
    plan = planned(text, table(location), engine=engine)
    run_query(wire.QueryJob(plan, str(tmp_path / "rows"), 100, 1 << 20), engine_context)
    assert pl.read_ipc(tmp_path / "rows").height == rows
