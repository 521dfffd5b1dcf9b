"""What literals alone decide is decided before the engine sees it, however many there are."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.engines.lowered import lowered
from tests.support.engines import plan_for, select

MANY = 4000
LISTED = ", ".join(str(number) for number in range(MANY))
ALL_DIFFERENT = " AND ".join(f"1 <> {number + 2}" for number in range(MANY))


@pytest.mark.parametrize("target", ["polars", "duckdb"])
@pytest.mark.parametrize("condition", [f"1 IN ({LISTED})", ALL_DIFFERENT])
def test_a_condition_of_literals_alone_is_not_in_the_engines_text(
    target: str, condition: str
) -> None:
    plan, relations = plan_for(select("1", f"WHERE {condition}"), {})
    assert len(lowered(plan, relations, target).sql) < 100


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"1 IN ({LISTED})", True),
        (f"abs(1) IN ({LISTED})", True),
        (f"abs(-9000) NOT IN ({LISTED})", True),
        (f"nullif(1, 1) IN ({LISTED})", None),
        (f"abs(-9000) IN ({LISTED}, NULL)", None),
        (f"-0.0D IN ({LISTED})", True),
        ("CAST('NaN' AS DOUBLE) IN (1, CAST('NaN' AS DOUBLE))", True),
        ("1 IN (2, NULL)", None),
        ("1 IN (1, NULL)", True),
        ("1.50 IN (1.5, 2)", True),
        ("'a' < 'b' AND NULL", None),
        ("1 > 2 OR 2 > 1", True),
    ],
)
def test_constants_are_among_values_as_columns_are(ask: Any, text: str, wanted: object) -> None:
    assert ask(select(f"{text} AS r", "")).rows == [(wanted,)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("split_part(nullif('abc', 'abc'), 'b', 1)", None),
        ("coalesce(1, 1 / 0)", 1.0),
        ("coalesce(NULL, 2, 1 / 0)", 2.0),
        ("if(1 = 1, 1, CAST('a' AS INT))", 1),
        ("if(1 > 1, CAST('a' AS INT), 2)", 2),
        ("CASE WHEN 1 > 2 THEN CAST('a' AS INT) ELSE 3 END", 3),
    ],
)
def test_what_literals_rule_out_is_not_evaluated(ask: Any, text: str, wanted: object) -> None:
    assert ask(select(f"{text} AS r", "")).rows == [(wanted,)]


def test_the_sign_of_zero_is_that_zero(ask: Any) -> None:
    ((of_literal, of_column),) = ask(
        "SELECT sign(-0.0D) AS a, sign(x) AS b FROM VALUES (-0.0D) AS v(x)"
    ).rows
    assert [str(of_literal), str(of_column)] == ["-0.0", "-0.0"]
