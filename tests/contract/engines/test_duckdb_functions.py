"""What DuckDB alone has, and what it spells in a way of its own, gives Spark's types and values."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.registries import engines
from flowcat_jupyter.shared.errors import FlowcatError, SqlError
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.capabilities import CONSTRUCTS, function_engines
from tests.support.engines import Tables, numbers, plan_for, select

TEXT = (Path(__file__).parents[2] / "data" / "sql" / "functions_duckdb.txt").read_text()
CALLS = [tuple(line.split(" | ")) for line in TEXT.splitlines()]


def answer(sql: str, tables: Tables | None = None) -> tuple[list[str], list[tuple[object, ...]]]:
    plan, relations = plan_for(sql, tables or {})
    prepared = engines().get("duckdb").prepare(plan, relations)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.arrow")
        prepared.sink(path, limit=100, max_bytes=1_000_000)
        return [column.type for column in prepared.columns], pl.read_ipc(path.read_bytes()).rows()


@pytest.mark.parametrize(("call", "kind", "wanted"), CALLS, ids=[call for call, _, _ in CALLS])
def test_a_call_gives_sparks_type_and_value(call: str, kind: str, wanted: str) -> None:
    types, rows = answer(select(call, ""))
    assert types == [kind]
    assert str(rows[0][0]) == wanted


def test_every_function_that_duckdb_alone_has_is_tried() -> None:
    tried = {call.split("(")[0] for call, _, _ in CALLS}
    alone = {name for name in functions.names() if function_engines(name) == ("duckdb",)}
    assert alone <= tried


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("array(1)[1]", "INVALID_ARRAY_INDEX"),
        ("element_at(array(1), 2)", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"),
        ("element_at(array(1), 0)", "INVALID_INDEX_OF_ZERO"),
        ("CAST('3.7' AS INT)", "CAST_INVALID_INPUT"),
        ("CAST(upper('3.7') AS INT)", "CAST_INVALID_INPUT"),
        ("CAST(upper('1e3') AS INT)", "CAST_INVALID_INPUT"),
        ("CAST(upper('99999999999') AS INT)", "CAST_INVALID_INPUT"),
        ("CAST(upper('2024-02-30') AS DATE)", "CAST_INVALID_INPUT"),
        ("CAST(upper('maybe') AS BOOLEAN)", "CAST_INVALID_INPUT"),
        ("CAST(upper('1000') AS DECIMAL(3, 1))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("transform(array(0), x -> 1 DIV x)", "DIVIDE_BY_ZERO"),
        ("map('a', 1, 'a', 2)", "DUPLICATED_MAP_KEY"),
        ("corr(x, y) FROM VALUES (1e308D, 1D), (-1e308D, 2D) AS v(x, y)", "ARITHMETIC_OVERFLOW"),
    ],
)
def test_a_failure_has_sparks_condition(call: str, condition: str) -> None:
    with pytest.raises(FlowcatError) as failed:
        answer(select(call, ""))
    assert failed.value.condition == condition


@pytest.mark.parametrize("item", CONSTRUCTS, ids=[item.name for item in CONSTRUCTS])
def test_a_construct_that_an_engine_has_not_is_named_with_its_place(item) -> None:
    plan, relations = plan_for(item.example, numbers([1]))
    for name in {"polars", "duckdb"} - set(item.engines):
        with pytest.raises(SqlError) as refused:
            engines().get(name).prepare(plan, relations)
        assert refused.value.line == 1
