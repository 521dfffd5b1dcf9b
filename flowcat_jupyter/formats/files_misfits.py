"""Values that do not fit a type which was asked for, in any kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from flowcat_jupyter.formats.files_cast import Typed, not_of_type
from flowcat_jupyter.formats.files_infer import Decision
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.shared.counts import many


@dataclass(frozen=True)
class Tried:
    """Rows that were tried in some types, the line of each, and what a row says by its number."""

    typed: Typed
    lines: pl.Series
    text: Callable[[int], str]


Try = Callable[[Mapping[str, Decision]], Iterator[Tried]]


@dataclass(frozen=True)
class Misfits:
    """How to look for them. ``read`` gives all rows of the file in the types of some columns."""

    names: Mapping[str, str]
    read: Try
    bad: BadRows
    bad_rows: str
    place: str = "Line"

    def settle(
        self, decisions: dict[str, Decision], unsure: dict[str, Decision]
    ) -> tuple[dict[str, Decision], int]:
        """The decisions once columns that do not fit have become text, where that is wanted, and
        how many rows are set aside in ``bad`` for the columns that could not.
        """
        settled = dict(decisions)
        if self.bad_rows == "text" and unsure:
            settled |= self._as_text(unsure)
            unsure = {key: found for key, found in unsure.items() if settled[key] is found}
        return settled, self._set_aside(unsure) if unsure else 0

    def _as_text(self, unsure: dict[str, Decision]) -> dict[str, Decision]:
        # A table's own column cannot become text.
        free = {key: found for key, found in unsure.items() if found.reason.startswith("as asked")}
        counts = dict.fromkeys(free, 0)
        for tried in self.read(free) if free else ():
            for key in free:
                wrong = tried.typed.wrong.get(self.names[key])
                counts[key] += 0 if wrong is None else int(wrong.sum())
        return {
            key: Decision(
                "string",
                f"asked as {free[key].ddl}, which {_misfits(count)}; kept as text",
            )
            for key, count in counts.items()
            if count
        }

    def _set_aside(self, unsure: dict[str, Decision]) -> int:
        before = self.bad.misfits
        for tried in self.read(unsure):
            for row, reason in tried.typed.misfits():
                line = int(tried.lines[row])
                self.bad.add(line, reason, tried.text(row), misfit=True)
        if first := self.bad.first_misfit:
            place = f"{self.place} {first.line}"
            self.bad.refusal = not_of_type(place, first.reason, self.bad.misfits - 1)
        return self.bad.misfits - before


def _misfits(count: int) -> str:
    return f"{many(count, 'value does', 'values do')} not fit"
