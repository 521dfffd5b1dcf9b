"""Queries over data sources in Python, on either engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import sqlglot
from sqlglot import exp

from flowcat_jupyter.formats.data_source import DataSource, DataSourceReader
from flowcat_jupyter.formats.python import PythonFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.sql.dialect import House
from flowcat_jupyter.sql.tree import dump_tree
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.query import run_explain, run_query


class Numbers(DataSource):
    """Numbers from an option on; number 13 is not to be had."""

    reads = 0

    @classmethod
    def name(cls) -> str:
        return "numbers"

    def schema(self) -> str:
        return "n INT, name STRING"

    def reader(self, schema: Any) -> DataSourceReader:
        first = int(self.options["from"])

        class Reader(DataSourceReader):
            def read(self, partition: Any) -> Iterator[tuple[int, str]]:
                Numbers.reads += 1
                for n in range(first, first + 3):
                    if n == 13:
                        raise OSError("thirteen is gone")
                    yield n, f"n{n}"

        return Reader()


def source(relation: str, first: int) -> wire.Source:
    options = (wire.OptionLayer("options", {"from": str(first)}),)
    return wire.Source(relation, "table", ("main", "s", relation), "numbers", "", options=options)


@pytest.fixture(params=["polars", "duckdb"])
def context(request: pytest.FixtureRequest, engine_context: JobContext) -> JobContext:
    engine_context.engines.register("duckdb", "flowcat_jupyter.engines.duckdb:ENGINE")
    engine_context.formats.register("numbers", PythonFormat("numbers", Numbers))
    return engine_context


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["context"])


def plan(sql: str, engine: str, *sources: wire.Source) -> wire.QueryPlan:
    tree = cast(exp.Select, sqlglot.parse_one(sql, dialect=House))
    headings = tuple(item.sql(dialect=House) for item in tree.selects)
    return wire.QueryPlan(dump_tree(tree), sources, headings, sql, engine=engine)


def rows(asked: wire.QueryPlan, context: JobContext, folder: Path) -> Any:
    job = wire.QueryJob(asked, str(folder / "spool"), 100, 1 << 20, str(folder / "json"))
    run_query(job, context)
    return json.loads((folder / "json").read_text())


def test_tables_of_one_source_differ_by_their_options(
    context: JobContext, engine: str, tmp_path: Path
) -> None:
    sql = "SELECT a.n, b.n FROM r1 AS a JOIN r2 AS b ON a.n = b.n ORDER BY a.n"
    got = rows(plan(sql, engine, source("r1", 0), source("r2", 1)), context, tmp_path)
    assert got == [[1, 1], [2, 2]]


def test_a_source_that_is_named_twice_is_read_once(
    context: JobContext, engine: str, tmp_path: Path
) -> None:
    Numbers.reads = 0
    sql = "SELECT a.n FROM r1 AS a JOIN r1 AS b ON a.n < b.n ORDER BY a.n"
    assert rows(plan(sql, engine, source("r1", 0)), context, tmp_path) == [[0], [0], [1]]
    assert Numbers.reads == 1


def test_an_error_of_its_code_is_told(context: JobContext, engine: str, tmp_path: Path) -> None:
    with pytest.raises(FlowcatError) as caught:
        rows(plan("SELECT max(n) AS m FROM r1", engine, source("r1", 12)), context, tmp_path)
    assert caught.value.message == (
        "The data source numbers (main.s.r1) failed to read: OSError: thirteen is gone."
    )
    # What DuckDB passes on is the text alone.
    assert caught.value.condition == ("DATA_SOURCE_FAILED" if engine == "polars" else None)


def test_explain_says_that_it_is_code(context: JobContext, engine: str) -> None:
    info = run_explain(wire.ExplainJob(plan("SELECT n FROM r1", engine, source("r1", 0))), context)
    assert any("code of a data source" in line for line in info.lines)
