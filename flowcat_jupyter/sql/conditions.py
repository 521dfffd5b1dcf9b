"""What a query asks of each table's own columns, in terms simple enough to skip files by.

Only what is certain counts: a condition here is one that every row of the table must meet to
matter to the place that reads it. Whatever is not understood is left out, and then more is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isnan

from sqlglot import exp

from flowcat_jupyter.shared.conditions import Condition, Conditions, Op, Plain
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.constant import Constant, NotConstant, Setting, as_instant, evaluate
from flowcat_jupyter.sql.steps_asked import narrowed

_OPS: dict[type[exp.Expr], Op] = {
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_FLIPPED: dict[Op, Op] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_INT64 = 1 << 63
_MOST_ALTERNATIVES = 64

Alternatives = list[tuple[Condition, ...]]


def conditions_of(
    tree: exp.Expression, schemas: Mapping[str, Sequence[Column]], setting: Setting
) -> dict[str, Conditions]:
    """For each relation of a query, what its places ask of it; ``schemas`` are its columns."""
    found: dict[str, Alternatives] = {name: [] for name in schemas}
    for table in narrowed(tree, schemas).find_all(exp.Table):
        if table.name in found and not table.args.get("db"):
            found[table.name] += _Place(table, schemas, setting).alternatives()
    return {name: tuple(places) for name, places in found.items()}


class _Place:
    """One mention of a table."""

    def __init__(
        self, table: exp.Table, schemas: Mapping[str, Sequence[Column]], setting: Setting
    ) -> None:
        self._table = table
        self._schemas = schemas
        self._setting = setting
        self._columns: dict[str, list[Column]] = {}
        for column in schemas[table.name]:
            self._columns.setdefault(name_key(column.name), []).append(column)

    def alternatives(self) -> Alternatives:
        """What the WHERE of the select that reads the table asks of its columns: any of these."""
        select = self._select()
        where = select.args.get("where") if select is not None else None
        if select is None or where is None:
            return [()]
        bare = self._bare(select, _tables(select))
        outer = any(join.args.get("side") for join in select.args.get("joins") or ())
        return self._all_of(where.this, bare, outer=outer)

    def _all_of(self, node: exp.Expr, bare: set[str], *, outer: bool) -> Alternatives:
        """A condition as alternatives, each of conditions that must all hold."""
        plain: list[Condition] = []
        made: Alternatives = [()]
        for part in conjuncts(node):
            if isinstance(part, exp.Or):
                either = self._any_of(part, bare, outer=outer)
                if len(made) * len(either) <= _MOST_ALTERNATIVES:
                    made = [left + right for left in made for right in either]
                continue
            # Rows that an outer join makes up are NULL in every column.
            found = self._read(part, bare)
            plain += [item for item in found if not (outer and item.op == "is_null")]
        return [(*plain, *item) for item in made]

    def _any_of(self, node: exp.Expr, bare: set[str], *, outer: bool) -> Alternatives:
        sides = [node.this.unnest(), node.expression.unnest()]
        found = [self._all_of(side, bare, outer=outer) for side in sides]
        made = [*found[0], *found[1]]
        # An alternative of which nothing is certain makes nothing certain of the whole.
        return made if all(made) and len(made) <= _MOST_ALTERNATIVES else [()]

    def _select(self) -> exp.Select | None:
        table = self._table
        odd = ("joins", "pivots", "sample", "laterals", "match_recognize")
        alias = table.args.get("alias")
        if any(table.args.get(key) for key in odd) or (alias and alias.args.get("columns")):
            return None
        select = table.parent.parent if isinstance(table.parent, (exp.From, exp.Join)) else None
        if not isinstance(select, exp.Select) or select.args.get("sample"):
            return None
        return select

    def _bare(self, select: exp.Select, others: list[exp.Table] | None) -> set[str]:
        """The columns that are this table's even where no table is named."""
        shared = any(
            join.args.get("using") or join.args.get("method")
            for join in select.args.get("joins") or ()
        )
        if others is None or shared or select.args.get("laterals"):
            return set()
        foreign: set[str] = set()
        for other in others:
            if other is self._table:
                continue
            if other.name not in self._schemas:
                return set()
            foreign |= {name_key(column.name) for column in self._schemas[other.name]}
        return set(self._columns) - foreign

    def _read(self, node: exp.Expr, bare: set[str]) -> Iterator[Condition]:
        node = node.unnest()
        if isinstance(node, exp.Between):
            yield from self._compared(node.this, ">=", node.args["low"], bare)
            yield from self._compared(node.this, "<=", node.args["high"], bare)
        elif isinstance(node, exp.In):
            yield from self._listed(node, bare)
        elif isinstance(node, exp.Is):
            yield from self._null(node, "is_null", bare)
        elif isinstance(node, exp.Not) and isinstance(node.this.unnest(), exp.Is):
            yield from self._null(node.this.unnest(), "not_null", bare)
        elif type(node) in _OPS:
            op = _OPS[type(node)]
            yield from self._compared(node.this, op, node.expression, bare)
            yield from self._compared(node.expression, _FLIPPED[op], node.this, bare)

    def _compared(
        self, side: exp.Expr, op: Op, other: exp.Expr, bare: set[str]
    ) -> Iterator[Condition]:
        column = self._column(side, bare)
        if column is not None:
            value = self._value(other, column)
            if value is not None and _sound(column.type, op, value):
                yield Condition(column.name, op, (value,))

    def _listed(self, node: exp.In, bare: set[str]) -> Iterator[Condition]:
        column = self._column(node.this, bare)
        if column is None or not node.expressions or node.args.get("query"):
            return
        values = [self._value(item, column) for item in node.expressions]
        known = tuple(value for value in values if value is not None)
        if len(known) == len(values) and all(_sound(column.type, "=", value) for value in known):
            yield Condition(column.name, "in", known)

    def _null(self, node: exp.Expr, op: Op, bare: set[str]) -> Iterator[Condition]:
        column = self._column(node.this, bare)
        if column is not None and isinstance(node.expression, exp.Null):
            yield Condition(column.name, op)

    def _column(self, node: exp.Expr, bare: set[str]) -> Column | None:
        node = node.unnest()
        if not isinstance(node, exp.Column) or node.args.get("db") or node.args.get("catalog"):
            return None
        key = name_key(node.name)
        named = self._columns.get(key, [])
        owner = node.table
        mine = name_key(owner) == name_key(self._table.alias_or_name) if owner else key in bare
        return named[0] if mine and len(named) == 1 else None

    def _value(self, node: exp.Expr, column: Column) -> Plain | None:
        try:
            value = evaluate(node, self._setting)
            return _typed(value, column.type, self._setting)
        except NotConstant:
            return None


