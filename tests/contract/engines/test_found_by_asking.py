"""What random questions found wrong once, each with Spark's answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support import oracle
from tests.support.engines import select

TEXT = Path(__file__).parents[2] / "data" / "sql" / "found_by_asking.txt"
FOUND = [tuple(line.split(" | ")) for line in TEXT.read_text(encoding="utf-8").splitlines()]


def shown(rows: tuple[Any, ...]) -> str:
    return "; ".join(", ".join(map(str, row)) for row in rows)


@pytest.mark.parametrize("line", FOUND, ids=[line[0] for line in FOUND])
def test_an_answer_found_wrong_is_right(engine: Engine, line: tuple[str, ...]) -> None:
    sql, *wanted = line
    got = oracle.ask(engine, sql.removesuffix(" |"), oracle.frames())
    assert got.error is None, got.message
    assert shown(got.rows) == "".join(wanted)


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("SELECT greatest(x) FROM e", "WRONG_NUM_ARGS"),
        ("SELECT array_contains(array(1, 2), 1.5)", "DATATYPE_MISMATCH"),
        ("SELECT array_contains(array(1, 2), '1')", "DATATYPE_MISMATCH"),
        ("SELECT corr(i, 1) FROM e", "DIVIDE_BY_ZERO"),
        ("SELECT CAST(TRY_CAST('a' AS DECIMAL(3,1)) AS DATE)", "DATATYPE_MISMATCH"),
        ("SELECT CAST(y AS TIMESTAMP) FROM e WHERE id = 6", "CAST_INVALID_INPUT"),
        ("SELECT CAST('1e100' AS DECIMAL(10,2))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        (f"SELECT CAST('{'9' * 5000}' AS BIGINT)", "CAST_INVALID_INPUT"),
        (f"SELECT CAST('{'9' * 5000}' AS DECIMAL(38,0))", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("SELECT DATE '2024-01-01' + INTERVAL '9999999999' DAY", "DATETIME_OVERFLOW"),
        ("SELECT now() + INTERVAL '9999999999' DAY", "DATETIME_OVERFLOW"),
        ("SELECT now() - INTERVAL '300000' YEAR", "DATETIME_OVERFLOW"),
        ("SELECT timestamp_micros(9223372036854775807)", "DATETIME_OVERFLOW"),
        ("SELECT date_from_unix_date(2147483647)", "DATETIME_OVERFLOW"),
        ("SELECT 'x' RLIKE '['", "UNSUPPORTED_FEATURE"),
        ("SELECT 'x' RLIKE 'a{2,1}'", "UNSUPPORTED_FEATURE"),
        ("SELECT 'x' RLIKE '(?=x)'", "UNSUPPORTED_FEATURE"),
        ("SELECT 'x' RLIKE '((a{1000}){1000}){1000}'", "INVALID_PARAMETER_VALUE"),
        ("SELECT regexp_replace('a', '[', 'b')", "UNSUPPORTED_FEATURE"),
    ],
    ids=lambda text: str(text)[:60],
)
def test_an_error_found_missing_is_raised(engine: Engine, sql: str, condition: str) -> None:
    got = oracle.ask(engine, sql, oracle.frames())
    assert (got.error or "").startswith(condition), got


@pytest.mark.parametrize("date", ["2024, 123, 1", "2024, 1, 311", "2024, -1, 1", "99999, 1, 311"])
def test_parts_that_make_no_date_are_refused(engine: Engine, date: str) -> None:
    got = oracle.ask(engine, f"SELECT make_date({date})", oracle.frames())
    assert got.error in ("CAST_INVALID_INPUT", "DATETIME_FIELD_OUT_OF_BOUNDS")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT array(1) < array(2)",
        "SELECT array(1) BETWEEN array(0) AND array(2)",
        "SELECT greatest(array(1), array(2)) = array(2)",
        "SELECT ntile(0) OVER (ORDER BY 1) IS NULL",
    ],
)
def test_what_an_engine_does_not_do_is_refused_by_name(engine: Engine, sql: str) -> None:
    got = oracle.ask(engine, sql, oracle.frames())
    assert got.rows == ((True,),) if got.error is None else got.error != "Internal"


@pytest.mark.parametrize("side", ["RIGHT", "FULL"])
def test_rows_added_after_a_semi_join_do_not_vanish(engine: Engine, side: str) -> None:
    sql = f"FROM e t0 LEFT SEMI JOIN e t1 ON t1.y = t0.g {side} JOIN o t2 ON t2.id = t0.l"
    got = oracle.ask(engine, " ".join(("SELECT t2.id", sql)), oracle.frames())
    assert got.refused or len(got.rows) == 7


@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
def test_what_is_no_number_is_null_as_a_decimal(engine: Engine, value: str) -> None:
    sql = f"SELECT CAST(CAST('{value}' AS DOUBLE) AS DECIMAL(10,0))"
    assert oracle.ask(engine, sql, oracle.frames()).rows == ((None,),)


@pytest.mark.parametrize(
    ("text", "pattern", "date"),
    [
        ("2023-1-05", "yyyy-M-dd", "2023-01-05"),
        ("2023-01-05", "yyyy-M-d", "2023-01-05"),
        ("20230105", "yyyyMMdd", "2023-01-05"),
        ("05/JAN/2023", "dd/MMM/yyyy", "2023-01-05"),
        ("2023-1-05", "yyyy-MM-dd", None),
        (" 2023-01-05", "yyyy-MM-dd", None),
        ("12023-01-05", "yyyy-MM-dd", None),
    ],
)
def test_a_date_has_as_many_digits_as_its_pattern(
    engine: Engine, text: str, pattern: str, date: str | None
) -> None:
    got = oracle.ask(engine, f"SELECT to_date('{text}', '{pattern}')", oracle.frames())
    assert (
        (got.rows == ((date,),))
        if date
        else (got.error == "CAST_INVALID_INPUT" and text in got.message)
    )


@pytest.mark.parametrize(
    ("text", "number"), [("1d", 1.0), ("1.5F", 1.5), (" 2e3D ", 2000.0), ("1dd", None), ("d", None)]
)
def test_a_letter_may_say_that_a_number_is_a_double(
    engine: Engine, text: str, number: float | None
) -> None:
    sql = select("TRY_CAST(v AS DOUBLE)", f"FROM VALUES ('{text}'), ('0') AS t(v)")
    assert oracle.ask(engine, sql, oracle.frames()).rows == ((number,), (0.0,))


def test_the_sign_of_what_is_no_number_is_none_either(engine: Engine) -> None:
    sql = "SELECT isnan(sign(x)) FROM VALUES (CAST('NaN' AS DOUBLE)), (-0.0D), (-5.0D) AS t(x)"
    assert oracle.ask(engine, sql, oracle.frames()).rows == ((True,), (False,), (False,))


def test_whole_days_in_hours_follow_the_calendar(engine: Engine) -> None:
    sql = "SELECT TIMESTAMP'2024-03-30 23:30:00' + INTERVAL '40' HOUR"
    got = oracle.ask(engine, sql, oracle.frames(), "Europe/Paris")
    assert got.rows == (("2024-04-01 13:30:00",),)


def test_of_an_hour_that_comes_twice_the_first_is_meant(engine: Engine) -> None:
    sql = "SELECT CAST(v AS TIMESTAMP) FROM VALUES ('2024-10-27 02:30:00'), ('2024-10-27 03:30:00')"
    got = oracle.ask(engine, f"{sql} AS t(v)", oracle.frames(), "Europe/Paris")
    assert got.rows == (("2024-10-27 00:30:00",), ("2024-10-27 02:30:00",))


def test_a_time_too_far_to_be_shown_is_an_error(engine: Engine) -> None:
    got = oracle.ask(engine, "SELECT CAST(9223372036854 AS TIMESTAMP)", oracle.frames())
    assert got.error == "DATETIME_OVERFLOW"
