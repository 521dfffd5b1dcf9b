"""Making a Delta table of a list of columns, without rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from deltalake import DeltaTable, Schema
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
from flowcat_jupyter.shared.errors import AlreadyExists, Unavailable
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
    try:
        table = DeltaTable.create(
            location,
            schema=Schema.from_json(json.dumps(_struct(columns))),
            mode="overwrite" if replaces else "error",
            partition_by=list(partition_names(columns, request.partition_by)) or None,
            commit_properties=request.commit(0),
        )
    except CommitFailedError as error:
        raise moved(request.base_version, location) from error
    except OSError as error:
        raise Unavailable(f"The table's folder cannot be written: {error}.") from error
    except DeltaError as error:
        raise refusal(str(error)) from error
    return table.version()


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
