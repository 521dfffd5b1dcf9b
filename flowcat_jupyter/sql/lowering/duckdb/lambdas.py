"""Functions that take a function: transform, filter, exists, forall, aggregate, zip_with …"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering import casts
from flowcat_jupyter.sql.lowering.calls import bind_argument, element, takes_nodes
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name


@handles(exp.Identifier, target="duckdb")
def _variable(binder: Binder, node: exp.Expression) -> Value:
    known = binder.variables.get(name_key(node.name))
    if known is None:
        raise refusal(f"the name {node.name} here", node)
    return known


def bound(
    binder: Binder,
    node: exp.Expression,
    parameters: Sequence[Value],
    kind: DataType | None = None,
) -> Value:
    """The body of a lambda, its parameters standing for values; at most as many as are given.

    :raises SqlError: it is no lambda, or has too many parameters.
    """
    if not isinstance(node, exp.Lambda):
        raise refusal("anything but a lambda here", node, hint="Write x -> …")
    names = [item.name for item in node.expressions]
    if not 1 <= len(names) <= len(parameters):
        line, column = place(node)
        raise SqlError(
            f"The lambda takes {len(names)} parameters, and {len(parameters)} can be given.",
            condition="INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
            sqlstate="42K0D",
            line=line,
            column=column,
        )
    outer = binder.variables
    own = dict(zip(map(name_key, names), parameters, strict=False))
    binder.variables = {**outer, **own}
    try:
        made = binder.bind(child(node))
        return made if kind is None else binder.coerce(made, kind, child(node))
    finally:
        binder.variables = outer


def _array(binder: Binder, function: Function, node: exp.Expression, at: int = 0) -> Value:
    return bind_argument(binder, "a", node.expressions[at], function)


def over(
    binder: Binder,
    array: Value,
    node: exp.Expression,
    kind: DataType | None = None,
) -> tuple[str, Value]:
    """A lambda over an array's elements and, from 0, their places: its text and its body."""
    one, place_ = binder.context.fresh("l"), binder.context.fresh("l")
    item = Value(one, element(array.type))
    index = Value(f"CAST(({place_} - 1) AS INTEGER)", types.INT)
    body = bound(binder, node, [item, index], kind)
    return f"lambda {one}, {place_}: {body.sql}", body


@takes_nodes("transform", target="duckdb")
def _transform(binder: Binder, function: Function, node: exp.Expression) -> Value:
    array = _array(binder, function, node)
    made, body = over(binder, array, node.expressions[1])
    sql = f"LIST_TRANSFORM({array.sql}, {made})"
    return combine(sql, types.array_of(body.type), array, body)


@takes_nodes("filter", target="duckdb")
def _filter(binder: Binder, function: Function, node: exp.Expression) -> Value:
    array = _array(binder, function, node)
    made, body = over(binder, array, node.expressions[1], types.BOOLEAN)
    return combine(f"LIST_FILTER({array.sql}, {made})", array.type, array, body)


