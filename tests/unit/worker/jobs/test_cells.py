"""Cells reach clients exactly: nothing rounds, nothing turns into something else."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pytest

from flowcat_jupyter.worker.jobs.cells import write_arrow, write_json_rows
from flowcat_jupyter.worker.jobs.display import display_frame

BIG = 9_007_199_254_740_993
NAIVE = datetime.fromisoformat("2020-01-01T00:00:00.000005")

# values → as strict JSON, as a display column
CELLS: dict[str, tuple[pl.Series, list[Any], list[Any]]] = {
    "small bigints": (pl.Series([1, -(2**53)]), [1, -(2**53)], [1, -(2**53)]),
    "bigints": (pl.Series([1, BIG, -BIG]), [1, str(BIG), str(-BIG)], ["1", str(BIG), str(-BIG)]),
    "unsigned": (
        pl.Series([1, 2**64 - 1], dtype=pl.UInt64),
        [1, str(2**64 - 1)],
        ["1", str(2**64 - 1)],
    ),
    "int128": (pl.Series([10**30], dtype=pl.Int128), [str(10**30)], [str(10**30)]),
    "narrow": (pl.Series([1, None], dtype=pl.Int8), [1, None], [1, None]),
    "decimals": (
        pl.Series([Decimal("17.00"), Decimal("-0.10"), None]),
        ["17.00", "-0.10", None],
        ["17.00", "-0.10", None],
    ),
    "dec38": (
        pl.Series(["0.0000000001"]).cast(pl.Decimal(38, 10)),
        ["0.0000000001"],
        ["0.0000000001"],
    ),
    "floats": (
        pl.Series([1.5, math.inf, -math.inf, None]),
        [1.5, "Infinity", "-Infinity", None],
        [1.5, math.inf, -math.inf, None],
    ),
    "texts": (
        pl.Series(["<b>x</b>", "a\nb\u2028", "", None]),
        ["<b>x</b>", "a\nb\u2028", "", None],
        ["<b>x</b>", "a\nb\u2028", "", None],
    ),
    "dates": (
        pl.Series([date(1, 1, 1), date(9999, 12, 31)]),
        ["0001-01-01", "9999-12-31"],
        ["0001-01-01", "9999-12-31"],
    ),
    "moments": (
        pl.Series([datetime(2020, 7, 1, 10, 30, tzinfo=UTC)]).dt.convert_time_zone("Asia/Tokyo"),
        ["2020-07-01T10:30:00Z"],
        ["2020-07-01 12:30:00"],
    ),
    "naive": (
        pl.Series([NAIVE]),
        ["2020-01-01T00:00:00.000005"],
        ["2020-01-01 00:00:00.000005"],
    ),
    "times": (pl.Series([time(1, 2, 3, 4)]), ["01:02:03.000004"], ["01:02:03.000004"]),
    "durations": (pl.Series([timedelta(1, 3)]), ["P1DT3S"], ["P1DT3S"]),
    "bytes": (pl.Series([b"\xff\x00", b""]), ["/wA=", ""], ["0xff00", "0x"]),
    "booleans": (pl.Series([True, None]), [True, None], [True, None]),
    "nothing": (pl.Series([None, None]), [None, None], [None, None]),
    "categories": (pl.Series(["a"], dtype=pl.Categorical), ["a"], ["a"]),
    "lists": (pl.Series([[1, BIG], None]), [[1, str(BIG)], None], [f'[1,"{BIG}"]', None]),
    "arrays": (pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)), [[1, 2]], ["[1,2]"]),
    "structs": (
        pl.Series([{"d": Decimal("1.50"), "f": math.nan, "n": NAIVE, "t": "ü"}]),
        [{"d": "1.50", "f": "NaN", "n": "2020-01-01T00:00:00.000005", "t": "ü"}],
        ['{"d":"1.50","f":"NaN","n":"2020-01-01T00:00:00.000005","t":"ü"}'],
    ),
}


def strict(text: str):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("kind", CELLS)
def test_json_is_strict_and_exact(tmp_path, kind):
    values, expected, _ = CELLS[kind]
    count = write_json_rows(values.to_frame("c").lazy(), tmp_path / "rows")
    rows = strict((tmp_path / "rows").read_text(encoding="utf-8"))
    assert rows == [[value] for value in expected]
    assert count == len(expected)


def test_nan_is_a_word_of_its_own(tmp_path):
    write_json_rows(pl.LazyFrame({"f": [math.nan, None]}), tmp_path / "rows")
    assert strict((tmp_path / "rows").read_text()) == [["NaN"], [None]]


def test_no_rows_and_many_rows_are_a_list(tmp_path):
    write_json_rows(pl.LazyFrame(schema={"a": pl.Int64}), tmp_path / "none")
    assert strict((tmp_path / "none").read_text()) == []
    assert write_json_rows(pl.LazyFrame({"a": range(25_000)}), tmp_path / "many") == 25_000
    assert strict((tmp_path / "many").read_text()) == [[n] for n in range(25_000)]


@pytest.mark.parametrize("kind", CELLS)
def test_a_display_column_is_what_a_browser_holds_exactly(tmp_path, kind):
    values, _, expected = CELLS[kind]
    shown = display_frame(values.to_frame("c"), "Europe/Paris")
    assert shown["c"].to_list() == expected
    write_arrow(shown, tmp_path / "page")
    column = pa.ipc.open_file(str(tmp_path / "page")).read_all().schema.field("c")
    plain = {"int64", "int8", "double", "bool", "large_string"}
    assert str(column.type) in plain


def test_arrow_files_are_uncompressed_and_hold_no_view_types(tmp_path):
    frame = pl.DataFrame({"s": ["a"], "l": [["x"]], "b": [b"y"], "d": [Decimal("1.5")]})
    write_arrow(frame.lazy(), tmp_path / "f")
    table = pa.ipc.open_file(str(tmp_path / "f")).read_all()
    assert "view" not in str(table.schema)
    assert table.schema.field("d").type == pa.decimal128(38, 1)
    assert table.to_pylist()[0]["s"] == "a"


FAR_DAY = pl.Series([date(9999, 12, 31), date(1, 1, 1), None]).dt.offset_by("366d")
FAR_TIME = pl.Series([datetime(9999, 12, 31, 23, tzinfo=UTC)]).dt.offset_by("2d")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (pl.Series([FAR_DAY]), [["+10000-12-31", "0002-01-02", None]]),
        (pl.Series([FAR_TIME]), [["+10000-01-02T23:00:00Z"]]),
        (pl.Series([FAR_DAY]).reshape((1, 3)), [["+10000-12-31", "0002-01-02", None]]),
        (
            pl.DataFrame({"a": FAR_DAY, "b": [[1], None, []]}).to_struct(),
            [
                {"a": "+10000-12-31", "b": [1]},
                {"a": "0002-01-02", "b": None},
                {"a": None, "b": []},
            ],
        ),
        (pl.Series([None, {"a": FAR_DAY}]), [None, {"a": ["+10000-12-31", "0002-01-02", None]}]),
    ],
    ids=["list", "list of instants", "array", "struct", "list in struct"],
)
def test_nested_dates_of_years_that_python_has_not_are_shown(
    values: pl.Series, shown: list[Any], tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    write_json_rows(pl.LazyFrame({"c0": values}), path)
    assert [row[0] for row in json.loads(path.read_text())] == shown
    assert json.loads(display_frame(pl.DataFrame({"c0": values}), "UTC")["c0"][-1]) == shown[-1]
