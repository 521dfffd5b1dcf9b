"""The careful way to read delimited text: record by record, from any line of a block."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from flowcat_jupyter.formats.csv_plain import Marks, parse_plain
from flowcat_jupyter.shared.counts import many

LINE = "line"
MAX_FIELD = 8 << 20
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Dialect:
    """How fields are separated and quoted; ``quote`` None means that no character quotes."""

    delimiter: str = ","
    quote: str | None = '"'

    @property
    def marks(self) -> Marks:
        """The characters that structure the text."""
        return Marks(self.delimiter, self.quote)

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


def text_schema(width: int) -> dict[str, pl.DataType]:
    """The schema of the frames: columns ``"0"`` to ``width - 1`` of text, and their lines."""
    return {**{str(i): pl.String() for i in range(width)}, LINE: pl.UInt64()}


@dataclass(frozen=True)
class Found:
    """A record: its fields (none: a blank line), or its ``fault``, and how many lines it took.

    ``open``: the block ended before it did.
    """

    fields: list[str]
    fault: str | None
    lines: int
    open: bool


class Part:
    """The lines of one block, numbered from 0; ``ends`` are where each of them ends."""

    def __init__(self, data: bytes, dialect: Dialect) -> None:
        """Look for lines in ``data``, which is UTF-8 text."""
        self.data = data
        self._dialect = dialect
        self.ends = line_ends(data)

    def start(self, number: int) -> int:
        """Where line ``number`` begins, or where the block ends."""
        return int(self.ends[number - 1]) if number else 0

    def text(self, number: int, count: int = 1) -> str:
        """The text of some lines, their ends included."""
        return self.data[self.start(number) : self.start(number + count)].decode()

    def record(self, number: int) -> Found:
        """The record that begins on line ``number``."""
        taken = 0
        open_ = False

        def lines() -> Iterator[str]:
            nonlocal taken, open_
            for at in range(number, len(self.ends)):
                taken += 1
                yield self.text(at)
            open_ = True

        try:
            fields = next(self._dialect.reader(lines()), [])
        except csv.Error as e:
            return Found([], _why(e), taken, open_)
        return Found(fields, None, taken, open_)

    def gathered(self, chosen: Flags, width: int) -> pl.DataFrame | None:
        """The chosen lines, each of them a plain record, in one frame.

        None when the library sees other records than that.
        """
        count = int(chosen.sum())
        if not count:
            schema = text_schema(width)
            del schema[LINE]
            return pl.DataFrame(schema=schema)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
        runs = [self.data[self.start(a) : self.start(b)] for a, b in edges.reshape(-1, 2).tolist()]
        joined = b"".join(runs)
        if b"\r" in joined:
            joined = joined.replace(b"\r\n", b"\n")
        return parse_plain(joined, self._dialect.marks, width, count)

    def quoted_empty(self, fields: list[str], raw: str) -> list[int]:
        """Which fields of a record are empty between quotes."""
        quote = self._dialect.quote
        if not quote or quote * 2 not in raw:
            return []
        starts = pairwise(_field_starts(raw, fields, self._dialect.delimiter, quote))
        return [
            i
            for i, (start, _) in enumerate(starts)
            if fields[i] == "" and raw[start : start + 1] == quote
        ]


def line_ends(data: bytes) -> npt.NDArray[np.int64]:
    """Where the lines of ``data`` end: after a line feed, or a carriage return that none follows;
    the last where the data do.
    """
    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets == 10) + 1
    if b"\r" in data:
        returns = np.flatnonzero(octets[:-1] == 13)
        alone = returns[octets[returns + 1] != 10] + 1
        ends = np.sort(np.concatenate([ends, alone])) if len(alone) else ends
    if not len(ends) or ends[-1] != len(data):
        ends = np.append(ends, len(data))
    return ends


def _field_starts(raw: str, fields: list[str], delimiter: str, quote: str) -> Iterator[int]:
    at = 0
    for value in fields:
        yield at
        quoted = raw[at : at + 1] == quote
        at += len(value) + (2 + value.count(quote) if quoted else 0) + len(delimiter)
    yield at


def _why(error: csv.Error) -> str:
    text = str(error)
    if "field limit" in text or "end of data" in text:
        return "a quote is never closed"
    if "expected after" in text:
        return "a stray quote"
    return text


@dataclass
class Walk:
    """The records of a block that begin on lines that are not plain.

    ``rows`` are those of the right width, ``at`` the lines they began on, ``texts`` what they said
    where that is more than one line; ``bad`` the other ones; ``until`` the line that a record
    still open at the block's end began on.
    """

    rows: list[list[str]] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    empty: list[tuple[int, int]] = field(default_factory=list)
    bad: list[tuple[int, str, str]] = field(default_factory=list)
    blank: int = 0
    until: int | None = None

    def frame(self, width: int) -> pl.DataFrame:
        """The rows as text columns."""
        columns = zip(*self.rows, strict=True) if self.rows else ([] for _ in range(width))
        frame = pl.DataFrame(
            [pl.Series(str(i), values, dtype=pl.String) for i, values in enumerate(columns)]
        )
        changed = []
        for name in frame.columns if any("" in row for row in self.rows) else []:
            column = frame[name].replace("", None)
            at = [row for field_, row in self.empty if str(field_) == name]
            changed.append(column.scatter(at, "") if at else column)
        return frame.with_columns(changed)


def walk(part: Part, plain: Flags, width: int, *, last: bool) -> Walk:
    """Read the records that begin on the lines not ``plain``; lines that belong to such a record
    are no longer plain afterwards. ``last``: no more lines follow the block.
    """
    found = Walk()
    starts = np.flatnonzero(~plain)
    number = int(starts[0]) if len(starts) else len(plain)
    while number < len(plain):
        record = part.record(number)
        if record.open and not last:
            found.until = number
            plain[number:] = False
            break
        number = _enter(found, part, number, record, width, plain)
        if number < len(plain) and plain[number]:
            at = int(np.searchsorted(starts, number))
            number = int(starts[at]) if at < len(starts) else len(plain)
    return found


def _enter(found: Walk, part: Part, number: int, record: Found, width: int, plain: Flags) -> int:
    """Sort a record in; the line the next one begins on."""
    if record.fault is None and len(record.fields) == width:
        raw = part.text(number, record.lines)
        if "" in record.fields:
            row = len(found.rows)
            found.empty += [(i, row) for i in part.quoted_empty(record.fields, raw)]
        if record.lines > 1:
            found.texts[number] = raw
            plain[number : number + record.lines] = False
        found.rows.append(record.fields)
        found.at.append(number)
        return number + record.lines
    if record.fault is None and not record.fields:
        found.blank += 1
        return number + 1
    # Only the first line is given up: a stray quote must not take good lines with it.
    reason = record.fault or f"{many(len(record.fields), 'field')} instead of {width}"
    found.bad.append((number, reason, part.text(number)))
    return number + 1
