"""Changes so plain that a table's own library finds their rows as we would.

A condition is one if it is put together with AND and OR, not too long, of comparisons of a column
with constants of its own type, and of IS [NOT] NULL. Numbers with fractions and points in time are
not compared so, and no constant is NULL: the library would take every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from sqlglot import exp

from flowcat_jupyter.catalog.planning.row_changes import DELETED, ChangeRows
from flowcat_jupyter.catalog.planning.row_query import is_target
from flowcat_jupyter.shared.names import back_ticked, name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_writes import DirectChange

_MOST = 50
"""Comparisons in a condition, and constants in one list: the library nests them."""
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_EXACT = {"float": 24, "double": 53}
_COMPARED: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("=", "="),
    exp.NEQ: ("<>", "<>"),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}


class _NotPlainError(Exception):
    """A part of a statement is not of the kinds that are understood here."""


def direct_change(change: ChangeRows, facts: TableFacts | None) -> DirectChange | None:
    """What to ask of the library for a ``DELETE`` or ``UPDATE``; None if it is not so plain."""
    if facts is None or change.source is not None or change.ctes is not None:
        return None
    (clause, *more) = change.clauses
    if more or clause.condition is None:
        return None
    columns = {name_key(column.name): column for column in facts.columns}
    try:
        parts = list(_leaves(clause.condition))
        if len(parts) > _MOST:
            return None
        condition = _condition(change, clause.condition, columns)
        if clause.action == DELETED:
            return DirectChange(condition)
        return DirectChange(condition, _updates(clause.values or (), columns, facts))
    except _NotPlainError:
        return None


def _leaves(tree: exp.Expr) -> Iterator[exp.Expr]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, (exp.And, exp.Or)):
            stack.extend((node.this, node.expression))
        elif isinstance(node, exp.Paren):
            stack.append(node.this)
        else:
            yield node


def _condition(change: ChangeRows, tree: exp.Expr, columns: Mapping[str, Column]) -> str:
    if isinstance(tree, exp.Paren):
        return _condition(change, tree.this, columns)
    if isinstance(tree, (exp.And, exp.Or)):
        word = "AND" if isinstance(tree, exp.And) else "OR"
        sides = (_condition(change, side, columns) for side in (tree.this, tree.expression))
        return f"({f' {word} '.join(sides)})"
    return f"({_leaf(change, tree, columns)})"


def _leaf(change: ChangeRows, tree: exp.Expr, columns: Mapping[str, Column]) -> str:
    if type(tree) in _COMPARED:
        return _comparison(change, tree, columns)
    negated = isinstance(tree, exp.Not)
    inner = tree.this if negated else tree
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        column = _column(change, inner.this, columns)
        return f"{back_ticked(column.name)} IS {'NOT ' if negated else ''}NULL"
    if negated:
        raise _NotPlainError
    if isinstance(inner, exp.In):
        _only(inner, ("this", "expressions"))
        column = _column(change, inner.this, columns)
        if not 0 < len(inner.expressions) <= _MOST:
            raise _NotPlainError
        values = ", ".join(_constant(value, column) for value in inner.expressions)
        return f"{back_ticked(column.name)} IN ({values})"
    if isinstance(inner, exp.Between):
        _only(inner, ("this", "low", "high"))
        column = _column(change, inner.this, columns)
        low, high = (_constant(inner.args[key], column) for key in ("low", "high"))
        name = back_ticked(column.name)
        return f"{name} >= {low} AND {name} <= {high}"
    raise _NotPlainError


def _comparison(change: ChangeRows, tree: exp.Expr, columns: Mapping[str, Column]) -> str:
    straight, turned = _COMPARED[type(tree)]
    left, right = tree.this, tree.expression
    if not isinstance(left, exp.Column):
        left, right, straight = right, left, turned
    column = _column(change, left, columns)
    if column.type == "boolean" and straight not in ("=", "<>"):
        raise _NotPlainError
    return f"{back_ticked(column.name)} {straight} {_constant(right, column)}"


def _only(tree: exp.Expr, known: Sequence[str]) -> None:
    if any(value for key, value in tree.args.items() if key not in known):
        raise _NotPlainError


def _column(change: ChangeRows, tree: exp.Expr, columns: Mapping[str, Column]) -> Column:
    """A column of the target."""
    if not isinstance(tree, exp.Column) or not isinstance(tree.this, exp.Identifier):
        raise _NotPlainError
    *prefix, name = [name_key(part.name) for part in tree.parts]
    if (prefix and not is_target(change, prefix)) or name not in columns:
        raise _NotPlainError
    return columns[name]


def _constant(tree: exp.Expr, column: Column) -> str:
    """A constant that is a value of a column's own type, as the library reads it."""
    if column.type in _BITS:
        number = _integer(tree)
        if not -(2 ** (_BITS[column.type] - 1)) <= number < 2 ** (_BITS[column.type] - 1):
            raise _NotPlainError
        return f"CAST('{number}' AS {column.type.upper()})"
    if column.type == "boolean" and isinstance(tree, exp.Boolean):
        return "true" if tree.this else "false"
    if column.type == "string" and isinstance(tree, exp.Literal) and tree.is_string:
        return _quoted(str(tree.this))
    if column.type == "date":
        return f"CAST('{_date(tree)}' AS DATE)"
    raise _NotPlainError


def _integer(tree: exp.Expr) -> int:
    negative = isinstance(tree, exp.Neg)
    inner = tree.this if negative else tree
    plain = isinstance(inner, exp.Literal) and not inner.is_string
    if not plain or not re.fullmatch(r"[0-9]{1,19}", str(inner.this)):
        raise _NotPlainError
    return -int(inner.this) if negative else int(inner.this)


def _date(tree: exp.Expr) -> str:
    if isinstance(tree, exp.Cast) and tree.to.is_type("date"):
        _only(tree, ("this", "to"))
        tree = tree.this
    plain = isinstance(tree, exp.Literal) and tree.is_string
    text = str(tree.this) if plain else ""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise _NotPlainError
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise _NotPlainError from error


def _quoted(text: str) -> str:
    if "\0" in text:
        raise _NotPlainError
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _updates(
    values: Sequence[tuple[str, exp.Expression]], columns: Mapping[str, Column], facts: TableFacts
) -> dict[str, str]:
    """The columns that get constants, with these."""
    found: dict[str, str] = {}
    for name, value in values:
        column = columns.get(name_key(name))
        if column is None or column.name in facts.partition_columns or not column.nullable:
            raise _NotPlainError
        if column.type in _EXACT:
            number = _integer(value)
            if abs(number) > 2 ** _EXACT[column.type]:
                raise _NotPlainError
            found[column.name] = f"CAST('{number}' AS {column.type.upper()})"
        else:
            found[column.name] = _constant(value, column)
    return found
