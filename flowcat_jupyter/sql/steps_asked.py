"""What is asked of a step (a CTE, a view) said of what the step reads, for files to be skipped by.

The tree made here is only looked at, never run. A condition goes into a step where every row that
it keeps out is kept out anyway: where one place alone reads the step, and the step neither groups
nor counts nor orders its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

_PLAIN = ("expressions", "from_", "where", "joins", "order")
"""What a step may have beside its columns: an order without a limit keeps nothing out."""


def narrowed(tree: exp.Expression, schemas: Mapping[str, Sequence[Column]]) -> exp.Expression:
    """``tree`` with the conditions of its outermost steps' readers in the steps, too."""
    clause = tree.args.get("with_")
    if not isinstance(clause, exp.With) or clause.args.get("recursive"):
        return tree
    tree = tree.copy()
    for cte in reversed(tree.args["with_"].expressions):
        # A step is read by what comes after it, which has its conditions by then.
        reader = _only_reader(tree, cte)
        columns = _columns(cte, schemas)
        if reader is not None and columns:
            _narrow(cte.this, reader, columns, cte.alias)
    return tree


def _only_reader(tree: exp.Expression, cte: exp.CTE) -> exp.Select | None:
    """The select that reads a step, if there is one alone, and by joins that only keep rows out."""
    key = name_key(cte.alias)
    places = [
        table
        for table in tree.find_all(exp.Table)
        if name_key(table.name) == key and not table.args.get("db")
    ]
    if len(places) != 1 or set(places[0].args) - {"this", "alias"} - _empty(places[0]):
        return None
    above = places[0].parent
    select = above.parent if isinstance(above, (exp.From, exp.Join)) else None
    if not isinstance(select, exp.Select) or select.args.get("laterals"):
        return None
    joins = select.args.get("joins") or ()
    odd = ("side", "method", "using")
    if any(join.args.get(name) for join in joins for name in odd):
        return None
    kinds = {str(join.args.get("kind") or "").upper() for join in joins}
    return select if kinds <= {"", "INNER", "CROSS"} else None


def _empty(node: exp.Expr) -> set[str]:
    return {name for name, value in node.args.items() if not value}


def _columns(
    cte: exp.CTE, schemas: Mapping[str, Sequence[Column]]
) -> dict[str, exp.Expression] | None:
    """The step's columns that are columns of what it reads, by the keys of their names."""
    select = cte.this
    if not isinstance(select, exp.Select) or set(select.args) - set(_PLAIN) - _empty(select):
        return None
    alias = cte.args["alias"].args.get("columns") or []
    items = select.expressions
    if len(items) == 1 and isinstance(items[0], exp.Star):
        return None if items[0].args.get("except_") else _starred(select, alias, schemas)
    found: dict[str, exp.Expression] = {}
    names = [column.name for column in alias] or [item.alias_or_name for item in items]
    if len(names) != len(items):
        return None
    for name, item in zip(names, items, strict=True):
        inner = item.this if isinstance(item, exp.Alias) else item
        if not isinstance(inner, (exp.Column, exp.Literal)) or name_key(name) in found:
            # A call may be of all rows together, and a star has names of its own.
            return None
        if isinstance(inner, exp.Column):
            if isinstance(inner.this, exp.Star):
                return None
            found[name_key(name)] = inner
    return found


def _starred(
    select: exp.Select, alias: Sequence[exp.Expr], schemas: Mapping[str, Sequence[Column]]
) -> dict[str, exp.Expression] | None:
    source = select.args.get("from_")
    table = source.this if source is not None else None
    if not isinstance(table, exp.Table) or select.args.get("joins"):
        return None
    columns = schemas.get(table.name)
    if columns is None or (alias and len(alias) != len(columns)):
        return None
    names = [item.name for item in alias] or [column.name for column in columns]
    pairs = zip(names, columns, strict=True)
    return {
        name_key(name): exp.column(exp.to_identifier(column.name, quoted=True))
        for name, column in pairs
    }


def _narrow(
    step: exp.Select, reader: exp.Select, columns: Mapping[str, exp.Expression], name: str
) -> None:
    where = reader.args.get("where")
    if where is None:
        return
    place = next(
        table
        for table in reader.find_all(exp.Table)
        if name_key(table.name) == name_key(name) and not table.args.get("db")
    )
    only = not reader.args.get("joins")
    for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        moved = _moved(part, columns, name_key(place.alias_or_name), only=only)
        if moved is not None:
            step.where(moved, copy=False)


def _moved(
    part: exp.Expr, columns: Mapping[str, exp.Expression], owner: str, *, only: bool
) -> exp.Expr | None:
    """A condition in terms of what the step reads; None where it is about anything else."""
    moved = exp.paren(part.copy())
    for node in list(moved.find_all(exp.Column, exp.Query)):
        inner = None
        if isinstance(node, exp.Column) and not node.args.get("db"):
            mine = name_key(node.table) == owner if node.table else only
            inner = columns.get(name_key(node.name)) if mine else None
        if inner is None:
            return None
        node.replace(inner.copy())
    return moved
