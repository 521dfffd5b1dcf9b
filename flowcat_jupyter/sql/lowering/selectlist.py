"""The select list, GROUP BY's keys and ORDER BY's keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.dialect import House, place, refusal
from flowcat_jupyter.sql.lowering import calls, groupingsets
from flowcat_jupyter.sql.lowering.aggregates import is_aggregate
from flowcat_jupyter.sql.lowering.expressions import Binder, child
from flowcat_jupyter.sql.lowering.fromclause import From
from flowcat_jupyter.sql.lowering.grouping import Groups
from flowcat_jupyter.sql.lowering.scope import Column, Source
from flowcat_jupyter.sql.lowering.values import Value


@dataclass(slots=True)
class Item:
    """A column of the select list: its generated name, its heading and its value."""

    id: str
    name: str
    value: Value


def expand(
    node: exp.Expression, binder: Binder, made: From, heading: str | None
) -> Iterator[tuple[str, Value, str]]:
    """The columns one item of the select list stands for: heading, value, label for messages."""
    star = _star(node)
    if star is not None:
        yield from _all_columns(node, star, binder)
        return
    inner = child(node) if isinstance(node, exp.Alias) else node
    value = _item(inner, binder, made)
    if isinstance(node, exp.Alias):
        yield node.alias, value, node.alias
    elif isinstance(inner, (exp.Column, exp.Dot)):
        name = _column_name(inner, value, binder)
        yield name, value, name
    else:
        name = heading or inner.sql(dialect=House, normalize_functions=False)
        yield name, value, name


def _star(node: exp.Expression) -> exp.Star | None:
    if isinstance(node, exp.Star):
        return node
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        return node.this
    return None


def _all_columns(
    node: exp.Expression, star: exp.Star, binder: Binder
) -> Iterator[tuple[str, Value, str]]:
    if star.args.get("replace") or star.args.get("rename"):
        raise refusal("* REPLACE and * RENAME", node)
    left_out = {name_key(item.name) for item in star.args.get("except_") or ()}
    known: set[str] = set()
    for column in _star_columns(node, binder):
        known.add(name_key(column.name))
        if name_key(column.name) in left_out:
            continue
        column.used = True
        value = Value(column.sql, column.type, fields=frozenset((column.id,)))
        if binder.grouping is not None:
            value = binder.grouping.column(value, column.name, node)
        yield column.name, value, column.name
    for item in star.args.get("except_") or ():
        if name_key(item.name) not in known:
            raise binder.scope.unknown([item.name], item)
    if left_out and left_out >= known:
        raise refusal("* EXCEPT that leaves no column", node)


def _star_columns(node: exp.Expression, binder: Binder) -> list[Column]:
    sources: list[Source] = binder.scope.sources
    if isinstance(node, exp.Column):
        qualifier = [part.name for part in node.parts[:-1]]
        return list(binder.scope.source_named(qualifier, node).columns)
    if not sources:
        raise refusal("* without FROM", node)
    shown = [item for source in sources for item in source.columns if not item.hidden]
    return sorted(shown, key=lambda item: not item.merged)


def _item(node: exp.Expression, binder: Binder, made: From) -> Value:
    function = functions.lookup(calls.name_of(node), binder.context.target.name)
    if function is None or function.kind != functions.GENERATOR:
        return binder.bind(node)
    if binder.grouping is not None:
        raise refusal(f"{function.name} beside aggregates", node)
    calls.check_count(function, len(node.expressions), node)
    value = calls.bind_argument(binder, "a", node.expressions[0], function)
    if function.name == "explode":
        made.filters.append(f"(ARRAY_LENGTH({value.sql}) > 0)")
    sql = binder.context.target.unnest(value.sql)
    return value.with_sql(sql, calls.element(value.type))


def _column_name(node: exp.Expression, value: Value, binder: Binder) -> str:
    """A column is headed by its own name in its own case, a struct's field by the field's."""
    if isinstance(node, exp.Column):
        for name, (_, column) in _named_here(node.name, binder):
            if column.id in value.fields and column.sql == value.sql:
                return name
    return node.name


def _named_here(name: str, binder: Binder) -> Iterator[tuple[str, tuple[Source, Column]]]:
    here = binder.scope
    for found in here.columns_named(name):
        yield found[1].name, found


def add_keys(groups: Groups, group: exp.Expression, select: exp.Select) -> None:
    """GROUP BY's keys: expressions, positions, aliases, ALL, ROLLUP, CUBE and GROUPING SETS."""
    nodes = list(group.expressions)
    if group.args.get("all"):
        nodes = [_unaliased(item) for item in select.expressions if not _has_aggregate(item)]
    sets = groupingsets.sets_of(nodes, group)
    made: list[list[str]] = []
    for one in sets:
        names = [groups.add_key(_key(node, groups, select)) for node in one]
        made.append([name for name in dict.fromkeys(names) if name is not None])
    if groupingsets.are_asked(nodes, group):
        if any(len(names) < len(one) for names, one in zip(made, sets, strict=True)):
            raise refusal("ROLLUP, CUBE and GROUPING SETS of literals", group)
        groups.sets = made
    if nodes and not groups.keys and groups.sets is None:
        groups.needs_rows = True


