"""FROM: relations, sub-queries, VALUES, joins, LATERAL VIEW."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import reshape, text
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.arrays import counted
from flowcat_jupyter.sql.lowering.calls import (
    constant_int,
    name_of,
)
from flowcat_jupyter.sql.lowering.chains import conjuncts
from flowcat_jupyter.sql.lowering.context import Context, Table
from flowcat_jupyter.sql.lowering.correlation import is_taken, linked
from flowcat_jupyter.sql.lowering.domains import domain
from flowcat_jupyter.sql.lowering.expressions import Binder, Query, child, unify
from flowcat_jupyter.sql.lowering.fromclause import From, Join, Leaf
from flowcat_jupyter.sql.lowering.laterals import lateral_join, lateral_view
from flowcat_jupyter.sql.lowering.logic import compare
from flowcat_jupyter.sql.lowering.rows import as_query, cells, row_width, rows_text
from flowcat_jupyter.sql.lowering.sampling import sampled
from flowcat_jupyter.sql.lowering.scope import Column, Scope, Source
from flowcat_jupyter.sql.lowering.shared import SharedLeaf
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import identifier

Lower = Callable[[exp.Expression, Scope | None, "dict[str, Table]"], Query]


_SIDES = {"": "INNER", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL"}


@dataclass(slots=True)
class Sources:
    """Builds the FROM of one select in a scope."""

    context: Context
    scope: Scope
    tables: dict[str, Table]
    lower: Lower
    binder: Binder
    whole: bool = False
    """The only source is read as it is, for a select list that is `*` and nothing else."""

    def build(self, select: exp.Expression) -> From:
        """The FROM of ``select``; without one, a single row."""
        start = select.args.get("from_")
        if start is None:
            empty = Source("", (), [])
            return From(Leaf("one", empty, lambda: "(SELECT 1 AS one) AS s0"))
        made = From(self._leaf(child(start)))
        self.scope.add(made.first.source)
        self._more(made, child(start))
        for join in select.args.get("joins") or ():
            self._join(made, join)
        for lateral in select.args.get("laterals") or ():
            lateral_view(made, lateral, self.binder)
        return made

    def _more(self, made: From, node: exp.Expression) -> None:
        for join in node.args.get("joins") or ():
            self._join(made, join)

    def _join(self, made: From, node: exp.Expression) -> None:
        check_arguments(node)
        side = str(node.args.get("side") or "").upper()
        kind = str(node.args.get("kind") or "").upper()
        method = str(node.args.get("method") or "").upper()
        if method not in ("", "NATURAL") or kind not in ("", "INNER", "OUTER", "CROSS"):
            if kind not in ("SEMI", "ANTI"):
                raise refusal(f"{method} {kind} JOIN".strip(), node)
            self._semi(made, node, kind)
        elif isinstance(node.this, exp.Lateral):
            lateral_join(made, node, self.binder)
        else:
            self._joined(made, node, side, natural=method == "NATURAL")

    def _joined(self, made: From, node: exp.Expression, side: str, *, natural: bool) -> None:
        if made.views:
            raise refusal("a join after LATERAL", node, hint="Put the LATERAL last.")
        if (made.filters or made.semis) and side in ("RIGHT", "FULL"):
            # A SEMI JOIN is a condition on every row, which the rows added here would not meet.
            hint = "Put the SEMI or ANTI JOIN into a sub-query."
            raise refusal(f"a {side} JOIN after a SEMI or ANTI JOIN", node, hint=hint)
        leaf = self._leaf(child(node))
        before = list(self.scope.sources)
        self.scope.add(leaf.source)
        join = Join(leaf, _SIDES[side])
        using = [item.name for item in node.args.get("using") or ()]
        if natural:
            using = _shared(before, leaf.source)
        if using:
            self._using(join, before, using, node)
        elif node.args.get("on") is not None:
            join.on = [self.binder.condition(item) for item in conjuncts(child(node, "on"))]
        elif side:
            raise refusal(f"{side} JOIN without ON", node)
        else:
            join.kind = "CROSS"
        made.joins.append(join)
        self._more(made, child(node))

    def _using(
        self, join: Join, before: list[Source], names: list[str], node: exp.Expression
    ) -> None:
        merged: list[Column] = []
        for name in names:
            left = _named(before, name, node)
            right = _named([join.leaf.source], name, node)
            left.used = right.used = True
            pair = [_value(left), _value(right)]
            one, other = unify(pair, self.context, node)
            join.on.append(
                Value(
                    f"({one.sql} = {other.sql})",
                    types.BOOLEAN,
                    fields=one.fields | other.fields,
                    equates=(one, other),
                )
            )
            if join.kind == "RIGHT":
                left.hidden = right.merged = True
            elif join.kind == "FULL":
                left.hidden = right.hidden = True
                merged.append(self._merged(name, one, other))
            else:
                right.hidden = left.merged = True

        if merged:
            self.scope.add(Source("the join", (), merged))

    def _merged(self, name: str, left: Value, right: Value) -> Column:
        """The column that a FULL JOIN makes of one of each side."""
        key = self.context.fresh("x", name)
        sql = f"COALESCE({left.sql}, {right.sql})"
        return Column(name, left.type, sql, key, merged=True)

    def _semi(self, made: From, node: exp.Expression, kind: str) -> None:
        """SEMI and ANTI joins are EXISTS: the engine's own take only equalities."""
        inner = Scope(parent=self.scope)
        leaf = Sources(self.context, inner, self.tables, self.lower, self.binder)._leaf(child(node))
        inner.add(leaf.source)
        binder = Binder(self.context, inner, self.binder.subquery, "ON")
        conditions = []
        for name in node.args.get("using") or ():
            left = _named(self.scope.sources, name.name, node)
            right = _named([leaf.source], name.name, node)
            left.used = right.used = True
            one, other = unify([_value(left), _value(right)], self.context, node)
            conditions.append(compare("=", one, other, self.binder, node))
        if node.args.get("on") is not None:
            conditions += [binder.condition(item) for item in conjuncts(child(node, "on"))]
        met, added = self._met(From(leaf), conditions, inner, node)
        sql = f"({'NOT ' if kind == 'ANTI' else ''}{met})"
        if added:
            made.semis.append(Value(sql, types.BOOLEAN))
        else:
            made.filters.append(sql)

    def _met(
        self, made: From, conditions: list[Value], inner: Scope, node: exp.Expression
    ) -> tuple[str, bool]:
        """Whether rows of ``made`` meet conditions, and whether columns are added for that."""
        link = linked(conditions, inner, self.context, node)
        if link is not None:
            return f"EXISTS ({text.select(['1'], link.write(made, inner))})", True
        if not is_taken(conditions, inner, self.context) and self.scope.steps is not None:
            asked = domain(conditions, made, inner, self.context, node)
            if asked is not None:
                found = asked.met(made, conditions, self.scope.steps, self.context, node)
                return found.sql, True
        where = " AND ".join(item.sql for item in conditions) or "TRUE"
        return f"EXISTS ({text.select(['1'], f'{made.first.write()} WHERE {where}')})", False

    def _leaf(self, node: exp.Expression) -> Leaf:
        sample = node.args.get("sample")
        if sample is not None:
            plain = node.copy()
            plain.set("sample", None)
            return sampled(self._leaf(plain), sample, self.binder)
        if node.args.get("pivots"):
            return self._reshaped(node)
        check_arguments(node)
        if isinstance(node, exp.Table):
            return self._table(node)
        if isinstance(node, exp.Subquery):
            return self._subquery(node)
        if isinstance(node, exp.Values):
            return self._values(node)
        raise refusal(f"{type(node).__name__.upper()} in FROM", node)

    def _table(self, node: exp.Table) -> Leaf:
        if isinstance(node.this, exp.Anonymous):
            return self._function(node)
        name = node.name
        table = self.tables.get(name_key(name)) if not node.args.get("db") else None
        if table is None:
            table = self._relation(name, node)
        alias = self.context.fresh("s")
        label, qualifiers = self._names(node, name)
        columns = [
            Column(known, kind, "", self.context.fresh("x", known))
            for _, known, kind in table.columns
        ]
        physical = [name for name, _, _ in table.columns]
        if self.whole:
            for column, real in zip(columns, physical, strict=True):
                column.sql = f"{alias}.{identifier(real)}"
                self.context.labels[real] = column.name
            source = Source(label, qualifiers, columns)
            self._note(name, table, physical)
            return Leaf(alias, source, lambda: f"{table.id} AS {alias}", tuple(physical))
        shared = self._shared(name, table)
        names = shared.names if shared else [column.id for column in columns]
        for column, own in zip(columns, names, strict=True):
            column.sql = f"{alias}.{own}"
        _rename(columns, node)

        def write() -> str:
            used = {
                own: real
                for real, own, column in zip(physical, names, columns, strict=True)
                if column.used
            }
            self._note(name, table, list(used.values()))
            if shared and used:
                shared.read |= used
                return f"{shared.name} AS {alias}"
            made = [f"{identifier(real)} AS {own}" for own, real in used.items()]
            return text.nested(text.select(made, table.id), alias)

        return Leaf(alias, Source(label, qualifiers, columns), write)

    def _shared(self, name: str, table: Table) -> SharedLeaf | None:
        """What the statement's other references of the same relation read as well."""
        first = self.context.same.get(name) if table.id == identifier(name) else None
        if first is None:
            return None
        self.scope.references[first] += 1
        at = self.scope.references[first]
        return self.context.shared_leaf(name, at, [label for _, label, _ in table.columns])

    def _note(self, name: str, table: Table, columns: list[str]) -> None:
        """Remember that these columns of a relation are read."""
        if table.id == identifier(name) and name in self.context.schemas:
            self.context.reads.setdefault(name, set()).update(columns)

    def _relation(self, name: str, node: exp.Expression) -> Table:
        schema = self.context.schemas.get(name)
        if schema is None:
            line, column = place(node)
            raise SqlError(
                f"There is no table {name}.",
                condition="TABLE_OR_VIEW_NOT_FOUND",
                sqlstate="42P01",
                line=line,
                column=column,
            )
        columns = [
            (self.context.target.column(item.name, at), item.name, parse_type(item.type))
            for at, item in enumerate(schema)
        ]
        return Table(identifier(name), columns)

    def _names(self, node: exp.Expression, name: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
        alias = node.args.get("alias")
        if alias is not None and alias.name:
            return alias.name, ((name_key(alias.name),),)
        parts = self.context.names.get(name, (name,))
        keys = tuple(name_key(part) for part in parts)
        own = tuple(keys[start:] for start in range(len(keys)))
        return parts[-1], (*own, (name_key(name),))

    def _function(self, node: exp.Table) -> Leaf:
        call = child(node)
        if name_of(call) != "range":
            raise refusal(f"the table function {name_of(call)}", node)
        numbers = [
            constant_int(self.binder.bind(item), "a bound", node) for item in call.expressions
        ]
        start, stop, *step = [0, *numbers] if len(numbers) == 1 else numbers
        by = step[0] if step else 1
        last = stop - (1 if by > 0 else -1)
        found = counted([start, last, by], node) if (last - start) * by >= 0 else []
        if not found:
            raise refusal("an empty range", node)
        key, alias = self.context.fresh("x", "id"), self.context.fresh("s")
        listed = ", ".join(f"CAST('{number}' AS BIGINT)" for number in found)
        rows = text.select([f"UNNEST(ARRAY[{listed}]) AS {key}"], "(SELECT 1 AS one) AS s0")
        columns = [Column("id", types.BIGINT, f"{alias}.{key}", key)]
        _rename(columns, node)
        label, qualifiers = self._names(node, "range")
        return Leaf(alias, Source(label, qualifiers, columns), lambda: text.nested(rows, alias))

    def _subquery(self, node: exp.Subquery) -> Leaf:
        return self._of_query(self.lower(node, None, self.tables), node)

    def _of_query(self, query: Query, node: exp.Expression) -> Leaf:
        alias = self.context.fresh("s")
        columns = [
            Column(item.name, item.type, f"{alias}.{item.id}", item.id) for item in query.columns
        ]
        _rename(columns, node)
        named = node.args.get("alias")
        key = ((name_key(named.name),),) if named is not None and named.name else ()
        label = named.name if named is not None else "the sub-query"
        return Leaf(alias, Source(label, key, columns), lambda: f"({query.sql}) AS {alias}")

    def _reshaped(self, node: exp.Expression) -> Leaf:
        """PIVOT and UNPIVOT: a query of their source, which is read as a CTE."""
        plain = node.copy()
        pivot, *more = plain.args["pivots"]
        if more:
            raise refusal("several PIVOT or UNPIVOT of one source", node)
        plain.set("pivots", None)
        plain.set("joins", None)
        leaf = self._leaf(plain)
        columns = leaf.source.columns
        for column in columns:
            column.used = True
        listed = [f"{column.sql} AS {column.id}" for column in columns]
        key = self.context.fresh("w")
        self.context.ctes.append(f"{key} AS ({text.select(listed, leaf.write())})")
        name = f"__{key}"
        table = Table(key, [(column.id, column.name, column.type) for column in columns])
        made = reshape.query(pivot, name, [column.name for column in columns])
        query = self.lower(made, None, {**self.tables, name_key(name): table})
        if plain.args.get("alias") is not None:
            # The names in it were for the source's columns, not for those made of them.
            plain.args["alias"].set("columns", None)
        return self._of_query(query, pivot if pivot.args.get("alias") else plain)

    def _values(self, node: exp.Values) -> Leaf:
        width = row_width(node)
        try:
            rows = [[self.binder.bind(item) for item in cells(row)] for row in node.expressions]
        except SqlError as error:
            if error.condition != "UNSUPPORTED_FEATURE":
                raise
            # What the engine's SQL lacks is computed in a select list alone.
            return self._of_query(self.lower(as_query(node), None, self.tables), node)
        table = [unify([row[at] for row in rows], self.context, node) for at in range(width)]
        alias = self.context.fresh("s")
        columns = []
        for at, column in enumerate(table):
            name = f"col{at + 1}"
            made = self.context.fresh("x", name)
            columns.append(Column(name, column[0].type, f"{alias}.{made}", made))
        whole = text.nested(rows_text(table, columns), alias)
        _rename(columns, node)
        named = node.args.get("alias")
        key = ((name_key(named.name),),) if named is not None and named.name else ()
        label = named.name if named is not None else "VALUES"
        return Leaf(alias, Source(label, key, columns), lambda: whole)


def _rename(columns: list[Column], node: exp.Expression) -> None:
    alias = node.args.get("alias")
    names = [item.name for item in alias.args.get("columns") or ()] if alias is not None else []
    if not names:
        return
    if len(names) != len(columns):
        raise refusal(f"{len(names)} column aliases for {len(columns)} columns", node)
    for column, name in zip(columns, names, strict=True):
        column.name = name


def _value(column: Column) -> Value:
    return Value(column.sql, column.type, fields=frozenset((column.id,)))


def _shared(before: list[Source], source: Source) -> list[str]:
    known = {name_key(item.name) for one in before for item in one.columns if not item.hidden}
    return [item.name for item in source.columns if name_key(item.name) in known]


def _named(sources: list[Source], name: str, node: exp.Expression) -> Column:
    scope = Scope(sources=list(sources))
    return scope.resolve([name], node)[0]
