"""What every kind of file gives once it has been read through."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TypeAlias

import polars as pl

from flowcat_jupyter.formats.csv_records import BadRows
from flowcat_jupyter.formats.files_cast import check_readable, is_readable
from flowcat_jupyter.formats.files_infer import Decision
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import ProposedColumn

HEAD_ROWS = 1000
_SAMPLED = "The file is large: types are proposed from a sample; the import looks at every row."
RowsRead: TypeAlias = Callable[[int], None]
"""Is told, now and then, how many rows have been read."""


def tell_nobody(rows: int) -> None:
    """Report to nobody."""


@dataclass(frozen=True)
class Request:
    """How a file is to be read.

    ``types`` are asked for; ``target`` are those of the table the rows will be added to.
    ``sample_above``: a plain file larger than this is only sampled, for a preview; None reads all.
    ``keep``: the rows will be asked for after the proposal.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, str] = field(default_factory=dict)
    sample_above: int | None = None
    keep: bool = True
    report: RowsRead = tell_nobody


@dataclass(frozen=True)
class Reading:
    """A file that has been read through once.

    ``options`` are those that take the same reading again. ``rows`` counts the rows that fit,
    ``bad`` those that do not. ``frames`` gives the rows in the proposed types, some megabytes at a
    time, and raises `Invalid` for a value that does not fit an overridden type; ``head`` gives the
    first of them. ``sampled`` says that not every row was looked at.
    """

    format: str
    options: dict[str, str]
    columns: tuple[ProposedColumn, ...]
    rows: int
    bad: BadRows
    skip_bad: bool
    warnings: tuple[str, ...]
    sampled: bool
    frames: Callable[[], Iterator[pl.DataFrame]]
    head: Callable[[int], pl.DataFrame]

    def refuse_bad_rows(self) -> None:
        """Stop here unless all rows fit or the others may be skipped.

        :raises Invalid: naming the first lines that do not fit, and how many there are.
        """
        if self.bad.count and not self.skip_bad:
            raise Invalid(
                f"{self.bad.summary}; nothing was imported.",
                hint="Correct the file, or set the option bad_rows to skip to leave them out.",
            )

    def all_warnings(self) -> tuple[str, ...]:
        """Everything a person should know about the reading, the first rows left out included."""
        sampled = (_SAMPLED,) if self.sampled else ()
        if not self.bad.count:
            return (*sampled, *self.warnings)
        total = self.rows + self.bad.count
        end = "left out" if self.skip_bad else "the import will stop unless bad_rows is skip"
        told = f"Of {total:,} rows, {self.bad.summary}: {end}."
        return (*sampled, *self.warnings, told, *self.bad.kept)


def decide(
    names: Mapping[str, str],
    request: Request,
    infer: Callable[[str], Decision],
    explain: Callable[[str, Decision], Decision] = lambda key, found: found,
) -> dict[str, Decision]:
    """The type of every column: as asked, else as the target table has it, else inferred.

    ``names`` are the columns' names by the keys that ``infer`` takes; ``explain`` may add to the
    reason of a decision that was not inferred.

    :raises NotFound: a type is asked for a column that is not there.
    :raises Invalid: text cannot be read as the type asked.
    """
    asked = _by_name(list(names.values()), request.types)
    target = {name_key(name): ddl for name, ddl in request.target.items()}
    decisions: dict[str, Decision] = {}
    for key, name in names.items():
        if name in asked:
            decisions[key] = explain(key, _asked(name, asked[name], infer(key)))
        elif name_key(name) in target and is_readable(target[name_key(name)]):
            decisions[key] = explain(key, Decision(target[name_key(name)], "as in the table"))
        else:
            decisions[key] = infer(key)
    return decisions


def _asked(name: str, ddl: str, inferred: Decision) -> Decision:
    # A proposal given back as it was must do, nested types included.
    if parse_type(ddl) == parse_type(inferred.ddl):
        return Decision(inferred.ddl, "as asked")
    return Decision(check_readable(name, ddl), "as asked")


def _by_name(names: list[str], types: Mapping[str, str]) -> dict[str, str]:
    spelled = {name_key(name): name for name in names}
    for given in types:
        if given not in names and name_key(given) not in spelled:
            raise NotFound("column", given, hint=f"The file has: {', '.join(names[:20])}.")
    return {(g if g in names else spelled[name_key(g)]): ddl for g, ddl in types.items()}


@contextmanager
def spooling() -> Iterator[Spool]:
    """A spool in a file without a name, which goes with the process whatever ends it."""
    with tempfile.TemporaryFile() as file:
        yield Spool(file)


class Spool:
    """Frames kept in a temporary file."""

    def __init__(self, file: IO[bytes]) -> None:
        """Keep them in ``file``, which is the caller's to close."""
        self._file = file
        self._starts: list[tuple[int, int]] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Keep a frame.

        :raises LimitExceeded: the disk is full.
        """
        start = self._file.seek(0, 2)
        try:
            frame.write_ipc_stream(self._file, compression="lz4")
            self._file.flush()
        except OSError as e:
            raise LimitExceeded(
                f"The folder for temporary files is full ({e}).",
                hint="Free some space, or set TMPDIR to a larger disk.",
            ) from e
        self._starts.append((start, self._file.tell() - start))

    def frames(self) -> Iterator[pl.DataFrame]:
        """The frames, in the order they came."""
        for start, size in self._starts:
            self._file.seek(start)
            yield pl.read_ipc_stream(self._file.read(size))
