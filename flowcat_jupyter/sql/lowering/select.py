"""One SELECT, as layers: FROM and WHERE, groups, the select list, QUALIFY, ORDER BY and LIMIT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import aggregates, selectlist, text
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.chains import conjuncts
from flowcat_jupyter.sql.lowering.context import Context, Table
from flowcat_jupyter.sql.lowering.correlation import is_taken, linked
from flowcat_jupyter.sql.lowering.domains import domain
from flowcat_jupyter.sql.lowering.expressions import Binder, Output, Query, child
from flowcat_jupyter.sql.lowering.fromclause import From, conditions
from flowcat_jupyter.sql.lowering.grouping import Groups
from flowcat_jupyter.sql.lowering.layers import Layers
from flowcat_jupyter.sql.lowering.scope import Scope
from flowcat_jupyter.sql.lowering.selectlist import Item
from flowcat_jupyter.sql.lowering.sources import Sources
from flowcat_jupyter.sql.lowering.spelled_out import spelled_out
from flowcat_jupyter.sql.lowering.steps import Steps
from flowcat_jupyter.sql.lowering.values import Value

_NOT_WHOLE = ("joins", "laterals", "group", "having", "qualify", "distinct")


class Queries(Protocol):
    """What a select needs of the lowering around it."""

    context: Context
    headings: tuple[str | None, ...]

    def query(
        self,
        node: exp.Expression,
        parent: Scope | None,
        tables: dict[str, Table],
        *,
        prefix: str = "x",
        exists: bool = False,
    ) -> Query:
        """A nested query."""

    def limits(self, node: exp.Expression, binder: Binder) -> str:
        """LIMIT and OFFSET as text."""


@dataclass(slots=True)
class Select:
    """One select to lower; ``exists`` says that only whether there are rows matters."""

    queries: Queries
    node: exp.Select
    parent: Scope | None
    tables: dict[str, Table]
    prefix: str
    exists: bool

    def lower(self) -> Query:
        """The select as text.

        :raises SqlError: it is wrong, or holds what is not supported.
        """
        self.node = spelled_out(self.node)
        self._refuse()
        context = self.queries.context
        if self.prefix == "c" and is_whole_table(self.node, plain=context.target.steps):
            return self._whole()
        scope = Scope(parent=self.parent)
        pre = Binder(context, scope, self._nested, "WHERE")
        sources = Sources(context, scope, self.tables, self._table_query, pre)
        scope.steps = self._steps()
        made = sources.build(self.node)
        pre.steps = scope.steps
        where = self._where(pre)
        correlated = scope.outer_used
        taken = not correlated or is_taken(where, scope, context)
        link = None if taken else linked(where, scope, context, self.node)
        if self.exists and not taken and link is None and not self._has_groups():
            met = self._met(made, where, scope)
            if met is not None:
                return Query("", (), met=met)
        groups = self._groups(pre, correlated)
        binder = Binder(context, scope, self._nested, "the select list", groups, windows=True)
        binder.steps = pre.steps
        if groups is not None:
            binder.subquery = self._over_groups
            if not groups.flat:
                binder.steps = groups.after = self._steps()
        items = self._items(binder, made)
        having = self._having(binder, groups)
        qualify = self._qualify(binder)
        keys = self._keys(binder, items)
        correlated = correlated or scope.outer_used
        if correlated and (pre.steps or binder.steps):
            raise refusal("such a function in a correlated sub-query", self.node)
        layers = Layers(made, where, groups, having, pre.steps, binder.steps, link)
        made_text = self._assemble(layers, items, qualify, keys, binder)
        layered = qualify is not None or (groups is not None and not groups.flat)
        if correlated and layered and not context.target.deep_correlation:
            raise refusal("a correlated sub-query with GROUP BY, HAVING or QUALIFY", self.node)
        outputs = tuple(Output(item.id, item.name, item.value.type) for item in items)
        single = groups is not None and self.node.args.get("group") is None
        single = single and "UNNEST(" not in made_text
        return Query(made_text, outputs, correlated, taken=taken, single=single)

    def _met(self, made: From, where: list[Value], scope: Scope) -> Value | None:
        """Whether there are rows, for each row outside, where its columns can be asked about."""
        context, outer = self.queries.context, self.parent
        found = domain(where, made, scope, context, self.node)
        if found is None or outer is None or outer.steps is None or scope.steps:
            return None
        return found.met(made, where, outer.steps, context, self.node)

    def _whole(self) -> Query:
        """``SELECT *`` of one table: the star stays a star, whatever the table's width."""
        context = self.queries.context
        scope = Scope(parent=self.parent)
        pre = Binder(context, scope, self._nested, "WHERE")
        sources = Sources(context, scope, self.tables, self._table_query, pre, whole=True)
        made = sources.build(self.node)
        start, rest = made.write(self._where(pre))
        binder = Binder(context, scope, self._nested, "ORDER BY")
        order = self.node.args.get("order")
        columns = made.first.source.columns
        keys = []
        for item in order.expressions if order is not None else ():
            at = selectlist.position(child(item), len(columns))
            sql = columns[at].sql if at is not None else binder.bind(child(item)).sql
            keys.append(aggregates.ordering(item, sql))
        by = f" ORDER BY {', '.join(keys)}" if keys else ""
        tail = self.queries.limits(self.node, binder)
        outputs = tuple(
            Output(f"c{at}", column.name, column.type) for at, column in enumerate(columns)
        )
        sql = text.select(["*"], start + conditions(rest, made.filters)) + by + tail
        return Query(sql, outputs, physical=made.first.physical)

    def _refuse(self) -> None:
        check_arguments(self.node)
        if self.node.args.get("group") is not None:
            check_arguments(child(self.node, "group"))

    def _steps(self) -> Steps | None:
        context = self.queries.context
        return Steps(context, context.fresh("f")) if context.target.steps else None

    def _nested(self, node: exp.Expression, scope: Scope, exists: bool) -> Query:
        return self.queries.query(node, scope, self.tables, exists=exists)

    def _over_groups(self, node: exp.Expression, scope: Scope, exists: bool) -> Query:
        made = self._nested(node, scope, exists)
        if made.correlated and not self.queries.context.target.deep_correlation:
            raise refusal("a correlated sub-query over groups", node)
        return made

    def _table_query(
        self, node: exp.Expression, parent: Scope | None, tables: dict[str, Table]
    ) -> Query:
        return self.queries.query(node, parent, tables)

    def _where(self, pre: Binder) -> list[Value]:
        where = self.node.args.get("where")
        if where is None:
            return []
        bound = [pre.condition(item) for item in conjuncts(child(where))]
        found = [item for item in bound if item.constant is not True]
        if len(found) > 1 and any(item.raises for item in found):
            pre.context.guarded = True
        return found

    def _groups(self, pre: Binder, correlated: bool) -> Groups | None:
        group = self.node.args.get("group")
        if not self._has_groups():
            return None
        alias = pre.context.fresh("q")
        pre.clause = "an aggregate function"
        groups = Groups(pre, alias, flat=correlated and group is None)
        if group is not None:
            selectlist.add_keys(groups, group, self.node)
        return groups

    def _has_groups(self) -> bool:
        asked = self.node.args.get("group") or self.node.args.get("having")
        return asked is not None or self._aggregates()

    def _aggregates(self) -> bool:
        order = self.node.args.get("order")
        parts = [*self.node.expressions, *(order.expressions if order is not None else ())]
        return any(contains_aggregate(part) for part in parts)

    def _items(self, binder: Binder, made: From) -> list[Item]:
        top = self.prefix == "c"
        headings = self.queries.headings if top else ()
        items: list[Item] = []
        for at, node in enumerate(self.node.expressions):
            heading = headings[at] if at < len(headings) else None
            for name, value, label in selectlist.expand(node, binder, made, heading):
                items.append(Item(self._id(len(items), label), name, value))
            _remember(node, items, binder)
        return items

    def _id(self, at: int, label: str) -> str:
        context = self.queries.context
        if self.prefix != "c":
            return context.fresh(self.prefix, label)
        context.labels[f"c{at}"] = label
        return f"c{at}"

    def _having(self, binder: Binder, groups: Groups | None) -> Value | None:
        having = self.node.args.get("having")
        if having is None:
            return None
        if groups is not None and groups.flat:
            raise refusal("HAVING in a correlated sub-query", having)
        inner = Binder(binder.context, binder.scope, binder.subquery, "HAVING", groups)
        inner.steps = binder.steps
        return inner.condition(child(having))

    def _qualify(self, binder: Binder) -> Value | None:
        qualify = self.node.args.get("qualify")
        return binder.condition(child(qualify)) if qualify is not None else None

    def _keys(self, binder: Binder, items: list[Item]) -> list[tuple[exp.Expression, str, Value]]:
        order = self.node.args.get("order")
        if order is None or self.exists:
            return []
        return selectlist.sort_keys(
            order.expressions, items, binder, distinct=bool(self.node.args.get("distinct"))
        )

    def _assemble(
        self,
        layers: Layers,
        items: list[Item],
        qualify: Value | None,
        keys: list[tuple[exp.Expression, str, Value]],
        binder: Binder,
    ) -> str:
        # The engine resolves a correlated condition only where it stands bare.
        source = layers.write(binder.scope, guard=not binder.scope.outer_used)
        known = {item.id for item in items}
        extra = {name: value for _, name, value in keys if name not in known}
        columns = [f"{item.value.sql} AS {item.id}" for item in items]
        columns += [f"{value.sql} AS {name}" for name, value in extra.items()]
        columns = layers.columns(columns)
        distinct = bool(self.node.args.get("distinct"))
        if qualify is not None:
            names = [*(item.id for item in items), *extra]
            columns.append(f"{qualify.sql} AS f0")
            inner = text.nested(text.select(columns, source), "q")
            body = text.select(names, f"{inner} WHERE q.f0", distinct=distinct)
        else:
            body = text.select(columns, source, distinct=distinct)
        tail = self.queries.limits(self.node, binder)
        if self.exists and tail:
            # One row is enough for EXISTS, and the engine takes no LIMIT there.
            if " OFFSET " in tail or tail == " LIMIT 0":
                raise refusal("EXISTS of a query with OFFSET or LIMIT 0", self.node)
            tail = ""
        body = layers.renamed(body)
        if keys:
            by = ", ".join(aggregates.ordering(node, name) for node, name, _ in keys)
            ids = [item.id for item in items]
            return text.select(ids, text.nested(body, "q")) + f" ORDER BY {by}{tail}"
        return body + tail


