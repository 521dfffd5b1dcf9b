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
from flowcat_jupyter.sql.lowering.sliding import Sliding, aggregated
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
        "bit_and",
        "bit_or",
        "bit_xor",
        "skewness",
        "kurtosis",
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
        raise refusal("a named window here", node, hint="Write the window out after OVER.")
    made = aggregates.parse(child(node), binder.context.target.name)
    name = made.function.name
    order = node.args.get("order")
    if order is None and name in _ORDERED:
        raise refusal(f"{name} OVER without ORDER BY", node)
    if made.distinct or name in _NOT_OVER:
        raise refusal(f"{name}{' with DISTINCT' if made.distinct else ''} with OVER", node)
    parts = [binder.bind(item) for item in node.args.get("partition_by") or ()]
    keys = [(item, binder.bind(child(item))) for item in (order.expressions if order else ())]
    read = [*parts, *(value for _, value in keys)]
    if made.ignore_nulls:
        return _without_nulls(binder, made, node, parts, keys)
    places = _places(node)
    if places is None:
        call = _call(binder, made)
        spec = _specification(node, parts, keys, name)
    else:
        call = _slid(binder, made, places, keys)
        spec = f"{_partition(parts)}ORDER BY {_order(keys)}"
    return combine(call.sql.replace(OVER, f" OVER ({spec})"), call.type, call, *read)


def _partition(parts: list[Value]) -> str:
    return f"PARTITION BY {', '.join(item.sql for item in parts)} " if parts else ""


def _order(keys: list[tuple[exp.Expression, Value]]) -> str:
    return ", ".join(ordering(item, value.sql) for item, value in keys)


def _places(node: exp.Expression) -> tuple[int, int] | None:
    """The rows of a frame counted from the current one, where it does not begin or end there."""
    spec = node.args.get("spec")
    if spec is None or str(spec.args.get("kind") or "").upper() != "ROWS":
        return None
    start = _place(spec.args.get("start"), spec.args.get("start_side"), node)
    end = _place(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), node)
    if start is None or end is None or (end == 0 and start <= 0):
        return None
    return start, end


def _place(value: object, side: object, node: exp.Expression) -> int | None:
    edge, _, way = _edge(value, side, node).partition(" ")
    if edge == "CURRENT":
        return 0
    if not edge.isdigit():
        return None
    return -int(edge) if way == "PRECEDING" else int(edge)


def _slid(
    binder: Binder,
    made: Aggregate,
    places: tuple[int, int],
    keys: list[tuple[exp.Expression, Value]],
) -> Value:
    """An aggregate over a frame that is written out row by row."""
    if not keys:
        raise refusal("a frame of rows without ORDER BY", made.node)
    key = keys[0][1].sql
    there = f"CASE WHEN ({key} IS NULL) THEN 1 ELSE 1 END"
    frame = Sliding(*places, there, binder.context, made.node)
    name = made.function.name
    if name == "count" and isinstance(made.arguments[0], exp.Star):
        if made.condition is not None:
            raise refusal("count(*) with FILTER over such a frame", made.node)
        return aggregated(name, None, frame)
    check_count(made.function, len(made.arguments), made.node)
    value = bind_arguments(binder, made.function, made.arguments, made.node)[0]
    return aggregated(name, aggregates.filtered(value, made, binder), frame)


def _without_nulls(
    binder: Binder,
    made: Aggregate,
    node: exp.Expression,
    parts: list[Value],
    keys: list[tuple[exp.Expression, Value]],
) -> Value:
    """FIRST_VALUE and LAST_VALUE of the rows that are not NULL."""
    name = made.function.name
    frame = _frame(node)
    running = frame in (None, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
    if name not in POSITIONAL or not (running or frame == _WHOLE) or not keys:
        raise refusal(f"{name} with IGNORE NULLS over such a frame", made.node)
    check_count(made.function, len(made.arguments), made.node)
    value = bind_arguments(binder, made.function, made.arguments, made.node)[0]
    value = aggregates.filtered(value, made, binder)
    spec = f"{_partition(parts)}ORDER BY {_order(keys)}"
    read = [*parts, *(item for _, item in keys)]
    place = combine(f"ROW_NUMBER() OVER ({spec})", types.BIGINT, *read)
    end = "last" if name.startswith("last") else "first"
    options = (end, frame == _WHOLE)
    found = binder.step("present", [value, place, *parts], value.type, made.node, options)
    if frame is not None:
        return found
    peers = combine(f"DENSE_RANK() OVER ({spec})", types.BIGINT, *read)
    return binder.step("of_peers", [found, place, *parts, peers], value.type, made.node)


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
        if function.spelling == "NTH_VALUE":
            place = constant_int(bound[1], "a place", made.node)
            return bound[0].with_sql(f"NTH_VALUE({bound[0].sql}, {place}){OVER}")
        texts = [item.sql for item in bound]
        sql = function.spelling.replace("@", OVER).format(*texts)
        kind = types.INT if function.result == "int" else types.DOUBLE
        return combine(sql, kind, *bound)
    value = aggregates.spell(made, binder, in_place)
    if value.sql.startswith(("FIRST(", "LAST(")):
        return replace(value, sql=value.sql.replace("(", "_VALUE(", 1))
    return value


def _offset(binder: Binder, made: Aggregate, bound: list[Value]) -> Value:
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
