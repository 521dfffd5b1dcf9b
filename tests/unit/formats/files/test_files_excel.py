"""Cells of spreadsheets mean what a spreadsheet program shows."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import xlsxwriter

ReadText = Callable[..., Any]


def workbook(format: str, *numbers: float | None) -> bytes:
    """A sheet of one column, ``x``, whose numbers are shown in a format."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet, shape = book.add_worksheet(), book.add_format({"num_format": format})
        sheet.write_string(0, 0, "x")
        sheet.write_string(0, 1, "y")
        for row, number in enumerate(numbers, 1):
            sheet.write_string(row, 1, "-")
            if number is not None:
                sheet.write_number(row, 0, number, shape)
    return out.getvalue()


def test_lengths_of_time_are_no_days_of_the_year_1900(read: ReadText) -> None:
    found = read(workbook("[h]:mm:ss", 1.5, 0.25, None, 1, 60, -0.5, 0.000011574074), name="b.xlsx")
    assert found.types["x"] == "string"
    assert found.column("x") == [
        "36:00:00",
        "6:00:00",
        None,
        "24:00:00",
        "1440:00:00",
        "-12:00:00",
        "0:00:01",
    ]


def test_days_of_1900_are_those_that_are_shown(read: ReadText) -> None:
    found = read(workbook("yyyy-mm-dd", 1, 59, 61, 2_958_465), name="b.xlsx")
    assert list(map(str, found.column("x"))) == [
        "1900-01-01",
        "1900-02-28",
        "1900-03-01",
        "9999-12-31",
    ]


def test_times_of_day_keep_their_milliseconds(read: ReadText) -> None:
    found = read(workbook("hh:mm:ss.000", 0.5, 0.999999988), name="b.xlsx")
    assert found.column("x") == ["12:00:00", "23:59:59.999"]
