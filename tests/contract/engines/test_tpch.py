"""The 22 queries of TPC-H give the rows that DuckDB gives for them as they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support.engines import Tables, plan_for
from tests.support.tpch import (
    QUERIES,
    TABLES,
    delta_tables,
    generate,
    generator,
    near,
    plain,
    products,
)

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.skipif(generator() is None, reason="tpchgen-cli is not installed")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tpch")
    generate(folder, "0.01")
    return folder


@pytest.fixture(scope="module")
def tables(parquet: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return delta_tables(parquet, tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def database(parquet: Path) -> Any:
    connection = duckdb.connect()
    for name in TABLES:
        connection.execute(f"CREATE VIEW {name} AS FROM '{parquet / name}.parquet'")
    yield connection
    connection.close()


def test_there_are_twenty_two() -> None:
    assert list(QUERIES) == [f"q{at:02}" for at in range(1, 23)]


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_gives_the_rows_that_duckdb_gives_for_its_text(
    name: str, ask: Any, tables: Tables, database: Any
) -> None:
    wanted = database.execute(QUERIES[name]).fetchall()
    got = ask(QUERIES[name], tables).rows
    assert near(plain(got), plain(wanted))


@pytest.mark.parametrize("name", QUERIES)
def test_tables_with_commas_between_them_are_joined_by_their_keys(
    name: str, engine: Engine, tables: Tables
) -> None:
    if engine.name != "polars":
        pytest.skip("the other engine finds the keys by itself")
    plan, relations = plan_for(QUERIES[name], tables)
    shown = "\n".join(engine.prepare(plan, relations).explain())
    # Two queries compare with one row that a sub-query gives: a product with that row alone.
    assert products(shown) <= {"q11": 1, "q15": 1, "q22": 1}.get(name, 0), shown
