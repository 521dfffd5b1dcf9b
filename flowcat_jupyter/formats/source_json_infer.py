"""The type that takes all of many JSON values, by Spark's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from flowcat_jupyter.formats.options import Options
from flowcat_jupyter.shared.types import MAX_DEPTH, DataType, Field

_BIGINT = 1 << 63
_DIGITS = 38
STRING = DataType("string")
_VOID = DataType("void")
_STRUCT, _ARRAY = DataType("struct"), DataType("array")
_DOUBLE = DataType("double")
_BOOLEAN = DataType("boolean")
_WHOLE = DataType("bigint")


@dataclass
class Found:
    """What was found at one place: the type so far, and of objects what is in them."""

    type: DataType = _VOID
    element: Found | None = None
    fields: dict[str, Found] = field(default_factory=dict)
    depth: int = 1

    def see(self, value: Any, rules: Rules) -> None:
        """Take one more value into account."""
        if value is None:
            return
        if isinstance(value, dict) and self.depth < MAX_DEPTH:
            self._take(_STRUCT)
            for key, part in value.items():
                inner = self.fields.get(key)
                if inner is None:
                    inner = self.fields[key] = Found(depth=self.depth + 1)
                inner.see(part, rules)
        elif isinstance(value, list) and self.depth < MAX_DEPTH:
            self._take(_ARRAY)
            self.element = self.element or Found(depth=self.depth + 1)
            for part in value:
                self.element.see(part, rules)
        else:
            self._take(rules.type_of(value))

    def _take(self, found: DataType) -> None:
        # Nearly always it is the same again.
        if self.type is not found:
            self.type = merged_type(self.type, found)

    def result(self, *, drop_nulls: bool) -> DataType | None:
        """The type; None where there is nothing to keep: an object without fields."""
        if self.type.kind == "void":
            return None if drop_nulls else STRING
        if self.type.kind == "array":
            inner = self.element.result(drop_nulls=drop_nulls) if self.element else None
            if inner is None and (drop_nulls or self._is_empty_object()):
                return None
            return DataType("array", element=inner or STRING)
        if self.type.kind == "struct":
            parts = fields_of(self.fields, drop_nulls=drop_nulls)
            return DataType("struct", fields=parts) if parts else None
        return self.type

    def _is_empty_object(self) -> bool:
        return self.element is not None and self.element.type.kind == "struct"


def fields_of(found: Mapping[str, Found], *, drop_nulls: bool) -> tuple[Field, ...]:
    """The fields of objects, in the order of their names."""
    kinds = ((name, found[name].result(drop_nulls=drop_nulls)) for name in sorted(found))
    return tuple(Field(name, kind) for name, kind in kinds if kind is not None)


@dataclass(frozen=True)
class Rules:
    """What the options say of single values; ``is_time`` tells a text that is a time."""

    as_text: bool
    exact: bool
    is_time: Callable[[str], bool] | None

    @staticmethod
    def of(options: Options, is_time: Callable[[str], bool]) -> Rules:
        """The rules of the options."""
        asked = is_time if options["inferTimestamp"] else None
        return Rules(options["primitivesAsString"], options["prefersDecimal"], asked)

    def type_of(self, value: Any) -> DataType:
        """The type of a value that is not made of others."""
        if isinstance(value, (dict, list)):
            return STRING
        if isinstance(value, str):
            is_time = self.is_time is not None and self.is_time(value)
            return DataType("timestamp") if is_time and not self.as_text else STRING
        if self.as_text:
            return STRING
        if isinstance(value, bool):
            return _BOOLEAN
        if isinstance(value, int):
            return _WHOLE if -_BIGINT <= value < _BIGINT else _decimal(Decimal(value))
        if isinstance(value, Decimal) and self.exact:
            return _decimal(value)
        return _DOUBLE


def _decimal(value: Decimal) -> DataType:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return _DOUBLE
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale)
    if precision > _DIGITS:
        return _DOUBLE
    return DataType("decimal", precision=max(precision, 1), scale=scale)


def merged_type(one: DataType, other: DataType) -> DataType:
    """The type that takes the values of two."""
    if one == other or other.kind == "void":
        return one
    if one.kind == "void":
        return other
    if one.is_numeric and other.is_numeric:
        return _merged_number(one, other)
    return STRING


def _merged_number(one: DataType, other: DataType) -> DataType:
    if "double" in (one.kind, other.kind):
        return _DOUBLE
    left, right = (
        DataType("decimal", precision=20) if kind.kind == "bigint" else kind
        for kind in (one, other)
    )
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    if whole + scale > _DIGITS:
        return _DOUBLE
    return DataType("decimal", precision=whole + scale, scale=scale)
