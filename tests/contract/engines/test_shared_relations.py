"""A table that a statement names several times is read once, and stays itself in each place."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.engines.polars import ENGINE, PolarsQuery
from tests.support.engines import Tables, plan_for, select
from tests.support.sqlite_tables import COLUMNS, sqlite_tables


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    found: Tables = {}
    for name, (frame, columns) in sqlite_tables().items():
        frame.collect().write_parquet(tmp_path / f"{name}.parquet")
        found[name] = (pl.scan_parquet(tmp_path / f"{name}.parquet"), columns)
    return found


def prepared(sql: str, tables: Tables) -> PolarsQuery:
    return ENGINE.prepare(*plan_for(sql, tables))


def scans(query: PolarsQuery, table: str) -> int:
    return query.frame.explain().count(f"/{table}.parquet]")


CHEAPEST = """
SELECT c.name, o.ok FROM c, o, i WHERE c.ck = o.ck AND o.ok = i.ok AND i.price =
  (SELECT min(i.price) FROM i, o WHERE c.ck = o.ck AND o.ok = i.ok)
"""
SHARE = """
SELECT o.ck, sum(i.qty) FROM o, i WHERE o.ok = i.ok AND o.status = 'F' GROUP BY o.ck
  HAVING sum(i.qty) > (SELECT sum(i.qty) / 20 FROM o, i WHERE o.ok = i.ok AND o.status = 'F')
"""


@pytest.mark.parametrize("sql", [CHEAPEST, SHARE], ids=["correlated", "of groups"])
def test_a_sub_query_over_the_tables_outside_shares_their_join(sql: str, tables: Tables) -> None:
    query = prepared(sql, tables)
    assert {name: scans(query, name) for name in ("o", "i")} == {"o": 1, "i": 1}
    assert "CACHE" in query.frame.explain()


def test_the_sides_of_a_union_share_a_join(tables: Tables) -> None:
    join = "FROM c JOIN o ON c.ck = o.ck WHERE o.total > 10"
    sides = (select(f"{what} AS r", join) for what in ("c.nk", "o.total"))
    query = prepared(" UNION ALL ".join(sides), tables)
    assert (scans(query, "c"), scans(query, "o")) == (1, 1)


def test_two_references_in_one_from_have_names_of_their_own(tables: Tables) -> None:
    query = prepared("SELECT a.name, b.name FROM c a JOIN c b ON a.nk = b.ck", tables)
    first, second = query.lowered.leaves
    assert first.relation == second.relation
    assert not set(first.names) & set(second.names)


def test_only_the_columns_in_use_are_read(tables: Tables) -> None:
    query = prepared("SELECT name FROM c WHERE nk > (SELECT min(ck) FROM c)", tables)
    (leaf,) = query.lowered.leaves
    assert sorted(leaf.read.values()) == sorted(column.name for column in COLUMNS["c"])
    query = prepared("SELECT name FROM c WHERE name > (SELECT min(name) FROM c)", tables)
    assert [list(leaf.read.values()) for leaf in query.lowered.leaves] == [["name"]]


def test_a_statement_that_names_each_table_once_has_nothing_to_share(tables: Tables) -> None:
    assert not prepared("SELECT c.name FROM c JOIN o ON c.ck = o.ck", tables).lowered.leaves


def test_a_table_at_two_versions_is_two_tables(tables: Tables) -> None:
    tables["old"] = (tables["c"][0].filter(pl.col("ck") < 5), tables["c"][1])
    sql = "SELECT count(*) FROM c WHERE ck NOT IN (SELECT ck FROM old WHERE ck IS NOT NULL)"
    frame = prepared(sql, tables).frame.collect()
    assert frame.rows() == [(26,)]
