"""Which names a query knows of itself: what it reads from, and columns as far as they are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key

Names = tuple[str, ...]
_FROM = ("from_", "with_")


@dataclass(frozen=True)
class Origin:
    """Something in FROM: its node, the key of the name it answers to, and the keys of its columns,
    None where they are not known.
    """

    node: exp.Expression
    alias: str
    columns: frozenset[str] | None


def scopes(node: exp.Expr, root: exp.Expr | None = None) -> Iterator[exp.Select]:
    """The selects whose names ``node`` may use, the innermost first; with a ``root`` those
    beneath it.
    """
    inner, child, above = node, node, node.parent
    while above is not None and child is not root:
        if isinstance(above, exp.Select) and above is not root and _sees(child, inner):
            yield above
        inner, child, above = child, above, above.parent


def _sees(child: exp.Expr, inner: exp.Expr) -> bool:
    if child.arg_key in _FROM:
        return False
    # ON sees what is joined, and what is joined does not.
    return child.arg_key != "joins" or inner.arg_key == "on"


def origins(select: exp.Select, known: Mapping[str, Names]) -> list[Origin]:
    """What a select reads from; ``known`` are the columns of relations, by their identifiers."""
    start = select.args.get("from_")
    nodes = [start.this] if start is not None else []
    nodes += [join.this for join in select.args.get("joins") or ()]
    nodes += select.args.get("laterals") or []
    return [_origin(node, known) for node in nodes]


def aliases(select: exp.Select) -> frozenset[str]:
    """The keys of the names that a select gives to its items."""
    return frozenset(
        name_key(item.alias) for item in select.expressions if isinstance(item, exp.Alias)
    )


def _origin(node: exp.Expression, known: Mapping[str, Names]) -> Origin:
    columns = None if node.args.get("pivots") else _columns(node, known)
    keys = None if columns is None else frozenset(map(name_key, columns))
    return Origin(node, name_key(node.alias_or_name), keys)


def _columns(node: exp.Expression, known: Mapping[str, Names]) -> Names | None:
    listed = tuple(node.alias_column_names)
    if listed:
        return listed
    if isinstance(node, exp.Subquery):
        return _outputs(node.this, known)
    if isinstance(node, exp.Values):
        row = node.expressions[0] if node.expressions else None
        wide = len(row.expressions) if isinstance(row, exp.Tuple) else 1
        return tuple(f"col{number}" for number in range(1, wide + 1))
    if not isinstance(node, exp.Table):
        return None
    if isinstance(node.this, exp.Func):
        return ("id",) if node.this.name.casefold() == "range" else None
    return known.get(node.name) or _cte(node, known)


def _cte(node: exp.Table, known: Mapping[str, Names]) -> Names | None:
    above: exp.Expr | None = node
    while above is not None:
        clause = above.args.get("with_")
        for cte in clause.expressions if isinstance(clause, exp.With) else ():
            if name_key(cte.alias) == name_key(node.name):
                # A recursive one would ask for itself.
                inner = None if cte.find(exp.SetOperation) else _outputs(cte.this, known)
                return tuple(cte.alias_column_names) or inner
        above = above.parent
    return None


def _outputs(query: exp.Expr | None, known: Mapping[str, Names]) -> Names | None:
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    if not isinstance(query, exp.Select):
        return None
    found: list[str] = []
    for item in query.expressions:
        if not item.is_star:
            found.append(item.alias_or_name)
            continue
        for origin in origins(query, known):
            if origin.columns is None:
                return None
            found += origin.columns
    return tuple(found)
