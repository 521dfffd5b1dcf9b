"""Structs, maps, and the elements of arrays."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.types import DataType, Field
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering import casts
from flowcat_jupyter.sql.lowering.calls import Call, element, rewrites, takes_nodes
from flowcat_jupyter.sql.lowering.duckdb.failing import fail
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal


@takes_nodes("struct", target="duckdb")
def _struct(binder: Binder, _function: Function, node: exp.Expression) -> Value:
    named: list[tuple[str, Value]] = []
    for at, item in enumerate(node.expressions, start=1):
        if isinstance(item, exp.Alias):
            named.append((item.alias, binder.bind(child(item))))
        elif isinstance(item, (exp.Column, exp.Dot)):
            named.append((item.name, binder.bind(item)))
        else:
            named.append((f"col{at}", binder.bind(item)))
    return _packed(named, node)


@takes_nodes("named_struct", target="duckdb")
def _named_struct(binder: Binder, _function: Function, node: exp.Expression) -> Value:
    items = [binder.bind(item) for item in node.expressions]
    if len(items) % 2:
        raise refusal("named_struct of a name without a value", node)
    named: list[tuple[str, Value]] = []
    for name, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(name.constant, str):
            raise refusal("a field's name that is not a text written out", node)
        named.append((name.constant, value))
    return _packed(named, node)


def _packed(named: list[tuple[str, Value]], node: exp.Expression) -> Value:
    if len({name.casefold() for name, _ in named}) < len(named):
        raise refusal("a struct with two fields of one name", node)
    if not named or any(value.type.kind == "void" for _, value in named):
        raise refusal("a struct of nothing or with a field of no type", node)
    kind = DataType("struct", fields=tuple(Field(name, value.type) for name, value in named))
    sql = ", ".join(f"{literal(name)}: {value.sql}" for name, value in named)
    return combine(f"{{{sql}}}", kind, *(value for _, value in named))


@rewrites("map", target="duckdb")
def _map(call: Call) -> Value:
    items = call.arguments
    if not items or len(items) % 2:
        raise refusal("a map of nothing, or of a key without a value", call.node)
    context = call.binder.context
    keys = unify(items[::2], context, call.node)
    found = unify(items[1::2], context, call.node)
    return _mapped(
        call,
        f"[{', '.join(item.sql for item in keys)}]",
        f"[{', '.join(item.sql for item in found)}]",
        DataType("map", key=keys[0].type, element=found[0].type),
    )


def _mapped(call: Call, keys: str, found: str, kind: DataType) -> Value:
    return call.result(f"MAP({keys}, {found})", kind, raises=True)


@rewrites("map_from_arrays", target="duckdb")
def _map_from_arrays(call: Call) -> Value:
    keys, found = call.arguments
    kind = DataType("map", key=element(keys.type), element=element(found.type))
    made = _mapped(call, keys.sql, found.sql, kind)
    missing = f"({keys.sql} IS NULL) OR ({found.sql} IS NULL)"
    return call.result(f"CASE WHEN {missing} THEN NULL ELSE {made.sql} END", kind, raises=True)


@rewrites("map_from_entries", target="duckdb")
def _map_from_entries(call: Call) -> Value:
    fields = element(call.arguments[0].type).fields
    if len(fields) != 2:
        raise refusal("map_from_entries of anything but pairs", call.node)
    kind = DataType("map", key=fields[0].type, element=fields[1].type)
    return call.result(f"MAP_FROM_ENTRIES({call.arguments[0].sql})", kind, raises=True)


def key_and_value(value: Value, node: exp.Expression, name: str) -> tuple[DataType, DataType]:
    """The types of a map's keys and values.

    :raises SqlError: it is no map.
    """
    kind = value.type
    if kind.kind != "map" or kind.key is None or kind.element is None:
        raise refusal(f"{name} of a value of type {kind.ddl}", node)
    return kind.key, kind.element


@rewrites("map_keys", "map_values", "map_entries", target="duckdb")
def _parts(call: Call) -> Value:
    whole, name = call.arguments[0], call.function.name
    key, value = key_and_value(whole, call.node, name)
    pair = DataType("struct", fields=(Field("key", key), Field("value", value)))
    kind = {"map_keys": key, "map_values": value, "map_entries": pair}[name]
    sql = f"CASE WHEN ({whole.sql} IS NULL) THEN NULL ELSE {name.upper()}({whole.sql}) END"
    return call.result(sql, types.array_of(kind))


@rewrites("map_contains_key", target="duckdb")
def _map_contains_key(call: Call) -> Value:
    whole, wanted = call.arguments
    key, _ = key_and_value(whole, call.node, "map_contains_key")
    wanted = casts.cast(wanted, key, call.binder.context)
    return call.result(f"MAP_CONTAINS({whole.sql}, {wanted.sql})", types.BOOLEAN)


@rewrites("size", target="duckdb")
def _size(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.kind == "map":
        return call.result(f"CAST(CARDINALITY({value.sql}) AS INTEGER)", types.INT)
    if value.type.kind != "array":
        raise refusal(f"{call.function.name} of a value of type {value.type.ddl}", call.node)
    return call.result(f"CAST(LEN({value.sql}) AS INTEGER)", types.INT)


def _at_key(whole: Value, key: Value, binder: Binder, node: exp.Expression) -> Value:
    kind, value = key_and_value(whole, node, "[…]")
    key = casts.cast(key, kind, binder.context)
    return combine(f"MAP_EXTRACT_VALUE({whole.sql}, {key.sql})", value, whole, key)


@handles(exp.Bracket, target="duckdb")
def _bracket(binder: Binder, node: exp.Expression) -> Value:
    subject = binder.bind(child(node))
    indexes = node.expressions
    if len(indexes) != 1 or subject.type.kind not in ("array", "map", "struct"):
        raise refusal(f"[…] on a value of type {subject.type.ddl}", node)
    if subject.type.kind == "map":
        return _at_key(subject, binder.bind(indexes[0]), binder, node)
    if subject.type.kind == "struct":
        raise refusal("[…] on a struct", node, hint="Write .name for its field.")
    index = binder.bind_as(indexes[0], types.INT)
    outside = f"(({index.sql} < 0) OR ({index.sql} >= LEN({subject.sql})))"
    got = f"{subject.sql}[CAST({index.sql} AS BIGINT) + 1]"
    sql = f"CASE WHEN {outside} THEN {fail('INVALID_ARRAY_INDEX')} ELSE {got} END"
    return combine(sql, element(subject.type), subject, index, raises=True)


@rewrites("element_at", target="duckdb")
def _element_at(call: Call) -> Value:
    whole, index = call.arguments
    if whole.type.kind == "map":
        return _at_key(whole, index, call.binder, call.node)
    return _counted(
        call, fail("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "'An index is outside its array.'")
    )


@rewrites("try_element_at", target="duckdb")
def _try_element_at(call: Call) -> Value:
    whole, index = call.arguments
    if whole.type.kind == "map":
        return _at_key(whole, index, call.binder, call.node)
    return _counted(call, "NULL")


def _counted(call: Call, outside: str) -> Value:
    """An element counted from 1, or from the end with a negative number."""
    whole, index = call.arguments
    if whole.type.kind != "array":
        raise refusal(f"element_at of a value of type {whole.type.ddl}", call.node)
    index = call.binder.coerce(index, types.INT, call.node)
    zero = fail("INVALID_INDEX_OF_ZERO", "'Elements count from 1 here.'")
    got = f"{whole.sql}[CAST({index.sql} AS BIGINT)]"
    sql = (
        f"CASE WHEN (({whole.sql} IS NULL) OR ({index.sql} IS NULL)) THEN NULL "
        f"WHEN ({index.sql} = 0) THEN {zero} "
        f"WHEN (ABS(CAST({index.sql} AS BIGINT)) > LEN({whole.sql})) THEN {outside} ELSE {got} END"
    )
    return call.result(sql, element(whole.type), raises=True)


@rewrites("get", target="duckdb")
def _get(call: Call) -> Value:
    whole, index = call.arguments
    got = f"{whole.sql}[CAST({index.sql} AS BIGINT) + 1]"
    sql = f"CASE WHEN ({index.sql} < 0) THEN NULL ELSE {got} END"
    return call.result(sql, element(whole.type))
