"""The one type that takes all of many JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import MAX_DEPTH, DataType, Field

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1
DOUBLE_EXACT = 2**53
MAX_DIGITS = 38
STRING = DataType("string")
_NAMES = {
    "bool": "booleans",
    "int": "numbers",
    "float": "numbers",
    "exact": "numbers",
    "string": "texts",
    "object": "objects",
    "array": "arrays",
}

_NUMBERS = {"int", "float", "exact"}

Convert = Callable[[Any], Any]


@dataclass
class Shape:
    """Everything seen at one place: kinds of values, the range of integers, and what is inside."""

    kinds: set[str] = field(default_factory=set)
    low: int = 0
    high: int = 0
    fields: dict[str, Shape] = field(default_factory=dict)
    element: Shape | None = None
    depth: int = 1

    def see(self, value: Any) -> None:
        """Take one more value into account."""
        if value is None:
            return
        kind = _KINDS[type(value)]
        self.kinds.add(kind)
        if kind == "int":
            self.low = min(self.low, value)
            self.high = max(self.high, value)
        elif self.depth < MAX_DEPTH:
            # No type goes deeper; what is inside stays text.
            self._see_inside(kind, value)

    def _see_inside(self, kind: str, value: Any) -> None:
        if kind == "object":
            for key, part in value.items():
                inner = self.fields.get(key)
                if inner is None:
                    inner = self.fields[key] = Shape(depth=self.depth + 1)
                inner.see(part)
        elif kind == "array":
            self.element = self.element or Shape(depth=self.depth + 1)
            for part in value:
                self.element.see(part)

    @property
    def type(self) -> DataType:
        """The smallest type that takes every value; text where only text can."""
        if self.kinds == {"bool"}:
            return DataType("boolean")
        if self.kinds and self.kinds <= _NUMBERS:
            return self._number()
        if self.kinds == {"array"} and self.element:
            return DataType("array", element=self.element.type)
        if self.kinds == {"object"} and self._has_fields():
            parts = tuple(Field(name, part.type) for name, part in self.fields.items())
            return DataType("struct", fields=parts)
        return STRING

    def _number(self) -> DataType:
        if "exact" in self.kinds:
            return STRING
        size = max(self.high, -self.low - 1)
        if "float" in self.kinds:
            return STRING if size > DOUBLE_EXACT else DataType("double")
        if size <= INT_MAX:
            return DataType("int")
        if size <= BIGINT_MAX:
            return DataType("bigint")
        digits = len(str(max(self.high, -self.low)))
        return DataType("decimal", precision=max(20, digits)) if digits <= MAX_DIGITS else STRING

    def _has_fields(self) -> bool:
        # Arrow's names end at a NUL.
        keys = {name_key(name) for name in self.fields if name.strip() and "\0" not in name}
        return bool(keys) and len(keys) == len(self.fields)

    @property
    def reason(self) -> str:
        """Why `type` is what it is."""
        kind = self.type.kind
        if not self.kinds:
            return "no values; text until a type is given"
        if kind == "string":
            return self._text_reason()
        return _REASONS[kind]

    def _text_reason(self) -> str:
        if self.kinds == {"string"}:
            return "texts"
        if self.kinds <= _NUMBERS:
            return "numbers that no numeric type keeps exactly; as JSON text"
        if self.kinds == {"object"}:
            return "objects without usable keys; as JSON text"
        names = " and ".join(sorted({_NAMES[kind] for kind in self.kinds}))
        return f"{names} mixed; as JSON text"

    @property
    def converter(self) -> Convert | None:
        """What makes a value fit `type`; None where every value already does."""
        kind = self.type.kind
        if kind == "string":
            return None if self.kinds <= {"string"} else as_text
        if kind == "decimal":
            return Decimal
        if kind == "double" and "int" in self.kinds:
            return float
        if kind == "array":
            inner = self.element.converter if self.element else None
            return _each(inner) if inner else None
        return self._fields_converter() if kind == "struct" else None

    def _fields_converter(self) -> Convert | None:
        found = {name: part.converter for name, part in self.fields.items()}
        inner = {name: convert for name, convert in found.items() if convert}
        return _parts(inner) if inner else None


_REASONS = {
    "boolean": "only true and false",
    "int": "integers",
    "bigint": "integers beyond 32 bits",
    "decimal": "integers beyond 64 bits",
    "double": "numbers",
    "array": "arrays",
    "struct": "objects",
}
_KINDS: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    Decimal: "exact",
    str: "string",
    dict: "object",
    list: "array",
}


def as_text(value: Any) -> str:
    """A value as text: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        # Somewhere inside is a Decimal, which the library's writer does not know.
        pass
    if isinstance(value, dict):
        parts = (f"{json.dumps(key, ensure_ascii=False)}: {_json(value[key])}" for key in value)
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return str(value)


def _each(convert: Convert) -> Convert:
    return lambda values: [None if value is None else convert(value) for value in values]


def _parts(converters: dict[str, Convert]) -> Convert:
    def convert(value: dict[str, Any]) -> dict[str, Any]:
        changed = {
            name: converters[name](part)
            for name, part in value.items()
            if part is not None and name in converters
        }
        return {**value, **changed}

    return convert
