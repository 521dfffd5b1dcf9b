"""Window functions."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import aggregates
from flowcat_jupyter.sql.lowering.aggregates import POSITIONAL, Aggregate, ordering
from flowcat_jupyter.sql.lowering.calls import bind_arguments, check_count, constant_int
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.grouping import in_place
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name

_ORDERED = frozenset(
    ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead")
)
_NOT_OVER = frozenset(
    (
        "collect_list",
        "array_agg",
        "collect_set",
        "listagg",
        "string_agg",
        "median",
        "max_by",
        "min_by",
        "percentile",
        "percentile_cont",
        "approx_count_distinct",
    )
)
_WHOLE = ("UNBOUNDED", "UNBOUNDED")
_WHOLE_ROWS = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


@handles(exp.Window)
def _window(binder: Binder, node: exp.Expression) -> Value:
    if not binder.windows:
        line, column = place(node)
        raise SqlError(
            f"A window function cannot stand in {binder.clause}.",
            condition="UNSUPPORTED_EXPR_FOR_WINDOW",
            sqlstate="42P20",
            line=line,
            column=column,
            hint="Filter on it with QUALIFY, or in a query around this one.",
        )
    if node.args.get("alias") is not None:
        raise refusal("a named window", node, hint="Write the window out after OVER.")
    made = aggregates.parse(child(node), binder.context.target.name)
    name = made.function.name
    order = node.args.get("order")
    if order is None and name in _ORDERED:
        raise refusal(f"{name} OVER without ORDER BY", node)
    if made.distinct or name in _NOT_OVER:
        raise refusal(f"{name}{' with DISTINCT' if made.distinct else ''} with OVER", node)
    call = _call(binder, made)
    parts = [binder.bind(item) for item in node.args.get("partition_by") or ()]
    keys = [(item, binder.bind(child(item))) for item in (order.expressions if order else ())]
    spec = _specification(node, parts, keys, name)
    sql = call.sql.replace(OVER, f" OVER ({spec})")
    return combine(sql, call.type, call, *parts, *(value for _, value in keys))


def _specification(
    node: exp.Expression,
    parts: list[Value],
    keys: list[tuple[exp.Expression, Value]],
    name: str,
) -> str:
    frame = _frame(node)
    pieces = []
    if parts:
        pieces.append(f"PARTITION BY {', '.join(item.sql for item in parts)}")
    # The engine takes the whole partition as a frame only where its order matters.
    whole = frame == _WHOLE
    if keys and (not whole or name in _ORDERED | POSITIONAL):
        by = ", ".join(ordering(item, value.sql) for item, value in keys)
        pieces.append(f"ORDER BY {by}")
        if whole and name in POSITIONAL:
            frame = _WHOLE_ROWS
    if isinstance(frame, str):
        pieces.append(frame)
    return " ".join(pieces)


def _frame(node: exp.Expression) -> tuple[str, str] | str | None:
    """A frame's text; None for the default; `_WHOLE` for the whole partition."""
    spec = node.args.get("spec")
    if spec is None:
        return None
    kind = str(spec.args.get("kind") or "").upper()
    start = _edge(spec.args.get("start"), spec.args.get("start_side"), node)
    end = _edge(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), node)
    if (start, end) == ("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING"):
        return _WHOLE
    if kind == "RANGE" and (start, end) == ("UNBOUNDED PRECEDING", "CURRENT ROW"):
        return None
    if kind != "ROWS":
        raise refusal(f"the frame {kind} BETWEEN {start} AND {end}", node)
    return f"ROWS BETWEEN {start} AND {end}"


def _edge(value: object, side: object, node: exp.Expression) -> str:
    if isinstance(value, exp.Expression):
        if not isinstance(value, exp.Literal) or not str(value.this).isdigit():
            raise refusal("a frame's edge that is not a whole number", node)
        value = str(value.this)
    text = str(value).upper()
    return text if text == "CURRENT ROW" else f"{text} {str(side).upper()}"


def _call(binder: Binder, made: Aggregate) -> Value:
    function = made.function
    if function.kind == functions.WINDOW:
        check_count(function, len(made.arguments), made.node)
        bound = bind_arguments(binder, function, made.arguments, made.node)
        if function.spelling in ("LAG", "LEAD"):
            return _offset(binder, made, bound)
        texts = [item.sql for item in bound]
        sql = function.spelling.replace("@", OVER).format(*texts)
        kind = types.INT if function.result == "int" else types.DOUBLE
        return combine(sql, kind, *bound)
    value = aggregates.spell(made, binder, in_place)
    if value.sql.startswith(("FIRST(", "LAST(")):
        return replace(value, sql=value.sql.replace("(", "_VALUE(", 1))
    return value


def _offset(binder: Binder, made: Aggregate, bound: list[Value]) -> Value:
    if made.ignore_nulls:
        raise refusal(f"{made.function.name} with IGNORE NULLS", made.node)
    steps = constant_int(bound[1], "a distance", made.node) if len(bound) > 1 else 1
    name = made.function.spelling
    if steps < 0:
        name, steps = ("LEAD" if name == "LAG" else "LAG"), -steps
    if len(bound) < 3 or (bound[2].constant is None and bound[2].known):
        sql = f"{name}({bound[0].sql}, {steps}){OVER}"
        return bound[0].with_sql(sql)
    value, default = unify([bound[0], bound[2]], binder.context, made.node)
    if not default.known:
        raise refusal(f"{made.function.name} with a default that is not a literal", made.node)
    # Whether the row is there is asked of a constant, so that a NULL on it stays NULL.
    there = f"{name}(CASE WHEN ({value.sql} IS NULL) THEN 1 ELSE 1 END, {steps}){OVER}"
    sql = (
        f"CASE WHEN ({there} IS NULL) THEN {default.sql} "
        f"ELSE {name}({value.sql}, {steps}){OVER} END"
    )
    return value.with_sql(f"CAST({sql} AS {type_name(value.type)})")
