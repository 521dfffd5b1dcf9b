"""Who runs a query is known before it runs, is said, and is never changed by a failure."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.engines.choice import Choice, choose
from flowcat_jupyter.registries import engines
from flowcat_jupyter.shared.errors import NotFound, NotInstalled, SqlError
from flowcat_jupyter.shared.registry import Registry
from tests.support.engines import numbers, plan_for

TABLES = numbers([1, 2])
SAMPLED = "SELECT x FROM t TABLESAMPLE (100 PERCENT)"


class WithoutDuckDB(Registry[Any]):
    def get(self, name: str) -> Any:
        if name == "duckdb":
            raise NotInstalled("DuckDB", "pip install 'flowcat-jupyter[duckdb]'")
        return super().get(name)


def chosen(sql: str, registry: Registry[Any] | None = None, **settings: Any) -> Choice:
    plan, relations = plan_for(sql, TABLES, **settings)
    return choose(plan, relations, registry or engines())


def without_duckdb() -> Registry[Any]:
    registry = WithoutDuckDB("engine")
    registry.register("polars", "flowcat_jupyter.engines.polars:ENGINE")
    return registry


def test_polars_runs_what_it_covers() -> None:
    made = chosen("SELECT sum(x) FROM t")
    assert made.engine.name == "polars"
    assert "default" in made.reason


def test_duckdb_runs_what_only_it_covers_and_the_reason_names_the_construct() -> None:
    made = chosen(SAMPLED)
    assert made.engine.name == "duckdb"
    assert "TABLESAMPLE" in made.reason


def test_without_duckdb_the_error_names_the_construct_and_what_to_install() -> None:
    with pytest.raises(SqlError) as refused:
        chosen(SAMPLED, without_duckdb())
    error = refused.value
    assert "TABLESAMPLE" in error.message
    assert "flowcat-jupyter[duckdb]" in str(error.hint)
    assert (error.condition, error.line) == ("UNSUPPORTED_FEATURE", 1)


def test_what_no_engine_covers_says_so_as_before() -> None:
    with pytest.raises(SqlError, match="FETCH") as refused:
        chosen("SELECT x FROM t LIMIT 10 PERCENT")
    assert refused.value.condition == "UNSUPPORTED_FEATURE"


def test_a_query_that_is_wrong_is_not_tried_elsewhere() -> None:
    with pytest.raises(SqlError, match="nosuch"):
        chosen("SELECT nosuch FROM t", without_duckdb())
    with pytest.raises(SqlError, match="nosuch"):
        chosen("SELECT nosuch(x) FROM t", without_duckdb())


def test_the_preferred_engine_comes_first_and_the_other_helps_it() -> None:
    assert chosen("SELECT x FROM t", prefers="duckdb").engine.name == "duckdb"
    assert "prefer" in chosen("SELECT x FROM t", prefers="duckdb").reason


def test_an_engine_that_is_asked_for_is_taken_or_refused_and_never_replaced() -> None:
    assert chosen("SELECT x FROM t", engine="duckdb").engine.name == "duckdb"
    with pytest.raises(SqlError, match="TABLESAMPLE"):
        chosen(SAMPLED, engine="polars")
    with pytest.raises(NotFound, match="sparkle") as unknown:
        chosen("SELECT x FROM t", engine="sparkle")
    assert "duckdb, polars" in str(unknown.value.hint)
    with pytest.raises(NotInstalled) as missing:
        chosen("SELECT x FROM t", without_duckdb(), engine="duckdb")
    assert "flowcat-jupyter[duckdb]" in str(missing.value.hint)
