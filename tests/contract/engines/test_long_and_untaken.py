"""What is long runs; what is not taken does not fail."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support.engines import Tables, failure, select, table

COUNT = 500
WIDE: Tables = {"t": table({f"c{at}": ("int", [at, 1], pl.Int64) for at in range(COUNT)})}
NAMES = list(WIDE["t"][1])
ONE: Tables = {"t": table({"x": ("int", [1, 2, 3], pl.Int64)})}


@pytest.fixture
def on_polars(engine: Engine) -> None:
    if engine.name != "polars":
        pytest.skip("the other engine takes such texts as they are")


@pytest.mark.usefixtures("on_polars")
def test_five_hundred_columns_are_added_up(ask: Any) -> None:
    added = " + ".join(column.name for column in NAMES)
    assert ask(select(f"{added} AS s"), WIDE).rows == [(124750,), (500,)]


@pytest.mark.usefixtures("on_polars")
def test_a_long_sum_that_does_not_fit_fails(ask: Any) -> None:
    added = " + ".join(["x", *["2147483647"] * 30])
    assert failure(ask, select(added), ONE).condition == "ARITHMETIC_OVERFLOW"


def test_an_in_list_of_five_thousand_and_a_case_of_three_hundred_branches_run(ask: Any) -> None:
    listed = ", ".join(str(number) for number in range(3, 5003))
    branches = " ".join(f"WHEN x = {number} THEN {number * 2}" for number in range(300))
    sql = select(f"CASE {branches} END AS c", f"FROM t WHERE x IN ({listed})")
    assert ask(sql, ONE).rows == [(6,)]


def test_eighty_ctes_may_each_read_the_one_before(ask: Any) -> None:
    more = select("x + 1 AS x", "FROM")
    steps = ", ".join(f"a{at} AS ({more} a{at - 1})" for at in range(1, 80))
    sql = " ".join(("WITH a0 AS (SELECT x FROM t),", steps, "SELECT x FROM a79 ORDER BY x"))
    assert ask(sql, ONE).rows == [(80,), (81,), (82,)]


@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN FALSE THEN CAST('q' AS INT) ELSE 1 END",
        "CASE WHEN NULL THEN 2147483647 + 1 WHEN TRUE THEN 1 ELSE x END",
    ],
)
def test_a_branch_that_literals_rule_out_does_not_fail(ask: Any, text: str) -> None:
    assert ask(select(f"{text} AS r"), ONE).rows == [(1,)] * 3


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELEC 1", "Did you mean SELECT?"),
        ("UPDTE t SET x = 1", "Did you mean UPDATE?"),
        ("nonsense", "A query begins with SELECT or WITH."),
    ],
)
def test_a_misspelt_first_word_is_said(ask: Any, text: str, hint: str) -> None:
    assert failure(ask, text, ONE).hint == hint


def test_names_that_are_far_off_are_not_suggested(ask: Any) -> None:
    assert "Did you mean" not in failure(ask, "SELECT total FROM t", ONE).message


DEEP: Tables = {
    "t": table(
        {
            "x": ("int", [1, 2], pl.Int32),
            "d": ("double", [1.0, 2.0], pl.Float64),
            "m": ("decimal(10,2)", [1, 2], pl.Decimal(10, 2)),
        }
    )
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (" + ".join(["d"] * 200), (200.0, 400.0)),
        (" * ".join(["d"] * 30), (1.0, float(2**30))),
        (" + ".join(["m"] * 60), (60, 120)),
        (" + ".join(["x * 2"] * 100), (200, 400)),
        ("(" * 60 + "x" + " + 1)" * 60, (61, 62)),
        ("(" * 60 + "d" + " / x)" * 60, (1.0, 2.0**-59)),
        ("coalesce(" * 60 + "x" + ", 1)" * 60, (1, 2)),
        ("d / (x / (d / (x / (d / x))))", (1.0, 1.0)),
    ],
)
def test_long_and_deep_arithmetic_runs(ask: Any, text: str, wanted: tuple[Any, ...]) -> None:
    assert [row[0] for row in ask(select(f"{text} AS r"), DEEP).rows] == list(wanted)


@pytest.mark.usefixtures("on_polars")
def test_a_text_that_doubles_at_each_level_is_refused_and_not_written(ask: Any) -> None:
    deep = "d / (" * 60 + "d" + ")" * 60
    assert failure(ask, select(deep), DEEP).condition == "FAILED_TO_PARSE_TOO_COMPLEX"


def test_a_date_moved_too_far_is_an_error_of_the_query(ask: Any) -> None:
    condition = failure(ask, select("add_months(DATE'2024-01-31', x * 99999999)"), ONE).condition
    assert condition in ("DATETIME_OVERFLOW", "DATETIME_FIELD_OUT_OF_BOUNDS")
