"""Reading ``DELETE``, ``UPDATE``, ``MERGE`` and ``TRUNCATE``: all that is said, or a refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.asides import evolves
from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown, target_name
from flowcat_jupyter.catalog.planning.row_changes import (
    DELETED,
    INSERTED,
    MATCHED,
    ORPHAN,
    UNMATCHED,
    UPDATED,
    ChangeRows,
    Clause,
)
from flowcat_jupyter.catalog.planning.words import says, words_of
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import Piece, position
from flowcat_jupyter.sql.functions import SCALAR, lookup

_CONDITIONS = {
    MATCHED: "MATCHED",
    UNMATCHED: "NOT_MATCHED_BY_TARGET",
    ORPHAN: "NOT_MATCHED_BY_SOURCE",
}


def read_row_change(piece: Piece, tree: exp.Expression) -> ChangeRows | None:
    """The change of rows that a statement asks for; None if it asks for none.

    :raises SqlError: it is one, with a part that is not supported.
    """
    if isinstance(tree, exp.TruncateTable):
        return _truncate(piece, tree)
    if not isinstance(tree, (exp.Delete, exp.Update, exp.Merge)):
        return None
    _check_conditions(piece, tree)
    if isinstance(tree, exp.Delete):
        return checked(_delete(piece, tree))
    if isinstance(tree, exp.Update):
        return checked(_update(piece, tree))
    return checked(replace(_merge(piece, tree), evolves=evolves(piece)))


def _check_conditions(piece: Piece, tree: exp.Expression) -> None:
    """Check that the tree has every condition of the text: a lost one would take all rows."""
    said = sum(word.upper == "WHERE" for word in words_of(piece.text))
    found = [where for where in tree.find_all(exp.Where) if where.this is not None]
    if said != len(found) or says(piece, "AND", "THEN"):
        _fault(
            piece,
            tree,
            "A condition is missing or cannot be read",
            "PARSE_SYNTAX_ERROR",
            "42601",
            "Write a condition after each WHERE and AND.",
        )


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
    alias = _alias(tree.this)
    values = _set(piece, tree.expressions, alias, tree.this)
    clause = Clause(MATCHED, UPDATED, _where(tree), values)
    return _changed(piece, "UPDATE", tree.this, (clause,), ctes=tree.args.get("with_"))


def _truncate(piece: Piece, tree: exp.TruncateTable) -> ChangeRows:
    known = ("expressions", "exists")
    only(piece, tree, known, {"partition": "PARTITION"}, "TRUNCATE TABLE")
    (target, *more) = tree.expressions
    if more or tree.args.get("exists"):
        refuse(piece, "TRUNCATE TABLE of several or with IF EXISTS")
    if any(word.text == "*" for word in words_of(piece.text)):
        refuse(piece, "TRUNCATE TABLE with *")
    return _changed(piece, "TRUNCATE TABLE", target, (Clause(MATCHED, DELETED),), also=())


def _merge(piece: Piece, tree: exp.Merge) -> ChangeRows:
    called = {"using_cond": "a list of columns after USING"}
    only(piece, tree, ("this", "using", "on", "whens", "with_"), called, "MERGE")
    source, on = tree.args["using"], tree.args.get("on")
    if not on:
        refuse(piece, "MERGE without ON", hint="Say after ON which rows belong together.")
    if not isinstance(source, (exp.Table, exp.Subquery, exp.Values)):
        refuse(piece, f"MERGE USING {source.key.upper()}", hint="Use a table or a sub-query.")
    if not isinstance(source, exp.Table) and not source.alias:
        source = source.copy()
        source.set("alias", exp.TableAlias(this=exp.to_identifier("source")))
    alias = _alias(tree.this)
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
        piece, "MERGE", tree.this, clauses, source=source, on=on, ctes=tree.args.get("with_")
    )


def _when(piece: Piece, item: exp.When, alias: str, target: exp.Table) -> Clause:
    when = MATCHED if item.args.get("matched") else UNMATCHED
    if when == UNMATCHED and item.args.get("source"):
        when = ORPHAN
    then, condition = item.args["then"], item.args.get("condition")
    if isinstance(then, exp.Update) and when != UNMATCHED:
        only(piece, then, ("expressions",), {}, "UPDATE in MERGE")
        starred = len(then.expressions) == 1 and _is_star(then.expressions[0])
        if not (starred and when == ORPHAN):
            values = None if starred else _set(piece, then.expressions, alias, target)
            return Clause(when, UPDATED, condition, values)
    if isinstance(then, exp.Insert) and when == UNMATCHED:
        return Clause(when, INSERTED, condition, _inserted(piece, then, alias, target))
    if isinstance(then, exp.Var) and then.name.upper() == "DELETE" and when != UNMATCHED:
        return Clause(when, DELETED, condition)
    refuse(piece, f"WHEN {when.upper()} THEN {shown(then)}")


def _inserted(
    piece: Piece, then: exp.Insert, alias: str, target: exp.Table
) -> tuple[tuple[str, exp.Expression], ...] | None:
    only(piece, then, ("this", "expression"), {}, "INSERT in MERGE")
    columns, values = then.this, then.expression
    if _is_star(columns) and values is None:
        return None
    tuples = isinstance(columns, exp.Tuple) and isinstance(values, exp.Tuple)
    if not tuples or not columns.expressions:
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
    if not items:
        refuse(piece, "UPDATE without SET")
    pairs = []
    for item in items:
        if not isinstance(item, exp.EQ):
            refuse(piece, f"SET {shown(item)}")
        pairs.append((_column(piece, item.this, alias, target), item.this, item.expression))
    return _once(piece, pairs)


def _once(
    piece: Piece, items: list[tuple[str, exp.Expression, exp.Expression]]
) -> tuple[tuple[str, exp.Expression], ...]:
    seen: set[str] = set()
    for name, column, _ in items:
        if name_key(name) in seen:
            hint = "Give each column one value."
            message = f"Column {name} is given twice"
            _fault(piece, column, message, "COLUMN_ALREADY_EXISTS", "42711", hint)
        seen.add(name_key(name))
    return tuple((name, value) for name, _, value in items)


def _column(piece: Piece, column: Any, alias: str, target: exp.Table) -> str:
    """The target's column that is written to, without the table's name."""
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        refuse(piece, f"A value for {shown(column)}")
    *prefix, name = [part.name for part in column.parts]
    wanted = [name_key(part) for part in prefix]
    # An alias hides the name.
    own = [alias] if target.alias else [part.name for part in target.parts]
    if wanted and [name_key(part) for part in own][-len(wanted) :] != wanted:
        hint = f"Write {alias}.column, or the column alone; a field is not given a value by itself."
        refuse(piece, f"A value for {shown(column)}", hint=hint)
    return str(name)


def _is_star(node: Any) -> bool:
    return isinstance(node, exp.Star) and not any(node.args.values())


def _where(tree: exp.Expression) -> exp.Expression | None:
    where = tree.args.get("where")
    return where.this if where is not None else None


def _alias(target: Any) -> str:
    return str(target.alias_or_name) if isinstance(target, exp.Table) else ""


def _changed(
    piece: Piece,
    kind: str,
    target: Any,
    clauses: tuple[Clause, ...],
    *,
    also: tuple[str, ...] = ("alias",),
    source: exp.Table | exp.Subquery | exp.Values | None = None,
    on: exp.Expression | None = None,
    ctes: exp.With | None = None,
) -> ChangeRows:
    name = target_name(piece, target, kind, also)
    alias = target.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        refuse(piece, f"{kind} with other names for the columns of its table")
    named = {name_key(cte.alias) for cte in ctes.expressions} if ctes is not None else set()
    if len(name.parts) == 1 and name_key(name.leaf) in named:
        _fault(
            piece,
            target,
            f"{name.sql} is a query of the WITH clause, which cannot be changed",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "0A000",
            "Call the query something else, or write the table's full name.",
        )
    return ChangeRows(piece, kind, name, _alias(target), target, clauses, source, on, ctes)


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


def checked(change: ChangeRows) -> ChangeRows:
    """The change, whose conditions and values are of single rows.

    :raises SqlError: one of them is of several.
    """
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
                    f"{shown(node)} is of several rows and cannot stand in {change.kind}",
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
