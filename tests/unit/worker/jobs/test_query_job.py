"""Queries over real tables: one version of each, exact values, and who was read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

import polars as pl
import pytest
import sqlglot
from sqlglot import exp

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import FlowcatError, NotFound
from flowcat_jupyter.sql.dialect import House
from flowcat_jupyter.sql.tree import dump_tree
from flowcat_jupyter.worker.jobs.query import run_explain, run_query


def plan(sql: str, *sources: wire.Source, **options) -> wire.QueryPlan:
    tree = cast(exp.Select, sqlglot.parse_one(sql, dialect=House))
    headings = tuple(item.sql(dialect=House) for item in tree.selects)
    return wire.QueryPlan(dump_tree(tree), sources, headings, sql, **options)


@pytest.fixture
def run(tmp_path, engine_context):
    def ask(sql, *sources, max_rows=10, max_bytes=1 << 20, **options):
        job = wire.QueryJob(
            plan=plan(sql, *sources, **options),
            spool=str(tmp_path / "spool"),
            max_rows=max_rows,
            max_bytes=max_bytes,
            json_path=str(tmp_path / "json"),
        )
        info = run_query(job, engine_context)
        return info, json.loads((tmp_path / "json").read_text())

    return ask


def test_rows_are_spooled_and_written_as_strict_json(run, tmp_path, delta_source):
    source = delta_source(pl.DataFrame({"id": [1, 2, None], "t": ["<b>", "ü", None]}))
    info, rows = run("SELECT t, id FROM r1 ORDER BY id DESC", source)
    assert rows == [["ü", 2], ["<b>", 1], [None, None]]
    assert pl.read_ipc(tmp_path / "spool").columns == ["c0", "c1"]
    assert [column.name for column in info.columns] == ["t", "id"]
    assert (info.row_count, info.truncated, info.engine) == (3, False, "polars")
    assert info.used_tables == (wire.UsedTable(source.name, 0),)
    assert wire.decode(wire.encode(info)) == info


def test_the_cap_is_told(run, delta_source):
    source = delta_source(pl.DataFrame({"id": range(100)}))
    info, rows = run("SELECT id FROM r1", source, max_rows=5)
    assert (info.row_count, info.truncated, len(rows)) == (5, True, 5)


def test_integers_that_are_stored_narrow_do_not_wrap(run, delta_source):
    frame = pl.DataFrame({"n": [2_000_000_000] * 2}, schema={"n": pl.Int32})
    info, rows = run("SELECT SUM(n) AS s FROM r1", delta_source(frame))
    assert rows == [[4_000_000_000]]
    assert info.columns[0].type == "bigint"


def test_two_scans_of_one_table_see_one_version(run, delta_source):
    source = delta_source(pl.DataFrame({"v": [1]}))
    DeltaFormat().write(
        pl.DataFrame({"v": [2]}), location=source.location, mode="append", base_version=None
    )
    old = replace(source, relation="r2", version=0)
    info, rows = run("SELECT (SELECT COUNT(*) FROM r1), (SELECT COUNT(*) FROM r2)", source, old)
    assert rows == [[2, 1]]
    assert set(info.used_tables) == {
        wire.UsedTable(source.name, 1),
        wire.UsedTable(source.name, 0),
    }


def test_a_missing_table_is_not_found_and_nothing_is_spooled(run, tmp_path):
    source = wire.Source("r1", "table", ("a", "b", "c"), "delta", str(tmp_path / "nope"))
    with pytest.raises(NotFound):
        run("SELECT 1 FROM r1", source)
    assert not (tmp_path / "spool").exists()


def test_only_the_plans_sources_can_be_read(run):
    with pytest.raises(FlowcatError):
        run("SELECT * FROM r9")


def test_explaining_runs_nothing(engine_context, delta_source):
    source = delta_source(pl.DataFrame({"id": [1]}))
    info = run_explain(wire.ExplainJob(plan("SELECT id FROM r1", source)), engine_context)
    assert info.engine == "polars"
    assert info.lines
    assert info.used_tables == (wire.UsedTable(source.name, 0),)


@pytest.mark.parametrize("name", ["a", "A", "t.a"])
def test_a_name_of_two_columns_that_differ_by_case_is_ambiguous(run, tmp_path, name):
    path = tmp_path / "f.parquet"
    pl.DataFrame({"a": [1], "A": [2], "b": [3]}).write_parquet(path)
    source = wire.Source("r1", "table", ("main", "s", "t"), "parquet", str(path))
    with pytest.raises(FlowcatError, match="has the columns a and A") as caught:
        run(" ".join(("SELECT", name, "FROM r1 AS t")), source)
    assert caught.value.condition == "AMBIGUOUS_REFERENCE"
    answer = run("SELECT * FROM r1 AS t WHERE b = 3", source)
    assert [column.name for column in answer[0].columns] == ["a", "A", "b"]
