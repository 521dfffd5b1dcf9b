"""A FROM clause whose text is written when all else is bound: only what is used is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

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
    filters: list[str] = field(default_factory=list)

    def written(self) -> str:
        """The leaf's text, without the rows that ``filters`` keep out."""
        leaf = self.leaf.write()
        if not self.filters:
            return leaf
        kept = " AND ".join(self.filters)
        return text.nested(text.select(["*"], f"{leaf} WHERE ({kept})"), self.leaf.alias)


@dataclass(slots=True)
class View:
    """Columns added to everything before them, which may repeat its rows.

    ``before`` are the columns known before and their text there, ``added`` the new ones and what
    they are; only rows of which ``filters`` hold are kept.
    """

    alias: str
    before: list[tuple[Column, str]]
    added: list[tuple[Column, str]]
    filters: list[str]

    def write(self, source: str, filters: list[str]) -> str:
        """The view over ``source``, of which ``filters`` must hold."""
        columns = [f"{sql} AS {column.id}" for column, sql in self.before if column.used]
        columns += [f"{sql} AS {column.id}" for column, sql in self.added]
        kept = [*filters, *self.filters]
        where = f" WHERE ({' AND '.join(kept)})" if kept else ""
        return text.nested(text.select(columns, source + where), self.alias)


@dataclass(slots=True)
class From:
    """The FROM of one select, to be written once all else is bound.

    ``filters`` and ``semis`` are what SEMI and ANTI joins ask of every row; ``semis`` of columns
    that are added to the rows first.
    """

    first: Leaf
    joins: list[Join] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)
    semis: list[Value] = field(default_factory=list)
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
        rest = [*self._loosened(), *conditions]
        if all(join.kind == "CROSS" for join in self.joins):
            leaves = [self.first, *(join.leaf for join in self.joins)]
            return ", ".join(leaf.write() for leaf in leaves), rest
        seen = {column.id for column in self.first.source.columns}
        whole = self.first.write()
        for join in self.joins:
            own = {column.id for column in join.leaf.source.columns}
            if join.kind in ("CROSS", "INNER"):
                join.on += [item for item in rest if joins(item, seen, own)]
                join.on = _distinct(join.on)
                rest = [item for item in rest if not joins(item, seen, own)]
                join.kind = "INNER" if join.on else "CROSS"
            else:
                self._narrow(join, seen, own)
            seen |= own
            whole += f" {join.kind} JOIN {join.written()}"
            if join.kind != "CROSS":
                whole += f" ON ({' AND '.join(item.sql for item in join.on) or 'TRUE'})"
        return whole, rest

    def _narrow(self, join: Join, seen: set[str], own: set[str]) -> None:
        """Leave an outer join only equalities where its other conditions are of one side each.

        The rows of the right that a LEFT JOIN cannot meet are left out beforehand; else one side of
        an equality becomes NULL where the condition does not hold, and meets nothing.
        """
        pairs = [item for item in join.on if joins(item, seen, own)]
        for item in [one for one in join.on if one.fields and not one.raises]:
            if not pairs or item in pairs or "SELECT " in item.sql:
                continue
            if join.kind == "LEFT" and item.fields <= own:
                join.filters.append(item.sql)
            elif item.fields <= own or item.fields <= seen:
                pairs[0] = _masked(pairs[0], item, own)
            else:
                continue
            join.on = [one for one in join.on if one is not item]
        join.on = [*pairs, *(item for item in join.on if not joins(item, seen, own))]

    def _loosened(self) -> list[Value]:
        """What inner joins ask beyond equalities, which WHERE may ask as well.

        Not where a later join keeps unmatched rows of its right side: those never met the
        condition.
        """
        loose: list[Value] = []
        if any(join.kind in ("RIGHT", "FULL") for join in self.joins):
            return loose
        seen = {column.id for column in self.first.source.columns}
        for join in self.joins:
            own = {column.id for column in join.leaf.source.columns}
            if join.kind == "INNER":
                loose += [item for item in join.on if not joins(item, seen, own)]
                join.on = [item for item in join.on if joins(item, seen, own)]
                join.kind = "INNER" if join.on else "CROSS"
            seen |= own
        return loose


def _masked(pair: Value, condition: Value, own: set[str]) -> Value:
    """An equality that fails where ``condition``, which is of one side alone, does not hold."""
    if pair.equates is None:
        return pair
    mine = condition.fields <= own
    sides = tuple(
        side.with_sql(f"CASE WHEN {condition.sql} THEN {side.sql} ELSE NULL END")
        if (side.fields <= own) is mine
        else side
        for side in pair.equates
    )
    sql = f"({sides[0].sql} = {sides[1].sql})"
    return replace(pair, sql=sql, equates=(sides[0], sides[1]))


def joins(value: Value, seen: set[str], own: set[str]) -> bool:
    """Whether a condition is an equality of something before a join and something in it."""
    if value.equates is None or value.raises:
        return False
    one, other = (item.fields for item in value.equates)
    if not one or not other:
        return False
    return (one <= seen and other <= own) or (one <= own and other <= seen)


def _distinct(values: list[Value]) -> list[Value]:
    """Each equality once, whichever way round: the engine takes no key twice."""
    kept: dict[frozenset[str], Value] = {}
    for value in values:
        sides = value.equates or (value,)
        kept.setdefault(frozenset(item.sql for item in sides), value)
    return list(kept.values())


def conditions(parts: list[Value], filters: list[str], *, guard: bool = True) -> str:
    """A WHERE in which what may fail is asked last, with ``guard`` only where the rest holds."""
    safe = [item.sql for item in parts if not item.raises] + filters
    raising = [item.sql for item in parts if item.raises]
    before = [f"({' AND '.join(safe)})", *raising[:-1]] if safe else raising[:-1]
    if raising and before and guard:
        branches = " ".join(f"WHEN ({sql} IS DISTINCT FROM TRUE) THEN FALSE" for sql in before)
        raising = [f"CASE {branches} ELSE {raising[-1]} END"]
    whole = " AND ".join([*safe, *raising])
    return f" WHERE ({whole})" if whole else ""
