"""What a select list reads: FROM and WHERE, the columns added to them, and the groups."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.fromclause import From
from flowcat_jupyter.sql.lowering.grouping import Groups
from flowcat_jupyter.sql.lowering.scope import Scope
from flowcat_jupyter.sql.lowering.steps import Steps, renamed
from flowcat_jupyter.sql.lowering.values import Value


@dataclass(slots=True)
class Layers:
    """The parts under one select list, bound and not yet written.

    ``before`` are the columns added to the rows, ``after`` those added to the groups; without
    groups both are the same.
    """

    made: From
    where: list[Value]
    groups: Groups | None
    having: Value | None
    before: Steps | None
    after: Steps | None

    def write(self, scope: Scope, *, guard: bool) -> str:
        """What follows FROM; conditions that may fail are asked last where ``guard`` is given."""
        start, rest = self.made.write(self.where)
        filters = self.made.filters
        if self.before:
            early = [item for item in rest if not self.before.touches(item.sql)]
            rest = [item for item in rest if self.before.touches(item.sql)]
            columns = {
                column.sql: column.id
                for source in scope.sources
                for column in source.columns
                if column.used
            }
            start = self.before.write(start + conditions(early, filters, guard=guard), columns)
            filters = []
        source = start + conditions(rest, filters, guard=guard)
        if self.groups is None or self.groups.flat:
            return source
        source = text.nested(self.groups.layers(source), self.groups.alias)
        having = [self.having] if self.having is not None else []
        if not self.after:
            return source + conditions(having, [])
        source = renamed(source, self.before.names) if self.before else source
        early = [item for item in having if not self.after.touches(item.sql)]
        rest = [item for item in having if self.after.touches(item.sql)]
        alias = self.groups.alias
        columns = {f"{alias}.{name}": name for name in self.groups.names()}
        return self.after.write(source + conditions(early, []), columns) + conditions(rest, [])

    def renamed(self, sql: str) -> str:
        """``sql`` with its columns as the frames call them."""
        for steps in (self.before, self.after):
            sql = steps.finish(sql) if steps else sql
        return sql


def conditions(parts: list[Value], filters: list[str], *, guard: bool = True) -> str:
    """A WHERE in which what may fail is asked last, with ``guard`` only where the rest holds."""
    safe = [item.sql for item in parts if not item.raises] + filters
    whole = " AND ".join(safe)
    for item in parts:
        if item.raises:
            bare = not whole or not guard
            guarded = item.sql if bare else f"CASE WHEN ({whole}) THEN {item.sql} ELSE FALSE END"
            whole = f"{whole} AND {guarded}" if whole else guarded
    return f" WHERE ({whole})" if whole else ""
