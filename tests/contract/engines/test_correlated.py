"""Sub-queries linked to the rows around them, wherever they stand and whatever links them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tests.support.engines import Tables, select, table

TABLES: Tables = {
    "a": table(
        {
            "i": ("int", [1, 2, None, 4, 5], pl.Int32),
            "n": ("bigint", [1, None, 3, 4, 9], pl.Int64),
            "s": ("string", ["x", "y", "x", None, "z"], pl.String),
        }
    ),
    "b": table(
        {
            "k": ("smallint", [1, 2, 2, None], pl.Int16),
            "m": ("decimal(6,2)", [1, 3, None, 4], pl.Decimal(6, 2)),
            "t": ("string", ["x", "y", "q", None], pl.String),
        }
    ),
}
INNER = {
    "b.k = a.i": [True, True, False, False, False],
    "b.m = a.n": [True, False, True, True, False],
    "b.k + 1 = a.i": [False, True, False, False, False],
    "b.k = coalesce(a.i, 0) AND a.s = 'x'": [True, False, False, False, False],
    "a.s = 'x'": [True, False, True, False, False],
    "b.k < a.i AND b.t = upper(a.s)": [False, False, False, False, False],
    "b.m < a.n": [False, False, True, True, True],
}


def rows(values: list[bool]) -> list[tuple[int | None]]:
    numbers = [1, 2, None, 4, 5]
    return [(number,) for number, kept in zip(numbers, values, strict=True) if kept]


def inner(condition: str) -> str:
    return select("1", f"FROM b WHERE {condition}")


@pytest.mark.parametrize("condition", INNER)
def test_exists_and_not_exists_keep_the_rows_that_meet_it(ask: Any, condition: str) -> None:
    met = INNER[condition]
    for word, wanted in (("", met), ("NOT ", [not one for one in met])):
        sql = select("i", f"FROM a WHERE {word}EXISTS ({inner(condition)})")
        assert sorted(ask(sql, TABLES).rows, key=repr) == sorted(rows(wanted), key=repr)


@pytest.mark.parametrize("condition", INNER)
def test_semi_and_anti_joins_take_the_same_conditions(ask: Any, condition: str) -> None:
    met = INNER[condition]
    for word, wanted in (("SEMI", met), ("ANTI", [not one for one in met])):
        sql = select("i", f"FROM a LEFT {word} JOIN b ON {condition}")
        assert sorted(ask(sql, TABLES).rows, key=repr) == sorted(rows(wanted), key=repr)


@pytest.mark.parametrize("condition", INNER)
def test_exists_stands_in_a_select_list_under_or_and_in_a_case(ask: Any, condition: str) -> None:
    exists = f"EXISTS ({inner(condition)})"
    met = INNER[condition]
    found = ask(select(f"i, {exists} AS e, CASE WHEN {exists} THEN 1 ELSE 0 END", "FROM a"), TABLES)
    given = zip([1, 2, None, 4, 5], met, strict=True)
    assert sorted(found.rows, key=repr) == sorted(((i, e, int(e)) for i, e in given), key=repr)
    either = [one or number == 5 for one, number in zip(met, [1, 2, None, 4, 5], strict=True)]
    kept = ask(select("i", f"FROM a WHERE i = 5 OR {exists}"), TABLES).rows
    assert sorted(kept, key=repr) == sorted(rows(either), key=repr)


def test_all_columns_of_a_table_are_kept_where_a_linked_query_has_rows(ask: Any) -> None:
    found = ask(select("*", f"FROM a WHERE EXISTS ({inner('b.k + 1 = a.i')})"), TABLES)
    assert found.rows == [(2, None, "y")]


def test_a_value_of_each_row_is_looked_up_by_an_expression(ask: Any) -> None:
    value = select("max(b.m)", "FROM b WHERE b.k + 1 = a.i * 1 AND b.m IS NOT NULL")
    found = ask(select(f"i, ({value}) AS v", "FROM a"), TABLES)
    assert {i: v and int(v) for i, v in found.rows} == {1: None, 2: 1, None: None, 4: None, 5: None}


@pytest.mark.parametrize(("where", "wanted"), [("TRUE", [(3,)]), ("id > 9", [])])
def test_literals_alone_make_one_group_of_rows_and_none_of_no_rows(
    ask: Any, where: str, wanted: list[Any]
) -> None:
    rest = select("id", f"FROM range(3) WHERE {where}")
    assert ask(select("count(*)", f"FROM ({rest}) GROUP BY 'x'")).rows == wanted
