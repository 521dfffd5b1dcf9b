"""Sheets of workbooks: Excel's xlsx, xlsb and xls, and OpenDocument's ods.

Cells are read as the text they stand for, so that types are proposed as for any other text; but
a cell that holds text stays text, whatever the text looks like.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import fastexcel
import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.csv_careful import LINE
from flowcat_jupyter.formats.csv_dialect import Header, column_names, judged
from flowcat_jupyter.formats.excel_cells import (
    CellNotes,
    cell_notes,
    column_letters,
    span_text,
)
from flowcat_jupyter.formats.files_bytes import UNPACKED_TIMES, FileBytes, most_unpacked
from flowcat_jupyter.formats.files_cast import typed
from flowcat_jupyter.formats.files_infer import Decision, Profile
from flowcat_jupyter.formats.files_misfits import Misfits, Tried
from flowcat_jupyter.formats.files_options import (
    BAD_ROWS,
    DATE_ORDERS,
    FileOptions,
    given_options,
)
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide, widened
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.wire import Detected, ImportFile, ProposedColumn

FRAME_ROWS = 100_000
_LOOKED_AT = 50
_NEARLY = 0.8
_MIDNIGHT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00$"
_TIME_OF_DAY = r"^1899-12-3[01] [0-9:.]+$"
_LISTED = 3
# It tells of every column that holds nothing, which is no news to anyone.
logging.getLogger("fastexcel").setLevel(logging.ERROR)


@contextmanager
def read_excel(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read one sheet of a workbook into memory.

    :raises Invalid: it is damaged or protected, the sheet holds no rows, or a type does not suit.
    :raises NotFound: there is no such sheet, or no column for one of the types asked.
    """
    with packed.on_disk() as path:
        _check_size(path, packed.label)
        yield _Sheet(packed, path, options, request).reading()


