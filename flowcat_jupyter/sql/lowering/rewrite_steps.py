"""Functions that the engine computes by expressions of its own, beside its SQL."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, patterns, values
from flowcat_jupyter.sql.lowering.calls import (
    Call,
    constant_int,
    constant_text,
    letters,
    result_type,
    rewrites,
)
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal

_OUT_OF_BOUNDS = 22003


def step(call: Call, name: str, kind: DataType, *options: object) -> Value:
    """The step ``name`` of the call's arguments that are not literals by the table."""
    marks = letters(call.function, len(call.arguments))
    inputs = [item for item, mark in zip(call.arguments, marks, strict=True) if mark != "c"]
    return call.binder.step(name, inputs, kind, call.node, tuple(options))


@rewrites("step")
def _elsewhere(call: Call) -> Value:
    raise refusal(f"the function {call.function.name} on this engine", call.node)


@rewrites("step", target="polars")
def _step(call: Call) -> Value:
    marks = letters(call.function, len(call.arguments))
    options = [
        item.constant for item, mark in zip(call.arguments, marks, strict=True) if mark == "c"
    ]
    kind = result_type(call)
    if any(item is None for item in options):
        return values.null(kind)
    return step(call, call.function.spelling.partition(":")[2], kind, *options)


@rewrites("sha2", target="polars")
def _sha2(call: Call) -> Value:
    bits = constant_int(call.arguments[1], "a number of bits", call.node)
    return step(call, "sha2", types.STRING, bits)


def _element(items: Value, node: exp.Expression) -> DataType:
    kind = items.type.element
    if kind is None or kind.kind in ("void", "map"):
        raise refusal(f"this function of a value of type {items.type.ddl}", node)
    return kind


@rewrites("with_item")
def _with_item(call: Call) -> Value:
    items, value = call.arguments
    kind = _element(items, call.node)
    if types.common_type(kind, value.type) != kind:
        raise refusal(
            f"{call.function.name} of {items.type.ddl} and {value.type.ddl}",
            call.node,
            hint=f"Write CAST(… AS {kind.ddl.upper()}).",
        )
    value = casts.cast(value, kind, call.binder.context)
    name = call.function.spelling.partition(":")[2]
    return call.binder.step(name, [items, value], result_type(call), call.node)


@rewrites("two_arrays")
def _two_arrays(call: Call) -> Value:
    one, other = call.arguments
    if _element(one, call.node) != _element(other, call.node):
        raise refusal(f"{call.function.name} of {one.type.ddl} and {other.type.ddl}", call.node)
    return step(call, call.function.spelling.partition(":")[2], result_type(call))


@rewrites("extreme_item")
def _extreme_item(call: Call) -> Value:
    if _element(call.arguments[0], call.node).is_nested:
        raise refusal(f"{call.function.name} of {call.arguments[0].type.ddl}", call.node)
    return step(call, call.function.spelling.partition(":")[2], result_type(call))


@rewrites("sort_array", target="polars")
def _sort_array(call: Call) -> Value:
    items, given = call.arguments[0], call.argument(1)
    if given is not None and not isinstance(given.constant, bool):
        raise refusal("sort_array with an order that is not written out", call.node)
    if _element(items, call.node).is_nested:
        raise refusal(f"sort_array of {items.type.ddl}", call.node)
    down = given is not None and not given.constant
    return step(call, "sort", items.type, down, down)


