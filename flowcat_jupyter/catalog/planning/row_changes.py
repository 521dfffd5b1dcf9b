"""``DELETE``, ``UPDATE``, ``MERGE`` and ``TRUNCATE``: which rows of a table become what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import name_parts, only, refuse, table_name
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.sql.dialect import Piece, position
from flowcat_jupyter.sql.functions import SCALAR, lookup

MATCHED, UNMATCHED, ORPHAN = "matched", "not matched", "not matched by source"
DELETED, UPDATED, INSERTED = "delete", "update", "insert"
_CONDITIONS = {
    MATCHED: "MATCHED",
    UNMATCHED: "NOT_MATCHED_BY_TARGET",
    ORPHAN: "NOT_MATCHED_BY_SOURCE",
}


@dataclass(frozen=True)
class Clause:
    """What becomes of some rows.

    ``when``: rows of the target that the source matches (or, without a source, all of them), rows
    of the source that match none, or rows of the target that none matches. ``values`` are the
    target's columns with what they get, in the words of the statement; None for all columns by
    their names.
    """

    when: str
    action: str
    condition: exp.Expression | None = None
    values: tuple[tuple[str, exp.Expression], ...] | None = ()


@dataclass(frozen=True)
class ChangeRows:
    """A statement that changes rows of one table; the first clause that fits a row decides.

    ``alias`` is what its columns are called by. ``source`` and ``on`` are those of ``MERGE``.
    """

    piece: Piece
    kind: str
    name: TableName
    alias: str
    target: exp.Table
    clauses: tuple[Clause, ...]
    source: exp.Table | exp.Subquery | exp.Values | None = None
    on: exp.Expression | None = None
    ctes: exp.With | None = None

    @property
    def expressions(self) -> Iterator[exp.Expression]:
        """Every condition and value that is computed for rows."""
        if self.on is not None:
            yield self.on
        for clause in self.clauses:
            if clause.condition is not None:
                yield clause.condition
            yield from (value for _, value in clause.values or ())

    @property
    def trees(self) -> Iterator[exp.Expression]:
        """Everything that may name a parameter, a frame or another table."""
        yield from (part for part in (self.ctes, self.source) if part is not None)
        yield from self.expressions


def read_row_change(piece: Piece, tree: exp.Expression) -> ChangeRows | None:
    """The change of rows that a statement asks for; None if it asks for none.

    :raises SqlError: it is one, with a part that is not supported.
    """
    if isinstance(tree, exp.Delete):
        return _checked(_delete(piece, tree))
    if isinstance(tree, exp.Update):
        return _checked(_update(piece, tree))
    if isinstance(tree, exp.Merge):
        return _checked(_merge(piece, tree))
    if isinstance(tree, exp.TruncateTable):
        return _truncate(piece, tree)
    return None


def _delete(piece: Piece, tree: exp.Delete) -> ChangeRows:
    called = {"using": "USING", "tables": "several tables"}
    only(piece, tree, ("this", "where", "with_"), called, "DELETE")
    clause = Clause(MATCHED, DELETED, _where(tree))
    return _changed(piece, "DELETE", tree.this, (clause,), ctes=tree.args.get("with_"))


def _update(piece: Piece, tree: exp.Update) -> ChangeRows:
    hint = "Use MERGE INTO … USING to take values from another table."
    if tree.args.get("from_"):
        refuse(piece, "UPDATE with FROM", hint=hint)
    only(piece, tree, ("this", "expressions", "where", "with_"), {}, "UPDATE")
    alias = _alias(piece, tree.this, "UPDATE")
    values = _set(piece, tree.expressions, alias, tree.this)
    clause = Clause(MATCHED, UPDATED, _where(tree), values)
    return _changed(piece, "UPDATE", tree.this, (clause,), ctes=tree.args.get("with_"))


def _truncate(piece: Piece, tree: exp.TruncateTable) -> ChangeRows:
    known = ("expressions", "exists")
    only(piece, tree, known, {"partition": "PARTITION"}, "TRUNCATE TABLE")
    (target, *more) = tree.expressions
    if more or tree.args.get("exists"):
        refuse(piece, "TRUNCATE TABLE of several or with IF EXISTS")
    return _changed(piece, "TRUNCATE TABLE", target, (Clause(MATCHED, DELETED),))


def _merge(piece: Piece, tree: exp.Merge) -> ChangeRows:
    only(piece, tree, ("this", "using", "on", "whens", "with_"), {"using_cond": "USING"}, "MERGE")
    source = tree.args["using"]
    if not isinstance(source, (exp.Table, exp.Subquery, exp.Values)):
        refuse(piece, f"MERGE USING {source.key.upper()}", hint="Use a table or a sub-query.")
    if not isinstance(source, exp.Table) and not source.alias:
        source = source.copy()
        source.set("alias", exp.TableAlias(this=exp.to_identifier("source")))
    alias = _alias(piece, tree.this, "MERGE")
    if name_key(alias) == name_key(source.alias_or_name):
        _fault(
            piece,
            tree.this,
            f"The target and the source are both called {alias}",
            "AMBIGUOUS_COLUMN_OR_FIELD",
            "42702",
            "Give one of them another name with AS.",
        )
    whens = tree.args["whens"].expressions
    clauses = tuple(_when(piece, item, alias, tree.this) for item in whens)
    _check_order(piece, clauses, whens)
    return _changed(
        piece, "MERGE", tree.this, clauses, source, tree.args["on"], tree.args.get("with_")
    )


def _when(piece: Piece, item: exp.When, alias: str, target: exp.Table) -> Clause:
    when = MATCHED if item.args.get("matched") else UNMATCHED
    if when == UNMATCHED and item.args.get("source"):
        when = ORPHAN
    then, condition = item.args["then"], item.args.get("condition")
    if isinstance(then, exp.Update) and when != UNMATCHED:
        starred = any(isinstance(value, exp.Star) for value in then.expressions)
        if not (starred and when == ORPHAN):
            values = None if starred else _set(piece, then.expressions, alias, target)
            return Clause(when, UPDATED, condition, values)
    if isinstance(then, exp.Insert) and when == UNMATCHED:
        return Clause(when, INSERTED, condition, _inserted(piece, then, alias, target))
    if isinstance(then, exp.Var) and then.name.upper() == "DELETE" and when != UNMATCHED:
        return Clause(when, DELETED, condition)
    refuse(piece, f"WHEN {when.upper()} THEN {then.sql().split('(')[0].strip()}")


def _inserted(
    piece: Piece, then: exp.Insert, alias: str, target: exp.Table
) -> tuple[tuple[str, exp.Expression], ...] | None:
    if isinstance(then.this, exp.Star):
        return None
    columns, values = then.this, then.expression
    if not isinstance(columns, exp.Tuple) or not isinstance(values, exp.Tuple):
        refuse(piece, "INSERT without a list of columns and VALUES", hint="Or write INSERT *.")
    if len(columns.expressions) != len(values.expressions):
        _fault(
            piece,
            columns,
            f"INSERT lists {len(columns.expressions)} columns and gives "
            f"{len(values.expressions)} values",
            "INSERT_COLUMN_ARITY_MISMATCH",
            "21S01",
            "Give each listed column one value.",
        )
    pairs = zip(columns.expressions, values.expressions, strict=True)
    return _once(piece, [(_column(piece, c, alias, target), c, value) for c, value in pairs])


def _set(
    piece: Piece, items: list[Any], alias: str, target: exp.Table
) -> tuple[tuple[str, exp.Expression], ...]:
    pairs = []
    for item in items:
        if not isinstance(item, exp.EQ):
            refuse(piece, f"SET {item.sql()}")
        pairs.append((_column(piece, item.this, alias, target), item.this, item.expression))
    return _once(piece, pairs)


def _once(
    piece: Piece, items: list[tuple[str, exp.Expression, exp.Expression]]
) -> tuple[tuple[str, exp.Expression], ...]:
    seen: set[str] = set()
    for name, column, value in items:
        if name_key(name) in seen:
            hint = "Give each column one value."
            message = f"Column {name} is given twice"
            _fault(piece, column, message, "COLUMN_ALREADY_EXISTS", "42711", hint)
        seen.add(name_key(name))
        if isinstance(value, exp.Column) and value.sql().upper() == "DEFAULT":
            refuse(piece, "DEFAULT as a value")
    return tuple((name, value) for name, _, value in items)


def _column(piece: Piece, column: Any, alias: str, target: exp.Table) -> str:
    """The target's column that is written to, without the table's name."""
    if not isinstance(column, exp.Column):
        refuse(piece, f"A value for {column.sql()}")
    *prefix, name = [part.name for part in column.parts]
    own = [name_key(part) for part in name_parts(target)]
    wanted = [name_key(part) for part in prefix]
    if wanted and wanted != [name_key(alias)] and own[-len(wanted) :] != wanted:
        refuse(piece, f"A value for a field, {column.sql()}", hint="Give the whole column a value.")
    return str(name)


def _where(tree: exp.Expression) -> exp.Expression | None:
    where = tree.args.get("where")
    return where.this if where is not None else None


def _alias(piece: Piece, target: Any, what: str) -> str:
    if not isinstance(target, exp.Table):
        refuse(piece, f"{what} of something that is no table")
    called = {"version": "a version", "sample": "TABLESAMPLE", "partition": "PARTITION"}
    only(piece, target, ("this", "db", "catalog", "alias"), called, what)
    return str(target.alias_or_name)


def _changed(
    piece: Piece,
    kind: str,
    target: Any,
    clauses: tuple[Clause, ...],
    source: exp.Table | exp.Subquery | exp.Values | None = None,
    on: exp.Expression | None = None,
    ctes: exp.With | None = None,
) -> ChangeRows:
    alias = _alias(piece, target, kind)
    name = table_name(target)
    return ChangeRows(piece, kind, name, alias, target, clauses, source, on, ctes)


def _check_order(piece: Piece, clauses: tuple[Clause, ...], whens: list[exp.When]) -> None:
    """Only the last clause of each kind may go without a condition: none after it is reached."""
    closed: set[str] = set()
    for clause, item in zip(clauses, whens, strict=True):
        if clause.when in closed:
            _fault(
                piece,
                item,
                f"A WHEN {clause.when.upper()} clause follows one without a condition, which takes "
                "every row",
                f"NON_LAST_{_CONDITIONS[clause.when]}_CLAUSE_OMIT_CONDITION",
                "42613",
                "Give the earlier one a condition with AND, or put it last.",
            )
        if clause.condition is None:
            closed.add(clause.when)


def _checked(change: ChangeRows) -> ChangeRows:
    """The change, whose conditions and values are of single rows."""
    for tree in change.expressions:
        stack = [tree]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Query):
                continue
            if _of_many(node):
                _fault(
                    change.piece,
                    node,
                    f"{node.sql()} is of several rows and cannot stand in {change.kind}",
                    "UNSUPPORTED_EXPR_FOR_OPERATOR",
                    "42K0E",
                    "Compute it in a sub-query.",
                )
            stack.extend(child for child in node.iter_expressions())
    return change


def _of_many(node: exp.Expr) -> bool:
    if isinstance(node, (exp.AggFunc, exp.Window, exp.UDTF)):
        return True
    if not isinstance(node, exp.Func):
        return False
    name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
    known = lookup(name.lower())
    return known is not None and known.kind != SCALAR


def _fault(
    piece: Piece, node: exp.Expr, message: str, condition: str, sqlstate: str, hint: str
) -> NoReturn:
    line, column = position(piece, cast(exp.Expression, node))
    raise SqlError(
        f"{message}; nothing was changed.",
        condition=condition,
        sqlstate=sqlstate,
        line=line,
        column=column,
        hint=hint,
    )
