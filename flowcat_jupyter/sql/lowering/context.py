"""What one lowering shares: settings, fresh names, CTEs and warnings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering.frames import Frame
from flowcat_jupyter.sql.lowering.shared import SharedLeaf
from flowcat_jupyter.sql.lowering.targets import POLARS, Target

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Table:
    """A relation of the generated text: its columns' names there, for people, and types."""

    id: str
    columns: list[tuple[str, str, DataType]]


@dataclass(slots=True)
class Context:
    """Settings come from the plan; the rest is gathered while lowering.

    ``labels`` maps each generated column name to the one people know; ``guarded`` says that a
    condition keeps something from failing, so that it must be evaluated only where it holds.
    ``recursing`` says that a recursive query is being lowered. ``same`` names, for each of the
    relations that are one and the same, the first of them. ``variables`` are what names mean that
    are no column's, by their keys, as SQL.
    """

    schemas: Mapping[str, Sequence[Column]]
    names: Mapping[str, tuple[str, ...]]
    time_zone: str
    now: str
    user: str
    params: Mapping[str, Any]
    target: Target = POLARS
    max_cell_bytes: int = 1 << 26
    same: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    leaves: dict[tuple[str, int], SharedLeaf] = field(default_factory=dict)
    ctes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    reads: dict[str, set[str]] = field(default_factory=dict)
    recursive: bool = False
    recursing: bool = False
    guarded: bool = False
    _count: int = 0

    def fresh(self, prefix: str, label: str | None = None) -> str:
        """A name not used before; ``label`` is what people call it."""
        self._count += 1
        name = f"{prefix}{self._count}"
        if label is not None:
            self.labels[name] = label
        return name

    def queried(self, sql: str) -> str:
        """``sql`` after the CTEs that it needs, of those there are by now.

        polars plans each that it is given: with all of them, frames upon frames would cost it a
        multiple for every further one.
        """
        named, needed = set(_WORD.findall(sql)), list[str]()
        for cte in reversed(self.ctes):
            if cte.partition(" ")[0] in named:
                named.update(_WORD.findall(cte))
                needed.append(cte)
        if not needed:
            return sql
        return f"WITH{' RECURSIVE' if self.recursive else ''} {', '.join(reversed(needed))} {sql}"

    def shared_leaf(self, relation: str, at: int, labels: Sequence[str]) -> SharedLeaf | None:
        """What the reference number ``at`` in one FROM reads of a relation that is read again."""
        first = self.same.get(relation)
        if first is None:
            return None
        if (first, at) not in self.leaves:
            names = tuple(self.fresh("x", label) for label in labels)
            self.leaves[first, at] = SharedLeaf(self.fresh("t"), first, names)
        return self.leaves[first, at]

    def add_frame(self, frame: Frame) -> None:
        """Let later texts read a frame.

        :raises SqlError: its rows are those of a recursive query that is not whole yet.
        """
        if self.target.name != "polars":
            raise refusal(f"such a function on {self.target.name}")
        if self.recursing:
            raise refusal("such a function in WITH RECURSIVE")
        self.frames.append(replace(frame, sql=self.queried(frame.sql)))

    def warn(self, message: str) -> None:
        """Tell the user once."""
        if message not in self.warnings:
            self.warnings.append(message)

    @property
    def zone(self) -> ZoneInfo:
        """The session's time zone.

        :raises Invalid: it is unknown.
        """
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise Invalid(
                f"{self.time_zone!r} is not a time zone.",
                condition="INVALID_TIMEZONE",
                sqlstate="22009",
                hint="Use a name such as Europe/Paris or UTC.",
            ) from error

    @property
    def moment(self) -> datetime:
        """The instant the statement was planned at."""
        if not self.now:
            return datetime.now(UTC)
        parsed = datetime.fromisoformat(self.now)
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
