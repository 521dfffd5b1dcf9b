"""DECIMAL quotients are rounded half up once, also where all 38 digits are in use."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.engines.polars import ENGINE
from flowcat_jupyter.engines.protocol import Engine
from tests.support import oracle
from tests.support.engines import failure


@pytest.mark.parametrize(
    ("quotient", "wanted"),
    [
        ("CAST(1 AS DECIMAL(10,2)) / CAST(16384 AS DECIMAL(10,2))", "0.0000610351563"),
        ("CAST(-1 AS DECIMAL(10,2)) / CAST(16384 AS DECIMAL(10,2))", "-0.0000610351563"),
        ("CAST(3 AS DECIMAL(10,2)) / CAST(16384 AS DECIMAL(10,2))", "0.0001831054688"),
        ("CAST(2 AS DECIMAL(10,2)) / CAST(3 AS DECIMAL(10,2))", "0.6666666666667"),
        ("9223372036854775807 / CAST('-0.000001' AS DECIMAL(20,6))", "-9223372036854775807000000"),
    ],
)
def test_a_tie_is_rounded_away_from_zero(quotient: str, wanted: str) -> None:
    got = oracle.ask(ENGINE, f"SELECT {quotient} AS r", oracle.frames())
    assert got.error is None, got.message
    value = got.rows[0][0]
    assert value == wanted or value.rstrip("0").rstrip(".") == wanted


@pytest.mark.parametrize("operator", ["/", "%", "div"])
def test_constants_divided_by_zero_fail_where_a_filter_leaves_no_row(
    operator: str, ask: Any
) -> None:
    sql = f"SELECT sum(1 {operator} 0) FILTER (WHERE false)"
    assert failure(ask, sql).condition == "DIVIDE_BY_ZERO"


def test_a_date_moved_beyond_all_dates_fails(engine: Engine) -> None:
    sql = "SELECT (date_from_unix_date(2147483647) + INTERVAL '3' YEAR) - INTERVAL '1' MONTH FROM e"
    assert oracle.ask(engine, sql, oracle.frames()).error == "DATETIME_OVERFLOW"
