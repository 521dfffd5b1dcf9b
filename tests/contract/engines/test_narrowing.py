"""What does not fit its type fails, or is NULL of TRY_CAST, also where it is only compared."""

from __future__ import annotations

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support import oracle
from tests.support.engines import select

NUMBERS = "FROM VALUES (4294967296L), (-4294967296L) AS t(x)"
COMPARED = (
    "{0} >= 0",
    "{0} = 0",
    "{0} <> 5",
    "5 < {0}",
    "{0} BETWEEN 0 AND 7",
    "{0} IN (1, 2, 3)",
    "{0} <=> 6",
    "NOT ({0} <= 2147483647)",
    "CASE WHEN {0} > 5 THEN 1 ELSE 0 END",
    "{0} + 1 > 5",
)


def failure(engine: Engine, sql: str) -> str | None:
    return oracle.ask(engine, sql, oracle.frames()).error


@pytest.mark.parametrize("test", COMPARED)
def test_a_cast_overflows_though_it_is_only_compared(engine: Engine, test: str) -> None:
    sql = select(test.format("CAST(x AS INT)"), NUMBERS)
    assert failure(engine, sql) == "CAST_OVERFLOW"


@pytest.mark.parametrize("test", COMPARED)
def test_what_try_cast_makes_null_is_null_in_a_comparison(engine: Engine, test: str) -> None:
    got = oracle.ask(engine, select(test.format("TRY_CAST(x AS INT)"), NUMBERS), oracle.frames())
    wanted = {"{0} <=> 6": False, "CASE WHEN {0} > 5 THEN 1 ELSE 0 END": 0}.get(test)
    assert got.rows == ((wanted,),) * 2


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT count(*) {NUMBERS} WHERE CAST(x AS INT) > 5",
        select("count(*)", f"FROM (SELECT CAST(x AS INT) AS y {NUMBERS}) WHERE y > 5"),
        f"SELECT CAST(x AS INT) AS y {NUMBERS} GROUP BY 1 HAVING y > 5",
        "SELECT count(*) FROM VALUES (4294967296L) AS a(x) JOIN VALUES (1) AS b(y) "
        "ON CAST(x AS INT) = y AND y = 1",
        "SELECT CAST(x AS DECIMAL(5,2)) > 5 FROM VALUES (123456.78) AS t(x)",
        "SELECT CAST(x AS INT) > 5 FROM VALUES (30000000000.0) AS t(x)",
        "SELECT CAST(x AS INT) > 5 FROM VALUES (3e10D) AS t(x)",
        "SELECT x + 1 > 5 FROM VALUES (2147483647) AS t(x)",
        "SELECT x - 1 < 5 FROM VALUES (-9223372036854775808) AS t(x)",
        "SELECT x * 2 > 5 FROM VALUES (2147483647) AS t(x)",
        "SELECT - x <> 5 FROM VALUES (CAST(-2147483648 AS INT)) AS t(x)",
        "SELECT abs(x) > 5 FROM VALUES (CAST(-2147483648 AS INT)) AS t(x)",
        "SELECT sum(x) > 5 FROM VALUES (9223372036854775807), (1L) AS t(x)",
        "SELECT factorial(CAST(x AS INT)) FROM VALUES (4294967296L) AS t(x)",
    ],
)
def test_what_overflows_is_never_compared(engine: Engine, sql: str) -> None:
    assert (failure(engine, sql) or "").endswith(("OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE"))


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT count(*) FROM e WHERE TRY_CAST(i AS TINYINT) > 5", 1),
        ("SELECT count(*) FROM e WHERE TRY_CAST(l AS INT) < 10", 2),
        ("SELECT count(*) FROM e WHERE TRY_CAST(i AS TINYINT) IS NULL", 4),
        ("SELECT count(*) FROM e WHERE TRY_CAST(p AS DECIMAL(4,2)) > 1", 2),
        ("SELECT count(*) FROM e WHERE try_add(i, 1) > 0", 4),
        ("SELECT count(*) FROM (SELECT try_sum(l) AS s FROM e GROUP BY id) WHERE s > 0", 4),
    ],
)
def test_what_does_not_fit_is_not_counted(engine: Engine, sql: str, count: int) -> None:
    got = oracle.ask(engine, sql, oracle.frames())
    assert got.rows == ((count,),), got


def test_a_product_that_fits_its_type_does_not_fail(engine: Engine) -> None:
    sql = "SELECT v * v, v * v * v, v + v FROM VALUES (CAST(-99999999.99 AS DECIMAL(10,2))) AS t(v)"
    got = oracle.ask(engine, sql, oracle.frames())
    wanted = ("9999999998000000.0001", "-999999999700000000029999.999999", "-199999999.98")
    assert got.rows == (wanted,)


def test_what_fails_within_a_product_still_fails(engine: Engine) -> None:
    sql = "SELECT CAST(l AS DECIMAL(10,0)) * p FROM e WHERE id = 3"
    assert failure(engine, sql) == "NUMERIC_VALUE_OUT_OF_RANGE"
