"""Data types as Spark DDL strings, everywhere.

A type travels as text (``decimal(10,2)``, ``array<struct<a:int>>``) and is parsed where its parts
matter. The spelling is Spark's ``simpleString``: lower case, one spelling per type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import back_ticked

_ALIASES = {
    "integer": "int",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "real": "float",
    "bool": "boolean",
    "text": "string",
    "timestamp_ltz": "timestamp",
    "dec": "decimal",
    "numeric": "decimal",
}
_ATOMS = frozenset(
    re.findall(
        r"\w+",
        "void boolean tinyint smallint int bigint float double string binary date timestamp "
        "timestamp_ntz",
    )
)
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|[^\s<>(),:`]+|[<>(),:])")
MAX_PRECISION = 38
MAX_DEPTH = 50


@dataclass(frozen=True)
class Field:
    """A named part of a struct, or a column."""

    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True)
class DataType:
    """One parsed type.

    ``kind`` is an atom's name or ``decimal``, ``array``, ``map`` or ``struct``; the other fields
    belong to those four alone.
    """

    kind: str
    precision: int = 0
    scale: int = 0
    element: DataType | None = None
    key: DataType | None = None
    fields: tuple[Field, ...] = ()

    @property
    def ddl(self) -> str:
        """Spark's ``simpleString`` of the type."""
        if self.kind == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.kind == "array" and self.element:
            return f"array<{self.element.ddl}>"
        if self.kind == "map" and self.key and self.element:
            return f"map<{self.key.ddl},{self.element.ddl}>"
        if self.kind == "struct":
            inner = ",".join(f"{_field_name(f.name)}:{f.type.ddl}" for f in self.fields)
            return f"struct<{inner}>"
        return self.kind

    @property
    def is_integer(self) -> bool:
        """Whether it is tinyint, smallint, int or bigint."""
        return self.kind in _INTEGERS

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic applies."""
        return self.is_integer or self.kind in ("float", "double", "decimal")

    @property
    def is_nested(self) -> bool:
        """Whether it is made of other types."""
        return self.kind in ("array", "map", "struct")

    def __str__(self) -> str:
        """The type as DDL."""
        return self.ddl


def _field_name(name: str) -> str:
    if re.fullmatch(r"\w+", name):
        return name
    return back_ticked(name)


@lru_cache(maxsize=4096)
def parse_type(text: str) -> DataType:
    """Parse a Spark DDL type.

    :raises Invalid: it is not one.
    """
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s+", "", text) and "`" not in text:
        raise _bad(text)
    parsed, rest = _parse(tokens, text, 0)
    if rest:
        raise _bad(text)
    return parsed


def _parse(tokens: list[str], text: str, depth: int) -> tuple[DataType, list[str]]:
    if not tokens or depth > MAX_DEPTH:
        raise _bad(text)
    word = tokens[0].lower()
    word, rest = _ALIASES.get(word, word), tokens[1:]
    if word == "decimal":
        return _decimal(rest, text)
    if word in ("char", "varchar"):
        return _skip_length(rest, text)
    if word == "array":
        element, rest = _parse(_expect(rest, "<", text), text, depth + 1)
        return DataType("array", element=element), _expect(rest, ">", text)
    if word == "map":
        key, rest = _parse(_expect(rest, "<", text), text, depth + 1)
        value, rest = _parse(_expect(rest, ",", text), text, depth + 1)
        return DataType("map", key=key, element=value), _expect(rest, ">", text)
    if word == "struct":
        return _struct(_expect(rest, "<", text), text, depth + 1)
    if word not in _ATOMS:
        raise _bad(text)
    return DataType(word), rest


def _decimal(rest: list[str], text: str) -> tuple[DataType, list[str]]:
    if rest[:1] != ["("] or ")" not in rest:
        return DataType("decimal", precision=10, scale=0), rest
    numbers = [part for part in rest[1 : rest.index(")")] if part != ","]
    if not 1 <= len(numbers) <= 2 or not all(number.isdigit() for number in numbers):
        raise _bad(text)
    precision = int(numbers[0])
    scale = int(numbers[1]) if len(numbers) == 2 else 0
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        raise _bad(text)
    return DataType("decimal", precision=precision, scale=scale), rest[rest.index(")") + 1 :]


def _skip_length(rest: list[str], text: str) -> tuple[DataType, list[str]]:
    if rest[:1] == ["("]:
        rest = _expect(rest[2:], ")", text)
    return DataType("string"), rest


def _struct(rest: list[str], text: str, depth: int) -> tuple[DataType, list[str]]:
    fields: list[Field] = []
    while rest[:1] != [">"]:
        if fields:
            rest = _expect(rest, ",", text)
        if len(rest) < 3:
            raise _bad(text)
        name = rest[0]
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        rest = rest[2:] if rest[1] == ":" else rest[1:]
        inner, rest = _parse(rest, text, depth)
        fields.append(Field(name, inner))
    return DataType("struct", fields=tuple(fields)), rest[1:]


def _expect(tokens: list[str], token: str, text: str) -> list[str]:
    if tokens[:1] != [token]:
        raise _bad(text)
    return tokens[1:]


def _bad(text: str) -> Invalid:
    return Invalid(
        f"{text!r} is not a data type.",
        condition="UNSUPPORTED_DATATYPE",
        sqlstate="0A000",
        hint="Types are written as in Spark: bigint, decimal(10,2), array<string>.",
    )
