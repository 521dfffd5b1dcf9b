"""A query as a person would tell it: its steps from the result down to the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.sql.dialect import House

_LONGEST = 300
_SETS: dict[type[exp.Expr], str] = {
    exp.Union: "Put the rows of both together",
    exp.Except: "Keep the rows of the first that are not in the second",
    exp.Intersect: "Keep the rows that are in both",
}
_JOINS = {
    "LEFT": "keeping every row of the first",
    "RIGHT": "keeping every row of the second",
    "FULL": "keeping every row of both",
    "SEMI": "only to see whether there is a match",
    "ANTI": "keeping those without a match",
    "CROSS": "every row with every row",
    "ASOF": "with the nearest row",
}


@dataclass(frozen=True)
class Step:
    """``text`` at a depth: what is deeper comes first."""

    depth: int
    text: str


@dataclass
class Outline:
    """Tells one query's steps; ``tables`` says what a relation is called and how much is read."""

    tables: Mapping[str, Callable[[str | None], str]]
    names: Mapping[str, str]
    steps: list[Step] = field(default_factory=list)

    def query(self, tree: exp.Expr, depth: int = 0) -> None:
        """Add the steps of a query, with those of its CTEs after it."""
        ctes = tree.args.get("with_")
        if isinstance(tree, exp.Subquery):
            self._ordered(tree, depth, lambda below: self.query(tree.this, below))
        elif isinstance(tree, exp.SetOperation):
            self._ordered(tree, depth, lambda below: self._set(tree, below))
        elif isinstance(tree, exp.Select):
            self._ordered(tree, depth, lambda below: self._select(tree, below))
        else:
            self._add(depth, self._text(tree))
        for cte in ctes.expressions if isinstance(ctes, exp.With) else ():
            self._add(depth, f"The step {cte.alias}:")
            self.query(cte.this, depth + 1)

    def _add(self, depth: int, text: str) -> None:
        self.steps.append(Step(depth, text))

    def _ordered(self, tree: exp.Expr, depth: int, rest: Callable[[int], None]) -> None:
        limit, offset = tree.args.get("limit"), tree.args.get("offset")
        if limit is not None:
            count = limit.args.get("expression") or limit.args.get("count")
            self._add(depth, f"Keep the first {self._text(count)} rows")
            depth += 1
        if offset is not None:
            self._add(depth, f"Pass over the first {self._text(offset.expression)} rows")
            depth += 1
        order = tree.args.get("order")
        if order is not None:
            self._add(depth, f"Sort by {', '.join(self._ordering(it) for it in order.expressions)}")
            depth += 1
        rest(depth)

    def _ordering(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Ordered):
            return self._text(node)
        return self._text(node.this) + (" descending" if node.args.get("desc") else "")

    def _set(self, tree: exp.Expr, depth: int) -> None:
        words = next(text for kind, text in _SETS.items() if isinstance(tree, kind))
        once = ", each different row once" if tree.args.get("distinct") else ""
        self._add(depth, words + once)
        self.query(tree.this, depth + 1)
        self.query(tree.expression, depth + 1)

    def _select(self, tree: exp.Select, depth: int) -> None:
        for text in self._levels(tree):
            self._add(depth, text)
            depth += 1
        self._from(tree, depth)
        for query in _inner_queries(tree):
            self._add(depth, "The sub-query in a condition or a column:")
            self.query(query, depth + 1)

    def _levels(self, tree: exp.Select) -> Iterator[str]:
        """What is done to the rows of FROM, the last first."""
        if tree.args.get("distinct"):
            yield "Keep each different row once"
        qualify, having = tree.args.get("qualify"), tree.args.get("having")
        if qualify is not None:
            yield f"Keep the rows whose window values meet {self._text(qualify.this)}"
        computed = ", ".join(self._text(item) for item in tree.expressions)
        group = tree.args.get("group")
        if having is not None:
            yield f"Keep the groups where {self._text(having.this)}"
        if group is not None:
            by = self._text(group).removeprefix("GROUP BY").strip()
            yield f"Group by {by} and compute {computed}"
        elif not _only_star(tree):
            yield f"Compute {computed}"
        where = tree.args.get("where")
        if where is not None:
            yield f"Keep the rows where {self._text(where.this)}"

    def _from(self, tree: exp.Select, depth: int) -> None:
        source = tree.args.get("from_")
        joins = list(tree.args.get("joins") or ())
        for lateral in reversed(tree.args.get("laterals") or ()):
            self._add(depth, f"Make rows of {self._text(lateral.this)}")
            depth += 1
        if source is None:
            self._add(depth, "Start from one row without columns")
            return
        self._joined(source.this, joins, depth)

    def _joined(self, first: exp.Expr, joins: list[exp.Expr], depth: int) -> None:
        inner = first.args.get("joins")
        if not joins:
            self._relation(first, depth)
            if inner and not isinstance(first, exp.Subquery):
                self._joined_rest(inner, depth)
            return
        self._add(depth, self._join(joins[-1]))
        self._joined(first, joins[:-1], depth + 1)
        self._relation(joins[-1].this, depth + 1)

    def _joined_rest(self, joins: list[exp.Expr], depth: int) -> None:
        for join in joins:
            self._add(depth, self._join(join))
            self._relation(join.this, depth + 1)

    def _join(self, join: exp.Expr) -> str:
        words = [str(join.args.get(key) or "").upper() for key in ("side", "kind", "method")]
        how = [_JOINS[word] for word in words if word in _JOINS]
        on, using = join.args.get("on"), join.args.get("using")
        if on is not None:
            how.insert(0, f"on {self._text(on)}")
        elif using:
            how.insert(0, f"on the same {', '.join(self._text(item) for item in using)}")
        elif "NATURAL" in words:
            how.insert(0, "on the columns both have")
        elif not how:
            how = ["every row with every row"]
        return f"Join {', '.join(how)}"

    def _relation(self, node: exp.Expr, depth: int) -> None:
        if isinstance(node, exp.Table) and node.name in self.tables:
            alias = None if node.alias == node.name else node.alias
            self._add(depth, self.tables[node.name](alias or None))
        elif isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
            self._add(depth, f"Take the rows of the step {node.name}{_as(node)}")
        elif isinstance(node, exp.Subquery):
            self._add(depth, f"Take the rows of a sub-query{_as(node)}")
            self.query(node, depth + 1)
        elif isinstance(node, exp.Values):
            self._add(depth, f"Take {len(node.expressions):,} rows written in the query{_as(node)}")
        else:
            self._add(depth, f"Make rows of {self._text(node)}")

    def _text(self, node: exp.Expr) -> str:
        holder = exp.Tuple(expressions=[node.copy()])
        for query in list(_inner_queries(holder)):
            bracketed = isinstance(query.parent, exp.Subquery)
            place = query.parent if isinstance(query.parent, exp.Subquery) else query
            place.replace(exp.Var(this="(sub-query)" if bracketed else "sub-query"))
        for column in holder.find_all(exp.Column):
            if column.table in self.names:
                column.set("table", exp.Var(this=self.names[column.table]))
        shown = holder.expressions[0]
        text = " ".join(shown.sql(dialect=House, comments=False, normalize_functions=False).split())
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _as(node: exp.Expr) -> str:
    return f" as {node.alias}" if node.alias and node.alias != node.name else ""


def _only_star(tree: exp.Select) -> bool:
    return len(tree.expressions) == 1 and isinstance(tree.expressions[0], exp.Star)


def _inner_queries(node: exp.Expr) -> Iterator[exp.Expr]:
    """The queries inside expressions, not those in FROM, JOIN or WITH."""
    stack = [child for child in node.iter_expressions() if not _is_source(child)]
    while stack:
        item = stack.pop(0)
        if isinstance(item, (exp.Select, exp.SetOperation)):
            yield item
        elif not _is_source(item):
            stack[:0] = list(item.iter_expressions())


def _is_source(node: exp.Expr) -> bool:
    return isinstance(node, (exp.From, exp.Join, exp.With, exp.Lateral))
