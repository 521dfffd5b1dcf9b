"""Floating-point numbers going into columns of other types: as CAST gives them, or refused."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.delta_floats import as_decimals, as_texts
from flowcat_jupyter.shared.errors import Invalid


@pytest.mark.parametrize(
    ("number", "kind", "stored"),
    [
        (0.1, pl.Decimal(38, 18), "0.100000000000000000"),
        (0.30000000000000004, pl.Decimal(38, 18), "0.300000000000000040"),
        (1e37, pl.Decimal(38, 0), "1" + "0" * 37),
        (-2.5, pl.Decimal(10, 1), "-2.5"),
        (2.5, pl.Decimal(10, 0), "3"),
        (0.5, pl.Decimal(38, 0), "1"),
        (1.005, pl.Decimal(5, 2), "1.01"),
        (9.5, pl.Decimal(1, 0), None),
        (1e20, pl.Decimal(38, 18), None),
        (1e300, pl.Decimal(38, 0), None),
        (math.nan, pl.Decimal(38, 0), None),
        (math.inf, pl.Decimal(38, 0), None),
    ],
)
def test_a_double_is_the_decimal_of_its_shortest_text(
    number: float, kind: pl.Decimal, stored: str | None
) -> None:
    wanted = None if stored is None else Decimal(stored)
    assert as_decimals(pl.Series([number, None]), kind).to_list() == [wanted, None]


def test_a_float_is_the_decimal_of_the_double_it_is() -> None:
    floats = pl.Series([0.1, 1.5], dtype=pl.Float32)
    wanted = [Decimal("0.100000001490116120"), Decimal("1.500000000000000000")]
    assert as_decimals(floats, pl.Decimal(38, 18)).to_list() == wanted


@pytest.mark.parametrize("scale", [0, 2, 6, 18])
def test_quick_and_careful_ways_agree(scale: int) -> None:
    # A walk through all sizes and numbers of digits, the same in every run.
    steps = [math.sin(step) * 10 ** (step % 7) for step in range(1, 500)]
    numbers = [round(number, step % 10) for step, number in enumerate(steps)]
    kind = pl.Decimal(38, scale)
    one_by_one = [as_decimals(pl.Series([number]), kind)[0] for number in numbers]
    wanted = [
        Decimal(repr(number)).quantize(Decimal(1).scaleb(-scale), rounding="ROUND_HALF_UP")
        for number in numbers
    ]
    assert as_decimals(pl.Series(numbers), kind).to_list() == one_by_one == wanted


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1e16, "1.0E16"),
        (1e10, "1.0E10"),
        (-1e-7, "-1.0E-7"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12_345_678.5, "1.23456785E7"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_a_double_is_written_as_spark_writes_it(number: float, text: str) -> None:
    assert as_texts(pl.Series([number, None])).to_list() == [text, None]


def test_a_stored_double_is_that_decimal_and_that_text(table: Any) -> None:
    empty = pl.DataFrame(schema={"d": pl.Decimal(38, 18), "s": pl.String})
    table.write(empty)
    table.write(pl.DataFrame({"d": [0.30000000000000004], "s": [1e16]}), "append")
    assert table.rows() == [(Decimal("0.300000000000000040"), "1.0E16")]


@pytest.mark.parametrize("number", [1e20, 1e-30, math.inf])
def test_a_double_that_would_lose_something_is_refused(table: Any, number: float) -> None:
    table.write(pl.DataFrame(schema={"d": pl.Decimal(38, 18)}))
    with pytest.raises(Invalid, match="without losing something"):
        table.write(pl.DataFrame({"d": [number]}), "append")


@pytest.mark.parametrize("kind", [pl.Float32, pl.Float64, pl.Decimal(10, 2)])
@pytest.mark.parametrize("text", ["1e400", "16777217", "0.1"])
def test_text_is_never_made_a_fraction(table: Any, kind: Any, text: str) -> None:
    table.write(pl.DataFrame(schema={"v": kind}))
    with pytest.raises(Invalid, match="cannot take string values"):
        table.write(pl.DataFrame({"v": [text]}), "append")


@pytest.mark.parametrize("kind", [pl.String, pl.Decimal(10, 2)])
def test_inside_arrays_and_structs_numbers_stay_what_they_are(table: Any, kind: Any) -> None:
    table.write(pl.DataFrame(schema={"a": pl.List(kind), "s": pl.Struct({"f": kind})}))
    for column in ({"a": [[1.5]]}, {"s": [{"f": 1.5}]}):
        with pytest.raises(Invalid, match="cannot take"):
            table.write(pl.DataFrame(column), "append")
