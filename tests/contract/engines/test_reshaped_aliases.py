"""The names of columns before PIVOT and UNPIVOT are those of what is reshaped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.engines import select

SOLD = "(VALUES (1, 'a', 2), (1, 'b', 3), (2, 'a', 5)) t(g, k, v)"
WIDE = "(VALUES (1, 10, 20, 5)) t(g, a, b, c)"


@pytest.mark.parametrize(
    ("rest", "headings", "rows"),
    [
        (
            f"FROM {SOLD} PIVOT (sum(v) FOR k IN ('a', 'b', 'c')) ORDER BY 1",
            ["g", "a", "b", "c"],
            [(1, 2, 3, None), (2, 5, None, None)],
        ),
        (
            f"FROM {SOLD} PIVOT (sum(v) FOR k IN ('a', 'b')) ORDER BY t.g",
            ["g", "a", "b"],
            [(1, 2, 3), (2, 5, None)],
        ),
        (
            f"FROM {WIDE} UNPIVOT (v FOR k IN (a, b, c)) ORDER BY k",
            ["g", "k", "v"],
            [(1, "a", 10), (1, "b", 20), (1, "c", 5)],
        ),
        (
            f"FROM {WIDE} UNPIVOT (v FOR k IN (a, b)) ORDER BY k",
            ["g", "c", "k", "v"],
            [(1, 5, "a", 10), (1, 5, "b", 20)],
        ),
    ],
)
def test_aliases_name_the_columns_of_the_source(
    ask: Any, rest: str, headings: list[str], rows: list[tuple[object, ...]]
) -> None:
    answer = ask(select("*", rest))
    assert (answer.headings, answer.rows) == (headings, rows)