def _has_aggregate(node: exp.Expression) -> bool:
    return any(is_aggregate(item) for item in node.find_all(exp.Anonymous))


def _unaliased(node: exp.Expression) -> exp.Expression:
    return child(node) if isinstance(node, exp.Alias) else node


def _key(node: exp.Expression, groups: Groups, select: exp.Select) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = child(node)
    if isinstance(node, exp.Literal) and not node.args.get("is_string"):
        at = int(str(node.this)) if str(node.this).isdigit() else 0
        if not 1 <= at <= len(select.expressions):
            line, column = place(node)
            raise SqlError(
                f"There is no column {node.this} to group by.",
                condition="GROUP_BY_POS_OUT_OF_RANGE",
                sqlstate="42805",
                line=line,
                column=column,
            )
        return _unaliased(select.expressions[at - 1])
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        if groups.pre.scope.columns_named(node.name):
            return node
        for item in select.expressions:
            if isinstance(item, exp.Alias) and name_key(item.alias) == name_key(node.name):
                return child(item)
    return node


def sort_keys(
    nodes: list[exp.Expression], items: list[Item], binder: Binder, *, distinct: bool
) -> list[tuple[exp.Expression, str, Value]]:
    """ORDER BY's keys: the node, the generated name, and the value."""
    keys: list[tuple[exp.Expression, str, Value]] = []
    for node in nodes:
        item = _output(child(node), items)
        if item is None:
            value = binder.bind(child(node))
            item = next((one for one in items if one.value.sql == value.sql), None)
            if item is None:
                if distinct:
                    raise refusal("ORDER BY what is not in a SELECT DISTINCT list", child(node))
                item = Item(binder.context.fresh("k"), "", value)
        keys.append((node, item.id, item.value))
    return keys


def _output(node: exp.Expression, items: list[Item]) -> Item | None:
    at = position(node, len(items))
    if at is not None:
        return items[at]
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        found = [item for item in items if name_key(item.name) == name_key(node.name)]
        if len({item.value.sql for item in found}) == 1:
            return found[0]
    return None


def position(node: exp.Expression, count: int) -> int | None:
    """The 0-based column that a whole number in ORDER BY means.

    :raises SqlError: there is no such column.
    """
    if not isinstance(node, exp.Literal) or node.args.get("is_string"):
        return None
    written = str(node.this)
    if not written.isdigit():
        return None
    if not 1 <= int(written) <= count:
        line, column = place(node)
        raise SqlError(
            f"There is no column {written} to order by; the select list has {count}.",
            condition="ORDER_BY_POS_OUT_OF_RANGE",
            sqlstate="42805",
            line=line,
            column=column,
        )
    return int(written) - 1
