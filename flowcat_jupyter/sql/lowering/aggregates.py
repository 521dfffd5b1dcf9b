"""Aggregate functions: what each is spelled as, and how groups see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import MAX_PRECISION, DataType, Field
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering import numbers, rounding, values
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.calls import (
    Call,
    bind_arguments,
    check_count,
    constant_text,
    find,
    letters,
    name_of,
    result_type,
)
from flowcat_jupyter.sql.lowering.expressions import Binder, child
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name
from flowcat_jupyter.sql.quoting import literal

POSITIONAL = frozenset(("any_value", "first", "first_value", "last", "last_value"))
"""Functions whose value is that of one row, NULL or not, by the rows' order."""


_SUMMED_DIGITS = 10
_WITH_FLAG = 2
_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A parsed aggregate call, before its arguments are bound."""

    function: Function
    arguments: list[exp.Expression]
    node: exp.Expression
    distinct: bool = False
    condition: exp.Expression | None = None
    order: tuple[exp.Expression, ...] = ()
    ignore_nulls: bool = False


def parse(node: exp.Expression, target: str = "polars") -> Aggregate:
    """Take FILTER, WITHIN GROUP and IGNORE NULLS off a call.

    :raises SqlError: what is inside is not an aggregate or window function.
    """
    wrapped: dict[type[exp.Expression], exp.Expression] = {}
    inner = node
    while not isinstance(inner, exp.Anonymous):
        if not isinstance(inner, _WRAPPERS):
            raise refusal(f"{type(inner).__name__.upper()} as an aggregate", node)
        wrapped[type(inner)] = inner
        inner = child(inner)
    function = find(inner, name_of(inner), target)
    if function.kind not in (functions.AGGREGATE, functions.WINDOW):
        raise refusal(f"{function.name} as an aggregate", node)
    arguments, ignores = _about_nulls(function, inner, ignoring=exp.IgnoreNulls in wrapped)
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
    within = wrapped.get(exp.WithinGroup)
    order = tuple(child(within, "expression").expressions) if within is not None else ()
    if arguments and isinstance(arguments[0], exp.Order):
        order = tuple(arguments[0].expressions)
        arguments[0] = child(arguments[0])
    condition = child(child(wrapped[exp.Filter], "expression")) if exp.Filter in wrapped else None
    return Aggregate(function, arguments, node, distinct, condition, order, ignores)


def _about_nulls(
    function: Function, call: exp.Expression, *, ignoring: bool
) -> tuple[list[exp.Expression], bool]:
    """A call's arguments and whether it leaves NULLs out, which may be said inside its brackets."""
    arguments = list(call.expressions)
    if arguments and isinstance(arguments[0], (exp.IgnoreNulls, exp.RespectNulls)):
        ignoring = isinstance(arguments[0], exp.IgnoreNulls)
        arguments[0] = child(arguments[0])
    if function.name in POSITIONAL and len(arguments) == _WITH_FLAG:
        flag = arguments.pop()
        if not isinstance(flag, exp.Boolean):
            raise refusal(f"{function.name} with a second argument but TRUE or FALSE", flag)
        ignoring = bool(flag.this)
    return arguments, ignoring


def around_call(window: exp.Expression) -> list[exp.Expression]:
    """What a window function's call holds and stands in, without the call itself."""
    parts: list[exp.Expression] = []
    node = window
    while isinstance(node, (exp.Window, *_WRAPPERS)):
        inner = child(node)
        parts += [item for item in node.iter_expressions() if item is not inner]
        node = inner
    return [*parts, *node.iter_expressions()]


def is_aggregate(node: exp.Expression) -> bool:
    """Whether a call's name is an aggregate's."""
    found = functions.lookup(name_of(node), None) if isinstance(node, exp.Anonymous) else None
    return found is not None and found.kind == functions.AGGREGATE


Placing = Callable[[Value], Value]


