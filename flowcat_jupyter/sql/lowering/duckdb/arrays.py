"""Arrays of values that need not be written out, and the functions that take arrays."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering.arrays import sought
from flowcat_jupyter.sql.lowering.calls import Call, element, rewrites
from flowcat_jupyter.sql.lowering.duckdb.long import bounded_count
from flowcat_jupyter.sql.lowering.duckdb.plain import decimal_text
from flowcat_jupyter.sql.lowering.expressions import unify
from flowcat_jupyter.sql.lowering.values import Value, combine


@rewrites("array", target="duckdb")
def _array(call: Call) -> Value:
    items = unify(call.arguments, call.binder.context, call.node)
    kind = items[0].type if items else types.VOID
    sql = f"[{', '.join(item.sql for item in items)}]"
    return combine(sql, types.array_of(kind), *items)


@rewrites("array_join", target="duckdb")
def _array_join(call: Call) -> Value:
    items, separator = call.arguments
    if not separator.known:
        raise refusal("array_join with a separator that is not written out", call.node)
    kind, sql = items.type.element, items.sql
    if kind is not None and kind.kind == "decimal":
        name = call.binder.context.fresh("l")
        sql = f"LIST_TRANSFORM({sql}, lambda {name}: {decimal_text(Value(name, kind))})"
    return call.result(f"ARRAY_TO_STRING({sql}, {separator.sql})", types.STRING)


@rewrites("array_contains", target="duckdb")
def _array_contains(call: Call) -> Value:
    array, value = call.arguments[0], sought(call)
    some = call.binder.context.fresh("l")
    holes = f"(LEN(LIST_FILTER({array.sql}, lambda {some}: ({some} IS NULL))) > 0)"
    sql = (
        f"CASE WHEN (({array.sql} IS NULL) OR ({value.sql} IS NULL)) THEN NULL "
        f"WHEN LIST_CONTAINS({array.sql}, {value.sql}) THEN TRUE "
        f"WHEN {holes} THEN NULL ELSE FALSE END"
    )
    return call.result(sql, types.BOOLEAN)


@rewrites("sort_array", target="duckdb")
def _sort_array(call: Call) -> Value:
    array, way = call.arguments[0], call.argument(1)
    if way is not None and not isinstance(way.constant, bool):
        raise refusal("sort_array in a direction that is not written out", call.node)
    down = way is not None and way.constant is False
    order = "'DESC', 'NULLS LAST'" if down else "'ASC', 'NULLS FIRST'"
    return call.result(f"LIST_SORT({array.sql}, {order})", array.type)


@rewrites("array_sort", target="duckdb")
def _array_sort(call: Call) -> Value:
    array = call.arguments[0]
    return call.result(f"LIST_SORT({array.sql}, 'ASC', 'NULLS LAST')", array.type)


def _distinct(array: str, call: Call) -> str:
    """The elements in their order, each where it stands first."""
    item, at = call.binder.context.fresh("l"), call.binder.context.fresh("l")
    first = f"(LIST_POSITION({array}, {item}) = {at})"
    return f"LIST_FILTER({array}, lambda {item}, {at}: {first})"


@rewrites("array_distinct", target="duckdb")
def _array_distinct(call: Call) -> Value:
    array = call.arguments[0]
    return call.result(_distinct(array.sql, call), array.type)


@rewrites("array_union", "array_intersect", "array_except", target="duckdb")
def _array_sets(call: Call) -> Value:
    one, other = call.arguments
    if one.type != other.type:
        raise refusal(f"{call.function.name} of {one.type.ddl} and {other.type.ddl}", call.node)
    item = call.binder.context.fresh("l")
    found = f"(LIST_POSITION({other.sql}, {item}) IS NOT NULL)"
    if call.function.name == "array_union":
        base = f"LIST_CONCAT({one.sql}, {other.sql})"
    else:
        test = found if call.function.name == "array_intersect" else f"(NOT {found})"
        base = f"LIST_FILTER({one.sql}, lambda {item}: {test})"
    missing = f"({one.sql} IS NULL) OR ({other.sql} IS NULL)"
    sql = f"CASE WHEN {missing} THEN NULL ELSE {_distinct(base, call)} END"
    return call.result(sql, one.type)


@rewrites("arrays_overlap", target="duckdb")
def _arrays_overlap(call: Call) -> Value:
    one, other = call.arguments
    if one.type != other.type:
        raise refusal(f"arrays_overlap of {one.type.ddl} and {other.type.ddl}", call.node)
    some = call.binder.context.fresh("l")
    holes = " OR ".join(
        f"(LEN(LIST_FILTER({item.sql}, lambda {some}: ({some} IS NULL))) > 0)"
        for item in (one, other)
    )
    filled = f"(LEN({one.sql}) > 0) AND (LEN({other.sql}) > 0)"
    sql = (
        f"CASE WHEN ({one.sql} IS NULL) OR ({other.sql} IS NULL) THEN NULL "
        f"WHEN LIST_HAS_ANY({_present(one, some)}, {_present(other, some)}) THEN TRUE "
        f"WHEN {filled} AND ({holes}) THEN NULL ELSE FALSE END"
    )
    return call.result(sql, types.BOOLEAN)


def _present(array: Value, name: str) -> str:
    return f"LIST_FILTER({array.sql}, lambda {name}: ({name} IS NOT NULL))"


@rewrites("array_position", target="duckdb")
def _array_position(call: Call) -> Value:
    array, value = call.arguments
    value = sought(call)
    found = f"COALESCE(CAST(LIST_POSITION({array.sql}, {value.sql}) AS BIGINT), 0)"
    missing = f"({array.sql} IS NULL) OR ({value.sql} IS NULL)"
    return call.result(f"CASE WHEN {missing} THEN NULL ELSE {found} END", types.BIGINT)


@rewrites("array_remove", target="duckdb")
def _array_remove(call: Call) -> Value:
    array, value = call.arguments
    value = sought(call)
    item = call.binder.context.fresh("l")
    kept = f"({item} IS DISTINCT FROM {value.sql})"
    sql = f"LIST_FILTER({array.sql}, lambda {item}: {kept})"
    return call.result(f"CASE WHEN ({value.sql} IS NULL) THEN NULL ELSE {sql} END", array.type)


@rewrites("array_compact", target="duckdb")
def _array_compact(call: Call) -> Value:
    array = call.arguments[0]
    return call.result(_present(array, call.binder.context.fresh("l")), array.type)


@rewrites("array_max", "array_min", target="duckdb")
def _array_extreme(call: Call) -> Value:
    array = call.arguments[0]
    way = "max" if call.function.name == "array_max" else "min"
    return call.result(f"LIST_AGGREGATE({array.sql}, '{way}')", element(array.type))


@rewrites("array_append", "array_prepend", target="duckdb")
def _array_added(call: Call) -> Value:
    array, value = call.arguments
    value = sought(call)
    parts = [array.sql, f"[{value.sql}]"]
    if call.function.name == "array_prepend":
        parts.reverse()
    sql = f"LIST_CONCAT({', '.join(parts)})"
    return call.result(f"CASE WHEN ({array.sql} IS NULL) THEN NULL ELSE {sql} END", array.type)


@rewrites("array_repeat", target="duckdb")
def _array_repeat(call: Call) -> Value:
    value, count = call.arguments
    some = call.binder.context.fresh("l")
    # An element takes eight bytes at least.
    times = f"RANGE({bounded_count(call, count, '8')})"
    sql = f"LIST_TRANSFORM({times}, lambda {some}: {value.sql})"
    sql = f"CASE WHEN ({count.sql} IS NULL) THEN NULL ELSE {sql} END"
    return call.result(sql, types.array_of(value.type))


@rewrites("flatten", target="duckdb")
def _flatten(call: Call) -> Value:
    array = call.arguments[0]
    inner = element(array.type)
    if inner.kind != "array":
        raise refusal(f"flatten of a value of type {array.type.ddl}", call.node)
    some = call.binder.context.fresh("l")
    hole = f"(LEN(LIST_FILTER({array.sql}, lambda {some}: ({some} IS NULL))) > 0)"
    return call.result(f"CASE WHEN {hole} THEN NULL ELSE FLATTEN({array.sql}) END", inner)


@rewrites("slice", target="duckdb")
def _slice(call: Call) -> Value:
    array, start, length = call.arguments
    first = f"CAST(CASE WHEN ({start.sql} < 0) THEN LEN({array.sql}) + {start.sql} + 1 "
    first += f"ELSE {start.sql} END AS BIGINT)"
    wrong = f"({start.sql} = 0) OR ({length.sql} < 0)"
    taken = f"{array.sql}[{first} : {first} + CAST({length.sql} AS BIGINT) - 1]"
    none = f"({length.sql} = 0) OR ({first} < 1)"
    bad = "error('flowcat:INVALID_PARAMETER_VALUE:slice starts at 0 or has a negative length.')"
    sql = f"CASE WHEN {wrong} THEN {bad} WHEN {none} THEN {array.sql}[2:1] ELSE {taken} END"
    return call.result(sql, array.type, raises=True)


@rewrites("reverse", target="duckdb")
def _reverse(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.kind == "array":
        return call.result(f"LIST_REVERSE({value.sql})", value.type)
    value = call.binder.coerce(value, types.STRING, call.node)
    return value.with_sql(f"REVERSE({value.sql})")


@rewrites("sequence", target="duckdb")
def _sequence(call: Call) -> Value:
    start, stop = call.arguments[:2]
    by = call.argument(2)
    step = (
        f"CAST({by.sql} AS BIGINT)"
        if by is not None
        else (f"CASE WHEN ({start.sql} <= {stop.sql}) THEN 1 ELSE -1 END")
    )
    made = f"GENERATE_SERIES(CAST({start.sql} AS BIGINT), CAST({stop.sql} AS BIGINT), {step})"
    away = f"(({step}) = 0) OR ((({stop.sql} - {start.sql}) * ({step})) < 0)"
    bad = "error('flowcat:ILLEGAL_SEQUENCE:A step must lead from start to stop.')"
    sql = f"CAST(CASE WHEN {away} THEN {bad} ELSE {made} END AS INTEGER[])"
    return call.result(sql, types.array_of(types.INT), raises=True)
