"""Queries: WITH, set operations, ORDER BY, LIMIT, and what joins them to selects."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, text
from flowcat_jupyter.sql.lowering.aggregates import ordering
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.context import Context, Table
from flowcat_jupyter.sql.lowering.expressions import Binder, Output, Query, child
from flowcat_jupyter.sql.lowering.scope import Column, Scope, Source
from flowcat_jupyter.sql.lowering.select import Select
from flowcat_jupyter.sql.lowering.selectlist import position
from flowcat_jupyter.sql.lowering.values import Value

_MAX_LIMIT = (1 << 32) - 1
_OF_ITS_OWN = ("with_", "order", "limit", "offset", "by_name")
_OPERATIONS = {exp.Union: "UNION", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}


@dataclass(slots=True)
class Lowering:
    """Lowers queries; ``headings`` are the source texts of the outermost select list."""

    context: Context
    headings: tuple[str | None, ...] = ()
    tables: dict[str, Table] = field(default_factory=dict)

    def top(self, tree: exp.Expression) -> Query:
        """The outermost query, with columns c0, c1 …"""
        return self.query(tree, None, self.tables, prefix="c")

    def query(
        self,
        node: exp.Expression,
        parent: Scope | None,
        tables: dict[str, Table],
        *,
        prefix: str = "x",
        exists: bool = False,
    ) -> Query:
        """A query of any kind.

        :raises SqlError: it is wrong, or holds what is not supported.
        """
        check_arguments(node)
        tables = self._with(node, tables)
        if isinstance(node, exp.Subquery):
            return self._parenthesised(node, parent, tables, prefix=prefix, exists=exists)
        if isinstance(node, exp.Select):
            return Select(self, node, parent, tables, prefix, exists).lower()
        for kind, word in _OPERATIONS.items():
            if isinstance(node, kind):
                return self._operation(node, word, tables, prefix)
        raise refusal(f"{type(node).__name__.upper()} as a query", node)

    def _parenthesised(
        self,
        node: exp.Subquery,
        parent: Scope | None,
        tables: dict[str, Table],
        *,
        prefix: str,
        exists: bool,
    ) -> Query:
        inner = self.query(child(node), parent, tables, prefix=prefix, exists=exists)
        if not any(node.args.get(name) for name in ("order", "limit", "offset")):
            return inner
        if inner.physical:
            raise refusal("ORDER BY and LIMIT around a query in parentheses", node)
        return self.finish(inner, node, tables)

    def _with(self, node: exp.Expression, tables: dict[str, Table]) -> dict[str, Table]:
        clause = node.args.get("with_")
        if clause is None:
            return tables
        tables = dict(tables)
        for cte in clause.expressions:
            alias = cte.args["alias"]
            names = [item.name for item in alias.args.get("columns") or ()]
            body = child(cte)
            if clause.args.get("recursive") and _reads(body, alias.name):
                self._recursive(body, alias.name, names, tables)
                continue
            made = self.query(body, None, tables)
            key = self.context.fresh("w")
            self.context.ctes.append(f"{key} AS ({made.sql})")
            tables[name_key(alias.name)] = _table(key, made.columns, names, cte)
        return tables

    def _recursive(
        self, body: exp.Expression, name: str, names: list[str], tables: dict[str, Table]
    ) -> None:
        """A CTE that reads itself: its first part gives the types, its second the steps."""
        if not isinstance(body, exp.Union) or body.args.get("distinct") or body.args.get("with_"):
            raise refusal("WITH RECURSIVE of anything but a UNION ALL", body)
        start = self.query(child(body), None, tables)
        key = self.context.fresh("w")
        outputs = tuple(
            Output(self.context.fresh("x", item.name), item.name, item.type)
            for item in start.columns
        )
        tables[name_key(name)] = _table(key, outputs, names, body)
        self.context.recursing = True
        step = self.query(child(body, "expression"), None, tables)
        self.context.recursing = False
        if len(step.columns) != len(outputs):
            raise refusal("WITH RECURSIVE of parts with different numbers of columns", body)
        whole = " UNION ALL ".join(self._side(part, outputs) for part in (start, step))
        self.context.recursive = True
        self.context.ctes.append(f"{key} AS ({whole})")

    def _operation(
        self, node: exp.Expression, word: str, tables: dict[str, Table], prefix: str
    ) -> Query:
        if node.args.get("by_name"):
            raise refusal(f"{word} BY NAME", node)
        keep = not node.args.get("distinct")
        parts = [self.query(part, None, tables) for part in _operands(node)]
        kinds = [item.type for item in parts[0].columns]
        for part in parts[1:]:
            kinds = _column_types(parts[0], kinds, part, word, node)
        outputs = tuple(
            Output(self._id(prefix, at, item.name), item.name, kind)
            for at, (item, kind) in enumerate(zip(parts[0].columns, kinds, strict=True))
        )
        sides = [self._side(part, outputs) for part in parts]
        sql = f" {word}{' ALL' if keep else ''} ".join(sides)
        made = Query(text.select(_ids(outputs), text.nested(sql, "q")), outputs)
        return self.finish(made, node, tables)

    def _side(self, query: Query, outputs: tuple[Output, ...]) -> str:
        columns = []
        for item, wanted in zip(query.columns, outputs, strict=True):
            value = casts.cast(Value(f"q.{item.id}", item.type), wanted.type, self.context)
            columns.append(f"{value.sql} AS {wanted.id}")
        return text.select(columns, text.nested(query.sql, "q"))

    def _id(self, prefix: str, at: int, label: str) -> str:
        if prefix == "c":
            self.context.labels[f"c{at}"] = label
            return f"c{at}"
        return self.context.fresh(prefix, label)

    def finish(self, made: Query, node: exp.Expression, tables: dict[str, Table]) -> Query:
        """ORDER BY and LIMIT over a query whose outputs are all that can be named."""
        alias = self.context.fresh("q")
        columns = [
            Column(item.name, item.type, f"{alias}.{item.id}", item.id) for item in made.columns
        ]
        scope = Scope()
        scope.add(Source("the result", (), columns))
        binder = Binder(self.context, scope, self.nested(tables), "ORDER BY")
        order = node.args.get("order")
        keys = [
            self.order_key(item, binder, made.columns, alias)
            for item in (order.expressions if order is not None else ())
        ]
        tail = self.limits(node, binder)
        if not keys and not tail:
            return made
        by = f" ORDER BY {', '.join(keys)}" if keys else ""
        sql = text.select(_ids(made.columns), text.nested(made.sql, alias)) + by + tail
        return Query(sql, made.columns, made.correlated)

    def order_key(
        self, item: exp.Expression, binder: Binder, columns: tuple[Output, ...], alias: str
    ) -> str:
        """One key of ORDER BY over named outputs."""
        at = position(child(item), len(columns))
        sql = f"{alias}.{columns[at].id}" if at is not None else binder.bind(child(item)).sql
        return ordering(item, sql)

    def limits(self, node: exp.Expression, binder: Binder) -> str:
        """LIMIT and OFFSET as text, within what the engine can count."""
        limit, offset = node.args.get("limit"), node.args.get("offset")
        tail = ""
        if limit is not None:
            if isinstance(limit, exp.Fetch) or limit.args.get("limit_options"):
                raise refusal("FETCH and LIMIT … PERCENT", limit, hint="Write LIMIT n.")
            tail += f" LIMIT {self._count(child(limit, 'expression'), binder, 'LIMIT')}"
        if offset is not None:
            tail += f" OFFSET {self._count(child(offset, 'expression'), binder, 'OFFSET')}"
        return tail

    def _count(self, node: exp.Expression, binder: Binder, word: str) -> int:
        value = binder.bind(node)
        number = value.constant
        line, column = place(node)
        if not value.known or not isinstance(number, int) or isinstance(number, bool):
            raise SqlError(
                f"{word} needs a whole number.",
                condition="INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE",
                sqlstate="42K0E",
                line=line,
                column=column,
            )
        if number < 0:
            raise SqlError(
                f"{word} cannot be negative, and this is {number}.",
                condition="INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                sqlstate="42K0E",
                line=line,
                column=column,
            )
        return min(number, _MAX_LIMIT)

    def nested(self, tables: dict[str, Table]) -> Nested:
        """How expressions lower their sub-queries."""
        return Nested(self, tables)


@dataclass(frozen=True, slots=True)
class Nested:
    """Lowers a sub-query of an expression, in the scope around it."""

    lowering: Lowering
    tables: dict[str, Table]

    def __call__(self, node: exp.Expression, scope: Scope, exists: bool) -> Query:
        """The sub-query's text and columns."""
        return self.lowering.query(node, scope, self.tables, exists=exists)