def spell(made: Aggregate, binder: Binder, put: Placing) -> Value:
    """The aggregate's value; its arguments are bound by ``binder`` and stand where ``put`` puts
    them. The text holds `OVER` where a window's specification goes.
    """
    name = made.function.name
    if made.ignore_nulls and name in POSITIONAL:
        return _present(made, binder, put)
    if made.order and made.function.spelling not in ("listagg", "percentile_cont", "collect_list"):
        raise refusal(f"{name} with an order of its own", made.node)
    if made.condition is not None and name in POSITIONAL:
        raise refusal(f"{name} with FILTER", made.node, hint="Filter in WHERE instead.")
    if made.function.spelling == "count":
        return _count(made, binder, put)
    if made.function.spelling == "percentile_cont":
        return _percentile(made, binder, put)
    check_count(made.function, len(made.arguments), made.node)
    bound = bind_arguments(binder, made.function, made.arguments, made.node)
    bound[0] = filtered(bound[0], made, binder)
    marks = letters(made.function, len(bound))
    placed = [item if mark == "c" else put(item) for item, mark in zip(bound, marks, strict=True)]
    call = Call(made.function, placed, binder, made.node)
    return _spelled(call, made, binder, put)


def _present(made: Aggregate, binder: Binder, put: Placing) -> Value:
    """FIRST or LAST of the values that are not NULL."""
    check_count(made.function, len(made.arguments), made.node)
    value = bind_arguments(binder, made.function, made.arguments, made.node)[0]
    value = put(filtered(value, made, binder))
    word = "LAST" if made.function.name.startswith("last") else "FIRST"
    return value.with_sql(f"{word}({value.sql}) FILTER (WHERE ({value.sql} IS NOT NULL))")


def _spelled(call: Call, made: Aggregate, binder: Binder, put: Placing) -> Value:
    spelling = made.function.spelling
    if "(" in spelling:
        if made.distinct and spelling not in ("MAX({0})@", "MIN({0})@"):
            raise refusal(f"{made.function.name} with DISTINCT", made.node)
        texts = [item.sql for item in call.arguments]
        return call.result(spelling.replace("@", OVER).format(*texts), result_type(call))
    special = _SPELLINGS.get((binder.context.target.name, spelling))
    return (special or _SPELLINGS[None, spelling])(call, made, binder, put)


def filtered(value: Value, made: Aggregate, binder: Binder) -> Value:
    """An aggregate's argument, NULL where its FILTER does not hold."""
    if made.condition is None:
        return value
    test = binder.condition(made.condition)
    sql = f"CASE WHEN {test.sql} THEN {value.sql} ELSE NULL END"
    return combine(sql, value.type, test, value)


def _count(made: Aggregate, binder: Binder, put: Placing) -> Value:
    if len(made.arguments) == 1 and isinstance(made.arguments[0], exp.Star):
        if made.distinct:
            raise refusal("count(DISTINCT *)", made.node)
        return _count_rows(made, binder, put)
    bound = [binder.bind(item) for item in made.arguments]
    if not bound:
        check_count(made.function, 0, made.node)
        raise refusal("count without arguments", made.node, hint="Write count(*).")
    if len(bound) > 1:
        return _count_several(made, bound, binder, put)
    if bound[0].known and not made.distinct and bound[0].constant is not None:
        return _count_rows(made, binder, put)
    value = put(filtered(bound[0], made, binder))
    word = "DISTINCT " if made.distinct else ""
    return value.with_sql(f"COUNT({word}{value.sql}){OVER}", types.BIGINT)


def _count_rows(made: Aggregate, binder: Binder, put: Placing) -> Value:
    if made.condition is None:
        return Value(f"COUNT(*){OVER}", types.BIGINT)
    test = binder.condition(made.condition)
    one = put(test.with_sql(f"CASE WHEN {test.sql} THEN 1 ELSE NULL END", types.INT))
    return one.with_sql(f"COUNT({one.sql}){OVER}", types.BIGINT)


