"""What a select list reads: FROM and WHERE, the columns added to them, and the groups."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.correlation import Link
from flowcat_jupyter.sql.lowering.fromclause import From, conditions
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
    link: Link | None = None

    def write(self, scope: Scope, *, guard: bool) -> str:
        """What follows FROM; conditions that may fail are asked last where ``guard`` is given."""
        if self.link is not None:
            return self.link.write(self.made, scope)
        start, rest = self.made.write([*self.where, *self.made.semis])
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

    def columns(self, listed: list[str]) -> list[str]:
        """What the select list computes, its columns as they are called around a link."""
        if self.link is None:
            return listed
        return [renamed(sql, self.link.names) for sql in listed]

    def renamed(self, sql: str) -> str:
        """``sql`` with its columns as the frames call them."""
        for steps in (self.before, self.after):
            sql = steps.finish(sql) if steps else sql
        return sql
