"""Texts and arrays of any length are made soon, and refused where one would be too large."""

from __future__ import annotations

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import LimitExceeded
from tests.support.engines import Tables, select, table

TEXTS: Tables = {
    "t": table(
        {
            "s": ("string", ["ab", None, "", "é"], pl.String),
            "n": ("int", [1, 2, None, -1], pl.Int32),
        }
    )
}
LIMIT = 1_000_000


def test_a_text_repeated_often_is_as_long_as_it_should_be(ask):
    sql = "SELECT length(repeat('long ', 1000)), length(repeat('x', 5000)), length(repeat(s, 3000))"
    assert ask(f"{sql} FROM t LIMIT 1", TEXTS).rows == [(5000, 5000, 6000)]


def test_repeating_keeps_null_and_takes_less_than_nothing_for_nothing(ask):
    found = ask(select("repeat(s, n), repeat('ab', n), repeat(s, 3), repeat(s, 0)"), TEXTS)
    assert found.rows == [
        ("ab", "ab", "ababab", ""),
        (None, "abab", None, None),
        (None, None, "", ""),
        ("", "", "ééé", ""),
    ]


def test_space_and_padding_keep_null_and_cut(ask):
    found = ask(select("space(n), lpad(s, 3), rpad(s, 3, '-'), rpad(s, 1)"), TEXTS)
    assert found.rows == [
        (" ", " ab", "ab-", "a"),
        ("  ", None, None, None),
        (None, "   ", "---", " "),
        ("", "  é", "é--", "é"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "repeat('x', 2000000000)",
        "repeat(repeat('x', 10000), 10000)",
        "repeat(repeat('x', 10000), n * 10000)",
        "repeat(s, n * 100000000)",
        "repeat('é', n * 900000)",
        "space(2000000000)",
        "space(n * 1000000000)",
        "lpad(s, 2000000000)",
        "rpad(s, 2000000000, '-')",
        "array_repeat(1, 2000000000)",
        "array_repeat(n, n * 2000000)",
    ],
)
def test_what_would_be_too_large_is_refused_before_it_is_made(ask, text):
    with pytest.raises(LimitExceeded) as refused:
        ask(select(text), TEXTS, max_cell_bytes=LIMIT)
    assert "larger than" in refused.value.message
    assert "\n" not in refused.value.message
    assert "max_cell_bytes" in str(refused.value.hint)


@pytest.mark.parametrize("limit", [10, None])
@pytest.mark.parametrize(
    "text", ["concat(x, x, x)", "array(x, x, x)", "named_struct('a', x, 'b', array(x, x))"]
)
def test_a_result_with_too_large_a_value_names_its_column(ask, text, limit):
    made = "(SELECT repeat('x', 400000) AS x)"
    sql = select(f"1 AS one, {text} AS `big one`", f"FROM {made} AS a")
    with pytest.raises(LimitExceeded) as refused:
        ask(sql, max_cell_bytes=LIMIT, limit=limit)
    assert refused.value.message == "The column big one has a value larger than 1.0 MB."


def test_many_small_values_are_no_large_one(ask):
    sql = "SELECT r.id, repeat('x', 900) AS x FROM range(5000) AS r"
    assert len(ask(sql, max_cell_bytes=LIMIT).rows) == 5000