def _count_several(made: Aggregate, bound: list[Value], binder: Binder, put: Placing) -> Value:
    if made.distinct:
        return _count_tuples(made, bound, binder, put)
    present = " AND ".join(f"({item.sql} IS NOT NULL)" for item in bound)
    test = combine(f"CASE WHEN {present} THEN 1 ELSE NULL END", types.INT, *bound)
    one = put(filtered(test, made, binder))
    return one.with_sql(f"COUNT({one.sql}){OVER}", types.BIGINT)


def _count_tuples(made: Aggregate, bound: list[Value], binder: Binder, put: Placing) -> Value:
    """Different rows of values, none of which is NULL."""
    if any(item.type.kind == "map" for item in bound):
        raise refusal("count(DISTINCT …) of a map", made.node)
    bound = [filtered(bound[0], made, binder), *bound[1:]]
    fields = tuple(Field(f"f{at}", item.type) for at, item in enumerate(bound))
    kind = DataType("struct", fields=fields)
    whole = put(binder.step("tuple", bound, kind, made.node))
    return whole.with_sql(f"COUNT(DISTINCT {whole.sql}){OVER}", types.BIGINT)


def _percentile(made: Aggregate, binder: Binder, put: Placing) -> Value:
    if len(made.order) != 1:
        raise refusal("percentile_cont without WITHIN GROUP (ORDER BY x)", made.node)
    share = binder.bind_as(made.arguments[0], types.DOUBLE)
    ordered = made.order[0]
    value = put(filtered(binder.bind_as(child(ordered), types.DOUBLE), made, binder))
    if not share.known or not isinstance(share.constant, float):
        raise refusal("a share that is not written out", made.node)
    at = 1 - share.constant if ordered.args.get("desc") else share.constant
    return value.with_sql(f"QUANTILE_CONT({value.sql}, {at!r}){OVER}", types.DOUBLE)