def _tables(select: exp.Select) -> list[exp.Table] | None:
    """The tables a select reads from directly; None when it also reads from something else."""
    source = select.args.get("from_")
    items = [source.this] if source else []
    items += [join.this for join in select.args.get("joins") or ()]
    tables = [item for item in items if isinstance(item, exp.Table)]
    nested = any(item.args.get("joins") or item.args.get("laterals") for item in tables)
    return None if nested or len(tables) != len(items) else tables


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that must all hold."""
    stack = [node]
    while stack:
        part = stack.pop().unnest()
        if isinstance(part, exp.And):
            stack += [part.expression, part.this]
        else:
            yield part


def _typed(value: Constant, kind: str, setting: Setting) -> Plain | None:
    """A constant as a value of a column's type, where comparing the two needs no judgement."""
    if isinstance(value, bool) or value is None:
        return None
    if kind in _WHOLE:
        return value if isinstance(value, int) and -_INT64 <= value < _INT64 else None
    if kind == "double":
        return float(value) if isinstance(value, (int, float, Decimal)) else None
    if kind == "string":
        return value if isinstance(value, str) else None
    if kind == "date":
        return _as_date(value)
    if kind == "timestamp":
        timely = isinstance(value, (str, date))
        return as_instant(value, setting.zone) if timely else None
    if kind == "timestamp_ntz" and isinstance(value, datetime) and value.tzinfo is None:
        return value
    return None


def _as_date(value: Constant) -> date | None:
    if isinstance(value, str) and _DAY.match(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _sound(kind: str, op: Op, value: Plain) -> bool:
    """Whether recorded least and greatest values can decide: they leave NaN out, the greatest."""
    if kind != "double":
        return True
    return op in ("=", "<", "<=") and isinstance(value, float) and not isnan(value)
