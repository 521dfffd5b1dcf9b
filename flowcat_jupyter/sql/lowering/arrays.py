"""Arrays: literals, elements, and the functions that take them."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, values
from flowcat_jupyter.sql.lowering.calls import Call, constant_int, rewrites
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.rewrite_steps import map_item
from flowcat_jupyter.sql.lowering.values import Value, combine

MAX_SEQUENCE = 10_000
_OUT_OF_BOUNDS = 22003


def array(binder: Binder, items: list[Value], node: exp.Expression) -> Value:
    """An array of literals of one type.

    :raises SqlError: they have no type in common, or are not literals.
    """
    items = unify(items, binder.context, node)
    kind = items[0].type if items else types.VOID
    if not all(item.known for item in items):
        if kind.is_nested:
            raise refusal(f"an array of values of type {kind.ddl}", node)
        return binder.step("array", items, types.array_of(kind), node)
    sql = f"ARRAY[{', '.join(item.sql for item in items)}]"
    return combine(sql, types.array_of(kind), *items)


@rewrites("array")
def _array_call(call: Call) -> Value:
    return array(call.binder, call.arguments, call.node)


@handles(exp.Array)
def _array(binder: Binder, node: exp.Expression) -> Value:
    return array(binder, [binder.bind(item) for item in node.expressions], node)


@rewrites("array_join")
def _array_join(call: Call) -> Value:
    items, separator = call.arguments
    if not separator.known:
        raise refusal("array_join with a separator that is not written out", call.node)
    return call.result(f"ARRAY_TO_STRING({items.sql}, {separator.sql})", types.STRING)


@rewrites("sequence")
def _sequence(call: Call) -> Value:
    numbers = [constant_int(item, "a bound", call.node) for item in call.arguments]
    return array(call.binder, [values.integer(n) for n in counted(numbers, call.node)], call.node)


def counted(numbers: list[int], node: exp.Expression) -> list[int]:
    """The whole numbers from the first to the second, both included.

    :raises SqlError: they are too many, or the step leads away.
    """
    start, stop, *rest = numbers
    step = rest[0] if rest else (1 if stop >= start else -1)
    if step == 0 or (stop - start) * step < 0:
        raise refusal("a sequence whose step does not lead from start to stop", node)
    found = range(start, stop + (1 if step > 0 else -1), step)
    if len(found) > MAX_SEQUENCE:
        raise refusal(f"a sequence of more than {MAX_SEQUENCE} numbers", node)
    return list(found)


@handles(exp.Bracket)
def _element(binder: Binder, node: exp.Expression) -> Value:
    subject = binder.bind(child(node))
    indexes = node.expressions
    if subject.type.kind == "map" and len(indexes) == 1:
        return map_item(binder, subject, binder.bind(cast(exp.Expression, indexes[0])), node)
    if subject.type.kind != "array" or len(indexes) != 1 or subject.type.element is None:
        raise refusal(f"[…] on a value of type {subject.type.ddl}", node)
    index = binder.bind_as(cast(exp.Expression, indexes[0]), types.INT)
    length = f"ARRAY_LENGTH({subject.sql})"
    outside = f"(({index.sql} < 0) OR ({index.sql} >= {length}))"
    failing = f"CAST((CAST({outside} AS INTEGER) * {_OUT_OF_BOUNDS}) AS TINYINT)"
    sql = f"ARRAY_GET({subject.sql}, (({index.sql} + 1) + {failing}))"
    return combine(sql, subject.type.element, subject, index, raises=True)


def sought(call: Call) -> Value:
    """The second argument as an element of the first.

    :raises SqlError: it is of a type that no element is compared with.
    """
    items, value = call.arguments
    kind = items.type.element or types.VOID
    mixed = kind != value.type and "string" in (kind.kind, value.type.kind)
    if mixed or types.common_type(kind, value.type) != kind:
        line, column = place(call.node)
        raise SqlError(
            f"{call.function.name} cannot look for {value.type.ddl} among {kind.ddl}.",
            condition="DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
            sqlstate="42K09",
            line=line,
            column=column,
            hint=f"Write CAST(… AS {kind.ddl.upper()}) if that is meant.",
        )
    return casts.cast(value, kind, call.binder.context)


@rewrites("array_contains")
def _array_contains(call: Call) -> Value:
    items, value = call.arguments
    kind: DataType | None = items.type.element
    if kind is None or (value.known and value.constant is None):
        raise refusal("array_contains of NULL", call.node)
    value = sought(call)
    if not value.known:
        return call.binder.step("array_contains", [items, value], types.BOOLEAN, call.node)
    found = f"ARRAY_CONTAINS({items.sql}, {value.sql})"
    # Where it is not found, a NULL among the elements makes the answer unknown.
    holes = f"ARRAY_CONTAINS({items.sql}, NULL)"
    sql = f"CASE WHEN {found} THEN TRUE WHEN {holes} THEN NULL ELSE {found} END"
    return call.result(sql, types.BOOLEAN)


@rewrites("sort_array")
def _sort_array(call: Call) -> Value:
    raise refusal("sort_array on this engine", call.node, hint="Sort before collecting.")