def _sum(call: Call, made: Aggregate, binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    kind = types.sum_type(value.type)
    if kind is None:
        raise numbers.not_numbers("sum", value.type, value.type, made.node)
    word = "DISTINCT " if made.distinct else ""
    wide = {"bigint": "INT128", "decimal": f"DECIMAL(38,{value.type.scale})"}.get(
        kind.kind, "DOUBLE"
    )
    sql = f"CAST(SUM({word}CAST({value.sql} AS {wide})){OVER} AS {type_name(kind)})"
    if kind.kind == "double":
        return value.with_sql(sql, kind)
    return value.with_sql(binder.context.target.kept(sql), kind, raises=True)


def _average(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    kind = types.average_type(value.type)
    if kind is None:
        raise numbers.not_numbers("avg", value.type, value.type, made.node)
    word = "DISTINCT " if made.distinct else ""
    if kind.kind == "double":
        sql = f"AVG({word}CAST({value.sql} AS DOUBLE)){OVER}"
        return value.with_sql(sql, kind)
    total = DataType("decimal", precision=MAX_PRECISION, scale=value.type.scale)
    summed = value.with_sql(f"SUM({word}CAST({value.sql} AS {type_name(total)})){OVER}", total)
    count = f"COUNT({word}{value.sql}){OVER}"
    counted = value.with_sql(f"CAST({count} AS DECIMAL(20,0))")
    some = f"CASE WHEN {count} = 0 THEN NULL ELSE {counted.sql} END"
    whole = value.type.precision - value.type.scale + _SUMMED_DIGITS
    return value.with_sql(rounding.divided(summed.sql, some, whole, kind), kind, raises=True)


def _extreme(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value = call.arguments[0]
    name = made.function.name.upper()
    if value.type.is_nested or value.type.kind == "binary":
        raise refusal(f"{name} of a value of type {value.type.ddl}", made.node)
    if name == "MAX":
        return value.with_sql(values.largest(value.sql, value.type, OVER))
    return value.with_sql(f"MIN({value.sql}){OVER}")


def _collected(call: Call, made: Aggregate, binder: Binder, put: Placing) -> Value:
    value = call.arguments[0]
    distinct = made.distinct or made.function.spelling == "collect_set"
    order = order_text(made, binder, put)
    word = "DISTINCT " if distinct else ""
    sql = (
        f"COALESCE(ARRAY_AGG({word}{value.sql}{order}) "
        f"FILTER (WHERE ({value.sql} IS NOT NULL)), ARRAY[])"
    )
    return value.with_sql(sql, types.array_of(value.type))


def order_text(made: Aggregate, binder: Binder, put: Placing) -> str:
    """An aggregate's own ORDER BY."""
    if not made.order:
        return ""
    keys = [ordering(item, put(binder.bind(child(item))).sql) for item in made.order]
    return f" ORDER BY {', '.join(keys)}"


def ordering(node: exp.Expression, sql: str) -> str:
    """A sort key with its direction and the place of NULLs spelled out."""
    check_arguments(node)
    down = bool(node.args.get("desc"))
    first = node.args.get("nulls_first")
    first = (not down) if first is None else bool(first)
    return f"{sql} {'DESC' if down else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"


def _listed(call: Call, made: Aggregate, binder: Binder, put: Placing) -> Value:
    value = call.arguments[0]
    given = call.argument(1)
    separator = constant_text(given, "a separator", made.node) if given is not None else ""
    if made.distinct:
        raise refusal("listagg with DISTINCT", made.node)
    order = order_text(made, binder, put)
    sql = (
        f"STRING_AGG({value.sql}, {literal(separator)}{order}) "
        f"FILTER (WHERE ({value.sql} IS NOT NULL))"
    )
    return value.with_sql(sql, types.STRING)


def _quantile(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value, share = call.arguments
    at = share.constant
    if not isinstance(at, (int, float, Decimal)) or not 0 <= at <= 1:
        raise refusal("a share that is not a number from 0 to 1", made.node)
    if made.distinct:
        raise refusal("percentile with DISTINCT", made.node)
    return value.with_sql(f"QUANTILE_CONT({value.sql}, {float(at)!r}){OVER}", types.DOUBLE)


def _at_extreme(call: Call, made: Aggregate, _binder: Binder, _put: Placing) -> Value:
    value, key = call.arguments
    if made.condition is not None or made.distinct:
        raise refusal(f"{made.function.name} with FILTER or DISTINCT", made.node)
    way = "DESC" if made.function.name == "max_by" else "ASC"
    listed = f"ARRAY_AGG({value.sql} ORDER BY {key.sql} {way} NULLS LAST)"
    sql = f"ARRAY_GET({listed} FILTER (WHERE ({key.sql} IS NOT NULL)), 1)"
    return combine(sql, value.type, value, key)


Spelling = Callable[[Call, Aggregate, Binder, Placing], Value]
_SPELLINGS: dict[tuple[str | None, str], Spelling] = {
    (None, "sum"): _sum,
    (None, "avg"): _average,
    (None, "max"): _extreme,
    (None, "min"): _extreme,
    (None, "collect_list"): _collected,
    (None, "collect_set"): _collected,
    (None, "listagg"): _listed,
    (None, "percentile"): _quantile,
    (None, "max_by"): _at_extreme,
    (None, "min_by"): _at_extreme,
}


def spells(*names: str, target: str | None = None) -> Callable[[Spelling], Spelling]:
    """Register how aggregates are spelled; with ``target``, on that engine alone."""

    def register(spelling: Spelling) -> Spelling:
        _SPELLINGS.update(((target, name), spelling) for name in names)
        return spelling

    return register


def missing(node: exp.Expression, name: str, *, grouped: bool = True) -> SqlError:
    """The error for a column that is neither grouped nor aggregated; ``grouped``: others are."""
    line, column = place(node)
    return SqlError(
        f"{name} is neither in GROUP BY nor inside an aggregate function.",
        condition="MISSING_AGGREGATION" if grouped else "MISSING_GROUP_BY",
        sqlstate="42803",
        line=line,
        column=column,
        hint=f"Add {name} to GROUP BY, or write any_value({name}).",
    )
