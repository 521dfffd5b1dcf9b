"""What a workbook's own XML says of cells that a table cannot show: errors and merged ones."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import polars as pl

_CHUNK = 1 << 20
_OVERLAP = 4096
_HOUR = 3_600_000_000
_MOST_XML = 64 << 20
_SHEET = re.compile(rb'<sheet\b[^>]*?\bname="([^"]*)"[^>]*?\br:id="([^"]*)"')
_TARGET = re.compile(rb'<Relationship\b(?=[^>]*\bId="([^"]*)")(?=[^>]*\bTarget="([^"]*)")')
_ERROR = re.compile(rb'<c r="([A-Z]+)([0-9]+)"[^>]*\bt="e"')
_MERGED = re.compile(rb'<mergeCell\b[^>]*\bref="([A-Z0-9:]+)"')


@dataclass(frozen=True)
class CellNotes:
    """Columns (by letters) that hold error cells with how many, and merged ranges."""

    errors: Counter[str]
    merged: tuple[str, ...]


def cell_notes(path: Path, sheet: str) -> CellNotes:
    """Look through one sheet of an xlsx workbook; other workbooks say nothing."""
    errors: Counter[str] = Counter()
    merged: dict[str, None] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            member = _member(archive, sheet)
            if member is not None:
                _look(archive, member, errors, merged)
    except (zipfile.BadZipFile, KeyError, OSError, NotImplementedError, RuntimeError):
        # The workbook was read; that its parts cannot be looked at takes only notes away.
        return CellNotes(Counter(), ())
    return CellNotes(errors, tuple(merged))


def _member(archive: zipfile.ZipFile, sheet: str) -> str | None:
    book = _read(archive, "xl/workbook.xml")
    links = dict(_TARGET.findall(_read(archive, "xl/_rels/workbook.xml.rels")))
    for name, link in _SHEET.findall(book):
        if unescape(name.decode()) == sheet and link in links:
            target = str(links[link].decode()).lstrip("/")
            return target if target.startswith("xl/") else f"xl/{target}"
    return None


def _read(archive: zipfile.ZipFile, member: str) -> bytes:
    with archive.open(member) as stream:
        return stream.read(_MOST_XML)


def _look(
    archive: zipfile.ZipFile, member: str, errors: Counter[str], merged: dict[str, None]
) -> None:
    seen: set[bytes] = set()
    tail = b""
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            text = tail + chunk
            for match in _ERROR.finditer(text):
                # What lies in the overlap is met twice.
                cell = match.group(1) + match.group(2)
                if cell not in seen:
                    seen.add(cell)
                    errors[match.group(1).decode()] += 1
            merged |= dict.fromkeys(ref.decode() for ref in _MERGED.findall(text))
            tail = text[-_OVERLAP:]


def column_letters(number: int) -> str:
    """The letters of a column, numbered from 0."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def span_text(cells: pl.Series) -> pl.Series:
    """Lengths of time as spreadsheets show them: ``36:00:00`` is a day and a half."""
    micros = cells.dt.total_microseconds()
    size = micros.abs()
    sign = pl.when(micros < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    # What is less than an hour, as a time of day: in nanoseconds.
    rest = (size % _HOUR * 1_000).cast(pl.Time).dt.to_string(":%M:%S%.f")
    return pl.select(pl.format("{}{}{}", sign, size // _HOUR, rest)).to_series()
