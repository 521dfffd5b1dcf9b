"""A Delta table made of a list of columns, of which more is said: constraints, defaults and so on.

The library says what a table with such columns is, and takes none of the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from deltalake import DeltaTable, Schema
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_alter import to_alter
from flowcat_jupyter.formats.delta_assign import plan_assignment
from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    assigned_rows,
    check_replaceable,
    committing_to,
    partition_names,
)
from flowcat_jupyter.formats.delta_defaults import check_default
from flowcat_jupyter.formats.delta_definition import (
    Defined,
    Protocol,
    commit_definition,
    commit_info,
    defined,
    write_commit,
)
from flowcat_jupyter.formats.delta_fields import struct_of
from flowcat_jupyter.formats.delta_files import removals
from flowcat_jupyter.formats.delta_log import checked_location
from flowcat_jupyter.formats.delta_stage import staged
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.formats.types import polars_type, spark_columns, to_storable
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_definitions import Definition


def define_with(
    columns: Sequence[Column],
    definition: Definition,
    location: str,
    request: WriteRequest,
    partition_by: Sequence[str],
) -> int:
    """Make the table, or with a ``base_version`` replace one, rows and definition; its version."""
    location = checked_location(location)
    known = {name_key(column.name): column for column in columns}
    for name, text in definition.defaults.items():
        if text is not None:
            check_default(known[name_key(name)], text)
    _check_generated(columns, definition)
    partitions = partition_names(columns, partition_by)
    made, protocol = _as_library_says(columns, partitions, request)
    after = made.changed(definition)
    if request.base_version is not None:
        return _replaced(location, request, after, protocol)
    if has_log(location):
        raise AlreadyExists("table", f"at {location}")
    log = Path(location) / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    info = commit_info(request, "CREATE TABLE", {"mode": "ErrorIfExists"})
    said = [{"commitInfo": info}, protocol.with_features(after.features).action(), after.action()]
    _first(location, said)
    return 0


def _check_generated(columns: Sequence[Column], definition: Definition) -> None:
    """Check that what columns are computed from is of their types.

    :raises Invalid: it is not.
    """
    empty = pl.DataFrame(schema={column.name: polars_type(column.type) for column in columns})
    kinds = {column.name: polars_type(column.type) for column in columns}
    for name, text in definition.generated.items():
        try:
            found = empty.select(pl.sql_expr(text).alias("value")).schema["value"]
            # The library writes the name without quotes.
            empty.select(pl.sql_expr(name))
        except PolarsError as error:
            raise _not_computed(name, text) from error
        if found != kinds[name]:
            raise _not_computed(name, text)


def _not_computed(name: str, text: str) -> Invalid:
    return Invalid(
        f"Column {name} cannot be computed as {text}.",
        condition="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
        sqlstate="42K09",
        hint="Give the column the type of the expression, or cast it.",
    )


def make_with(
    frame: pl.LazyFrame,
    definition: Definition,
    location: str,
    request: WriteRequest,
    partition_by: Sequence[str],
) -> int:
    """Make a table of rows, or with a ``base_version`` replace one by it; its version."""
    location = checked_location(location)
    stored = to_storable(frame)
    schema = stored.collect_schema()
    columns = spark_columns(schema)
    partitions = partition_names(columns, partition_by)
    made, protocol = _as_library_says(columns, partitions, request)
    after = made.changed(definition)
    rows = assigned_rows(stored, plan_assignment(schema, columns), partitions)
    if request.base_version is None and has_log(location):
        raise AlreadyExists("table", f"at {location}")
    with staged(location, rows, partitions) as stage:
        files = [{"add": file} for file in stage.files]
        if request.base_version is not None:
            return _replaced(location, request, after, protocol, files)
        Path(location, "_delta_log").mkdir(parents=True, exist_ok=True)
        info = commit_info(request, "CREATE TABLE AS SELECT", {"mode": "ErrorIfExists"})
        info["operationMetrics"] = {"num_added_rows": stage.rows, "num_added_files": len(files)}
        protocol = protocol.with_features(after.features)
        _first(location, [{"commitInfo": info}, protocol.action(), after.action(), *files])
    return 0


def _first(location: str, actions: Sequence[dict[str, Any]]) -> None:
    try:
        write_commit(location, 0, actions)
    except Conflict as error:
        raise AlreadyExists("table", f"at {location}") from error


def _replaced(
    location: str,
    request: WriteRequest,
    after: Defined,
    protocol: Protocol,
    added: Sequence[dict[str, Any]] = (),
) -> int:
    snapshot = to_alter(location, request)
    check_replaceable(snapshot)
    after = replace(after, id=defined(snapshot).id)
    return commit_definition(
        snapshot,
        request,
        after,
        "CREATE OR REPLACE TABLE",
        {"mode": "Overwrite"},
        files=(*removals(snapshot), *added),
        needs=protocol,
    )


def _as_library_says(
    columns: Sequence[Column], partition_by: Sequence[str], request: WriteRequest
) -> tuple[Defined, Protocol]:
    """What the library would write of a table with such columns."""
    schema = Schema.from_json(json.dumps(struct_of(columns)))
    with TemporaryDirectory(prefix="flowcat-define-") as folder, committing_to(folder, request):
        table = DeltaTable.create(folder, schema=schema, partition_by=list(partition_by) or None)
        told = table.metadata()
        made = Defined(
            id=str(told.id),
            name=told.name,
            description=told.description,
            created=told.created_time,
            fields=tuple(struct_of(columns)["fields"]),
            partition_by=tuple(partition_by),
            configuration={},
        )
        return made, _protocol(table)


def _protocol(table: DeltaTable) -> Protocol:
    said: Any = table.protocol()
    return Protocol(
        said.min_reader_version,
        said.min_writer_version,
        frozenset(said.reader_features or ()),
        frozenset(said.writer_features or ()),
    )
