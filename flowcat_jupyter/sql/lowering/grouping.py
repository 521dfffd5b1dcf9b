"""GROUP BY: keys and aggregate arguments are computed first, then grouped, then used."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import aggregates, text
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.steps import Steps
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, type_name

LISTED = frozenset(("bits", "moment"))
"""Spellings of aggregates that are computed from an array of all values."""


@dataclass(slots=True)
class Groups:
    """The groups of one select; a `Grouping` for the binder of what follows them.

    ``flat`` writes aggregates where they stand, which a select without keys may do.
    ``needs_rows`` says that it is keyed by literals alone, which make no group where there are no
    rows, as no keys at all would. ``after`` are the columns added to the groups. ``inputs`` are
    the columns computed before grouping, ``outputs`` the aggregates after it, both from text to
    generated name.
    """

    pre: Binder
    alias: str
    flat: bool
    sets: list[list[str]] | None = None
    needs_rows: bool = False
    after: Steps | None = None
    keys: dict[str, Value] = field(default_factory=dict)
    key_types: set[type[exp.Expression]] = field(default_factory=set)
    inputs: dict[tuple[str, bool], str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    lateral: dict[str, Value] = field(default_factory=dict)

    def add_key(self, node: exp.Expression) -> str | None:
        """Group by an expression; its column's name, None for a literal, which groups nothing."""
        value = self.pre.bind(node)
        if value.known:
            return None
        if value.sql in self.keys:
            return self.inputs[value.sql, True]
        self.key_types.add(type(node))
        name = self._input(value, key=True)
        self.keys[value.sql] = Value(f"{self.alias}.{name}", value.type)
        return name

    def _input(self, value: Value, *, key: bool = False) -> str:
        """The column that holds ``value``; a key is a column of its own, for ROLLUP empties it."""
        place = (value.sql, key)
        if place not in self.inputs:
            labels = self.pre.context.labels
            label = next((labels[item] for item in value.fields if item in labels), None)
            self.inputs[place] = self.pre.context.fresh("x", label)
        return self.inputs[place]

    def intercept(self, node: exp.Expression) -> Value | None:
        """The key that ``node`` is, or None.

        :raises SqlError: it is a column that is no key.
        """
        is_column = isinstance(node, (exp.Column, exp.Dot))
        if type(node) not in self.key_types and not is_column:
            return None
        if isinstance(node, exp.Anonymous) and aggregates.is_aggregate(node):
            return None
        alias = self._alias(node)
        if alias is not None:
            return alias
        try:
            value = self.pre.bind(node)
        except SqlError:
            if is_column:
                raise
            return None
        if is_column:
            return self.column(value, node.sql(), node)
        return self.keys.get(value.sql)

    def column(self, value: Value, name: str, node: exp.Expression) -> Value:
        """A column of the sources as the groups see it.

        :raises SqlError: it is no key.
        """
        if value.sql in self.keys:
            return self.keys[value.sql]
        if value.known or self._is_outer(value):
            return value
        raise aggregates.missing(node, name, grouped=bool(self.keys))

    def _alias(self, node: exp.Expression) -> Value | None:
        """An earlier item of the select list that ``node`` names, where no column does."""
        if not isinstance(node, exp.Column) or len(node.parts) != 1:
            return None
        if self.pre.scope.columns_named(node.name):
            return None
        return self.lateral.get(name_key(node.name))

    def _is_outer(self, value: Value) -> bool:
        own = {column.id for source in self.pre.scope.sources for column in source.columns}
        return not (value.fields & own)

    def aggregate(self, node: exp.Expression) -> Value:
        """The value of an aggregate call over the groups."""
        made = aggregates.parse(node, self.pre.context.target.name)
        if made.function.spelling == "grouping":
            return self._level(made)
        if made.function.spelling in LISTED:
            return self._of_list(made)
        if self.flat:
            value = aggregates.spell(made, self.pre, in_place)
            sql = value.sql.replace(OVER, "")
            return Value(sql, value.type, value.raises)
        value = aggregates.spell(made, self.pre, self._put)
        sql = value.sql.replace(OVER, "")
        return Value(self._output(sql), value.type, value.raises)

    def _of_list(self, made: aggregates.Aggregate) -> Value:
        """An aggregate that is computed from an array of all values."""
        value = aggregates.spell(made, self.pre, self._put)
        if self.after is None or self.flat:
            raise refusal(f"{made.function.name} here", made.node)
        kind = value.type.element if made.function.result == "0" else types.DOUBLE
        listed = Value(self._output(value.sql), value.type, value.raises)
        return self.after.add(made.function.name, [listed], kind or types.DOUBLE, made.node)

    def _level(self, made: aggregates.Aggregate) -> Value:
        """GROUPING and GROUPING_ID: which keys a row of ROLLUP, CUBE or GROUPING SETS leaves out.

        :raises SqlError: there is nothing of the kind, or an argument is no key.
        """
        name = made.function.name
        if self.sets is None:
            raise refusal(f"{name} without ROLLUP, CUBE or GROUPING SETS", made.node)
        names = [self._key_name(item) for item in made.arguments]
        if name == "grouping_id" and not names:
            names = [self.inputs[sql, True] for sql in self.keys]
        kind = types.BIGINT if name == "grouping_id" else types.TINYINT
        bits = [
            f"(CAST({self._output(f'GROUPING({key})')} AS BIGINT) * {1 << at})"
            for at, key in enumerate(reversed(names))
        ]
        return Value(f"CAST(({' + '.join(bits)}) AS {type_name(kind)})", kind)

    def _key_name(self, node: exp.Expression) -> str:
        value = self.pre.bind(node)
        if value.sql not in self.keys:
            raise aggregates.missing(node, node.sql())
        return self.inputs[value.sql, True]

    def _output(self, sql: str) -> str:
        if sql not in self.outputs:
            self.outputs[sql] = self.pre.context.fresh("a")
        return f"{self.alias}.{self.outputs[sql]}"

    def _put(self, value: Value) -> Value:
        name = self._input(value)
        return Value(name, value.type, value.raises)

    def names(self) -> list[str]:
        """The columns the groups have."""
        return [*(self.inputs[sql, True] for sql in self.keys), *self.outputs.values()]

    def layers(self, source: str) -> str:
        """The grouped query over ``source`` (what follows FROM), to be read under the alias."""
        count = self._output("COUNT(*)").partition(".")[2] if self.needs_rows else ""
        columns = [f"{sql} AS {name}" for (sql, _), name in self.inputs.items()]
        inner = text.select(columns, source)
        names = [self.inputs[sql, True] for sql in self.keys]
        made = [*names, *(f"{sql} AS {name}" for sql, name in self.outputs.items())]
        grouped = text.select(made or ["COUNT(*) AS n"], text.nested(inner, f"g{self.alias}"))
        if self.sets is not None:
            listed = ", ".join(f"({', '.join(one)})" for one in self.sets)
            # No rows make no groups, as Spark sees it, not even the one of all rows.
            grouped += f" GROUP BY GROUPING SETS ({listed}) HAVING (COUNT(*) > 0)"
        elif names:
            grouped += f" GROUP BY {', '.join(names)}"
        elif count:
            grouped = text.select(
                self.outputs.values(), f"{text.nested(grouped, 'g0')} WHERE (g0.{count} > 0)"
            )
        return grouped


def in_place(value: Value) -> Value:
    """An aggregate's argument where it stands.

    :raises SqlError: it is a literal, which the engine would not repeat for each row.
    """
    if value.known:
        raise refusal("an aggregate of a literal here")
    return value
