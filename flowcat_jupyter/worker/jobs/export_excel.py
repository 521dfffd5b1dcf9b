"""Rows as an Excel workbook of one sheet.

Numbers are numbers where Excel keeps all their digits, of which it has fifteen; others are text.
Texts are never formulas or links. Instants are the session's clock, for Excel knows no zones.
"""

from __future__ import annotations

import math
import shutil
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from flowcat_jupyter.shared.errors import LimitExceeded
from flowcat_jupyter.worker.jobs.export import Rows
from flowcat_jupyter.worker.jobs.texts import shown_values
from flowcat_jupyter.worker.spool import parts_of

MOST_ROWS = 1_048_575
MOST_COLUMNS = 16_384
MOST_CHARACTERS = 32_767
DIGITS = 15
_CHUNK = 5_000
# Before that day Excel's calendar has one day too many.
_FIRST_DAY = date(1900, 3, 1)
_LAST_YEAR = 9999
_OPTIONS = {
    "constant_memory": True,
    "strings_to_numbers": False,
    "strings_to_formulas": False,
    "strings_to_urls": False,
}
Cell = str | bool | int | float | Decimal | date | datetime


def write_excel(rows: Rows, path: Path, total: int) -> int:
    """Write a workbook in bounded memory.

    :raises LimitExceeded: there are more rows or columns, or a text is longer, than a sheet holds.
    """
    _check(total, MOST_ROWS, "rows")
    _check(len(rows.headings), MOST_COLUMNS, "columns")
    parts = parts_of(path)
    parts.mkdir()
    try:
        with Workbook(str(path), {**_OPTIONS, "tmpdir": str(parts)}) as book:
            _fill(book, rows)
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    return total


def _check(count: int, most: int, what: str) -> None:
    if count > most:
        raise LimitExceeded(
            f"An Excel sheet holds {most:,} {what}; there are {count:,}.",
            hint="Filter, choose columns, or export CSV or Parquet.",
        )


def _fill(book: Workbook, rows: Rows) -> None:
    sheet = book.add_worksheet("Rows")
    sheet.freeze_panes(1, 0)
    bold = book.add_format({"bold": True})
    for at, heading in enumerate(rows.headings):
        sheet.write_string(0, at, _held(heading, heading), bold)
    writers = [
        _Column(book, sheet, at, heading, dtype)
        for at, (heading, dtype) in enumerate(
            zip(rows.headings, rows.frame.collect_schema().dtypes(), strict=True)
        )
    ]
    row = 0
    batches = rows.frame.collect_batches(chunk_size=_CHUNK, maintain_order=True, lazy=True)
    for batch in batches:
        columns = [_cells(series, rows.zone) for series in batch.get_columns()]
        for cells in zip(*columns, strict=True):
            row += 1
            for writer, cell in zip(writers, cells, strict=True):
                if cell is not None:
                    writer.put(row, cell)


class _Column:
    """A column of the sheet and how its cells look."""

    def __init__(
        self, book: Workbook, sheet: Worksheet, at: int, heading: str, dtype: pl.DataType
    ) -> None:
        self._sheet = sheet
        self._at = at
        self._heading = heading
        places = "." + "0" * dtype.scale if isinstance(dtype, pl.Decimal) and dtype.scale else ""
        shape = {"num_format": f"0{places}"} if isinstance(dtype, pl.Decimal) else {}
        self._number = book.add_format(shape)
        self._day = book.add_format({"num_format": "yyyy-mm-dd"})
        self._second = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._part = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})

    def put(self, row: int, cell: Cell) -> None:
        """Write a cell."""
        if isinstance(cell, str):
            self._sheet.write_string(row, self._at, _held(cell, self._heading))
        elif isinstance(cell, bool):
            self._sheet.write_boolean(row, self._at, cell)
        elif isinstance(cell, datetime):
            shape = self._part if cell.microsecond else self._second
            self._sheet.write_datetime(row, self._at, cell, shape)
        elif isinstance(cell, date):
            self._sheet.write_datetime(row, self._at, cell, self._day)
        else:
            self._sheet.write_number(row, self._at, float(cell), self._number)


def _held(text: str, heading: str) -> str:
    if len(text.encode("utf-16-le")) // 2 <= MOST_CHARACTERS:
        return text
    raise LimitExceeded(
        f"A value of {heading} has more than the {MOST_CHARACTERS:,} characters a cell of Excel "
        "holds.",
        hint="Leave the column out, or export CSV or Parquet.",
    )


def _cells(series: pl.Series, zone: str) -> list[Cell | None]:
    """A column's values as Excel keeps them whole; as text those that it would not."""
    dtype = series.dtype
    if isinstance(dtype, (pl.Boolean, pl.String)):
        return series.to_list()
    if isinstance(dtype, pl.Float32):
        # The nearest 64-bit number has digits that nobody wrote.
        series = series.cast(pl.String).cast(pl.Float64)
    numbers = dtype.is_numeric() or isinstance(dtype, (pl.Date, pl.Datetime))
    if not numbers:
        return list(shown_values(series, zone))
    shown = series
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone(zone).dt.replace_time_zone(None)
    if dtype.is_temporal():
        # Neither Python nor Excel has later years; polars counts on.
        series = series.set(series.dt.year() > _LAST_YEAR, None)
        series = series.set(series.dt.year() < _FIRST_DAY.year, None)
    values = series.to_list()
    if shown.null_count() == series.null_count() and all(map(_keeps, values)):
        return values
    texts = shown_values(shown, zone)
    return [
        v if v is not None and _keeps(v) else text for v, text in zip(values, texts, strict=True)
    ]


def _keeps(value: Any) -> bool:
    if isinstance(value, datetime):
        return value.date() >= _FIRST_DAY and value.microsecond % 1000 == 0
    if isinstance(value, date):
        return value >= _FIRST_DAY
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) <= DIGITS
    return value is None or abs(value) < 10**DIGITS