def _check_size(path: Path, label: str) -> None:
    """Refuse a workbook that would swell beyond all measure."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        size = sum(item.file_size for item in archive.infolist())
    if size > most_unpacked(path.stat().st_size):
        raise Invalid(
            f"{label} unpacks to more than {UNPACKED_TIMES} times its size.",
            hint="Save the sheet as CSV and import that.",
        )


class _Sheet:
    """One sheet, all of whose cells are in memory."""

    def __init__(
        self, packed: FileBytes, path: Path, options: FileOptions, request: Request
    ) -> None:
        self._packed = packed
        self._options = options
        self._request = request
        try:
            self._load(path)
        except (fastexcel.FastExcelError, PolarsError) as e:
            reason = str(e).splitlines()[0]
            raise Invalid(
                f"{packed.label} is damaged, protected, or no workbook ({reason}).",
                hint="Open it in a spreadsheet program and save it again, without a password.",
            ) from e
        if not self._frame.height:
            raise Invalid(
                f"Sheet {self._name} of {packed.label} holds no rows.",
                hint=f"There are: {', '.join(self._book.sheet_names[:20])}.",
            )
        self._notes = cell_notes(path, self._name)
        self._convention = Convention(
            ".", options.date_format, options.date_order, options.null_values
        )
        self._profile = Profile(list(self._keys), self._convention)
        self._profile.add(self._frame)
        self._bad = BadRows(packed.label, request.keep)
        self._rows = self._frame.height
        self._decide()

    def _load(self, path: Path) -> None:
        self._book = fastexcel.read_excel(path)
        self._name, cells = self._chosen()
        self._find_header(cells)
        first = self._header_row
        names = cells.row(first - 1) if first else [None] * cells.width
        if first:
            self._names, self._warnings = column_names([cell or "" for cell in names])
        else:
            self._names = [f"column_{number}" for number in range(1, cells.width + 1)]
            self._warnings = list(self._header.warnings)
        self._keys = {str(number): name for number, name in enumerate(self._names)}
        rows = cells.rename(dict(zip(cells.columns, self._keys, strict=True)))
        rows = rows.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt64).alias(LINE))
        rows = rows.slice(first)
        self._kinds = self._cell_kinds(first)
        rows = rows.with_columns(self._spans(first, rows.height))
        blank = pl.all_horizontal(pl.col(list(self._keys)).is_null())
        self._frame = _plain_cells(rows.filter(~blank), list(self._keys))
        self._blank = rows.height - self._frame.height

    def _chosen(self) -> tuple[str, pl.DataFrame]:
        names = self._book.sheet_names
        if not names:
            raise Invalid(f"{self._packed.label} has no sheets.")
        if self._options.sheet is not None:
            if self._options.sheet not in names:
                listed = ", ".join(names[:20])
                raise NotFound("sheet", self._options.sheet, hint=f"There are: {listed}.")
            self._why = "As asked."
            return self._options.sheet, self._cells(self._options.sheet)
        for name in names:
            sheet = self._book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
            if sheet.visible == "visible" and sheet.width:
                self._why = "It is the first sheet that is not hidden and not empty."
                return name, sheet.to_polars()
        self._why = "It is the first sheet; none that is not hidden holds anything."
        return names[0], self._cells(names[0])

    def _cells(self, name: str) -> pl.DataFrame:
        return self._book.load_sheet(
            name, header_row=None, skip_rows=0, dtypes="string"
        ).to_polars()

    def _find_header(self, cells: pl.DataFrame) -> None:
        """The row of names: the first that is nearly as full as any of the first rows."""
        asked = self._options.header_row
        if asked is not None and asked > cells.height:
            raise Invalid(f"Sheet {self._name} has no row {asked}; it has {cells.height:,}.")
        rows = [[cell or "" for cell in row] for row in cells.head(_LOOKED_AT).iter_rows()]
        filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
        most = max(filled, default=0)
        first = next((i for i, n in enumerate(filled) if n and n >= most * _NEARLY), 0)
        if self._options.header is False or asked == 0:
            self._header, self._header_row = Header(False, "As asked."), 0
        elif asked is not None:
            self._header, self._header_row = Header(True, "As asked."), asked
        else:
            row = rows[first] if rows else []
            self._header = (
                judged(row) if self._options.header is None else Header(True, "As asked.")
            )
            self._header_row = first + 1 if self._header.there else 0

    def _cell_kinds(self, first: int) -> dict[str, str]:
        """What the library takes each column's cells for: ``string`` where any is text."""
        sheet = self._book.load_sheet(
            self._name, header_row=None, skip_rows=first, schema_sample_rows=None
        )
        return {str(column.index): column.dtype for column in sheet.available_columns()}

    def _spans(self, first: int, height: int) -> list[pl.Series]:
        """The columns of lengths of time, which as texts would be days of the year 1900."""
        keys = [key for key, kind in self._kinds.items() if kind == "duration"]
        if not keys:
            return []
        spans = self._book.load_sheet(
            self._name,
            header_row=None,
            skip_rows=first,
            use_columns=[int(key) for key in keys],
            schema_sample_rows=None,
        ).to_polars()
        found = zip(keys, spans.iter_columns(), strict=True)
        return [span_text(cells).alias(key) for key, cells in found if len(cells) == height]

    def _infer(self, key: str) -> Decision:
        found = self._profile.decide(key, self._convention)
        letters = column_letters(int(key))
        is_text = self._kinds.get(key) == "string" and not self._notes.errors[letters]
        if found.ddl != "string" and is_text and not found.strptime:
            return Decision("string", f"cells that hold text, which look like {found.reason}")
        return found

    def _decide(self) -> None:
        self._decisions = decide(self._keys, self._request, self._infer, self._profile.with_markers)
        unsure = {
            key: found
            for key, found in self._decisions.items()
            if not self._profile.supports(key, found.ddl, self._convention)
        }
        if unsure:
            look = Misfits(self._keys, self._tried, self._bad, self._options.bad_rows, "Row")
            self._decisions, lost = look.settle(self._decisions, unsure)
            self._rows -= lost

    def _tried(self, decisions: Mapping[str, Decision]) -> Iterator[Tried]:
        for frame in self._frame.iter_slices(FRAME_ROWS):
            yield Tried(
                typed(frame, self._keys, decisions, self._convention),
                frame[LINE],
                partial(_row_text, frame),
            )

    def _retyped(self, types: Mapping[str, str]) -> Reading:
        self._decisions = widened(self._decisions, self._keys, types)
        return self.reading()

    def reading(self) -> Reading:
        """What is in the sheet."""
        columns = [
            ProposedColumn(
                self._keys[key], was.ddl, was.reason, tuple(self._profile.columns[key].examples)
            )
            for key, was in self._decisions.items()
        ]
        head = self._frame.head(HEAD_ROWS)
        options = {
            "sheet": self._name,
            "header": "true" if self._header_row else "false",
            "header_row": str(self._header_row),
            **given_options("excel", self._options),
        }
        return Reading(
            format="excel",
            options=options,
            columns=tuple(columns),
            rows=self._rows,
            bad=(self._bad,),
            bad_rows=self._options.bad_rows,
            warnings=tuple(self._all_warnings()),
            sampled=False,
            frames=lambda: (tried.typed.fitting() for tried in self._tried(self._decisions)),
            head=lambda size: typed(
                head.head(size), self._keys, self._decisions, self._convention
            ).fitting(),
            retyped=self._retyped,
            own=self._own_types(),
            detected=self._detected(),
            choices={
                "sheet": tuple(self._book.sheet_names),
                "header": ("true", "false"),
                "date_order": DATE_ORDERS,
                "bad_rows": BAD_ROWS,
            },
            files=(ImportFile(self._packed.label, self._packed.size),),
        )

    def _own_types(self) -> dict[str, str]:
        return {
            name: self._infer(key).ddl if self._profile.columns[key].values else "void"
            for key, name in self._keys.items()
        }

    def _detected(self) -> tuple[Detected, ...]:
        header = self._header.reason
        if self._header_row and header != "As asked.":
            header = "It is the first row that is as full as those below, and it holds only text."
        return (
            Detected("sheet", self._name, self._why),
            Detected("header_row", str(self._header_row), header),
        )

    def _all_warnings(self) -> Iterator[str]:
        yield from self._warnings
        above = self._header_row - 1
        if above > 0:
            yield f"What is above the names in row {self._header_row} is left out."
        if self._blank:
            yield f"Blank rows are no rows: there are {self._blank:,}."
        yield from _told(self._notes)


def _told(notes: CellNotes) -> Iterator[str]:
    if notes.errors:
        columns = ", ".join(list(notes.errors)[:_LISTED])
        cells = many(notes.errors.total(), "cell holds an error", "cells hold errors")
        yield f"{cells} such as #DIV/0!: NULL in their place (column {columns})."
    if notes.merged:
        ranges = ", ".join(notes.merged[:_LISTED])
        merged = many(len(notes.merged), "range of cells is", "ranges of cells are")
        yield (
            f"{merged} merged ({ranges}): only the first cell of each has the value, the others "
            "are NULL."
        )


def _plain_cells(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The cells with dates and times of day written as such, where a column holds nothing else."""
    return rows.with_columns(_plain_column(rows[key]) for key in keys)


def _plain_column(cells: pl.Series) -> pl.Series:
    held = cells.drop_nulls()
    if not len(held):
        return cells
    if held.str.contains(_MIDNIGHT).all():
        return cells.str.head(10)
    if held.str.contains(_TIME_OF_DAY).all():
        return cells.str.slice(11)
    return cells


def _row_text(rows: pl.DataFrame, at: int) -> str:
    cells = rows.drop(LINE).row(at)
    return "\t".join("" if cell is None else str(cell) for cell in cells)