@rewrites("array_repeat")
def _array_repeat(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.kind == "void":
        raise refusal("array_repeat of NULL", call.node)
    # An element takes eight bytes at least.
    most = call.binder.context.max_cell_bytes // 8
    return step(call, "array_repeat", types.array_of(value.type), most)


@rewrites("slice")
def _slice(call: Call) -> Value:
    _, start, length = call.arguments
    if not all(isinstance(item.constant, int) for item in (start, length)):
        raise refusal("slice with a start or length that is not written out", call.node)
    if constant_int(start, "a start", call.node) == 0:
        raise _index_of_zero(call.node)
    if constant_int(length, "a length", call.node) < 0:
        raise refusal("slice with a negative length", call.node)
    return step(call, "slice", result_type(call))


def _index_of_zero(node: exp.Expression) -> SqlError:
    line, column = place(node)
    return SqlError(
        "There is no element 0; the first is 1.",
        condition="INVALID_INDEX_OF_ZERO",
        sqlstate="22003",
        line=line,
        column=column,
    )


@rewrites("map_parts")
def _map_parts(call: Call) -> Value:
    kind = call.arguments[0].type
    part = kind.key if call.function.name == "map_keys" else kind.element
    return step(call, call.function.name, types.array_of(part or types.VOID))


@rewrites("element_at", "try_element_at")
def _element_at(call: Call) -> Value:
    items, index = call.arguments
    if items.type.kind == "map":
        return map_item(call.binder, items, index, call.node)
    kind = _element(items, call.node)
    at = call.binder.coerce(index, types.INT, call.node)
    if call.function.name == "try_element_at":
        if not at.known or not at.constant:
            raise refusal("try_element_at with an index that is not written out", call.node)
        return call.binder.step("element", [items, at], kind, call.node)
    length = f"CAST(ARRAY_LENGTH({items.sql}) AS INTEGER)"
    outside = f"(({at.sql} = 0) OR (ABS({at.sql}) > {length}))"
    failing = f"CAST((CAST({outside} AS INTEGER) * {_OUT_OF_BOUNDS}) AS TINYINT)"
    place_ = f"CASE WHEN ({at.sql} < 0) THEN (({length} + {at.sql}) + 1) ELSE {at.sql} END"
    sql = f"ARRAY_GET({items.sql}, ({place_} + {failing}))"
    return combine(sql, kind, items, at, raises=True)


def map_item(binder: Binder, items: Value, key: Value, node: exp.Expression) -> Value:
    """The value a map has for a key written out; NULL where it has none."""
    kinds = items.type.key, items.type.element
    if kinds[0] is None or kinds[1] is None or not key.known or key.constant is None:
        raise refusal("a map's key that is not written out", node)
    key = casts.cast(key, kinds[0], binder.context)
    if not isinstance(key.constant, (str, int)):
        raise refusal(f"a map's key of type {kinds[0].ddl}", node)
    return binder.step("map_get", [items], kinds[1], node, (key.constant,))


@rewrites("get")
def _get(call: Call) -> Value:
    items, index = call.arguments
    moved = f"CASE WHEN ({index.sql} < 0) THEN 0 ELSE ({index.sql} + 1) END"
    place_ = index.with_sql(f"CASE WHEN ({index.sql} = 2147483647) THEN 0 ELSE {moved} END")
    return call.binder.step("element", [items, place_], _element(items, call.node), call.node)


@rewrites("hex")
def _hex(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.is_integer:
        value = casts.cast(value, types.BIGINT, call.binder.context)
    elif value.type.kind not in ("string", "binary"):
        value = call.binder.coerce(value, types.BIGINT, call.node)
    return call.binder.step("hex", [value], types.STRING, call.node)


@rewrites("shift")
def _shift(call: Call) -> Value:
    value, count = call.arguments
    if not value.type.is_integer:
        raise refusal(f"{call.function.name} of {value.type.ddl}", call.node)
    kind = types.BIGINT if value.type.kind == "bigint" else types.INT
    value = casts.cast(value, kind, call.binder.context)
    bits = types.INTEGER_BITS[kind.kind]
    options = (bits, call.function.spelling.partition(":")[2])
    return call.binder.step("shift", [value, count], kind, call.node, options)


@rewrites("regexp_extract", "regexp_extract_all", target="polars")
def _regexp_extract(call: Call) -> Value:
    text, given = call.arguments[0], call.argument(2)
    group = constant_int(given, "a group", call.node) if given is not None else 1
    shape = constant_text(call.arguments[1], "a pattern", call.node)
    made, moved, pattern = patterns.extracting(shape, call.node)
    if not 0 <= group <= pattern.groups:
        line, column = place(call.node)
        raise SqlError(
            f"The pattern has {pattern.groups} groups, and group {group} is asked for.",
            condition="INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
            sqlstate="22023",
            line=line,
            column=column,
            hint="Group 0 is the whole match.",
        )
    if call.function.name == "regexp_extract":
        return call.binder.step("extract", [text], types.STRING, call.node, (made, group + moved))
    if pattern.placed:
        raise refusal("regexp_extract_all of a pattern with ^, $ or \\b", call.node)
    kind = types.array_of(types.STRING)
    return call.binder.step("extract_all", [text], kind, call.node, (made, group))


@rewrites("regexp_substr", target="polars")
def _regexp_substr(call: Call) -> Value:
    shape = constant_text(call.arguments[1], "a pattern", call.node)
    made, _, pattern = patterns.extracting(f"({shape})", call.node)
    if pattern.placed and "$" in shape:
        raise refusal("regexp_substr of a pattern with $", call.node)
    text = call.arguments[0]
    found = call.binder.step("extract", [text], types.STRING, call.node, (made, 1))
    there = f"REGEXP_LIKE({text.sql}, {literal(made)})"
    return found.with_sql(f"CASE WHEN {there} THEN {found.sql} ELSE NULL END")


@rewrites("regexp_count", target="polars")
def _regexp_count(call: Call) -> Value:
    shape = constant_text(call.arguments[1], "a pattern", call.node)
    made = patterns.translate(shape, call.node)
    if made.ends or made.inner_ends:
        raise refusal("regexp_count of a pattern with $", call.node)
    text = call.arguments[0]
    return call.binder.step("count_matches", [text], types.INT, call.node, (made.text,))


@rewrites("regexp_extract", "regexp_extract_all", "regexp_substr", "regexp_count")
def _other_pattern(call: Call) -> Value:
    raise refusal(f"the function {call.function.name} on this engine", call.node)
