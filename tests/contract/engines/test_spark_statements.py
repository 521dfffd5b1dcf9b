"""Eighty statements with the answers of Apache Spark: right, or refused by name; never wrong."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from flowcat_jupyter.engines.choice import choose
from flowcat_jupyter.engines.protocol import Engine
from flowcat_jupyter.registries import engines
from flowcat_jupyter.shared.errors import SqlError
from tests.support.engines import DATA, Tables, plain, plan_for

STATEMENTS: list[dict[str, Any]] = json.loads((DATA / "statements.json").read_text())["statements"]
REFUSED: dict[str, set[str]] = {"polars": {"tablesample"}, "duckdb": set()}
# There a DECIMAL divided or averaged is a DOUBLE, which the answer says.
DOUBLES = {"polars": set[str](), "duckdb": {"sum_dec"}}
_HAS_NAME = re.compile(r"Not supported|There is no function")


def same(got: Any, wanted: Any) -> bool:
    if isinstance(got, float) and isinstance(wanted, (int, float)):
        return got == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    if isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return bool(got == wanted)


def in_order(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=repr)


@pytest.mark.parametrize("statement", STATEMENTS, ids=[item["id"] for item in STATEMENTS])
def test_a_statement_is_answered_as_spark_answers_it_or_refused_by_name(
    statement: dict[str, Any], ask: Any, engine: Engine, spark_tables: Tables
) -> None:
    wanted_error = re.match(r"\[(\w+)\]", statement.get("error", ""))
    if statement["id"] in REFUSED[engine.name]:
        with pytest.raises(SqlError, match=_HAS_NAME) as refused:
            ask(statement["sql"], spark_tables)
        assert refused.value.condition in ("UNSUPPORTED_FEATURE", "UNRESOLVED_ROUTINE")
        assert refused.value.line is not None
        return
    if wanted_error:
        with pytest.raises(SqlError) as failed:
            ask(statement["sql"], spark_tables)
        assert failed.value.condition == wanted_error.group(1)
        return
    answer = ask(statement["sql"], spark_tables)
    if statement["id"] in DOUBLES[engine.name]:
        assert any("DOUBLE" in warning for warning in answer.warnings)
        numbers = [[float(str(plain(cell)).removeprefix("D:")) for cell in answer.rows[0]]]
        assert same(numbers, [[float(cell.removeprefix("D:")) for cell in statement["rows"][0]]])
        return
    rows = [[plain(cell) for cell in row] for row in answer.rows]
    # Ties under ORDER BY may come in either order, so rows are compared as a bag as well.
    assert same(rows, statement["rows"]) or same(in_order(rows), in_order(statement["rows"]))
    assert answer.types == statement["types"]
    if statement["id"] != "unnamed":
        assert [item.lower() for item in answer.headings] == [
            item.lower() for item in statement["cols"]
        ]


def test_the_engine_that_is_chosen_answers_nearly_all_of_the_eighty(
    spark_tables: Tables,
) -> None:
    registry = engines()
    for statement in STATEMENTS:
        if statement["id"] in REFUSED["polars"] - REFUSED["duckdb"]:
            plan, relations = plan_for(statement["sql"], spark_tables)
            assert choose(plan, relations, registry).engine.name == "duckdb"
    assert len(STATEMENTS) - len(REFUSED["polars"] & REFUSED["duckdb"]) >= 75
