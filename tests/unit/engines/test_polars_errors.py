"""polars' messages become Spark's conditions, in people's own names."""

from __future__ import annotations

import polars as pl
import pytest

from flowcat_jupyter.engines.polars_errors import translate, translated
from flowcat_jupyter.shared.errors import Internal, LimitExceeded, SqlError, Unavailable


def failed(origin: str, to: str, values: str) -> str:
    return (
        f"conversion from `{origin}` to `{to}` failed in column 'x3' for 1 out of 2 values: "
        f"[{values}]\n\nThis error occurred in the following expression: [x]"
    )


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (failed("i32", "i8", "22012"), "DIVIDE_BY_ZERO"),
        (failed("i32", "i8", "22003"), "INVALID_ARRAY_INDEX"),
        (failed("i128", "i64", "9223372036854775808"), "ARITHMETIC_OVERFLOW"),
        (failed("i64", "i32", "2147483648"), "ARITHMETIC_OVERFLOW"),
        (failed("i128", "i8", "300"), "CAST_OVERFLOW"),
        (failed("f64", "i64", "NaN"), "CAST_OVERFLOW"),
        (failed("str", "i32", '"a, \\"b\\"]", "c"'), "CAST_INVALID_INPUT"),
        (failed("str", "i32", '"boolean:maybe"'), "CAST_INVALID_INPUT"),
        (failed("decimal[10,3]", "decimal[5,2]", "12345.678"), "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("overflow in decimal addition: result doesn't fit Decimal(38, 0)", "ARITHMETIC_OVERFLOW"),
        (
            "aggregation 'item' expected no or a single value, got 4 values",
            "SCALAR_SUBQUERY_TOO_MANY_ROWS",
        ),
    ],
)
def test_a_message_becomes_a_condition(text: str, condition: str) -> None:
    error = translate(text, pl.exceptions.InvalidOperationError(text), {"x3": "price"})
    assert isinstance(error, SqlError)
    assert error.condition == condition
    assert error.sqlstate
    assert "x3" not in error.message


def test_a_bad_cast_names_column_value_and_type() -> None:
    error = translate(
        failed("str", "i32", '"a, b"'), pl.exceptions.ComputeError("x"), {"x3": "price"}
    )
    assert "'a, b'" in error.message
    assert "price" in error.message
    assert "int" in error.message


def test_an_unsupported_construct_is_short_and_holds_no_generated_name() -> None:
    text = "EXISTS subquery is not currently supported: Query { with: x17 " + "x" * 900
    error = translate(text, pl.exceptions.SQLInterfaceError(text), {})
    assert error.condition == "UNSUPPORTED_FEATURE"
    assert len(error.message) < 200
    assert "x17" not in error.message


def test_what_is_not_known_is_an_internal_fault() -> None:
    assert isinstance(translate("odd", pl.exceptions.ComputeError("odd"), {}), Internal)


def test_a_file_that_is_gone_is_unavailable() -> None:
    with pytest.raises(Unavailable), translated({}):
        raise FileNotFoundError("/secret/path")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        pl.exceptions.PanicException("failed to mmap: Cannot allocate memory (os error 12)"),
        pl.exceptions.ComputeError("memory allocation of 4096 bytes failed"),
    ],
)
def test_running_out_of_memory_is_a_limit(error: BaseException) -> None:
    with pytest.raises(LimitExceeded, match="more memory"), translated({}):
        raise error
