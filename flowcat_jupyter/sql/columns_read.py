"""Which columns of each relation a query names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column


def columns_read(
    tree: exp.Expression, schemas: Mapping[str, Sequence[Column]]
) -> dict[str, tuple[str, ...]]:
    """For each relation the columns that are named, or all where a ``*`` takes them.

    A name without a table that several relations have counts for each of them.
    """
    wanted: dict[str, set[str]] = {name: set() for name in schemas}
    for table in tree.find_all(exp.Table):
        if table.name in wanted and not table.args.get("db"):
            wanted[table.name] |= _of_place(table, {name_key(c.name) for c in schemas[table.name]})
    return {
        name: tuple(c.name for c in columns if name_key(c.name) in wanted[name])
        for name, columns in schemas.items()
    }


def _of_place(table: exp.Table, known: set[str]) -> set[str]:
    select = table.find_ancestor(exp.Select)
    if select is None or _takes_all(select, name_key(table.alias_or_name)):
        return known
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        return known
    named = {_own(column, table) for column in select.find_all(exp.Column)}
    found = named & known
    for join in select.args.get("joins") or ():
        found |= {name_key(item.name) for item in join.args.get("using") or ()} & known
    return found


def _takes_all(select: exp.Select, alias: str) -> bool:
    if any(join.args.get("method") == "NATURAL" for join in select.args.get("joins") or ()):
        return True
    for item in select.expressions:
        if isinstance(item, exp.Star):
            return True
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            return name_key(item.table) == alias
    return False


def _own(column: exp.Column, table: exp.Table) -> str:
    """The key of the table's column that a name begins with: ``t.c``, ``c`` or ``c.field``."""
    parts = [name_key(part.name) for part in column.parts]
    if len(parts) > 1 and parts[0] == name_key(table.alias_or_name):
        return parts[1]
    return parts[0]
