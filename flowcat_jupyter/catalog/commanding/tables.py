"""DESCRIBE of a table, one of its columns or one of its partitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flowcat_jupyter.catalog.commanding.details import details, view_details
from flowcat_jupyter.catalog.commanding.logs import one_partition
from flowcat_jupyter.catalog.commanding.rows import Read, Rows, Value, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.directory import source_of
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.views import ViewText, not_a_table
from flowcat_jupyter.catalog.store.rows import TableRow, ViewRow
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_shows import DetailInfo, DetailJob

_UNKNOWN = "NULL"
_STATISTICS = (
    "min",
    "max",
    "num_nulls",
    "distinct_count",
    "avg_col_len",
    "max_col_len",
    "histogram",
)
Listed = list[tuple[Value, ...]]


def describe_table(scene: Scene, statement: Describe) -> Rows | Read:
    """What there is to say of a table.

    :raises SqlError: there is no such table, column or partition.
    """
    found = scene.relation(statement.name)
    if statement.column:
        return one_column(found.columns, found.sql_name, statement)
    if not isinstance(found, TableRow):
        return _view(scene, statement, found)
    return _table(scene, statement, found)


def _view(scene: Scene, statement: Describe, view: ViewRow | ViewText) -> Rows:
    if statement.as_json or statement.partition:
        raise not_a_table(view.sql_name)
    rows = listed_columns(view.columns)
    if statement.extended and isinstance(view, ViewRow):
        rows += [("", "", ""), ("# Detailed Table Information", "", "")]
        rows += [(key, value, "") for key, value in view_details(view, scene.zone)]
    return Rows(columns_heading(), tuple(rows))


def _table(scene: Scene, statement: Describe, table: TableRow) -> Rows | Read:
    if statement.as_json:
        return Rows(texts("json_metadata"), ((json.dumps(_as_json(table)),),))
    rows = [*listed_columns(table.columns, table.partition_columns)]
    if statement.partition:
        return one_partition(table, statement, rows, scene.zone)
    if not statement.extended:
        return Rows(columns_heading(), tuple(rows))
    rows += _extended(scene, table)
    if table.format != "delta" or table.broken or not table.reads:
        return Rows(columns_heading(), tuple(rows))

    def told(info: DetailInfo) -> Rows:
        return Rows(columns_heading(), (*rows, *_defaults(table, info.defaults)))

    return Read(DetailJob(source_of(table)), told)


def columns_heading() -> tuple[Column, ...]:
    """The columns of a DESCRIBE that lists columns."""
    return texts("col_name", "data_type", "comment", nullable="comment")


def listed_columns(columns: tuple[Column, ...], partitions: tuple[str, ...] = ()) -> Listed:
    """A row for each column, and once more for those that rows are partitioned by."""
    rows: Listed = [(c.name, c.type, c.comment) for c in columns]
    if partitions:
        known = {c.name: c for c in columns}
        rows += [("# Partition Information", "", ""), ("# col_name", "data_type", "comment")]
        rows += [
            (name, known[name].type, known[name].comment) if name in known else (name, "", "")
            for name in partitions
        ]
    return rows


def _extended(scene: Scene, table: TableRow) -> Listed:
    rows: Listed = [("", "", ""), ("# Detailed Table Information", "", "")]
    rows += [(key, value, "") for key, value in details(table, scene.zone)]
    if table.constraints:
        rows += [("", "", ""), ("# Constraints", "", "")]
        rows += [
            (name, f"CHECK ({condition})", "")
            for name, condition in sorted(table.constraints.items())
        ]
    return rows


def _defaults(table: TableRow, defaults: Mapping[str, str]) -> Listed:
    if not defaults:
        return []
    rows: Listed = [("", "", ""), ("# Column Default Values", "", "")]
    rows += [(c.name, c.type, defaults[c.name]) for c in table.columns if c.name in defaults]
    return rows


def one_column(columns: tuple[Column, ...], table: str, statement: Describe) -> Rows:
    """One column of the table called ``table``, which has these.

    :raises SqlError: it has no such column.
    """
    found = {name_key(column.name): column for column in columns}
    (first, *inner) = statement.column
    column = found.get(name_key(first))
    if column is None:
        raise SqlError(
            f"The table {table} has no column {TableName(statement.column).sql}.",
            condition="COLUMN_NOT_FOUND",
            sqlstate="42703",
            hint=f"It has: {', '.join(c.name for c in columns)}.",
        )
    if inner:
        raise SqlError(
            f"{TableName(statement.column).sql} is a part of a column, which is not described.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint=f"Describe the column: DESCRIBE {table} {first}.",
        )
    rows: Listed = [
        ("col_name", column.name),
        ("data_type", column.type),
        ("comment", column.comment or _UNKNOWN),
    ]
    if statement.extended:
        rows += [(name, _UNKNOWN) for name in _STATISTICS]
    return Rows(texts("info_name", "info_value"), tuple(rows))


def _as_json(table: TableRow) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "table_name": table.name,
        "catalog_name": table.path[0],
        "namespace": [table.path[1]],
        "schema_name": table.path[1],
        "columns": [_json_column(column) for column in table.columns],
        "owner": table.owner,
        "location": table.public_location,
        "created_time": f"{table.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "last_access": "UNKNOWN",
        "created_by": table.created_by,
        "type": (table.table_type or "").upper(),
        "provider": table.format,
        "comment": table.description,
        "table_properties": dict(sorted(table.properties.items())),
        "partition_provider": "Catalog" if table.partition_columns else None,
        "partition_columns": list(table.partition_columns),
    }
    return {key: value for key, value in facts.items() if value not in (None, "", [], {})}


def _json_column(column: Column) -> dict[str, Any]:
    told = {
        "name": column.name,
        "type": _json_type(parse_type(column.type)),
        "nullable": column.nullable,
    }
    return {**told, "comment": column.comment} if column.comment else told


def _json_type(kind: DataType) -> dict[str, Any]:
    told: dict[str, Any] = {"name": kind.kind}
    if kind.kind == "decimal":
        told |= {"precision": kind.precision, "scale": kind.scale}
    elif kind.kind == "array" and kind.element:
        told |= {"element_type": _json_type(kind.element), "element_nullable": True}
    elif kind.kind == "map" and kind.key and kind.element:
        told |= {
            "key_type": _json_type(kind.key),
            "value_type": _json_type(kind.element),
            "value_nullable": True,
        }
    elif kind.kind == "struct":
        told["fields"] = [
            {"name": part.name, "type": _json_type(part.type), "nullable": part.nullable}
            for part in kind.fields
        ]
    elif kind.kind == "string":
        told["collation"] = "UTF8_BINARY"
    elif kind.kind == "timestamp":
        told["name"] = "timestamp_ltz"
    return told
