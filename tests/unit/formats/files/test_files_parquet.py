"""Parquet files bring their types with them."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import Invalid, NotFound

ReadText = Callable[..., Any]

FRAME = pl.DataFrame(
    {
        "i": pl.Series([1, None], dtype=pl.Int16),
        "s": ["1", "x"],
        "f": [1.5, 2.0],
        "d": [date(2024, 1, 1), None],
        "m": pl.Series([Decimal("1.10"), None], dtype=pl.Decimal(10, 2)),
        "n": [{"a": [1, 2], "b": {"c": "x"}}, None],
    }
)


def packed(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def test_types_and_values_are_the_files_own(read: ReadText) -> None:
    found = read(packed(FRAME), name="data.csv")
    assert found.reading.format == "parquet"
    assert found.types == {
        "i": "smallint",
        "s": "string",
        "f": "double",
        "d": "date",
        "m": "decimal(10,2)",
        "n": "struct<a:array<bigint>,b:struct<c:string>>",
    }
    assert found.rows == FRAME.rows()


def test_a_wider_type_may_be_asked_for(read: ReadText) -> None:
    found = read(packed(FRAME), types={"i": "bigint", "d": "string"})
    assert found.types["i"] == "bigint"
    assert found.column("i") == [1, None]
    assert found.column("d") == ["2024-01-01", None]


def test_text_is_read_as_asked_and_a_misfit_names_its_row(read: ReadText) -> None:
    assert read(packed(FRAME.head(1)), types={"s": "int"}).column("s") == [1]
    with pytest.raises(Invalid, match="Row 2, column s: 'x'"):
        read(packed(FRAME), types={"s": "int"})


def test_a_value_that_would_be_changed_is_refused(read: ReadText) -> None:
    with pytest.raises(Invalid, match=r"Row 1, column f: '1\.5' is not a value of type int"):
        read(packed(FRAME), types={"f": "int"})


def test_what_cannot_be_converted_is_refused(read: ReadText) -> None:
    with pytest.raises(Invalid, match="Column n holds struct"):
        read(packed(FRAME), types={"n": "int"})


def test_a_column_that_is_not_there_is_named(read: ReadText) -> None:
    with pytest.raises(NotFound, match="no column z"):
        read(packed(FRAME), types={"z": "int"})


@pytest.mark.parametrize("cut", [-20, 40])
def test_a_file_cut_short_is_refused(cut: int, read: ReadText) -> None:
    with pytest.raises(Invalid, match=r"Parquet|damaged"):
        read(packed(FRAME)[:cut])


def test_damaged_pages_are_refused(read: ReadText) -> None:
    content = bytearray(packed(pl.DataFrame({"s": [f"value {i}" for i in range(1000)]})))
    content[8:200] = bytes(192)
    with pytest.raises(Invalid, match="damaged"):
        read(bytes(content))


def test_a_packed_parquet_file_is_unpacked(read: ReadText) -> None:
    assert read(gzip.compress(packed(FRAME))).rows == read(packed(FRAME)).rows


def test_rows_whose_values_do_not_fit_may_be_skipped(read: ReadText) -> None:
    content = packed(pl.DataFrame({"f": [1.0, 1.5, 3.0], "s": ["1", "x", None]}))
    found = read(content, types={"f": "int", "s": "int"}, bad_rows="skip")
    assert found.rows == [(1, 1), (3, None)]
    (reject,) = found.reading.bad[0].first
    assert (reject.line, reject.text) == (2, '{"f": 1.5, "s": "x"}')


def test_options_are_refused(read: ReadText) -> None:
    with pytest.raises(Invalid, match="'header' is not an option of parquet files"):
        read(packed(FRAME), header="true")


def test_an_empty_frame_keeps_its_columns(read: ReadText) -> None:
    found = read(packed(FRAME.clear()))
    assert found.rows == []
    assert found.names == FRAME.columns


def test_days_beyond_the_years_of_python_are_read(read: ReadText) -> None:
    days = pl.DataFrame({"d": pl.Series([5_000_000], dtype=pl.Int32).cast(pl.Date), "n": ["x"]})
    path = packed(days)
    with pytest.raises(Invalid, match="'x' is not a value of type int"):
        read(path, types={"n": "int"})


@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_a_column_of_nothing_but_null_is_text_until_a_type_is_given(
    write: Callable[..., None], read: ReadText
) -> None:
    out = io.BytesIO()
    write(pl.DataFrame({"a": [1, 2], "n": [None, None], "l": [[None], []]}), out)
    found = read(out.getvalue())
    assert found.types == {"a": "bigint", "n": "string", "l": "array<string>"}
    assert "no values" in found.reasons["n"]
    assert found.rows == [(1, None, [None]), (2, None, [])]
    assert read(out.getvalue(), types={"n": "date"}).types["n"] == "date"


@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_times_of_day_keep_the_fraction_of_the_second(
    write: Callable[..., None], read: ReadText
) -> None:
    out = io.BytesIO()
    write(pl.DataFrame({"t": [time(23, 59, 59, 999_999), time(1, 2, 3), None]}), out)
    assert read(out.getvalue()).column("t") == ["23:59:59.999999", "01:02:03", None]
