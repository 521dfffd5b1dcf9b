"""Delimited text as frames of text columns, with the line every row began on.

Rows that do not have the header's number of fields, or whose quotes are wrong, are set aside and
never padded, shifted or joined. An empty field is NULL; a quoted empty field is empty text.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TextIO

import polars as pl

from flowcat_jupyter.formats.csv_plain import read_plain
from flowcat_jupyter.shared.errors import Invalid

LINE = "line"
BLOCK_CHARS = 4 << 20
FIRST_CHARS = 64 << 10
MAX_FIELD = 8 << 20
MAX_LINE = 64 << 20
SHOWN = 10
SHOWN_CHARS = 200


@dataclass(frozen=True)
class Dialect:
    """How fields are separated and quoted; ``quote`` None means that no character quotes."""

    delimiter: str = ","
    quote: str | None = '"'

    def reader(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """A strict reader of records; raises `csv.Error` and may be read on."""
        csv.field_size_limit(MAX_FIELD)
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            strict=True,
        )


@dataclass
class BadRows:
    """Rows that were set aside: how many, and the line, reason and text of the first few."""

    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, line: int, reason: str, text: str) -> None:
        """Set the row that begins on ``line`` aside."""
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append((line, reason))
            self.texts.append(text[:SHOWN_CHARS].rstrip("\r\n"))

    @property
    def summary(self) -> str:
        """How many rows, on which lines and why, in one phrase."""
        lines = "; ".join(f"line {line}: {reason}" for line, reason in self.first)
        more = "" if self.count <= len(self.first) else f"; and {self.count - len(self.first)} more"
        rows = "1 row does" if self.count == 1 else f"{self.count} rows do"
        return f"{rows} not fit ({lines}{more})"

    @property
    def kept(self) -> tuple[str, ...]:
        """The text of the first few rows, each with its line."""
        return tuple(
            f"Line {line}: {text}" for (line, _), text in zip(self.first, self.texts, strict=True)
        )


def text_schema(width: int) -> dict[str, pl.DataType]:
    """The schema of the frames: columns ``"0"`` to ``width - 1`` of text, and their lines."""
    return {**{str(i): pl.String() for i in range(width)}, LINE: pl.UInt64()}


class Records:
    """The records of one text stream, read once.

    ``bad`` and ``blank`` (lines that hold nothing, which are no rows) grow as frames are taken.
    """

    def __init__(self, text: TextIO, dialect: Dialect, lines_before: int = 0) -> None:
        """Read ``text``, opened with its line ends untouched; ``lines_before`` of it are gone."""
        self.dialect = dialect
        self.bad = BadRows()
        self.blank = 0
        self._lines = _Lines(text, lines_before)
        self._reader = dialect.reader(self._lines)

    def header(self) -> list[str] | None:
        """The next record that is not blank, whatever its width; None at the end.

        :raises Invalid: its quotes are wrong.
        """
        while True:
            try:
                fields = self._next()
            except csv.Error as e:
                raise Invalid(f"The first line cannot be read: {_why(e)}.") from e
            if fields is None or fields:
                return fields

    def put_back(self) -> None:
        """Make the record just read be read again."""
        self._lines.put_back(0)

    def frames(self, width: int) -> Iterator[pl.DataFrame]:
        """The records of ``width`` fields, some megabytes at a time."""
        while True:
            if not self._lines.waiting and not self._lines.fill():
                return
            frame = self._plain(width)
            yield self._quoted(width) if frame is None else frame

    def _plain(self, width: int) -> pl.DataFrame | None:
        """The block as polars reads it, when nothing in it can be read in two ways."""
        block = self._lines.block
        if block is None:
            return None
        frame = read_plain(block, self.dialect.delimiter, self.dialect.quote, width)
        if frame is None:
            return None
        first = self._lines.number + 1
        self._lines.drop_block(frame.height)
        return frame.with_columns(
            pl.int_range(first, first + frame.height, dtype=pl.UInt64).alias(LINE)
        )

    def _quoted(self, width: int) -> pl.DataFrame:
        rows: list[list[str]] = []
        lines: list[int] = []
        empty: list[tuple[int, int]] = []
        while self._lines.waiting:
            fields = self._good(width)
            if fields is None:
                continue
            if "" in fields:
                empty += [(i, len(rows)) for i in self._quoted_empty(fields)]
            rows.append(fields)
            lines.append(self._lines.began)
        return _text_frame(rows, lines, empty, width)

    def _good(self, width: int) -> list[str] | None:
        try:
            fields = self._next()
        except csv.Error as e:
            self._set_aside(_why(e))
            return None
        if fields is not None and len(fields) == width:
            return fields
        if fields:
            plural = "field" if len(fields) == 1 else "fields"
            self._set_aside(f"{len(fields)} {plural} instead of {width}")
        elif fields is not None:
            self.blank += 1
        return None

    def _set_aside(self, reason: str) -> None:
        # Only the first line is given up: a stray quote must not take good lines with it.
        self.bad.add(self._lines.began, reason, self._lines.taken[0])
        self._lines.put_back(1)

    def _next(self) -> list[str] | None:
        self._lines.begin()
        return next(self._reader, None)

    def _quoted_empty(self, fields: list[str]) -> list[int]:
        quote = self.dialect.quote
        raw = "".join(self._lines.taken)
        if not quote or quote * 2 not in raw:
            return []
        starts = _field_starts(raw, fields, self.dialect.delimiter, quote)
        return [i for i, start in enumerate(starts) if fields[i] == "" and raw[start:][:1] == quote]


def _field_starts(raw: str, fields: list[str], delimiter: str, quote: str) -> list[int]:
    starts: list[int] = []
    at = 0
    for value in fields:
        starts.append(at)
        quoted = raw[at : at + 1] == quote
        at += len(value) + (2 + value.count(quote) if quoted else 0) + len(delimiter)
    return starts


def _text_frame(
    rows: list[list[str]], lines: list[int], empty: list[tuple[int, int]], width: int
) -> pl.DataFrame:
    columns = zip(*rows, strict=True) if rows else ([] for _ in range(width))
    frame = pl.DataFrame(
        [pl.Series(str(i), values, dtype=pl.String) for i, values in enumerate(columns)]
    ).with_columns(pl.all().replace("", None))
    for name in {str(column) for column, _ in empty}:
        at = [row for column, row in empty if str(column) == name]
        frame = frame.with_columns(frame[name].scatter(at, ""))
    return frame.with_columns(pl.Series(LINE, lines, dtype=pl.UInt64))


def _why(error: csv.Error) -> str:
    text = str(error)
    if "field limit" in text or "end of data" in text:
        return "a quote is never closed"
    if "expected after" in text:
        return "a stray quote"
    return text


class _Lines:
    """Lines of a stream, some of which may be put back; read block by block of whole lines."""

    def __init__(self, text: TextIO, lines_before: int) -> None:
        self._text = text
        self._size = FIRST_CHARS
        self._block: Iterator[str] = iter(())
        self._back: deque[str] = deque()
        self._whole: str | None = None
        self.taken: list[str] = []
        self.number = lines_before
        self.began = 1

    @property
    def block(self) -> str | None:
        """The block of which no line was taken yet, if that is where we are."""
        return self._whole if not self._back else None

    @property
    def waiting(self) -> bool:
        """Whether the current block has lines left."""
        if not self._back and self._whole is None:
            line = next(self._block, None)
            if line is not None:
                self._back.append(line)
        return bool(self._back) or self._whole is not None

    def fill(self) -> bool:
        """Read the next block; False at the end."""
        # The first block is small: having given the header, it cannot be read as a whole.
        block = self._text.read(self._size)
        self._size = BLOCK_CHARS
        if not block:
            return False
        rest = self._text.readline(MAX_LINE)
        if len(rest) >= MAX_LINE:
            raise Invalid(
                f"A line after line {self.number + 1} is longer than {MAX_LINE >> 20} MB.",
                hint="This is not a file of delimited text.",
            )
        self._whole = block + rest
        self._block = io.StringIO(self._whole, newline="")
        return True

    def drop_block(self, lines: int) -> None:
        """Leave the block, all of whose ``lines`` were read elsewhere."""
        self._whole, self._block = None, iter(())
        self.number += lines

    def begin(self) -> None:
        """A record starts with the next line."""
        self.taken.clear()
        self.began = self.number + 1

    def put_back(self, keep: int) -> None:
        """Give back all lines of the record but the first ``keep``."""
        back = self.taken[keep:]
        del self.taken[keep:]
        self._back.extendleft(reversed(back))
        self.number -= len(back)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else self._from_block()
        self.taken.append(line)
        self.number += 1
        return line

    def _from_block(self) -> str:
        self._whole = None
        line = next(self._block, None)
        while line is None:
            if not self.fill():
                raise StopIteration
            self._whole = None
            line = next(self._block, None)
        return line
