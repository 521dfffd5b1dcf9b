"""Delimited text as frames of text columns, with the line every row began on.

Rows that do not have the header's number of fields, or whose quotes are wrong, are set aside and
never padded, shifted or joined. An empty field is NULL; a quoted empty field is empty text.

Lines that can only be read in one way are read by polars, some megabytes at a time. Every other
line begins a record for the careful reader, which takes as many lines as the record has.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from flowcat_jupyter.formats.csv_blocks import MAX_LINE, Blocks
from flowcat_jupyter.formats.csv_careful import LINE, Dialect, Flags, Part, Walk, walk
from flowcat_jupyter.formats.csv_plain import parse_plain, plain_lines, read_plain
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.shared.errors import Invalid

READERS = min(4, os.cpu_count() or 1)
"""How many blocks are read at a time. They are cut alike each time the same text is read."""


@dataclass(frozen=True)
class Batch:
    """Some rows as text, and ``"line"``, the line that each began on."""

    frame: pl.DataFrame
    data: bytes
    first: int
    texts: Mapping[int, str] = field(default_factory=dict)

    def text(self, line: int) -> str:
        """What the record that begins on ``line`` says."""
        known = self.texts.get(line)
        return self._part.text(line - self.first) if known is None else known

    def row_text(self, row: int) -> str:
        """What the record of a row says."""
        return self.text(int(self.frame[LINE][row]))

    @cached_property
    def _part(self) -> Part:
        return Part(self.data, Dialect())


class Records:
    """The records of one text, read once.

    ``bad`` and ``blank`` (lines that hold nothing, which are no rows) grow as batches are taken,
    and so does ``plain``: how many lines each block has, 0 for one that needed care.
    """

    def __init__(
        self,
        blocks: Blocks,
        dialect: Dialect,
        bad: BadRows,
        *,
        careful: bool = False,
        known: Sequence[int] = (),
    ) -> None:
        """Read ``blocks``; with ``careful`` nothing is read the fast way. ``known`` is `plain` as
        it was when the same text was read before.
        """
        self.bad = bad
        self.blank = 0
        self.line = 0
        self.plain: list[int] = []
        self._blocks = blocks
        self._dialect = dialect
        self._careful = careful
        self._known = known

    def header(self, *, keep: bool) -> list[str] | None:
        """The next record that is not blank, whatever its width; None at the end. With ``keep``
        it is read again as a row.

        :raises Invalid: its quotes are wrong.
        """
        while data := self._blocks.take():
            part = Part(data, self._dialect)
            for number in range(len(part.ends)):
                found = part.record(number)
                if found.open and not self._blocks.ended:
                    self._give_back(part, number)
                    break
                if found.fault:
                    raise Invalid(f"The first line cannot be read: {found.fault}.")
                if found.fields:
                    self._give_back(part, number + (0 if keep else found.lines))
                    return found.fields
            else:
                self.line += len(part.ends)
        return None

    def skip(self, lines: int) -> None:
        """Pass lines that are no records."""
        while lines and (data := self._blocks.take()):
            part = Part(data, self._dialect)
            count = min(lines, len(part.ends))
            self._give_back(part, count)
            lines -= count

    def _give_back(self, part: Part, number: int) -> None:
        """Let line ``number`` of ``part`` be the next one."""
        self._blocks.give_back(self._rest(part, number))

    def _rest(self, part: Part, number: int) -> bytes:
        """What comes from line ``number`` of ``part`` on, which is then the next one."""
        self.line += number
        rest = part.data[part.start(number) :]
        if len(rest) > MAX_LINE:
            raise Invalid(
                f"The record on line {self.line + 1} is longer than {MAX_LINE >> 20} MB.",
                hint="This is not a file of delimited text.",
            )
        return rest

    def batches(self, width: int) -> Iterator[Batch]:
        """The records of ``width`` fields, some megabytes at a time.

        :raises UnicodeDecodeError: the bytes are not UTF-8.
        """
        with ThreadPoolExecutor(READERS, "csv") as pool:
            coming: deque[tuple[bytes, Future[pl.DataFrame | None]]] = deque()
            while True:
                while len(coming) <= READERS and (data := self._blocks.take()):
                    number = len(self.plain) + len(coming)
                    coming.append((data, pool.submit(self._try_plain, data, width, number)))
                if not coming:
                    return
                data, reading = coming.popleft()
                frame = reading.result()
                self.plain.append(0 if frame is None else frame.height)
                if frame is not None:
                    yield self._plain(data, frame)
                    continue
                batch, rest = self._read(data, width, last=self._blocks.ended and not coming)
                if rest:
                    # The record goes on: where the blocks after this one begin is to be seen.
                    self._blocks.give_back(rest, [later for later, _ in coming])
                    coming.clear()
                yield batch

    def _try_plain(self, data: bytes, width: int, number: int) -> pl.DataFrame | None:
        """The block with this number, counted from 0, read the fast way; None if it cannot be."""
        if not data.isascii():
            data.decode()
        if self._careful:
            return None
        if number >= len(self._known):
            return read_plain(data, self._dialect.marks, width)
        count = self._known[number]
        lines = data.replace(b"\r\n", b"\n") if b"\r" in data else data
        return parse_plain(lines, self._dialect.marks, width, count) if count else None

    def _plain(self, data: bytes, frame: pl.DataFrame) -> Batch:
        first = self.line + 1
        self.line += frame.height
        numbers = pl.int_range(first, first + frame.height, dtype=pl.UInt64)
        return Batch(frame.with_columns(numbers.alias(LINE)), data, first)

    def _read(self, data: bytes, width: int, *, last: bool) -> tuple[Batch, bytes]:
        """The records of a block read with care, and the one at its end that goes on."""
        part = Part(data, self._dialect)
        plain = np.zeros(len(part.ends), np.bool_)
        if not self._careful:
            plain = plain_lines(data, part.ends, self._dialect.marks, width)
        found = walk(part, plain, width, last=last)
        frame = part.gathered(plain, width)
        if frame is None:
            plain = np.zeros(len(part.ends), np.bool_)
            found = walk(part, plain, width, last=last)
            frame = found.frame(width).clear()
        return self._entered(part, plain, found, frame, width)

    def _entered(
        self, part: Part, plain: Flags, found: Walk, frame: pl.DataFrame, width: int
    ) -> tuple[Batch, bytes]:
        first = self.line + 1
        for number, reason, text in found.bad:
            self.bad.add(first + number, reason, text)
        self.blank += found.blank
        numbers = np.concatenate([np.flatnonzero(plain), np.array(found.at, np.int64)]) + first
        lines = pl.Series(LINE, numbers, dtype=pl.UInt64)
        if found.rows:
            rows = pl.concat([frame, found.frame(width)]).with_columns(lines).sort(LINE)
        else:
            rows = frame.with_columns(lines)
        texts = {first + number: text for number, text in found.texts.items()}
        batch = Batch(rows, part.data, first, texts)
        if found.until is None:
            self.line += len(part.ends)
            return batch, b""
        return batch, self._rest(part, found.until)