@takes_nodes("exists", "forall", target="duckdb")
def _quantified(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """In three values: a NULL leaves open what the other elements do not decide."""
    array = _array(binder, function, node)
    made, body = over(binder, array, node.expressions[1], types.BOOLEAN)
    tests = f"LIST_TRANSFORM({array.sql}, {made})"
    decides = "TRUE" if function.name == "exists" else "FALSE"
    usual = "FALSE" if function.name == "exists" else "TRUE"
    some = binder.context.fresh("l")
    open_ = f"(LEN(LIST_FILTER({tests}, lambda {some}: ({some} IS NULL))) > 0)"
    sql = (
        f"CASE WHEN ({array.sql} IS NULL) THEN NULL "
        f"WHEN LIST_CONTAINS({tests}, {decides}) THEN {decides} "
        f"WHEN {open_} THEN NULL ELSE {usual} END"
    )
    return combine(sql, types.BOOLEAN, array, body)


@takes_nodes("aggregate", target="duckdb")
def _aggregate(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """Folded over pairs of what is gathered and the element, for the two may differ in type."""
    array = _array(binder, function, node)
    start = binder.bind(node.expressions[1])
    if start.type.is_nested or start.type.kind == "void":
        raise refusal(f"{function.name} from a value of type {start.type.ddl}", node)
    kind = start.type
    left, right, first = (binder.context.fresh("l") for _ in range(3))
    gathered = Value(f"STRUCT_EXTRACT({left}, 'a')", kind)
    item = Value(f"STRUCT_EXTRACT({right}, 'x')", element(array.type))
    body = bound(binder, node.expressions[2], [gathered, item], kind)
    empty = f"CAST(NULL AS {type_name(kind)})"
    none = f"{array.sql}[CAST(0 AS BIGINT)]"
    pairs = f"LIST_TRANSFORM({array.sql}, lambda {first}: {{'a': {empty}, 'x': {first}}})"
    step = f"lambda {left}, {right}: {{'a': {body.sql}, 'x': STRUCT_EXTRACT({right}, 'x')}}"
    begin = f"{{'a': {casts.cast(start, kind, binder.context).sql}, 'x': {none}}}"
    whole = f"STRUCT_EXTRACT(LIST_REDUCE({pairs}, {step}, {begin}), 'a')"
    result = combine(whole, kind, array, start, body)
    if len(node.expressions) == 3:
        return result
    last = binder.context.fresh("l")
    finished = bound(binder, node.expressions[3], [Value(last, kind)])
    sql = f"LIST_TRANSFORM([{whole}], lambda {last}: {finished.sql})[1]"
    sql = f"CASE WHEN ({array.sql} IS NULL) THEN NULL ELSE {sql} END"
    return combine(sql, finished.type, result, finished)


@takes_nodes("zip_with", target="duckdb")
def _zip_with(binder: Binder, function: Function, node: exp.Expression) -> Value:
    one, other = _array(binder, function, node), _array(binder, function, node, 1)
    pair = binder.context.fresh("l")
    items = [
        Value(f"STRUCT_EXTRACT({pair}, {at})", element(array.type))
        for at, array in enumerate((one, other), start=1)
    ]
    body = bound(binder, node.expressions[2], items)
    zipped = f"LIST_TRANSFORM(LIST_ZIP({one.sql}, {other.sql}), lambda {pair}: {body.sql})"
    missing = f"({one.sql} IS NULL) OR ({other.sql} IS NULL)"
    sql = f"CASE WHEN {missing} THEN NULL ELSE {zipped} END"
    return combine(sql, types.array_of(body.type), one, other, body)


@takes_nodes("map_filter", "transform_values", "transform_keys", target="duckdb")
def _of_map(binder: Binder, function: Function, node: exp.Expression) -> Value:
    whole = binder.bind(node.expressions[0])
    if whole.type.kind != "map" or whole.type.key is None or whole.type.element is None:
        raise refusal(f"{function.name} of a value of type {whole.type.ddl}", node)
    entry = binder.context.fresh("l")
    key = Value(f"STRUCT_EXTRACT({entry}, 'key')", whole.type.key)
    value = Value(f"STRUCT_EXTRACT({entry}, 'value')", whole.type.element)
    kind = types.BOOLEAN if function.name == "map_filter" else None
    body = bound(binder, node.expressions[1], [key, value], kind)
    entries = f"MAP_ENTRIES({whole.sql})"
    made, result = _OF_MAP[function.name](entries, entry, body, key, value)
    sql = f"CASE WHEN ({whole.sql} IS NULL) THEN NULL ELSE MAP_FROM_ENTRIES({made}) END"
    return combine(sql, result or whole.type, whole, body, raises=True)


Entries = Callable[[str, str, Value, Value, Value], tuple[str, DataType | None]]


def _kept(entries: str, entry: str, body: Value, _key: Value, _value: Value) -> tuple[str, None]:
    return f"LIST_FILTER({entries}, lambda {entry}: {body.sql})", None


def _new_values(
    entries: str, entry: str, body: Value, key: Value, _value: Value
) -> tuple[str, DataType]:
    made = f"{{'key': {key.sql}, 'value': {body.sql}}}"
    kind = DataType("map", key=key.type, element=body.type)
    return f"LIST_TRANSFORM({entries}, lambda {entry}: {made})", kind


def _new_keys(
    entries: str, entry: str, body: Value, _key: Value, value: Value
) -> tuple[str, DataType]:
    made = f"{{'key': {body.sql}, 'value': {value.sql}}}"
    kind = DataType("map", key=body.type, element=value.type)
    return f"LIST_TRANSFORM({entries}, lambda {entry}: {made})", kind


_OF_MAP: dict[str, Entries] = {
    "map_filter": _kept,
    "transform_values": _new_values,
    "transform_keys": _new_keys,
}
