"""The fast way to read delimited text: for lines that can only be read in one way."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from polars.exceptions import PolarsError

_BOM = codecs.BOM_UTF8
# The patterns of wider records are too large to be looked for quickly.
_COUNTED_WIDTH = 250
_LF, _CR = 10, 13


@dataclass(frozen=True)
class Marks:
    """The characters that structure a text; ``quote`` None means that none quotes."""

    delimiter: str
    quote: str | None

    @property
    def simple(self) -> bool:
        """Whether both are single bytes, which the fast way needs."""
        return self.delimiter.isascii() and (self.quote is None or self.quote.isascii())

    def quoted(self, block: bytes) -> bool:
        """Whether the quote occurs at all."""
        return self.quote is not None and self.quote.encode() in block


def read_plain(block: bytes, marks: Marks, width: int) -> pl.DataFrame | None:
    """The records of a block of whole lines as columns ``"0"`` to ``width - 1``, one per line.

    None when any line is blank, has another number of fields, holds a quote out of place or goes
    on in the next line: such a block needs the careful reader.
    """
    if not marks.simple or block.startswith(_BOM):
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\r" in block or (width == 1 and _has_blank(block)):
        return None
    count = lines_in(block)
    if not _fits(block, marks, width, count):
        return None
    return parse_plain(block, marks, width, count)


def _has_blank(block: bytes) -> bool:
    """Whether a line is empty; with more than one field, it would be one too short."""
    return b"\n\n" in block or block.startswith(b"\n")


def parse_plain(block: bytes, marks: Marks, width: int, count: int) -> pl.DataFrame | None:
    """The ``count`` lines of a block as records; None when the library does not see as many."""
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            schema={str(i): pl.String() for i in range(width)},
            separator=marks.delimiter,
            quote_char=marks.quote if marks.quoted(block) else None,
        )
    except PolarsError:
        return None
    return frame if frame.height == count else None


def lines_in(block: bytes) -> int:
    """How many lines a block has; the last may lack its end."""
    return block.count(b"\n") + (not block.endswith(b"\n"))


def _fits(block: bytes, marks: Marks, width: int, count: int) -> bool:
    """Whether no line is short and all quotes are in place; long lines the library refuses."""
    if marks.quoted(block):
        return _well_formed(block, marks, width, count)
    return block.count(marks.delimiter.encode()) == count * (width - 1)


def _well_formed(block: bytes, marks: Marks, width: int, count: int) -> bool:
    text = pl.Series([block.decode()])
    if width <= _COUNTED_WIDTH:
        line = _record_pattern(marks, width)
        return bool(text.str.contains(rf"\A(?:{line}\n)*(?:{line})?\z")[0])
    line = _record_pattern(marks)
    if not text.str.contains(rf"\A(?:{line}\n)*(?:{line})?\z")[0]:
        return False
    bare = text.str.replace_all(_quoted_pattern(marks), "")
    fields = int(bare.str.count_matches(marks.delimiter, literal=True)[0])
    return fields == count * (width - 1)


def _quoted_pattern(marks: Marks) -> str:
    q = f"\\x{ord(marks.quote or ''):02x}"
    return f"{q}[^{q}\n]*{q}"


def _record_pattern(marks: Marks, width: int | None = None) -> str:
    """A line of ``width`` fields, or of any number of them."""
    d, q = (f"\\x{ord(mark):02x}" for mark in (marks.delimiter, marks.quote or ""))
    field = rf"(?:{q}[^{q}\n]*(?:{q}{q}[^{q}\n]*)*{q}|[^{q}{d}\n]*)"
    more = "*" if width is None else f"{{{width - 1}}}"
    return rf"{field}(?:{d}{field}){more}"


def plain_lines(
    block: bytes, ends: npt.NDArray[np.int64], marks: Marks, width: int
) -> npt.NDArray[np.bool_]:
    """For every line of a block, by where it ends, whether it is a plain record of its own."""
    if not marks.simple:
        return np.zeros(len(ends), np.bool_)
    octets = np.frombuffer(block, np.uint8)
    starts = np.append([0], ends[:-1])
    fields = _per_line(octets == ord(marks.delimiter), ends)
    returns = _per_line(octets == _CR, ends)
    ended = octets[ends - 1] == _LF
    body = ends - starts - ended
    returned = (body > 0) & ended & (octets[np.maximum(ends - 2, 0)] == _CR)
    plain = (body - returned > 0) & (returns == returned) & (fields == width - 1)
    if marks.quoted(block):
        quotes = _per_line(octets == ord(marks.quote or ""), ends)
        plain &= quotes == 0
        at = np.flatnonzero((quotes > 0) & (body - returned > 0) & (returns == returned))
        if b"\r" in block:
            lines = _cut(block, starts[at], (starts + body - returned)[at])
        else:
            lines = pl.Series([block.decode()]).str.split("\n").explode().gather(at)
        plain[at] = _plain_quoted(lines, marks, width)
    if block.startswith(_BOM):
        plain[0] = False
    return np.asarray(plain, np.bool_)


def _per_line(found: npt.NDArray[np.bool_], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    before = np.searchsorted(np.flatnonzero(found), ends)
    return np.diff(before, prepend=0)


def _cut(block: bytes, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> pl.Series:
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return pl.Series([block[start:end].decode() for start, end in pairs], dtype=pl.String)


def _plain_quoted(lines: pl.Series, marks: Marks, width: int) -> npt.NDArray[np.bool_]:
    if width <= _COUNTED_WIDTH:
        formed = lines.str.contains(rf"\A{_record_pattern(marks, width)}\z")
    else:
        bare = lines.str.replace_all(_quoted_pattern(marks), "")
        fields = bare.str.count_matches(marks.delimiter, literal=True)
        formed = lines.str.contains(rf"\A{_record_pattern(marks)}\z") & (fields == width - 1)
    return np.asarray(formed.to_numpy(), np.bool_)
