"""Columns in the words of the Delta protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

_ATOMS = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}


def struct_of(columns: Sequence[Column]) -> dict[str, Any]:
    """Columns as the protocol writes a schema."""
    return {"type": "struct", "fields": [field_of(column) for column in columns]}


def field_of(column: Column) -> dict[str, Any]:
    """One column of it."""
    metadata = {"comment": column.comment} if column.comment is not None else {}
    return _field(column.name, parse_type(column.type), column.nullable, metadata)


def _field(name: str, kind: DataType, nullable: bool, metadata: dict[str, str]) -> dict[str, Any]:
    return {"name": name, "type": _type(kind), "nullable": nullable, "metadata": metadata}


def _type(kind: DataType) -> Any:
    if kind.kind == "array" and kind.element is not None:
        return {"type": "array", "elementType": _type(kind.element), "containsNull": True}
    if kind.kind == "struct":
        fields = [_field(part.name, part.type, True, {}) for part in kind.fields]
        return {"type": "struct", "fields": fields}
    return _ATOMS.get(kind.kind, kind.ddl)
