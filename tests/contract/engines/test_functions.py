"""Every published function runs, with Spark's type and value, and passes NULL on."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql import functions
from tests.support.engines import Tables, select, table

FOLDER = Path(__file__).parents[2] / "data" / "sql"
TEXT = (FOLDER / "functions.txt").read_text(encoding="utf-8")
CALLS = [tuple(line.split(" | ")) for line in TEXT.splitlines()]
NULLS: Tables = {
    "t": table(
        {
            "s": ("string", ["ab", None], pl.String),
            "i": ("int", [2, None], pl.Int64),
            "d": ("double", [0.5, None], pl.Float64),
            "t": ("date", [date(2024, 1, 31), None], pl.Date),
            "a": ("array<int>", [[1, None], None], pl.List(pl.Int64)),
        }
    )
}


@pytest.mark.parametrize(("call", "kind", "wanted"), CALLS, ids=[call for call, _, _ in CALLS])
def test_a_function_gives_sparks_type_and_value(
    ask: Any, call: str, kind: str, wanted: str
) -> None:
    answer = ask(select(call, ""))
    assert answer.types == [kind]
    assert str(answer.rows[0][0]) == wanted


def test_every_scalar_function_is_tried() -> None:
    tried = {call.split("(")[0] for call, _, _ in CALLS}
    recorded = (FOLDER.parent / "spark" / "recorded_functions.json").read_text(encoding="utf-8")
    tried |= set(re.findall(r"\b([a-z_0-9]+)\(", recorded))
    known = {item.name for item in functions.FUNCTIONS.values() if item.kind == functions.SCALAR}
    assert known & set(functions.names()) <= tried


@pytest.mark.parametrize(
    "call", (FOLDER / "null_in_null_out.txt").read_text(encoding="utf-8").splitlines()
)
def test_null_in_gives_null_out(ask: Any, call: str) -> None:
    rows = ask(select(call), NULLS).rows
    assert rows[0] != (None,)
    assert rows[1] == (None,)


def test_a_null_among_elements_makes_not_found_unknown(ask: Any) -> None:
    assert ask(select("array_contains(a, 1), array_contains(a, 9)"), NULLS).rows == [
        (True, None),
        (None, None),
    ]


def test_positions_and_lengths_count_characters(ask: Any) -> None:
    text = "instr('é🙂l', 'l'), length('é🙂l'), substring('é🙂l', 2, 1), left('é🙂l', 2)"
    assert ask(select(text, "")).rows == [(3, 3, "🙂", "é🙂")]


def test_an_unknown_function_is_refused_with_its_place_and_a_way_out(ask: Any) -> None:
    with pytest.raises(SqlError) as failed:
        ask("SELECT 1,\n  Lenght('a')")
    error = failed.value
    assert (error.condition, error.sqlstate) == ("UNRESOLVED_ROUTINE", "42883")
    assert (error.line, error.column) == (2, 3)
    assert "length" in str(error.hint)
