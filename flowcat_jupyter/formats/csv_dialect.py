"""Guessing a delimited file's dialect and header from its first lines.

Guesses are always shown as options of the proposal; giving the options back takes the same
reading.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice

from flowcat_jupyter.formats.csv_records import Dialect
from flowcat_jupyter.formats.files_options import FileOptions
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 200
_VALUE = re.compile(
    r"\s*(?:[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?|\d{4}-\d\d-\d\d.*|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4})\s*"
)
_SEPARATOR_LINE = re.compile(r"sep=([^\r\n])\r?\n")
_FLAG = re.compile(r"\s*(?:true|false)\s*", re.IGNORECASE)


def find_dialect(sample: str, options: FileOptions) -> Dialect:
    """The dialect under which the sample's rows agree best; options given are kept.

    :raises Invalid: delimiter and quote are the same character.
    """
    quote = '"' if options.quote is None else options.quote or None
    if options.delimiter is not None:
        if options.delimiter == quote:
            raise Invalid("The options delimiter and quote cannot be the same character.")
        return Dialect(options.delimiter, quote)
    scored = [(_agreement(sample, Dialect(mark, quote)), mark) for mark in _DELIMITERS]
    best, mark = max(scored, key=lambda pair: pair[0])
    if not best[1]:
        # One column: commas in it are text.
        mark = next((mark for mark in _DELIMITERS if mark not in sample), ",")
    return Dialect(mark, quote)


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


def excel_delimiter(sample: str) -> str | None:
    """The delimiter that a first line ``sep=;``, as Excel writes it, names."""
    match = _SEPARATOR_LINE.match(sample)
    return match.group(1) if match else None


def has_header(sample: str, dialect: Dialect) -> bool:
    """Whether the first row names columns: none of its cells is a number, a date or a flag, and
    not all of them are empty.
    """
    rows = islice((row for row in _rows(sample, dialect) if row), 1)
    for row in rows:
        return any(cell.strip() for cell in row) and not any(
            _VALUE.fullmatch(cell) or _FLAG.fullmatch(cell) for cell in row
        )
    return True


def column_names(cells: list[str]) -> tuple[list[str], list[str]]:
    """Names from a header row, each trimmed and unique, and a warning for each that was changed.

    :raises Invalid: a name is one the catalog keeps for itself.
    """
    # A byte order mark remains where the encoding was given without one.
    cells = [cell.removeprefix("\ufeff") for cell in cells]
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
