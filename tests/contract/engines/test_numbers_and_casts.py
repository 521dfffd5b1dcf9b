"""Numbers never wrap, divide by zero aloud, and are cast as Spark casts them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support.engines import failure, numbers, select, table


@pytest.mark.parametrize("dtype", [pl.Int32, pl.Int64])
def test_a_sum_of_ints_goes_past_2_to_31(ask: Any, dtype: Any) -> None:
    answer = ask("SELECT sum(x) FROM t", numbers([2147483647, 1], dtype))
    assert answer.rows == [(2147483648,)]
    assert answer.types == ["bigint"]
    assert answer.frame.schema["c0"] == pl.Int64


@pytest.mark.parametrize("dtype", [pl.Int32, pl.Int64])
def test_an_int_that_overflows_is_an_error_however_wide_it_was_read(ask: Any, dtype: Any) -> None:
    error = failure(ask, "SELECT x * 2 FROM t", numbers([2147483647], dtype))
    assert (error.condition, error.sqlstate) == ("ARITHMETIC_OVERFLOW", "22003")
    assert "BIGINT" in str(error.hint)


def test_a_bigint_sum_that_overflows_is_an_error(ask: Any) -> None:
    tables = numbers([9223372036854775807, 1], kind="bigint")
    assert failure(ask, "SELECT sum(x) FROM t", tables).condition == "ARITHMETIC_OVERFLOW"
    assert failure(ask, "SELECT -x - 2 FROM t", tables).condition == "ARITHMETIC_OVERFLOW"


def test_lengths_are_signed(ask: Any) -> None:
    assert ask("SELECT length('AA') - 5").rows == [(-3,)]


def test_division_is_true_division_and_div_truncates(ask: Any) -> None:
    answer = ask("SELECT 7/2, -7/2, 7 DIV 2, -7 DIV 2, 7 % -3, -7 % 3")
    assert answer.rows == [(3.5, -3.5, 3, -3, 1, -1)]


@pytest.mark.parametrize("text", ["1/0", "1/0.0", "1 DIV 0", "1 % 0", "mod(1, 0)", "x / (x - 1)"])
def test_a_zero_divisor_is_an_error(ask: Any, text: str) -> None:
    error = failure(ask, select(text), numbers([1, 2]))
    assert (error.condition, error.sqlstate) == ("DIVIDE_BY_ZERO", "22012")


def test_a_guard_keeps_what_it_guards_from_failing(ask: Any) -> None:
    tables = {"t": table({"k": ("string", ["7", "x", None], pl.String)})}
    guarded = "CASE WHEN k RLIKE '^[0-9]+$' THEN CAST(k AS INT) + CAST(k AS INT) ELSE -1 END"
    assert ask(select(guarded), tables).rows == [(14,), (-1,), (-1,)]
    where = "SELECT k FROM t WHERE k RLIKE '^[0-9]+$' AND CAST(k AS INT) > 5"
    assert ask(where, tables).rows == [("7",)]
    assert ask("SELECT 1 FROM t WHERE k = 'x' OR CAST(k AS INT) = 7", numbers([]) | tables)
    zero = "SELECT x FROM t WHERE x <> 0 AND 10 / x > 4 ORDER BY x"
    assert ask(zero, numbers([0, 1, 2, 5])).rows == [(1,), (2,)]


def test_decimals_stay_exact(ask: Any, engine: Engine) -> None:
    values = [Decimal("0.10"), Decimal("0.20")]
    tables = {"t": table({"d": ("decimal(10,2)", values, pl.Decimal(10, 2))})}
    answer = ask("SELECT sum(d), avg(d), max(d * d), max(d) / 3, sum(d + 1) FROM t", tables)
    total, mean, square, third, more = answer.rows[0]
    assert (total, square, more) == (Decimal("0.30"), Decimal("0.0400"), Decimal("2.30"))
    assert (answer.types[0], answer.types[2]) == ("decimal(20,2)", "decimal(21,4)")
    if engine.name == "polars":
        assert (mean, third) == (Decimal("0.150000"), Decimal("0.066667"))
        assert answer.types[1] == "decimal(14,6)"
    else:
        assert (mean, third) == pytest.approx((0.15, 0.2 / 3))
        assert len(answer.warnings) == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("round(2.5D)", 3.0),
        ("round(-2.5D)", -3.0),
        ("round(2.675D, 2)", 2.68),
        ("round(0.15D, 1)", 0.2),
        ("round(CAST(2.665 AS DECIMAL(10,3)), 2)", Decimal("2.67")),
        ("CAST(2.665 AS DECIMAL(10,2))", Decimal("2.67")),
        ("CAST(-2.665 AS DECIMAL(10,2))", Decimal("-2.67")),
        ("bround(2.5)", Decimal(2)),
        ("round(15, -1)", 20),
        ("CAST(3.7 AS INT)", 3),
        ("CAST(-3.7D AS INT)", -3),
        ("CAST(' 15 ' AS INT)", 15),
        ("CAST(true AS INT)", 1),
        ("CAST('yes' AS BOOLEAN)", True),
        ("CAST(0 AS BOOLEAN)", False),
        ("CAST(1.50 AS STRING)", "1.50"),
        ("CAST('2024-2-9' AS DATE)", date(2024, 2, 9)),
        ("TRY_CAST('31/01/2024' AS DATE)", None),
        ("TRY_CAST('abc' AS INT)", None),
        ("TRY_CAST(300 AS TINYINT)", None),
    ],
)
def test_rounding_and_casts_are_sparks(ask: Any, text: str, wanted: Any) -> None:
    assert ask(f"SELECT {text}").rows == [(wanted,)]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("CAST(k AS INT)", "CAST_INVALID_INPUT"),
        ("CAST(k AS DATE)", "CAST_INVALID_INPUT"),
        ("CAST(k AS BOOLEAN)", "CAST_INVALID_INPUT"),
        ("CAST(x AS TINYINT)", "CAST_OVERFLOW"),
        ("CAST(CASE WHEN x > 0 THEN 300 ELSE 0 END AS TINYINT)", "CAST_OVERFLOW"),
        ("CAST(x * 1e30D AS BIGINT)", "CAST_OVERFLOW"),
        ("CAST(x AS DECIMAL(2,0))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("CAST(12345.678 AS DECIMAL(5,2))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("array(1, 2)[x]", "INVALID_ARRAY_INDEX"),
    ],
)
def test_a_cast_that_loses_the_value_is_an_error(ask: Any, text: str, condition: str) -> None:
    tables = {"t": table({"x": ("int", [300], pl.Int64), "k": ("string", ["abc"], pl.String)})}
    error = failure(ask, select(text), tables)
    assert error.condition == condition
    assert "x1" not in error.message and "c0" not in error.message


def test_a_failed_cast_names_the_column_and_the_value(ask: Any) -> None:
    tables = {"t": table({"Price list": ("string", ["7", "seven"], pl.String)})}
    error = failure(ask, "SELECT CAST(`price LIST` AS INT) FROM t", tables)
    assert "'seven'" in error.message
    assert "Price list" in error.message


@pytest.mark.parametrize(
    ("dialect", "text", "wanted"),
    [
        ("postgres", "7 / 2", 3),
        ("postgres", "x / 2", 3),
        ("postgres", "7 / 2.0", Decimal("3.500000")),
        ("tsql", "7 / 2", 3),
        ("duckdb", "7 / 2", 3.5),
        ("duckdb", "7 // 2", 3),
        ("snowflake", "7 / 2", 3.5),
    ],
)
def test_division_means_what_the_chosen_dialect_means(
    ask: Any, dialect: str, text: str, wanted: Any
) -> None:
    assert ask(select(text), numbers([7]), dialect=dialect).rows == [(wanted,)]


@pytest.mark.parametrize(
    "number", ["1" * 39, "-" + "1" * 39, "9" * 5000, "0." + "1" * 39, "1e400", "-1E+309"]
)
def test_a_number_too_large_to_write_is_refused(ask: Any, number: str) -> None:
    assert failure(ask, select(number, "")).condition == "UNSUPPORTED_FEATURE"
    assert ask(select("9" * 38, "")).rows == [(Decimal("9" * 38),)]
    assert ask(select("1e308", "")).rows == [(1e308,)]


@pytest.mark.parametrize(
    "given", [10**60, {"decimal": "1e60"}, {"decimal": "NaN"}, {"decimal": "Infinity"}]
)
def test_a_parameter_too_large_to_bind_is_refused(ask: Any, given: Any) -> None:
    error = failure(ask, select(":a", ""), params={"a": given})
    assert error.condition in ("UNSUPPORTED_FEATURE", "INVALID_PARAMETER_VALUE")


MOST = (1 << 63) - 1
ROOT = 3_037_000_499
"""The greatest number whose square is a BIGINT."""


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        ("*", ROOT, ROOT, ROOT * ROOT),
        ("*", ROOT + 1, ROOT + 1, None),
        ("*", -(1 << 32), 1 << 31, -MOST - 1),
        ("*", 1 << 32, 1 << 31, None),
        ("*", MOST, 0, 0),
        ("*", -MOST - 1, -1, None),
        ("+", MOST - 1, 1, MOST),
        ("+", MOST, 1, None),
        ("+", -MOST, -1, -MOST - 1),
        ("-", -MOST, 1, -MOST - 1),
        ("-", -MOST, 2, None),
        ("-", MOST, -1, None),
        ("-", MOST, MOST, 0),
    ],
)
def test_bigints_are_exact_up_to_the_last_one(
    ask: Any, operator: str, left: int, right: int, result: int | None
) -> None:
    tables = {
        "t": table(
            {
                "x": ("bigint", [left, 2, None], pl.Int64),
                "y": ("bigint", [right, 1, 1], pl.Int64),
            }
        )
    }
    sql = select(f"x {operator} y AS r")
    if result is None:
        assert failure(ask, sql, tables).condition == "ARITHMETIC_OVERFLOW"
        return
    small = {"*": 2, "+": 3, "-": 1}[operator]
    assert ask(sql, tables).rows == [(result,), (small,), (None,)]
