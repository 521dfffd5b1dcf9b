"""EXISTS by whatever condition: asked once for each distinct combination of the outer columns.

The combinations are a relation of their own, which the inner query joins. Those that it meets are
then looked up again for each outer row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.fromclause import From, Join, Leaf, conditions
from flowcat_jupyter.sql.lowering.scope import Column, Scope, Source
from flowcat_jupyter.sql.lowering.steps import Steps, asked_at, is_conditional, references, renamed
from flowcat_jupyter.sql.lowering.values import Value


@dataclass(slots=True)
class Domain:
    """The outer ``columns`` that an inner query reads, as the relation ``id`` it joins."""

    id: str
    columns: list[Column]

    def met(
        self, made: From, where: list[Value], steps: Steps, context: Context, node: exp.Expression
    ) -> Value:
        """Whether the inner rows of ``made`` that meet ``where`` are there, for each outer row."""
        names = {column.sql: f"{self.id}.{column.id}" for column in self.columns}
        own = [
            Column(column.name, column.type, names[column.sql], column.id)
            for column in self.columns
        ]
        source = Source("", (), own)
        made.joins.append(Join(Leaf(self.id, source, lambda: f"{self.id} AS {self.id}"), "CROSS"))
        start, rest = made.write([_renamed(item, names) for item in where])
        filters = [renamed(sql, names) for sql in made.filters]
        listed = [f"{column.sql} AS {column.id}" for column in own]
        sql = text.select(listed, start + conditions(rest, filters), distinct=True)
        keys = tuple(column.id for column in self.columns)
        arguments = [
            Value(item.sql, item.type, fields=frozenset((item.id,))) for item in self.columns
        ]
        options = (self.id, context.queried(sql), keys)
        return steps.add("met", arguments, types.BOOLEAN, asked_at(node), options)


def domain(
    where: list[Value], made: From, scope: Scope, context: Context, node: exp.Expression
) -> Domain | None:
    """The outer columns that ``where`` reads; None where they cannot be asked about this way."""
    outer = scope.parent
    if outer is None or outer.steps is None or made.views or made.semis:
        return None
    own = {column.id for source in scope.sources for column in source.columns}
    known = {column.sql: column for source in outer.sources for column in source.columns}
    reach = {column.id for column in known.values()}
    if any(not item.fields - own <= reach for item in where):
        return None
    if any(item.raises for item in where) and is_conditional(asked_at(node)):
        return None
    read = references([*(item.sql for item in where), *made.filters])
    columns = [column for sql, column in known.items() if sql in read]
    if any(column.type.is_nested for column in columns) or not columns:
        return None
    return Domain(context.fresh("d"), columns)


def _renamed(value: Value, names: dict[str, str]) -> Value:
    if value.equates is None:
        return replace(value, sql=renamed(value.sql, names))
    one, other = (replace(side, sql=renamed(side.sql, names)) for side in value.equates)
    return replace(value, sql=renamed(value.sql, names), equates=(one, other))
