"""A FROM clause whose text is written when all else is bound: only what is used is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.scope import Column, Source
from flowcat_jupyter.sql.lowering.values import Value


@dataclass(slots=True)
class Leaf:
    """Something read under an alias; its text is written when it is known what is used.

    ``physical`` are its columns' own names, where it is read whole.
    """

    alias: str
    source: Source
    write: Callable[[], str]
    physical: tuple[str, ...] = ()


@dataclass(slots=True)
class Join:
    """A leaf joined to what stands before it."""

    leaf: Leaf
    kind: str
    on: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class View:
    """A LATERAL VIEW: everything before it, repeated for each element of an array.

    ``before`` are the columns known before it and their text there.
    """

    alias: str
    before: list[tuple[Column, str]]
    array: Value
    column: Column
    outer: bool

    def write(self, source: str, filters: list[str]) -> str:
        """The view over ``source``, of which ``filters`` must hold."""
        columns = [f"{sql} AS {column.id}" for column, sql in self.before if column.used]
        columns.append(f"UNNEST({self.array.sql}) AS {self.column.id}")
        kept = list(filters)
        if not self.outer:
            kept.append(f"(ARRAY_LENGTH({self.array.sql}) > 0)")
        where = f" WHERE ({' AND '.join(kept)})" if kept else ""
        return text.nested(text.select(columns, source + where), self.alias)


@dataclass(slots=True)
class From:
    """The FROM of one select, to be written once all else is bound."""

    first: Leaf
    joins: list[Join] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    def write(self, conditions: list[Value]) -> tuple[str, list[Value]]:
        """The text after FROM, and the conditions that are left for WHERE.

        Joins without ON are written with commas where no join has ON; else equalities of
        WHERE move into their ON, because the engine makes no equi-join of a CROSS JOIN.
        """
        if not self.views:
            return self._joined(conditions)
        whole, rest = self._joined([])
        for view in self.views:
            whole = view.write(whole, self.filters)
            self.filters = []
        return whole, [*rest, *conditions]

    def _joined(self, conditions: list[Value]) -> tuple[str, list[Value]]:
        if all(join.kind == "CROSS" for join in self.joins):
            leaves = [self.first, *(join.leaf for join in self.joins)]
            return ", ".join(leaf.write() for leaf in leaves), conditions
        seen = {column.id for column in self.first.source.columns}
        whole, rest = self.first.write(), list(conditions)
        for join in self.joins:
            own = {column.id for column in join.leaf.source.columns}
            kind, on = join.kind, list(join.on)
            if kind == "CROSS":
                moved = [item for item in rest if _joins(item, seen, own)]
                rest = [item for item in rest if item not in moved]
                kind, on = ("INNER", moved) if moved else (kind, on)
            seen |= own
            whole += f" {kind} JOIN {join.leaf.write()}"
            if kind != "CROSS":
                whole += f" ON ({' AND '.join(item.sql for item in on) or 'TRUE'})"
        return whole, rest


def _joins(value: Value, seen: set[str], own: set[str]) -> bool:
    equality = " = " in value.sql and not value.raises
    return (
        equality
        and bool(value.fields & seen)
        and bool(value.fields & own)
        and (value.fields <= seen | own)
    )
