"""Lines that become no rows: counted, the first shown, and all of them kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.batches import lazily
from flowcat_jupyter.formats.files_spool import Spool
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Reject

LISTED = 10
SHOWN = 50
SHOWN_CHARS = 200
KEPT_CHARS = 32_768
KEPT_BYTES = 256 << 20
_BATCH_ROWS = 20_000
_BATCH_BYTES = 4 << 20
SCHEMA = pl.Schema(
    {"file": pl.String(), "line": pl.Int64(), "reason": pl.String(), "text": pl.String()}
)

Keep = Callable[[Reject], None]


def keep_nothing(reject: Reject) -> None:
    """Keep no line."""


@dataclass
class BadRows:
    """What was set aside of one file: how many lines, and the first few in the order met.

    ``keep`` is told of every one, with its whole text.
    """

    file: str = ""
    keep: Keep = keep_nothing
    count: int = 0
    first: list[Reject] = field(default_factory=list)
    misfits: int = 0
    first_misfit: Reject | None = None
    refusal: Invalid | None = None
    """The error to raise for a file of which only values were refused."""

    def add(self, line: int, reason: str, text: str, *, misfit: bool = False) -> None:
        """Set the record that begins on ``line`` aside; a ``misfit`` for one of its values."""
        self.count += 1
        if misfit:
            self.misfits += 1
            self.first_misfit = self.first_misfit or Reject(self.file, line, reason, "")
        text = text.rstrip("\r\n")
        self.keep(Reject(self.file, line, reason, text[:KEPT_CHARS]))
        if len(self.first) < SHOWN:
            self.first.append(Reject(self.file, line, reason, text[:SHOWN_CHARS]))


def summary(count: int, first: list[Reject], *, files: bool) -> str:
    """How many rows, on which lines and why, in one phrase."""
    listed = first[:LISTED]
    lines = "; ".join(f"{_place(item, files=files)}: {item.reason}" for item in listed)
    more = "" if count <= len(listed) else f"; and {count - len(listed)} more"
    return f"{many(count, 'row does', 'rows do')} not fit ({lines}{more})"


def _place(item: Reject, *, files: bool) -> str:
    return f"{item.file} line {item.line}" if files else f"line {item.line}"


def texts(first: list[Reject], *, files: bool) -> tuple[str, ...]:
    """The text of the first few lines, each with its place."""
    listed = first[:LISTED]
    places = [_place(item, files=files) for item in listed]
    return tuple(
        f"{place if files else place.capitalize()}: {item.text}"
        for place, item in zip(places, listed, strict=True)
    )


class RejectLog:
    """Every line set aside, on disk and never in memory, until `write` makes a file of them."""

    def __init__(self, spool: Spool) -> None:
        """Keep them in ``spool``."""
        self._spool = spool
        self._rows: list[Reject] = []
        self._held = 0
        self._kept = 0
        self.count = 0
        self.left_out = 0

    def keep(self, reject: Reject) -> None:
        """Keep one line, unless `KEPT_BYTES` of them are kept already."""
        self.count += 1
        size = len(reject.text) + len(reject.reason)
        if self._kept + size > KEPT_BYTES:
            self.left_out += 1
            return
        self._kept += size
        self._held += size
        self._rows.append(reject)
        if len(self._rows) >= _BATCH_ROWS or self._held >= _BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            rows = [(item.file, item.line, item.reason, item.text) for item in self._rows]
            self._spool.add(pl.DataFrame(rows, schema=SCHEMA, orient="row"))
        self._rows, self._held = [], 0

    def rows(self) -> pl.LazyFrame:
        """What is kept, in `SCHEMA`: file by file, and of each first the lines that are no rows
        at all, then those of which a value does not fit.
        """
        self._flush()
        return lazily(self._spool.frames, SCHEMA)

    def write(self, path: str | None) -> str | None:
        """Write `rows` to ``path`` as an Arrow IPC file; None if there are none.

        :raises Invalid: the file cannot be written.
        """
        if path is None or not self.count:
            return None
        try:
            self.rows().sink_ipc(path, compression="lz4", maintain_order=True)
        except (PolarsError, OSError) as e:
            Path(path).unlink(missing_ok=True)
            raise Invalid(f"The rejected lines cannot be kept: {e}.") from e
        return path

    @property
    def note(self) -> tuple[str, ...]:
        """What to say of lines that were too many to keep."""
        if not self.left_out:
            return ()
        kept = self.count - self.left_out
        return (
            f"Of {self.count:,} rejected lines the first {kept:,} are kept: more than "
            f"{KEPT_BYTES >> 20} MB of them are not.",
        )
