"""What every kind of file gives once it has been read through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import polars as pl

from flowcat_jupyter.formats.files_cast import check_readable, is_readable
from flowcat_jupyter.formats.files_infer import Decision
from flowcat_jupyter.formats.files_rejects import BadRows, Keep, keep_nothing, summary, texts
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Detected, ImportFile, ProposedColumn

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
    ``keep`` is told of every line that becomes no row. ``lenient``: a type asked for a column that
    is not there is no error, because another file may have it.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, str] = field(default_factory=dict)
    sample_above: int | None = None
    report: RowsRead = tell_nobody
    keep: Keep = keep_nothing
    lenient: bool = False


@dataclass(frozen=True)
class Reading:
    """A file that has been read through once.

    ``options`` are those that take the same reading again. ``rows`` counts the rows that fit,
    ``bad`` those that do not. ``frames`` gives the rows in the proposed types, some megabytes at a
    time; ``head`` gives the first of them. ``sampled`` says that not every row was looked at.
    ``retyped`` gives the same reading in wider types, by the columns' `name_key`; no value may
    fail to fit them. ``own`` are the types that the columns would have if nothing were asked, by
    name; ``void`` where they hold no value.
    """

    format: str
    options: dict[str, str]
    columns: tuple[ProposedColumn, ...]
    rows: int
    bad: tuple[BadRows, ...]
    bad_rows: str
    warnings: tuple[str, ...]
    sampled: bool
    frames: Callable[[], Iterator[pl.DataFrame]]
    head: Callable[[int], pl.DataFrame]
    retyped: Callable[[Mapping[str, str]], Reading]
    own: Mapping[str, str] = field(default_factory=dict)
    detected: tuple[Detected, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[ImportFile, ...] = ()

    @property
    def rejected(self) -> int:
        """How many lines become no row."""
        return sum(bad.count for bad in self.bad)

    @property
    def summary(self) -> str:
        """How many rows do not fit, on which lines and why."""
        first = [item for bad in self.bad for item in bad.first]
        return summary(self.rejected, first, files=len(self.bad) > 1)

    def refuse_bad_rows(self) -> None:
        """Stop here unless all rows fit or the others may be left out.

        :raises Invalid: naming the first lines that do not fit, and how many there are.
        """
        if not self.rejected or self.bad_rows != "stop":
            return
        refusals = [bad.refusal for bad in self.bad if bad.count]
        if refusals[0] is not None:
            raise refusals[0]
        raise Invalid(
            f"{self.summary}; nothing was imported.",
            hint="Correct the file, or set the option bad_rows to skip to leave them out.",
        )

    def notes(self) -> tuple[str, ...]:
        """What a person should know about the reading beside the rows left out."""
        return (*((_SAMPLED,) if self.sampled else ()), *self.warnings)

    def all_warnings(self) -> tuple[str, ...]:
        """Everything a person should know about the reading, the first rows left out included."""
        if not self.rejected:
            return self.notes()
        stop = self.bad_rows == "stop"
        total = self.rows + self.rejected
        end = "the import will stop unless bad_rows is skip" if stop else "left out"
        told = f"Of {total:,} rows, {self.summary}: {end}."
        first = [item for bad in self.bad for item in bad.first]
        return (*self.notes(), told, *texts(first, files=len(self.bad) > 1))


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
    asked = _by_name(list(names.values()), request)
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
        return replace(inferred, reason="as asked")
    return Decision(check_readable(name, ddl), "as asked", strptime=inferred.strptime)


def _by_name(names: list[str], request: Request) -> dict[str, str]:
    spelled = {name_key(name): name for name in names}
    found: dict[str, str] = {}
    for given, ddl in request.types.items():
        if given in names or name_key(given) in spelled:
            found[given if given in names else spelled[name_key(given)]] = ddl
        elif not request.lenient:
            raise NotFound("column", given, hint=f"The file has: {', '.join(names[:20])}.")
    return found


def widened(
    decisions: Mapping[str, Decision], names: Mapping[str, str], types: Mapping[str, str]
) -> dict[str, Decision]:
    """``decisions`` with other ``types`` for some columns, by their `name_key`."""
    return {
        key: found
        if types.get(name_key(names[key]), found.ddl) == found.ddl
        else replace(found, ddl=types[name_key(names[key])], reason="as in all files", clean=False)
        for key, found in decisions.items()
    }
