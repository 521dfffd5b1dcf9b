"""The columns that a data source declares, and the columns as it is told of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from flowcat_jupyter.formats.data_source import Schema, SchemaField, TypeName
from flowcat_jupyter.formats.types import check_names
from flowcat_jupyter.shared.errors import FlowcatError, Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

_PIECE = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|[^`'()<>,]+|.", re.DOTALL)
_NAMED = re.compile(r"(`(?:[^`]|``)*`|[^\s:`]+)\s*[:\s]\s*(.+)", re.DOTALL)
_COMMENT = re.compile(r"\s+COMMENT\s+'((?:[^'\\]|\\.|'')*)'\s*\Z", re.IGNORECASE | re.DOTALL)
_NOT_NULL = re.compile(r"\s+NOT\s+NULL\s*\Z", re.IGNORECASE)


def declared_columns(schema: Any, label: str) -> tuple[Column, ...]:
    """The columns of a schema: DDL, or an object with fields as PySpark's StructType has.

    :raises Invalid: it is neither, has no columns, or two of one name, or a type is none.
    """
    if isinstance(schema, str):
        columns = columns_of(schema)
    elif hasattr(schema, "fields"):
        columns = tuple(_field(item, label) for item in schema.fields)
    else:
        raise Invalid(
            f"The schema of the data source {label} is {type(schema).__name__}, which is no text "
            "of columns and no StructType.",
            hint="Return DDL, as in 'id BIGINT, name STRING'.",
        )
    try:
        check_names([column.name for column in columns])
    except FlowcatError as error:
        raise Invalid(
            f"The schema of the data source {label} cannot be: {error.message}",
            condition=error.condition,
            sqlstate=error.sqlstate,
            hint=error.hint,
        ) from error
    return columns


def columns_of(ddl: str) -> tuple[Column, ...]:
    """The columns that a text lists: ``id BIGINT NOT NULL COMMENT 'key', name STRING``.

    :raises Invalid: one is no name and type.
    """
    text = ddl.strip()
    if text[:7].lower() == "struct<" and text.endswith(">"):
        text = text[7:-1]
    return tuple(_column(part) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    depth, part = 0, ""
    for piece in _PIECE.findall(text):
        depth += (piece in "(<") - (piece in ")>")
        if piece == "," and depth == 0:
            yield part
            part = ""
        else:
            part += piece
    if part.strip() or not text.strip():
        yield part


def _column(text: str) -> Column:
    comment = _COMMENT.search(text)
    bare = _COMMENT.sub("", text)
    nullable = not _NOT_NULL.search(bare)
    named = _NAMED.fullmatch(_NOT_NULL.sub("", bare).strip())
    if named is None:
        raise Invalid(
            f"{text.strip()!r} is no column's name and type.",
            condition="PARSE_SYNTAX_ERROR",
            sqlstate="42601",
            hint="List columns as in: id BIGINT, name STRING.",
        )
    name = named[1]
    if name.startswith("`"):
        name = name[1:-1].replace("``", "`")
    said = comment[1].replace("''", "'").replace("\\'", "'") if comment else None
    return Column(name, parse_type(named[2].strip()).ddl, nullable, said)


def _field(field: Any, label: str) -> Column:
    kind = getattr(field, "dataType", None)
    told = getattr(kind, "simpleString", None)
    if not callable(told) or not isinstance(getattr(field, "name", None), str):
        raise Invalid(f"A field of the schema of the data source {label} has no name or no type.")
    return Column(field.name, parse_type(str(told())).ddl, bool(getattr(field, "nullable", True)))


def told_schema(columns: Sequence[Column]) -> Schema:
    """The columns as a data source is given them."""
    return Schema(
        tuple(SchemaField(item.name, TypeName(item.type), item.nullable) for item in columns)
    )
