"""Spark's rules of types: what two types have in common and what arithmetic makes of them.

The rules are those of Spark 4 in ANSI mode. A function here answers None where Spark would refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from flowcat_jupyter.shared.types import MAX_PRECISION, DataType, Field

VOID = DataType("void")
BOOLEAN = DataType("boolean")
TINYINT = DataType("tinyint")
INT = DataType("int")
BIGINT = DataType("bigint")
FLOAT = DataType("float")
DOUBLE = DataType("double")
STRING = DataType("string")
DATE = DataType("date")
TIMESTAMP = DataType("timestamp")
TIMESTAMP_NTZ = DataType("timestamp_ntz")

INTEGER_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_FRACTIONAL = ("float", "double")
_TIMES = ("date", "timestamp_ntz", "timestamp")
_MIN_ADJUSTED_SCALE = 6


def decimal(precision: int, scale: int) -> DataType:
    """A decimal of that precision, giving up scale (not below 6) where 38 digits are too few."""
    if precision > MAX_PRECISION:
        whole = precision - scale
        scale = max(MAX_PRECISION - whole, min(scale, _MIN_ADJUSTED_SCALE))
        precision = MAX_PRECISION
    return DataType("decimal", precision=max(precision, scale, 1), scale=scale)


def wider_decimal(whole: int, scale: int) -> DataType:
    """The decimal that two are brought to: where 38 digits are too few, the fraction gives way."""
    precision = whole + scale
    kept = max(scale - max(precision - MAX_PRECISION, 0), 0)
    return DataType("decimal", precision=max(min(precision, MAX_PRECISION), 1), scale=kept)


def as_decimal(kind: DataType) -> DataType:
    """The decimal that holds every value of an integer type; a decimal is itself."""
    if kind.kind == "decimal":
        return kind
    return DataType("decimal", precision=_DIGITS[kind.kind], scale=0)


def decimal_of(number: Decimal | int) -> DataType:
    """The narrowest decimal that holds ``number``, as for a literal."""
    _, digits, exponent = Decimal(number).as_tuple()
    scale = max(-int(exponent), 0)
    precision = len(digits) + max(int(exponent), 0)
    return DataType("decimal", precision=max(precision, scale, 1), scale=scale)


def fits(number: int, kind: DataType) -> bool:
    """Whether an integer type holds ``number``."""
    bits = INTEGER_BITS[kind.kind]
    return -(1 << (bits - 1)) <= number < (1 << (bits - 1))


def common_type(left: DataType, right: DataType) -> DataType | None:
    """The type to which both are cast to be compared or put in one column."""
    if left == right:
        return left
    if "void" in (left.kind, right.kind):
        return right if left.kind == "void" else left
    if "string" in (left.kind, right.kind):
        return _with_string(right if left.kind == "string" else left)
    if left.is_numeric and right.is_numeric:
        return _common_number(left, right)
    if left.kind in _TIMES and right.kind in _TIMES:
        return max(left, right, key=lambda item: _TIMES.index(item.kind))
    return _common_nested(left, right)


def _common_nested(left: DataType, right: DataType) -> DataType | None:
    if left.kind == right.kind == "array" and left.element and right.element:
        element = common_type(left.element, right.element)
        return DataType("array", element=element) if element else None
    if left.kind == right.kind == "struct":
        return _common_struct(left, right)
    return None


def _with_string(other: DataType) -> DataType | None:
    if other.is_integer:
        return BIGINT
    if other.kind in _FRACTIONAL or other.kind == "decimal":
        return DOUBLE
    return None if other.is_nested else other


def _common_number(left: DataType, right: DataType) -> DataType:
    kinds = {left.kind, right.kind}
    if "double" in kinds or ("float" in kinds and kinds != {"float"}):
        return DOUBLE
    if "decimal" in kinds:
        one, other = as_decimal(left), as_decimal(right)
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        return wider_decimal(whole, scale)
    return max(left, right, key=lambda item: INTEGER_BITS[item.kind])


def _common_struct(left: DataType, right: DataType) -> DataType | None:
    if len(left.fields) != len(right.fields):
        return None
    fields: list[Field] = []
    for one, other in zip(left.fields, right.fields, strict=True):
        shared = common_type(one.type, other.type)
        if shared is None or one.name.casefold() != other.name.casefold():
            return None
        fields.append(Field(one.name, shared))
    return DataType("struct", fields=tuple(fields))


def common_of(kinds: list[DataType]) -> DataType | None:
    """The common type of several; strings give way last, so that order does not matter."""
    result: DataType | None = VOID
    for kind in sorted(kinds, key=lambda item: item.kind == "string"):
        result = common_type(result, kind) if result is not None else None
    return result


def arithmetic_type(operator: str, left: DataType, right: DataType) -> DataType | None:
    """The result type of ``+ - * / % div`` on two numbers already of their own types."""
    if not (left.is_numeric and right.is_numeric):
        return None
    if operator == "div":
        return None if {left.kind, right.kind} & set(_FRACTIONAL) else BIGINT
    kinds = {left.kind, right.kind}
    if kinds & set(_FRACTIONAL) or (operator == "/" and "decimal" not in kinds):
        return FLOAT if kinds == {"float"} and operator != "/" else DOUBLE
    if "decimal" in kinds:
        return _DECIMAL_RULES[operator](as_decimal(left), as_decimal(right))
    return _common_number(left, right)


def _decimal_sum(left: DataType, right: DataType) -> DataType:
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return decimal(whole + scale + 1, scale)


def _decimal_product(left: DataType, right: DataType) -> DataType:
    return decimal(left.precision + right.precision + 1, left.scale + right.scale)


def _decimal_quotient(left: DataType, right: DataType) -> DataType:
    scale = max(_MIN_ADJUSTED_SCALE, left.scale + right.precision + 1)
    return decimal(left.precision - left.scale + right.scale + scale, scale)


def _decimal_remainder(left: DataType, right: DataType) -> DataType:
    scale = max(left.scale, right.scale)
    whole = min(left.precision - left.scale, right.precision - right.scale)
    return decimal(whole + scale, scale)


_DECIMAL_RULES: dict[str, Callable[[DataType, DataType], DataType]] = {
    "+": _decimal_sum,
    "-": _decimal_sum,
    "*": _decimal_product,
    "/": _decimal_quotient,
    "%": _decimal_remainder,
}


def sum_type(kind: DataType) -> DataType | None:
    """What SUM makes of a column."""
    if kind.kind == "decimal":
        return decimal(min(kind.precision + 10, MAX_PRECISION), kind.scale)
    if kind.is_integer:
        return BIGINT
    return DOUBLE if kind.kind in _FRACTIONAL else None


def average_type(kind: DataType) -> DataType | None:
    """What AVG makes of a column."""
    if kind.kind == "decimal":
        precision, scale = kind.precision + 4, kind.scale + 4
        return DataType(
            "decimal", precision=min(precision, MAX_PRECISION), scale=min(scale, MAX_PRECISION)
        )
    return DOUBLE if kind.is_numeric else None


def array_of(element: DataType) -> DataType:
    """The type of an array of ``element``."""
    return DataType("array", element=element)
