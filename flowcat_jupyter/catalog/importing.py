"""What an import is of: files, how they are read, and what is remembered of their source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import PurePath

from flowcat_jupyter.catalog.store.rows import Memory
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.names import name_key

REJECTS_KEPT = timedelta(days=30)
"""How long the rejected lines of a run can be looked at."""

_DIGITS = re.compile(r"\d+")
_NAMED = 5


@dataclass(frozen=True)
class ImportSpec:
    """Files on the server that together are one table, and how to take them in.

    ``paths`` are files that the caller may read. ``types`` maps column names to Spark DDL types and
    overrides what the files suggest. ``source`` is what `source_of` says of the names the caller
    gave; None: nothing is remembered of them, nor looked up.
    """

    paths: tuple[str, ...]
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    source: str | None = None

    @property
    def title(self) -> str:
        """The files in a few words."""
        first = _storable(PurePath(self.paths[0]).name)
        more = len(self.paths) - 1
        return f"{first} and {more:,} more" if more else first

    @property
    def lasting(self) -> dict[str, str]:
        """The options that say how the source is written.

        What became of one delivery's faulty lines is no rule for the next one's.
        """
        return {name: value for name, value in self.options.items() if name != "bad_rows"}

    @property
    def says_something(self) -> bool:
        """Whether the caller chose anything that is worth remembering."""
        return bool(self.format or self.lasting or self.types)

    def over(self, memory: Memory | None) -> ImportSpec:
        """This, over what is remembered; a format that was asked for ends another's options."""
        if memory is None or (self.format and memory.format and self.format != memory.format):
            return self
        named = {name_key(name) for name in self.types}
        kept = {name: ddl for name, ddl in memory.types.items() if name_key(name) not in named}
        return replace(
            self,
            format=self.format or memory.format,
            options={**memory.options, **self.options},
            types={**kept, **self.types},
        )


def blamed(error: FlowcatError, given: ImportSpec, full: ImportSpec) -> FlowcatError:
    """``error`` of an import of ``full``, saying what of it was not ``given`` but remembered."""
    format = full.format if full.format != given.format else None
    options = {k: v for k, v in full.options.items() if given.options.get(k) != v}
    types = [name for name, ddl in full.types.items() if given.types.get(name) != ddl]
    parts = [f"format {format}"] if format else []
    parts += [f"{name} = {value!r}" for name, value in options.items()]
    parts += [f"the type of {name}" for name in types]
    if not parts or not isinstance(error, (Invalid, NotFound)):
        return error
    more = len(parts) - _NAMED
    listed = ", ".join(parts[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    body = error.to_wire()
    body["message"] = (
        f"{error.message} This was not given, but remembered of the source's last import: {listed}."
    )
    forget = "If that no longer holds, import without what is remembered, or forget it"
    body["hint"] = f"{error.hint or ''} {forget} (flowcat import --forget).".strip()
    told = FlowcatError.from_wire(body)
    told.__cause__ = error
    return told


def source_of(names: Sequence[str]) -> str:
    """What the names of files, folders or patterns share with those of the next delivery.

    Runs of digits in the last part do not count: ``in/sales_2024-05.csv`` and
    ``in/sales_2024-06.csv`` are of one source.
    """
    return "\n".join(sorted({_pattern(name) for name in names}))


def _pattern(name: str) -> str:
    folder, slash, leaf = name.rstrip("/").rpartition("/")
    return _storable(f"{folder}{slash}{_DIGITS.sub('#', leaf)}")


def _storable(name: str) -> str:
    """A name that a database can hold; on disk a name may be any bytes."""
    return name.encode("utf-8", "replace").decode()
