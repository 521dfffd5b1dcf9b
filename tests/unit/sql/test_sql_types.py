"""Spark's rules of types, and the function table's own consistency."""

from __future__ import annotations

import pytest

from flowcat_jupyter.shared.moments import BadText, read_moment
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering.calls import rewrite_names


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("int", "bigint", "bigint"),
        ("tinyint", "smallint", "smallint"),
        ("int", "float", "double"),
        ("decimal(10,2)", "int", "decimal(12,2)"),
        ("decimal(10,2)", "decimal(5,4)", "decimal(12,4)"),
        ("decimal(10,2)", "double", "double"),
        ("void", "date", "date"),
        ("string", "int", "bigint"),
        ("string", "date", "date"),
        ("date", "timestamp", "timestamp"),
        ("array<int>", "array<bigint>", "array<bigint>"),
        ("boolean", "int", None),
        ("map<string,int>", "int", None),
    ],
)
def test_the_common_type_is_sparks(left: str, right: str, wanted: str | None) -> None:
    for one, other in ((left, right), (right, left)):
        found = types.common_type(parse_type(one), parse_type(other))
        assert (found.ddl if found else None) == wanted


@pytest.mark.parametrize(
    ("operator", "left", "right", "wanted"),
    [
        ("+", "int", "int", "int"),
        ("/", "int", "int", "double"),
        ("div", "int", "int", "bigint"),
        ("*", "decimal(10,2)", "decimal(10,2)", "decimal(21,4)"),
        ("+", "decimal(10,2)", "decimal(5,4)", "decimal(13,4)"),
        ("/", "decimal(10,2)", "decimal(10,2)", "decimal(23,13)"),
        ("*", "decimal(38,10)", "decimal(38,10)", "decimal(38,6)"),
        ("%", "decimal(10,2)", "int", "decimal(10,2)"),
        ("+", "float", "float", "float"),
        ("+", "string", "int", None),
        ("+", "date", "int", None),
    ],
)
def test_arithmetic_has_sparks_type(
    operator: str, left: str, right: str, wanted: str | None
) -> None:
    found = types.arithmetic_type(operator, parse_type(left), parse_type(right))
    assert (found.ddl if found else None) == wanted


def test_sums_and_averages_have_room() -> None:
    assert types.sum_type(types.INT) == types.BIGINT
    assert types.sum_type(parse_type("decimal(10,2)")) == parse_type("decimal(20,2)")
    assert types.average_type(parse_type("decimal(10,2)")) == parse_type("decimal(14,6)")
    assert types.sum_type(types.STRING) is None


def test_every_rewrite_the_table_names_exists() -> None:
    for function in functions.FUNCTIONS.values():
        template = any(mark in function.spelling for mark in "({")
        if function.kind == functions.SCALAR and not template:
            assert function.spelling.split(":")[0] in rewrite_names(), function.name


def test_names_are_published_sorted_and_looked_up_whatever_their_case() -> None:
    assert list(functions.names()) == sorted(functions.names())
    assert {"count", "upper", "explode", "row_number"} <= set(functions.names())
    assert functions.lookup("Count") is functions.FUNCTIONS["count"]
    assert functions.lookup("read_csv") is None
    assert not set(functions.REWRITES) & set(functions.FUNCTIONS)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024-02-03", "2024-02-03T00:00:00"),
        ("2024-2-3 4:5", "2024-02-03T04:05:00"),
        ("2024-02-03T04:05:06.7", "2024-02-03T04:05:06.700000"),
        ("2024", "2024-01-01T00:00:00"),
    ],
)
def test_times_are_read_as_spark_reads_them(text: str, wanted: str) -> None:
    assert read_moment(text)[0].isoformat() == wanted


@pytest.mark.parametrize("text", ["31/01/2024", "2024-13-01", "now", "2024-01-01 25:00", "24-1-1"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadText):
        read_moment(text)
