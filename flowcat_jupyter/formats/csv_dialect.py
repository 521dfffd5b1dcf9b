"""Guessing a delimited file's dialect and header from its first lines.

Guesses are always shown as options of the proposal; giving the options back takes the same
reading.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from flowcat_jupyter.formats.csv_careful import Dialect
from flowcat_jupyter.formats.files_options import FileOptions
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 200
_VALUE = re.compile(
    r"\s*(?:[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?|\d{4}-\d\d-\d\d.*|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4})\s*"
)
_SEPARATOR_LINE = re.compile(r"sep=([^\r\n])\r?\n")
_SHOWN = 40
_NO_HEADER = (
    "The first row holds numbers or dates, so the columns are numbered; set the option header to "
    "true if it names them."
)
_FLAG = re.compile(r"\s*(?:true|false)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """A dialect, how its delimiter and quote were found, and how many lines come before it."""

    dialect: Dialect
    delimiter_reason: str
    quote_reason: str
    lines: int = 0


def find_dialect(sample: str, options: FileOptions) -> Found:
    """The dialect under which the sample's rows agree best; options given are kept.

    :raises Invalid: delimiter and quote are the same character.
    """
    quote = '"' if options.quote is None else options.quote or None
    why = "As asked." if options.quote is not None else _quote_reason(sample)
    told = _SEPARATOR_LINE.match(sample)
    lines = 1 if told else 0
    delimiter, reason = options.delimiter, "As asked."
    if told and delimiter is None:
        delimiter, reason = told.group(1), "The first line says so, as Excel writes it."
    if delimiter is None:
        delimiter, reason = _find_delimiter(sample, quote)
    if delimiter == quote:
        raise Invalid("The options delimiter and quote cannot be the same character.")
    return Found(Dialect(delimiter, quote), reason, why, lines)


def _quote_reason(sample: str) -> str:
    if '"' in sample:
        return "Double quotes occur, and they are what nearly every file quotes with."
    return "No quotes occur in its first lines; double quotes are what nearly every file uses."


def _find_delimiter(sample: str, quote: str | None) -> tuple[str, str]:
    scored = [(_agreement(sample, Dialect(mark, quote)), mark) for mark in DELIMITERS]
    (share, width), mark = max(scored, key=lambda pair: pair[0])
    if not width:
        # One column: commas in it are text.
        mark = next((mark for mark in DELIMITERS if mark not in sample), ",")
        return mark, "No delimiter splits the first lines alike, so there is one column."
    agree = "All of" if share == 1 else f"{share:.0%} of"
    return mark, f"{agree} the first rows then have the same {width} fields."


def _agreement(sample: str, dialect: Dialect) -> tuple[float, int]:
    """The share of rows as wide as the first, and that width; nothing for a single column."""
    widths = [len(row) for row in _rows(sample, dialect) if row]
    if not widths or widths[0] < 2:
        return 0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _rows(sample: str, dialect: Dialect) -> list[list[str]]:
    rows: list[list[str]] = []
    reader = dialect.reader(iter(io.StringIO(sample, newline="")))
    for _ in range(_SAMPLE_ROWS):
        try:
            row = next(reader, None)
        except csv.Error:
            continue
        if row is None:
            break
        rows.append(row)
    return rows


@dataclass(frozen=True)
class Header:
    """Whether the first row names the columns, and how that is known."""

    there: bool
    reason: str
    warnings: tuple[str, ...] = ()


def find_header(sample: str, dialect: Dialect, options: FileOptions) -> Header:
    """Whether the first row names columns: none of its cells is a number, a date or a flag, and
    not all of them are empty.
    """
    if options.header is not None:
        return Header(options.header, "As asked.")
    if _SEPARATOR_LINE.match(sample):
        sample = sample.partition("\n")[2]
    return judged(next((row for row in _rows(sample, dialect) if row), []))


def judged(row: list[str]) -> Header:
    """Whether a row names columns."""
    value = next((cell for cell in row if _VALUE.fullmatch(cell) or _FLAG.fullmatch(cell)), None)
    if value is not None:
        shown = value.strip()[:_SHOWN]
        return Header(False, f"The first row holds the value {shown!r}.", (_NO_HEADER,))
    if row and not any(cell.strip() for cell in row):
        return Header(False, "The first row is empty.", (_NO_HEADER,))
    return Header(True, "No cell of the first row is a number, a date or a flag.")


def column_names(cells: list[str]) -> tuple[list[str], list[str]]:
    """Names from a header row, each trimmed and unique, and a warning for each that was changed.

    :raises Invalid: a name is one the catalog keeps for itself.
    """
    # A byte order mark remains where the encoding was given without one.
    # Names in Arrow end at a NUL.
    cells = [cell.removeprefix("\ufeff").replace("\0", " ") for cell in cells]
    names: list[str] = []
    warnings: list[str] = []
    taken = {name_key(" ".join(cell.split())) for cell in cells}
    seen: set[str] = set()
    for number, cell in enumerate(cells, 1):
        name = " ".join(cell.split())
        if name.casefold().startswith(RESERVED_PREFIX):
            raise Invalid(
                f"Column {number} is called {name!r}; names beginning {RESERVED_PREFIX} are kept "
                "for the catalog itself.",
                hint="Rename it in the file.",
            )
        unique = name
        if not name or name_key(name) in seen:
            unique = _free(name or "column", number if not name else 2, taken | seen)
            told = f"is called {name!r} like another" if name else "has no name"
            warnings.append(f"Column {number} {told}: it becomes {unique!r}.")
        seen.add(name_key(unique))
        names.append(unique)
    return names, warnings


def _free(stem: str, number: int, taken: set[str]) -> str:
    while name_key(f"{stem}_{number}") in taken:
        number += 1
    return f"{stem}_{number}"
