"""LATERAL: what is computed for each row of the sources before it, or repeats them."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering.aggregates import is_aggregate
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.calls import bind_argument, element, find, name_of
from flowcat_jupyter.sql.lowering.expressions import Binder, child
from flowcat_jupyter.sql.lowering.fromclause import From, View
from flowcat_jupyter.sql.lowering.scope import Column, Source
from flowcat_jupyter.sql.lowering.values import Value

_MANY_ROWS = ("group", "having", "qualify", "distinct", "limit", "offset", "laterals")
_POSITIONED = ("posexplode", "posexplode_outer")


def lateral_view(made: From, node: exp.Expression, binder: Binder) -> None:
    """LATERAL VIEW of a function that makes rows of an array.

    :raises SqlError: it is another function.
    """
    check_arguments(node)
    call = child(node)
    name = name_of(call)
    if name not in ("explode", "explode_outer", *_POSITIONED) or len(call.expressions) != 1:
        raise refusal(f"LATERAL {name or 'of a query'}", node)
    function = find(call, name, binder.context.target.name)
    array = bind_argument(binder, "a", call.expressions[0], function)
    outer = bool(node.args.get("outer")) or name.endswith("_outer")
    made_columns = exploded(array, name, binder)
    named = node.args.get("alias")
    heads = [item.name for item in (named.args.get("columns") or ())] if named is not None else []
    if heads and len(heads) != len(made_columns):
        raise refusal(f"{len(heads)} names for {len(made_columns)} columns of {name}", node)
    if heads:
        made_columns = [(head, value) for head, (_, value) in zip(heads, made_columns, strict=True)]
    filters = [] if outer else [f"(ARRAY_LENGTH({array.sql}) > 0)"]
    label = named.name if named is not None and named.name else name
    _add(made, made_columns, filters, label, binder)


def exploded(array: Value, name: str, binder: Binder) -> list[tuple[str, Value]]:
    """The columns that ``explode`` or ``posexplode`` make of an array, by their usual names."""
    unnest = binder.context.target.unnest
    items = array.with_sql(unnest(array.sql), element(array.type))
    if name not in _POSITIONED:
        return [("col", items)]
    places = f"GENERATE_SERIES(0, (ARRAY_LENGTH({array.sql}) - 1))"
    return [
        ("pos", array.with_sql(f"CAST({unnest(places)} AS INTEGER)", types.INT)),
        ("col", items),
    ]


def lateral_join(made: From, node: exp.Expression, binder: Binder) -> None:
    """A join with a LATERAL query of one row, or with a function that makes rows.

    :raises SqlError: the query may have any other number of rows.
    """
    lateral = child(node)
    check_arguments(lateral)
    on = node.args.get("on")
    if on is not None and not (isinstance(on, exp.Boolean) and on.this):
        raise refusal("LATERAL with ON", node, hint="Put the condition inside or into WHERE.")
    if node.args.get("side") not in (None, "", "LEFT") or node.args.get("using"):
        raise refusal(f"{node.args.get('side')} JOIN LATERAL", node)
    query = child(lateral)
    if not isinstance(query, exp.Subquery):
        copied = lateral.copy()
        copied.set("outer", bool(node.args.get("side")) or bool(lateral.args.get("outer")))
        lateral_view(made, copied, binder)
        return
    select = child(query)
    if not isinstance(select, exp.Select) or not _is_one_row(select):
        raise refusal(
            "LATERAL of a query that may have many rows",
            lateral,
            hint="Join with the query, its condition in ON.",
        )
    alias = lateral.args.get("alias")
    heads = [item.name for item in (alias.args.get("columns") or ())] if alias is not None else []
    columns = []
    for at, item in enumerate(select.expressions):
        value = _computed(select, item, binder)
        name = heads[at] if at < len(heads) else item.alias_or_name or item.sql()
        columns.append((name, value))
    label = alias.name if alias is not None and alias.name else "the sub-query"
    _add(made, columns, [], label, binder)


def _is_one_row(select: exp.Select) -> bool:
    """Whether a select has exactly one row, whatever its tables hold."""
    if any(select.args.get(name) for name in _MANY_ROWS):
        return False
    if select.args.get("from_") is None:
        return select.args.get("where") is None
    return all(
        any(is_aggregate(part) for part in item.find_all(exp.Anonymous))
        and not any(item.find_all(exp.Window))
        for item in select.expressions
    )


def _computed(select: exp.Select, item: exp.Expression, binder: Binder) -> Value:
    inner = child(item) if isinstance(item, exp.Alias) else item
    if select.args.get("from_") is None:
        return binder.bind(inner)
    single = select.copy()
    single.set("expressions", [inner.copy()])
    return binder.bind(exp.Subquery(this=single))


def _add(
    made: From,
    columns: list[tuple[str, Value]],
    filters: list[str],
    label: str,
    binder: Binder,
) -> None:
    """Put a view over all sources known so far."""
    if made.semis:
        hint = "Put the SEMI or ANTI JOIN into a sub-query."
        raise refusal("LATERAL after such a SEMI or ANTI JOIN", hint=hint)
    context, scope = binder.context, binder.scope
    alias = context.fresh("s")
    before = []
    for column in (item for source in scope.sources for item in source.columns):
        before.append((column, column.sql))
        column.sql = f"{alias}.{column.id}"
    added = []
    for name, value in columns:
        key = context.fresh("x", name)
        added.append((Column(name, value.type, f"{alias}.{key}", key), value.sql))
    scope.add(Source(label, ((name_key(label),),), [column for column, _ in added]))
    made.views.append(View(alias, before, added, filters))
