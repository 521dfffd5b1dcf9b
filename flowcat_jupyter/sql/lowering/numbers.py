"""Arithmetic that never wraps and never divides by zero in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import takewhile
from operator import add, mul, sub

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import MAX_PRECISION, DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place
from flowcat_jupyter.sql.lowering import casts, rounding, text, times, values
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.expressions import Binder, child, decimal_literal, handles
from flowcat_jupyter.sql.lowering.steps import is_conditional
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value, combine, type_name

_LONG_CHAIN = 24
_LONG_TEXT = 200
_EXACT: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
_OPERATORS: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "div",
    exp.Mod: "%",
}


@handles(*_OPERATORS)
def _operation(binder: Binder, node: exp.Expression) -> Value:
    """A chain of operations from left to right, as long as it may be."""
    chain = [node]
    while type(child(chain[-1])) in _OPERATORS:
        chain.append(child(chain[-1]))
    value: Value | None = None
    for at, item in enumerate(chain[1:], 1):
        value = binder.grouping.intercept(item) if binder.grouping is not None else None
        if value is not None:
            chain = chain[:at]
            break
    if len(chain) >= _LONG_CHAIN and value is None:
        summed = _long_sum(binder, chain)
        if summed is not None:
            return summed
    for item in reversed(chain):
        check_arguments(item)
        value = binder.shallow(_applied(binder, item, value), item)
    return value if value is not None else values.null()


def _long_sum(binder: Binder, chain: list[exp.Expression]) -> Value | None:
    """A long chain of + and - of whole numbers, added up at once; None where it is another.

    It fails where what is added comes to more than the type holds, whatever its signs: then none
    of the sums on the way can have overflowed unseen.
    """
    chain = list(takewhile(lambda item: isinstance(item, (exp.Add, exp.Sub)), chain))
    if (
        len(chain) < _LONG_CHAIN
        or binder.steps is None
        or binder.scope.outer_used
        or is_conditional(chain[0])
    ):
        return None
    nodes = [child(chain[-1]), *(child(item, "expression") for item in reversed(chain))]
    if any(isinstance(node, exp.Interval) for node in nodes):
        return None
    terms = [binder.bind(node) for node in nodes]
    whole = {item.type.kind for item in terms} <= set(types.INTEGER_BITS)
    if not whole or any(OVER in item.sql for item in terms):
        return None
    kind = types.BIGINT if any(item.type.kind == "bigint" for item in terms) else types.INT
    signs = (1, *(1 if isinstance(item, exp.Add) else -1 for item in reversed(chain)))
    return binder.step("total", terms, kind, chain[0], signs)


def _applied(binder: Binder, node: exp.Expression, left: Value | None) -> Value:
    """One operation; ``left`` is its left side where that is bound already."""
    operator = _OPERATORS[type(node)]
    moved = times.moved(binder, node, operator, left)
    if moved is not None:
        return moved
    left = left if left is not None else binder.bind(child(node))
    right = binder.bind(child(node, "expression"))
    if operator in ("+", "-") and left.type.kind == "date" and right.type.is_integer:
        return times.add_days(left, right, binder.context.target, operator)
    return arithmetic(operator, left, right, binder.context, node)


@handles(exp.Neg)
def _negation(binder: Binder, node: exp.Expression) -> Value:
    inner = child(node)
    if isinstance(inner, exp.Literal) and _is_bigint(str(inner.this)):
        return replace(values.integer(-int(str(inner.this))), written=True)
    return negate(binder.bind(inner), binder.context, node)


def _is_bigint(written: str) -> bool:
    """Whether minus these digits is a whole number of at most 64 bits."""
    return written.isdecimal() and len(written) <= len(str(1 << 63)) and int(written) <= 1 << 63


def negate(value: Value, context: Context, node: exp.Expression) -> Value:
    """``-value``."""
    if value.known and isinstance(value.constant, int) and value.type.kind == "int":
        return values.integer(-value.constant)
    if value.type.kind == "decimal" and isinstance(value.constant, Decimal):
        return values.exact(-value.constant, value.type)
    if value.known and isinstance(value.constant, float):
        return values.floating(-value.constant, value.type)
    if value.type.is_integer:
        zero = values.integer(0, types.INT)
        return checked("-", zero, value, value.type, context.target)
    if value.type.is_numeric:
        return value.with_sql(f"(- {value.sql})")
    return arithmetic("-", values.integer(0), value, context, node)


def arithmetic(
    operator: str, left: Value, right: Value, context: Context, node: exp.Expression
) -> Value:
    """``left operator right`` for two numbers; strings beside numbers become numbers.

    :raises SqlError: one of them is not a number.
    """
    left, right = _numbers(left, right, context)
    made = _arithmetic(operator, left, right, context, node)
    if made.known:
        return made
    return replace(made, present=tuple(dict.fromkeys((*_present(left), *_present(right)))))


def _arithmetic(
    operator: str, left: Value, right: Value, context: Context, node: exp.Expression
) -> Value:
    _check_filtered(operator, left, right, node)
    pair = [left, right]
    kind = types.arithmetic_type(
        operator, decimal_literal(left, pair), decimal_literal(right, pair)
    )
    if kind is None:
        raise not_numbers(operator, left.type, right.type, node)
    if "decimal" in (left.type.kind, right.type.kind) and kind.kind in ("decimal", "bigint"):
        left, right = (
            casts.cast(item, types.as_decimal(decimal_literal(item, pair)), context)
            for item in pair
        )
        return _decimal(operator, left, right, kind, context)
    if kind.kind in ("float", "double"):
        left, right = (casts.cast(item, kind, context) for item in pair)
        return _floating(operator, left, right, kind)
    if operator in ("div", "%"):
        return _integer_division(operator, left, right, kind, context.target)
    literal = _literal(operator, left, right, kind)
    if literal is not None:
        return literal
    exact = checked(operator, left, right, kind, context.target)
    plain = all(item.known or text.is_column(item.sql) for item in (left, right))
    if kind.kind == "bigint" and plain and context.target.wraps:
        return exact.with_sql(_quick(operator, left.sql, right.sql, exact.sql))
    return exact


def _literal(operator: str, left: Value, right: Value, kind: DataType) -> Value | None:
    """A sum or product of literals, which is one; what does not fit its type is left to fail."""
    one, other = left.constant, right.constant
    if not isinstance(one, int) or not isinstance(other, int):
        return None
    number = _EXACT[operator](one, other)
    return values.integer(number, kind) if types.fits(number, kind) else None


def _numbers(left: Value, right: Value, context: Context) -> tuple[Value, Value]:
    if left.type.kind == "void" and right.type.kind == "void":
        return values.null(types.INT), values.null(types.INT)
    for one, other in ((left, right), (right, left)):
        if one.type.kind in ("string", "void") and other.type.is_numeric:
            kind = types.common_type(one.type, other.type)
            if kind is not None:
                changed = casts.cast(one, kind, context)
                return (changed, other) if one is left else (other, changed)
    return left, right


def not_numbers(operator: str, left: DataType, right: DataType, node: exp.Expression) -> SqlError:
    """The error for arithmetic on what are not numbers."""
    line, column = place(node)
    dates = {left.kind, right.kind} <= {"date", "timestamp", "timestamp_ntz"}
    return SqlError(
        f"The operator {operator.upper()} does not apply to {left.ddl} and {right.ddl}.",
        condition="DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
        sqlstate="42K09",
        line=line,
        column=column,
        hint="Use datediff(later, earlier) for days." if dates else "Cast them to numbers.",
    )


def checked(operator: str, left: Value, right: Value, kind: DataType, target: Target) -> Value:
    """Integer arithmetic in a type wide enough, then cast down, which raises on overflow."""
    wide = "INT128" if kind.kind == "bigint" else "BIGINT"
    sql = f"({_operand(left.sql)}::{wide} {operator} {_operand(right.sql)}::{wide})"
    kept = target.kept(f"{sql}::{type_name(kind)}")
    return combine(kept, kind, left, right, raises=True)


def _quick(operator: str, left: str, right: str, exact: str) -> str:
    """``exact``, but by the engine's quick way where that is certain not to wrap around.

    Doubles are off by less than one part in 10^15, so what they say is below 9e18 is below 2^63.
    """
    about = f"ABS((CAST({left} AS DOUBLE) {operator} CAST({right} AS DOUBLE)))"
    plain = f"({left} {operator} {right})"
    return f"CASE WHEN ({about} < CAST('9e18' AS DOUBLE)) THEN {plain} ELSE {exact} END"


def _operand(sql: str) -> str:
    """Text that a ``::`` may follow. Unlike CAST it nests nothing, so a long sum stays shallow."""
    bare = re.fullmatch(r"[\w.]+|\(.*\)(::\w+)?", sql, re.DOTALL)
    return sql if bare else f"({sql})"


def _check_filtered(operator: str, left: Value, right: Value, node: exp.Expression) -> None:
    """Refuse a division of constants by zero where a FILTER may leave no row to compute it for."""
    if operator not in ("/", "%", "div") or left.constant is None or not right.known:
        return
    if right.constant != 0 or node.find_ancestor(exp.Filter) is None or is_conditional(node):
        return
    line, column = place(node)
    raise SqlError(
        "Division by zero.",
        condition="DIVIDE_BY_ZERO",
        sqlstate="22012",
        line=line,
        column=column,
        hint="Use try_divide(a, b), or a / nullif(b, 0), to get NULL instead.",
    )


def nonzero(dividend: Value, divisor: Value) -> str:
    """The divisor's text, failing with the number 22012 where it is zero.

    It asks for the dividend too: NULL / 0 is NULL, and a check that depends on the row stays inside
    the branch of a CASE it stands in.
    """
    if divisor.known and divisor.constant is not None and divisor.constant != 0:
        return divisor.sql
    known = " AND ".join(f"({sql} IS NOT NULL)" for sql in _present(dividend))
    zero = f"(({divisor.sql} = 0) AND {known})"
    failing = f"CAST((CAST({zero} AS INTEGER) * 22012) AS TINYINT)"
    if len(zero) > _LONG_TEXT:
        return f"({divisor.sql} + {failing})"
    if divisor.type.kind == "decimal":
        failing = f"CAST({failing} AS {type_name(divisor.type)})"
    # Right by itself wherever it is computed; the CASE spares computing it for every row.
    return f"CASE WHEN {zero} THEN {failing} ELSE {divisor.sql} END"


def _present(value: Value) -> tuple[str, ...]:
    """Texts of which one is NULL exactly where ``value`` is; its own may be very long."""
    return value.present or (value.sql,)


def _floating(operator: str, left: Value, right: Value, kind: DataType) -> Value:
    divisor = nonzero(left, right) if operator in ("/", "%") else right.sql
    value = combine("", kind, left, right, raises=divisor != right.sql)
    return _continued(value, operator, left, divisor)


def _continued(value: Value, operator: str, left: Value, right: str) -> Value:
    """``value`` as ``left operator right``, nested no deeper where ``left`` is such a chain."""
    chain = "+-" if operator in ("+", "-") else "*/%"
    start = left.bare if left.bare and left.chain == chain else left.sql
    bare = f"{start} {operator} {right}"
    return replace(value, sql=f"({bare})", bare=bare, chain=chain)


def _integer_division(
    operator: str, left: Value, right: Value, kind: DataType, target: Target
) -> Value:
    wide = "INT128" if "bigint" in (left.type.kind, right.type.kind) else "BIGINT"
    divisor = nonzero(left, right.with_sql(f"CAST({right.sql} AS {wide})"))
    sign = "//" if operator == "div" else "%"
    sql = f"CAST((CAST({left.sql} AS {wide}) {sign} {divisor}) AS {type_name(kind)})"
    return combine(target.kept(sql), kind, left, right, raises=True)


def _decimal(operator: str, left: Value, right: Value, kind: DataType, context: Context) -> Value:
    if operator == "/" and not context.target.exact_division:
        context.warn("A DECIMAL divided gives a DOUBLE on this engine, not a DECIMAL.")
        one, other = (casts.cast(item, types.DOUBLE, context) for item in (left, right))
        return _floating(operator, one, other, types.DOUBLE)
    if operator == "/":
        return divide_decimals(left, right, kind)
    if operator in ("div", "%"):
        if not context.target.exact_division:
            left, right = _aligned(left, right)
        divisor = nonzero(left, right)
        rest = f"({left.sql} % {divisor})"
        whole = context.target.whole_quotient(left, right.with_sql(divisor))
        sql = f"CAST({whole if operator == 'div' else rest} AS {type_name(kind)})"
        return combine(context.target.kept(sql), kind, left, right, raises=True)
    scale = (
        left.type.scale + right.type.scale
        if operator == "*"
        else max(left.type.scale, right.type.scale)
    )
    full = kind.precision == MAX_PRECISION
    # What holds every digit needs no cast on the way.
    goes_on = operator != "*" and left.type.scale == scale and not full
    first = left if goes_on else replace(left, bare="")
    beyond = context.target.exact(left, operator, right)
    result = combine(beyond or "", kind, left, right)
    if beyond is None:
        result = _continued(result, operator, first, right.sql)
    exact = DataType("decimal", precision=MAX_PRECISION, scale=scale)
    done = casts.cast(result.retyped(exact), kind, context)
    made = combine(done.sql, kind, left, right, raises=full)
    return replace(made, bare=result.bare, chain=result.chain) if operator != "*" else made


def _aligned(left: Value, right: Value) -> tuple[Value, Value]:
    """Two decimals of one scale, where the engine would else go to doubles and lose digits: it
    fails where a value is too large for that.
    """
    whole = max(item.type.precision - item.type.scale for item in (left, right))
    scale = max(left.type.scale, right.type.scale)
    if whole + scale <= MAX_PRECISION:
        return left, right
    kind = DataType("decimal", precision=MAX_PRECISION, scale=scale)
    one, other = (
        item.with_sql(f"CAST({item.sql} AS {type_name(kind)})", kind) for item in (left, right)
    )
    return one, other


def divide_decimals(left: Value, right: Value, kind: DataType) -> Value:
    """An exact quotient, rounded half up."""
    whole = left.type.precision - left.type.scale
    sql = rounding.divided(left.sql, nonzero(left, right), whole, kind)
    return combine(sql, kind, left, right, raises=True)
