"""The fast way to read delimited text: for blocks that can only be read in one way."""

from __future__ import annotations

import polars as pl
from polars.exceptions import PolarsError

_BOM = "\ufeff"


def read_plain(block: str, delimiter: str, quote: str | None, width: int) -> pl.DataFrame | None:
    """The records of a block of whole lines as columns ``"0"`` to ``width - 1``, one per line.

    None when any line is blank, has another number of fields, holds a quote out of place or goes
    on in the next line: such a block needs the careful reader.
    """
    if not delimiter.isascii() or block.startswith(_BOM):
        return None
    block = block.replace("\r\n", "\n")
    if "\r" in block or "\n\n" in block or block.startswith("\n"):
        return None
    quoted = quote is not None and quote in block
    try:
        if quoted and not _well_formed(block, delimiter, quote or "", width):
            return None
        frame = pl.read_csv(
            block.encode(),
            has_header=False,
            schema={str(i): pl.String() for i in range(width)},
            separator=delimiter,
            quote_char=quote if quoted else None,
        )
    except (PolarsError, UnicodeEncodeError):
        return None
    # polars pads short rows and refuses long ones, so only the total can tell.
    fits = quoted or block.count(delimiter) == frame.height * (width - 1)
    return frame if fits and frame.height == lines_in(block) else None


def lines_in(block: str) -> int:
    """How many lines a block has; the last may lack its end."""
    return block.count("\n") + (not block.endswith("\n"))


def _well_formed(block: str, delimiter: str, quote: str, width: int) -> bool:
    if not quote.isascii():
        return False
    d, q = (f"\\x{ord(mark):02x}" for mark in (delimiter, quote))
    field = rf"(?:{q}[^{q}\n]*(?:{q}{q}[^{q}\n]*)*{q}|[^{q}{d}\n]*)"
    record = rf"{field}(?:{d}{field}){{{width - 1}}}"
    pattern = rf"\A(?:{record}\n)*(?:{record})?\z"
    return bool(pl.Series([block]).str.contains(pattern)[0])
