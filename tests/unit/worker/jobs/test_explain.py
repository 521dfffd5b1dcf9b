"""EXPLAIN tells a person how a query would run, in the query's own names."""

from __future__ import annotations

import re

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.worker.jobs.query import run_explain
from tests.support.planning import planned, select, table

FLIGHTS = pl.DataFrame(
    {"id": range(24), "month": [i % 12 + 1 for i in range(24)], "carrier": ["AA", "UA"] * 12}
)


@pytest.fixture
def explain(tmp_path, engine_context):
    lake = DeltaFormat()
    folder = tmp_path / "José"
    lake.write(
        FLIGHTS,
        location=str(folder / "flights"),
        mode="create",
        base_version=None,
        partition_by=["month"],
    )
    airlines = pl.DataFrame({"carrier": ["AA", "UA"], "name": ["American", "United"]})
    lake.write(airlines, location=str(folder / "airlines"), mode="create", base_version=None)

    def run(text: str, **options) -> wire.ExplainInfo:
        tables = [
            table(str(folder / name), path=("main", "my schema", name))
            for name in ("flights", "airlines")
        ]
        plan = planned(text, *tables, **options)
        info = run_explain(wire.ExplainJob(plan, select(text).extended), engine_context)
        assert wire.decode(wire.encode(info)) == info
        return info

    return run


def test_it_says_the_engine_the_sources_and_the_steps(explain):
    info = explain(
        "SELECT carrier, count(*) AS n FROM flights WHERE month = 1 AND id >= 0 "
        "GROUP BY carrier HAVING count(*) > 0 ORDER BY n DESC LIMIT 10"
    )
    assert info.lines == (
        "Engine: polars. It is the default and has everything that this query uses.",
        "Sources:",
        "  main.`my schema`.flights: delta, version 0, read as its Parquet files, in one scan",
        "    columns: all 3",
        "    files: 1 of 12 files; 11 left out, because no wanted row can be in them",
        "    rows: 2 of 24 rows; 22 left out, because no wanted row can be in them",
        "Steps, the last one first:",
        "  Keep the first 10 rows",
        "    Sort by n descending",
        "      Keep the groups where count(*) > 0",
        "        Group by carrier and compute carrier, count(*) AS n",
        "          Keep the rows where month = 1 AND id >= 0",
        "            Read main.`my schema`.flights: 3 of 3 columns, 1 of 12 files",
    )
    (source,) = info.sources
    assert source == wire.ExplainedSource(
        name=("main", "my schema", "flights"),
        format="delta",
        version=0,
        route="its Parquet files, in one scan",
        files=12,
        files_skipped=11,
        rows=24,
        rows_skipped=22,
        columns=("id", "month", "carrier"),
        columns_total=3,
    )
    assert info.steps[0] == wire.ExplainStep(0, "Keep the first 10 rows")


def test_joins_steps_and_sub_queries_are_told_in_the_names_that_were_written(explain):
    info = explain(
        "WITH early AS (SELECT * FROM flights WHERE month IN (1, 2)) "
        "SELECT a.name, max(e.id) FROM early e LEFT JOIN airlines a ON a.carrier = e.carrier "
        "WHERE e.id < (SELECT avg(id) FROM flights) GROUP BY a.name "
        "UNION ALL SELECT 'none', 0"
    )
    assert [(step.depth, step.text) for step in info.steps] == [
        (0, "Put the rows of both together"),
        (1, "Group by a.name and compute a.name, max(e.id)"),
        (2, "Keep the rows where e.id < (sub-query)"),
        (3, "Join on a.carrier = e.carrier, keeping every row of the first"),
        (4, "Take the rows of the step early as e"),
        (4, "Read main.`my schema`.airlines as a: 2 of 2 columns, 1 of 1 file"),
        (3, "The sub-query in a condition or a column:"),
        (4, "Compute avg(id)"),
        (5, "Read main.`my schema`.flights: 3 of 3 columns, 12 of 12 files"),
        (1, "Compute 'none', 0"),
        (2, "Start from one row without columns"),
        (0, "The step early:"),
        (1, "Keep the rows where month IN (1, 2)"),
        (2, "Read main.`my schema`.flights: 3 of 3 columns, 12 of 12 files"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM flights a JOIN flights USING (id)",
        "SELECT * FROM flights, `my schema`.flights f WHERE f.id = flights.id",
        "SELECT DISTINCT f.carrier FROM flights f WHERE EXISTS (SELECT 1 FROM airlines x)",
        "SELECT (SELECT max(id) FROM flights) AS m, carrier FROM airlines",
        "SELECT count(*) FROM (SELECT id FROM flights QUALIFY row_number() OVER "
        "(PARTITION BY carrier ORDER BY id) = 1) q",
        "SELECT x FROM (VALUES (1), (2)) AS t(x) EXCEPT SELECT id FROM flights ORDER BY x OFFSET 1",
        "SELECT v FROM flights LATERAL VIEW explode(array(1, 2)) e AS v",
    ],
)
def test_nothing_generated_and_no_path_shows(explain, text, tmp_path):
    info = explain(text)
    shown = "\n".join([*info.lines, *(step.text for step in info.steps)])
    assert not re.search(r"\br\d+\b|\bc\d+\b|\ba\d+\b|__flowcat|\.parquet", shown)
    assert str(tmp_path) not in shown
    assert "José" not in shown


def test_only_the_columns_that_are_named_count_as_read(explain):
    info = explain("SELECT count(*) FROM flights")
    assert info.sources[0].columns == ()
    assert "    columns: 0 of 3" in info.lines
    info = explain("SELECT f.CARRIER FROM flights f JOIN airlines a USING (carrier)")
    assert [source.columns for source in info.sources] == [("carrier",), ("carrier",)]
    info = explain("SELECT a.* FROM flights f JOIN airlines a ON a.carrier = f.carrier")
    assert [source.columns for source in info.sources] == [("carrier",), ("carrier", "name")]


def test_the_engines_own_plan_comes_with_extended(explain):
    text = "SELECT id FROM flights WHERE id > 3"
    assert "The engine's own plan:" not in explain(f"EXPLAIN {text}").lines
    lines = explain(f"EXPLAIN EXTENDED {text}").lines
    assert "The engine's own plan:" in lines
    assert not any(".parquet" in line for line in lines)


def test_an_engine_that_was_asked_for_is_said_to_be(explain):
    info = explain("SELECT 1 AS one", engine="polars")
    assert info.reason == "It is the one that was asked for."
    assert info.sources == ()


def test_a_query_too_deep_to_be_told_is_refused(explain, engine_context):
    engine_context.engines.register("duckdb", "flowcat_jupyter.engines.duckdb:ENGINE")
    text = "SELECT * FROM (" * 300 + "SELECT id FROM flights" + ")" * 300
    with pytest.raises(SqlError, match="nested too deeply"):
        explain(text)