def is_whole_table(node: exp.Select, *, plain: bool = False) -> bool:
    """Whether a select is all columns of one table, as they are; ``plain`` takes no sub-queries."""
    where = node.args.get("where")
    if plain and where is not None and where.find(exp.Query) is not None:
        return False
    if len(node.expressions) != 1 or not isinstance(node.expressions[0], exp.Star):
        return False
    if any(node.expressions[0].args.values()):
        return False
    if any(node.args.get(name) for name in _NOT_WHOLE):
        return False
    start = node.args.get("from_")
    table = start.this if start is not None else None
    return (
        isinstance(table, exp.Table)
        and isinstance(table.this, exp.Identifier)
        and not any(table.args.get(name) for name in ("joins", "pivots", "sample"))
    )


def _remember(node: exp.Expression, items: list[Item], binder: Binder) -> None:
    """Let later expressions of the list use this alias."""
    if not isinstance(node, exp.Alias) or not items:
        return
    value = items[-1].value
    binder.lateral[name_key(node.alias)] = value
    if isinstance(binder.grouping, Groups):
        binder.grouping.lateral[name_key(node.alias)] = value


def contains_aggregate(node: exp.Expression) -> bool:
    """Whether an aggregate call of this select stands in ``node``."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, exp.Query):
            continue
        if isinstance(item, (exp.Filter, exp.WithinGroup)) or aggregates.is_aggregate(item):
            return True
        inner = (
            aggregates.around_call(item)
            if isinstance(item, exp.Window)
            else item.iter_expressions()
        )
        waiting += inner
    return False
