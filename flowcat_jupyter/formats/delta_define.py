"""A Delta table's columns: a table made of a list of them, and columns added."""

from __future__ import annotations

import json
from collections.abc import Sequence

from arro3.core import RecordBatchReader
from deltalake import DeltaTable, Field, Schema, write_deltalake

from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    base_of,
    check_replaceable,
    committing_to,
    current,
    partition_names,
)
from flowcat_jupyter.formats.delta_fields import struct_of
from flowcat_jupyter.formats.delta_log import checked_location
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column


def define_table(columns: Sequence[Column], location: str, request: WriteRequest) -> int:
    """Make a table, or with a ``base_version`` replace one, rows and definition; its version.

    :raises AlreadyExists: there is a table, and none is to be replaced.
    :raises Conflict: somebody else committed since ``base_version``.
    """
    location = checked_location(location)
    schema = Schema.from_json(json.dumps(struct_of(columns)))
    partition_by = list(partition_names(columns, request.partition_by))
    if request.base_version is not None:
        return _replace(schema, partition_by, location, request)
    if has_log(location):
        raise AlreadyExists("table", f"at {location}")
    with committing_to(location, request):
        table = DeltaTable.create(
            location,
            schema=schema,
            mode="error",
            partition_by=partition_by or None,
            commit_properties=request.commit(0),
        )
    return table.version()


def _replace(schema: Schema, partition_by: list[str], location: str, request: WriteRequest) -> int:
    """Replace the version that was read, and no other."""
    snapshot = current(location)
    base_of(snapshot, request)
    check_replaceable(snapshot, keeps=False)
    with committing_to(location, request):
        write_deltalake(
            snapshot.table,
            RecordBatchReader.from_batches(schema.to_arrow(), iter(())),
            mode="overwrite",
            schema_mode="overwrite",
            partition_by=partition_by,
            commit_properties=request.commit(0),
        )
    return snapshot.table.version()


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
    fields = [Field.from_json(json.dumps(part)) for part in struct_of(columns)["fields"]]
    with committing_to(location, request):
        snapshot.table.alter.add_columns(fields, commit_properties=request.commit(0))
    return snapshot.table.version()
