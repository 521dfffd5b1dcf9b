"""Changing what an Iceberg table is: its columns and properties. No row is written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import count

from pyiceberg.exceptions import ResolveError
from pyiceberg.schema import Schema, promote
from pyiceberg.table import Transaction
from pyiceberg.table.update import (
    AddSchemaUpdate,
    AssertCurrentSchemaId,
    RemovePropertiesUpdate,
    SetCurrentSchemaUpdate,
    SetPropertiesUpdate,
)
from pyiceberg.types import NestedField

from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_open import translated
from flowcat_jupyter.formats.iceberg_types import iceberg_type, spark_columns_of
from flowcat_jupyter.formats.iceberg_write import Base, Written, begin, stage_columns, written
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_alter import Moved
from flowcat_jupyter.shared.wire_definitions import Definition

_RESERVED = ("write.", "commit.", "read.", "py-", "gc.", "schema.", "history.", "format-version")
_FREE = ("write.target-file-size-bytes", "write.parquet.")


def add_columns(columns: Sequence[Column], base: Base) -> Written:
    """Give the table more columns, NULL in the rows it has.

    :raises Invalid: it has one of them, or one may not be NULL.
    """
    at = base.opened().at
    known = {name_key(column.name) for column in at.columns}
    for column in columns:
        if name_key(column.name) in known:
            raise _there(column)
        if not column.nullable:
            raise _never_null(column)
        known.add(name_key(column.name))
    with LocalFiles(at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        stage_columns(change, columns)
        change.commit_transaction()
        return written(catalog)


def move_columns(columns: Sequence[Moved], base: Base) -> Written:
    """Give the table other columns, each with the values of one that it has, or NULL.

    :raises Invalid: a type cannot become another without rows being written again, or the table
        is partitioned by a column that goes.
    """
    at = base.opened().at
    with LocalFiles(at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        metadata = change.table_metadata
        fresh = count(metadata.last_column_id + 1)
        moved = list(_moved(metadata.schema(), columns, fresh))
        kept = {field.field_id for field in moved}
        for part in metadata.spec().fields:
            if part.source_id not in kept:
                name = metadata.schema().find_column_name(part.source_id)
                raise _refused(f"The table is partitioned by column {name}, which has to stay.")
        _set_schema(change, moved)
        change.commit_transaction()
        return written(catalog)


def _set_schema(change: Transaction, columns: Sequence[NestedField]) -> None:
    """Stage other columns; those that the table had before are what they were then."""
    metadata = change.table_metadata
    known = {schema.schema_id: schema for schema in metadata.schemas}
    schema = Schema(*columns, schema_id=max(known) + 1)
    number = next((number for number, old in known.items() if old == schema), None)
    now = AssertCurrentSchemaId.model_validate({"current-schema-id": metadata.current_schema_id})
    if number is None:
        number = schema.schema_id
        change._apply((AddSchemaUpdate.model_validate({"schema": schema}),))
    change._apply((SetCurrentSchemaUpdate.model_validate({"schema-id": number}),), (now,))


def _moved(schema: Schema, columns: Sequence[Moved], fresh: Iterator[int]) -> Iterator[NestedField]:
    fields = {field.name: field for field in schema.fields}
    known = dict(zip(fields, spark_columns_of(schema), strict=True))
    for moved in columns:
        column = moved.column
        if moved.source is None:
            if not column.nullable:
                raise _never_null(column)
            number = next(fresh)
            kind = iceberg_type(column.type, fresh)
            yield NestedField(number, column.name, kind, required=False, doc=column.comment)
        else:
            yield _kept(fields[moved.source], known[moved.source], column)


def _kept(field: NestedField, known: Column, column: Column) -> NestedField:
    kind = field.field_type
    if known.type != column.type:
        wanted = iceberg_type(column.type)
        try:
            kind = promote(kind, wanted) if kind.is_primitive else wanted
        except ResolveError as error:
            raise _type(known, column) from error
        if not field.field_type.is_primitive:
            raise _type(known, column)
    return field.model_copy(
        update={
            "name": column.name,
            "field_type": kind,
            "required": not column.nullable,
            "doc": column.comment,
        }
    )


def alter(change: Definition, base: Base) -> Written | None:
    """Change properties, and which columns must not be NULL; None: all is so already.

    :raises Invalid: it is a constraint or a default, or a property that says how tables are
        written here.
    """
    _check_definition(change)
    at = base.opened().at
    required = {
        field.name: change.required.get(field.name, field.required) for field in at.schema.fields
    }
    wanted = [
        field.model_copy(update={"required": required[field.name]}) for field in at.schema.fields
    ]
    now = at.table.properties
    properties = {n: v for n, v in change.properties.items() if now.get(n) != v}
    if wanted == list(at.schema.fields) and not properties:
        return None
    with LocalFiles(at.location, base.label) as files, translated(base.label):
        catalog, transaction = begin(base, files)
        if wanted != list(at.schema.fields):
            _set_schema(transaction, wanted)
        _set_properties(transaction, properties)
        transaction.commit_transaction()
        return written(catalog)


def _set_properties(change: Transaction, properties: Mapping[str, str | None]) -> None:
    given = {name: value for name, value in properties.items() if value is not None}
    gone = [name for name, value in properties.items() if value is None]
    if given:
        change._apply((SetPropertiesUpdate(updates=given),))
    if gone:
        change._apply((RemovePropertiesUpdate(removals=gone),))


def said_of(definition: Definition) -> dict[str, str]:
    """The properties of a table that is made.

    :raises Invalid: as `alter` does.
    """
    _check_definition(definition)
    return {name: value for name, value in definition.properties.items() if value is not None}


def _check_definition(change: Definition) -> None:
    """Check that an Iceberg table can be said to be so.

    :raises Invalid: there is a constraint or a default in it, or a property that says how tables
        are written here.
    """
    for part in fields(change):
        given = getattr(change, part.name)
        if given and part.name not in ("properties", "required"):
            what = "generated columns" if part.name == "generated" else part.name
            raise _refused(f"Iceberg tables have no {what} here: {', '.join(given)}.")
    for name in change.properties:
        if name.startswith(_RESERVED) and not name.startswith(_FREE):
            hint = f"Of these, {' and '.join(_FREE)}… may be set."
            raise _refused(f"The property {name} is kept: it says how the table is written.", hint)


def _there(column: Column) -> Invalid:
    return Invalid(
        f"The table has a column {column.name} already.",
        condition="COLUMN_ALREADY_EXISTS",
        sqlstate="42711",
    )


def _never_null(column: Column) -> Invalid:
    return Invalid(
        f"Column {column.name} may not be NULL, which it is in the rows that are there.",
        condition="NOT_NULL_CONSTRAINT_VIOLATION",
        sqlstate="42000",
    )


def _type(known: Column, column: Column) -> Invalid:
    return Invalid(
        f"Column {known.name} is {known.type} and cannot become {column.type} as it is stored.",
        condition="NOT_SUPPORTED_CHANGE_COLUMN",
        sqlstate="0A000",
        hint="INT becomes BIGINT, FLOAT becomes DOUBLE, DECIMAL gets more digits; else write the "
        "rows to a new table with a cast.",
    )


def _refused(what: str, hint: str | None = None) -> Invalid:
    return Invalid(
        what,
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint=hint or "A table USING delta can: CREATE TABLE … AS SELECT copies the rows.",
    )