def _reads(node: exp.Expression, name: str) -> bool:
    return any(
        name_key(table.name) == name_key(name) and not table.args.get("db")
        for table in node.find_all(exp.Table)
    )


def _table(key: str, columns: tuple[Output, ...], names: list[str], node: exp.Expression) -> Table:
    if names and len(names) != len(columns):
        line, column = place(node)
        raise SqlError(
            f"{len(names)} names are listed for {len(columns)} columns.",
            condition="ASSIGNMENT_ARITY_MISMATCH",
            sqlstate="42802",
            line=line,
            column=column,
            hint="List a name for each column of the query.",
        )
    heads = names or [item.name for item in columns]
    return Table(
        key,
        [(item.id, head, item.type) for item, head in zip(columns, heads, strict=True)],
    )


def _ids(columns: tuple[Output, ...]) -> list[str]:
    return [item.id for item in columns]


def _operands(node: exp.Expression) -> list[exp.Expression]:
    """The queries of a set operation; those of a chain of the same UNION are side by side.

    Engines take only so many levels.
    """
    found: list[exp.Expression] = []
    first = node
    while True:
        check_arguments(first)
        found.insert(0, child(first, "expression"))
        first = child(first)
        plain = not any(first.args.get(name) for name in _OF_ITS_OWN)
        alike = first.args.get("distinct") == node.args.get("distinct") and plain
        if not (isinstance(node, exp.Union) and isinstance(first, exp.Union) and alike):
            return [first, *found]


def _column_types(
    left: Query, known: list[DataType], right: Query, word: str, node: exp.Expression
) -> list[DataType]:
    line, column = place(node)
    if len(left.columns) != len(right.columns):
        raise SqlError(
            f"{word} needs as many columns on both sides: {len(left.columns)} are not "
            f"{len(right.columns)}.",
            condition="NUM_COLUMNS_MISMATCH",
            sqlstate="42826",
            line=line,
            column=column,
        )
    kinds: list[DataType] = []
    for one, had, other in zip(left.columns, known, right.columns, strict=True):
        kind = types.common_type(had, other.type)
        if kind is None:
            raise SqlError(
                f"The columns {one.name} ({had.ddl}) and {other.name} ({other.type.ddl}) "
                f"have no type in common for {word}.",
                condition="INCOMPATIBLE_COLUMN_TYPE",
                sqlstate="42825",
                line=line,
                column=column,
            )
        kinds.append(kind)
    return kinds
