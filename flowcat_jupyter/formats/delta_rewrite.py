"""A Delta table's rows written again in other columns, as one version.

The library maps no columns, so that one dropped, renamed, retyped or moved changes every file.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_alter import to_alter
from flowcat_jupyter.formats.delta_assign import Assignment, Cast, cast_kind
from flowcat_jupyter.formats.delta_commit import (
    Rows,
    WriteRequest,
    assigned_rows,
    check_replaceable,
    partition_names,
)
from flowcat_jupyter.formats.delta_defaults import DEFAULT, filled
from flowcat_jupyter.formats.delta_definition import (
    Defined,
    commit_definition,
    defined,
    protocol_of,
)
from flowcat_jupyter.formats.delta_fields import field_of
from flowcat_jupyter.formats.delta_files import removals
from flowcat_jupyter.formats.delta_generated import GENERATED
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.formats.delta_properties import constraints_of
from flowcat_jupyter.formats.delta_scan import OpenedDelta
from flowcat_jupyter.formats.delta_stage import staged
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded
from flowcat_jupyter.shared.wire_alter import Moved


def rewrite_table(
    location: str,
    request: WriteRequest,
    columns: Sequence[Moved],
    operation: str,
    parameters: Mapping[str, str],
) -> int:
    """Write the rows again and return how many they are; see `AlterableFormat.rewrite`."""
    snapshot = to_alter(location, request)
    check_replaceable(snapshot)
    before = defined(snapshot)
    _check_whole(snapshot, before)
    _check_read(snapshot, columns)
    after = _redefined(before, columns)
    rows = _rows(snapshot, columns)
    _check_defaults(after, columns)
    with staged(snapshot.location, rows, after.partition_by) as stage:
        removed = list(removals(snapshot))
        actions = [*removed, *({"add": file} for file in stage.files)]
        commit_definition(
            snapshot,
            request,
            after,
            operation,
            parameters,
            files=actions,
            needs=stage.protocol,
            metrics={
                "num_added_files": len(stage.files),
                "num_removed_files": len(removed),
                "num_added_rows": stage.rows,
            },
        )
    return stage.rows


def _check_whole(snapshot: Snapshot, before: Defined) -> None:
    """Check that nothing of the table would be lost.

    :raises Invalid: something would; it is named.
    """
    protocol_of(snapshot)
    generated = [field["name"] for field in before.fields if GENERATED in field["metadata"]]
    lost = {
        "deletion vectors": bool(snapshot.deletions),
        f"generated columns ({', '.join(generated)})": bool(generated),
        "the change data feed": before.configuration.get("delta.enableChangeDataFeed") == "true",
    }
    named = ", ".join(what for what, there in lost.items() if there)
    if named:
        raise Invalid(
            f"The table's columns cannot be changed, which would write it again, for it has: "
            f"{named}.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Write a copy: CREATE TABLE … AS SELECT the columns in their new shape.",
        )
    free = shutil.disk_usage(snapshot.location).free
    needed = sum(file.size for file in snapshot.files())
    if needed > free:
        raise LimitExceeded(
            f"To write the table again takes about {needed / 1_000_000:,.0f} MB, and its disk has "
            f"{free / 1_000_000:,.0f} MB free.",
            hint="Make room; old versions go with VACUUM.",
        )


def _check_read(snapshot: Snapshot, columns: Sequence[Moved]) -> None:
    """Check that every constraint still finds what it reads.

    :raises Invalid: one would not.
    """
    kept = {moved.column.name for moved in columns if moved.column.name == moved.source}
    for name, text in constraints_of(snapshot).items():
        try:
            read = set(pl.sql_expr(text).meta.root_names())
        except PolarsError:
            read = {column.name for column in snapshot.columns}
        lost = ", ".join(sorted(read - kept))
        if lost:
            raise Invalid(
                f"The constraint {name} ({text}) reads {lost}.",
                condition="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
                sqlstate="42K09",
                hint=f"Write DROP CONSTRAINT {name} first; nothing was changed.",
            )


def _redefined(before: Defined, columns: Sequence[Moved]) -> Defined:
    """The definition with other columns: what is said of one stays with it."""
    own = {field["name"]: field for field in before.fields}
    fields = []
    for moved in columns:
        old = own.get(moved.source) if moved.source is not None else None
        new = field_of(moved.column)
        if old is not None:
            metadata = {**old["metadata"], **new["metadata"]}
            kept = old["type"] if _bare(old["type"]) == _bare(new["type"]) else new["type"]
            new = {**new, "type": kept, "metadata": metadata}
        fields.append(new)
    called = {moved.source: moved.column.name for moved in columns if moved.source is not None}
    wanted = [called[name] for name in before.partition_by if name in called]
    if len(wanted) < len(before.partition_by):
        gone = [name for name in before.partition_by if name not in called]
        raise Invalid(
            f"The table is partitioned by {', '.join(gone)}, which cannot go.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Write a copy that is partitioned otherwise: CREATE TABLE … PARTITIONED BY.",
        )
    partition_by = partition_names([moved.column for moved in columns], wanted)
    return replace(before, fields=tuple(fields), partition_by=partition_by)


def _check_defaults(after: Defined, columns: Sequence[Moved]) -> None:
    """Check that every default still fits its column.

    :raises Invalid: one does not.
    """
    for field, moved in zip(after.fields, columns, strict=True):
        text = field["metadata"].get(DEFAULT)
        try:
            if text is not None:
                filled([moved.column], {moved.column.name: str(text)})
        except Invalid as error:
            raise Invalid(
                f"Column {moved.column.name} has the default {text}, which is no "
                f"{moved.column.type}.",
                condition="INVALID_DEFAULT_VALUE.DATA_TYPE",
                sqlstate="42623",
                hint=f"Write ALTER COLUMN {moved.source} DROP DEFAULT first; nothing was changed.",
            ) from error


def _bare(kind: Any) -> Any:
    """A type without what may be NULL inside it and what is said of its parts."""
    if not isinstance(kind, dict):
        return kind
    told = {key: value for key, value in kind.items() if key != "containsNull"}
    if "fields" in told:
        told["fields"] = [(part["name"], _bare(part["type"])) for part in told["fields"]]
    if "elementType" in told:
        told["elementType"] = _bare(told["elementType"])
    return told


def _rows(snapshot: Snapshot, columns: Sequence[Moved]) -> Rows:
    frame = OpenedDelta(snapshot, snapshot.label).scan().frame
    schema = pl.Schema({column.name: polars_type(column.type) for column in snapshot.columns})
    # The scan widens whole numbers; that they were not too large is known.
    plans = [_plan(moved, schema) for moved in columns]
    return assigned_rows(frame, plans, ())


def _plan(moved: Moved, schema: pl.Schema) -> Assignment:
    column = moved.column
    if moved.source is None:
        return Assignment(column, None, Cast.FREE)
    kind = cast_kind(schema[moved.source], polars_type(column.type))
    if kind is Cast.REFUSED:
        raise Invalid(
            f"Column {moved.source} cannot become {column.type}: its values would not all be kept.",
            condition="DELTA_ALTER_TABLE_CHANGE_COL_NOT_SUPPORTED",
            sqlstate="42837",
            hint=f"Say what becomes of them with CAST({moved.source} AS {column.type.upper()}) in "
            "the query of a CREATE OR REPLACE TABLE … AS SELECT.",
        )
    checked = kind if schema[moved.source] != polars_type(column.type) else Cast.FREE
    return Assignment(column, moved.source, checked)
