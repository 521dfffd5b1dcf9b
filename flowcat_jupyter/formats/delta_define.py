"""A Delta table's columns: a table made of a list of them, and columns added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from deltalake import DeltaTable, Field, Schema
from deltalake.exceptions import CommitFailedError, DeltaError

from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    base_of,
    check_replaceable,
    current,
    moved,
    partition_names,
    refusal,
)
from flowcat_jupyter.formats.delta_log import checked_location
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound, Unavailable
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

_ATOMS = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}


def define_table(columns: Sequence[Column], location: str, request: WriteRequest) -> int:
    """Make a table, or with a ``base_version`` replace one, rows and definition; its version.

    :raises AlreadyExists: there is a table, and none is to be replaced.
    :raises Conflict: somebody else committed since ``base_version``.
    """
    location = checked_location(location)
    replaces = request.base_version is not None
    if replaces:
        snapshot = current(location)
        base_of(snapshot, request)
        check_replaceable(snapshot)
    elif has_log(location):
        raise AlreadyExists("table", f"at {location}")
    with _committing(request, location):
        table = DeltaTable.create(
            location,
            schema=Schema.from_json(json.dumps(_struct(columns))),
            mode="overwrite" if replaces else "error",
            partition_by=list(partition_names(columns, request.partition_by)) or None,
            commit_properties=request.commit(0),
        )
    return table.version()


def add_columns(columns: Sequence[Column], location: str, request: WriteRequest) -> int:
    """Give a table more columns, NULL in the rows it has; the version made.

    :raises Conflict: somebody else committed since ``base_version``.
    :raises Invalid: it has one of them, or one may not be NULL.
    """
    location = checked_location(location)
    if not has_log(location):
        raise NotFound("table data", location)
    snapshot = current(location)
    base_of(snapshot, request)
    known = {name_key(column.name) for column in snapshot.columns}
    for column in columns:
        if name_key(column.name) in known:
            raise Invalid(
                f"The table has a column {column.name} already.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
            )
        if not column.nullable:
            raise Invalid(
                f"Column {column.name} may not be NULL, which it is in the rows that are there.",
                condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
                sqlstate="23502",
            )
    fields = [Field.from_json(json.dumps(part)) for part in _struct(columns)["fields"]]
    with _committing(request, location):
        snapshot.table.alter.add_columns(fields, commit_properties=request.commit(0))
    return snapshot.table.version()


@contextmanager
def _committing(request: WriteRequest, location: str) -> Iterator[None]:
    try:
        yield
    except CommitFailedError as error:
        raise moved(request.base_version, location) from error
    except OSError as error:
        raise Unavailable(f"The table's folder cannot be written: {error}.") from error
    except DeltaError as error:
        raise refusal(str(error)) from error


def _struct(columns: Sequence[Column]) -> dict[str, Any]:
    """Columns as the protocol writes a schema."""
    return {
        "type": "struct",
        "fields": [
            _field(
                column.name,
                parse_type(column.type),
                column.nullable,
                {"comment": column.comment} if column.comment is not None else {},
            )
            for column in columns
        ],
    }


def _field(name: str, kind: DataType, nullable: bool, metadata: dict[str, str]) -> dict[str, Any]:
    return {"name": name, "type": _type(kind), "nullable": nullable, "metadata": metadata}


def _type(kind: DataType) -> Any:
    if kind.kind == "array" and kind.element is not None:
        return {"type": "array", "elementType": _type(kind.element), "containsNull": True}
    if kind.kind == "struct":
        fields = [_field(part.name, part.type, True, {}) for part in kind.fields]
        return {"type": "struct", "fields": fields}
    return _ATOMS.get(kind.kind, kind.ddl)
