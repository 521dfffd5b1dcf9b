"""Catalogs of many tables, made in bulk, as catalogs that have grown hold them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.engine import connect
from flowcat_jupyter.shared.schema import namespaces, securables, tables
from flowcat_jupyter.shared.wire import Column

COLUMNS = (
    Column("id", "bigint"),
    Column("Carrier", "string", comment="Two letters of an airline"),
    Column("depDelay", "double"),
)
PER_SCHEMA = 100
FIRST = 1000
"""The catalog's id; its schemas follow it, and then the tables."""
BATCH = 5000


def fill(engine: Engine, count: int, at: datetime) -> int:
    """Add a catalog of ``count`` tables in schemas of a hundred; the first schema's id."""
    schemas = range(FIRST + 1, FIRST + 1 + -(-count // PER_SCHEMA))
    first = schemas.stop
    with connect(engine, write=True) as connection, connection.begin():
        connection.execute(securables.insert(), [_node(FIRST, "catalog", 1, "many", at)])
        connection.execute(
            securables.insert(),
            [_node(key, "schema", FIRST, f"schema_{key:06}", at) for key in schemas],
        )
        connection.execute(
            namespaces.insert(),
            [{"securable_id": key, "level": int(key != FIRST)} for key in (FIRST, *schemas)],
        )
        ids = iter(range(first, first + count))
        while some := list(islice(ids, BATCH)):
            nodes = (
                _node(key, "table", schemas[(key - first) // PER_SCHEMA], f"table_{key:07}", at)
                for key in some
            )
            connection.execute(securables.insert(), list(nodes))
            connection.execute(tables.insert(), list(_facts(some)))
        search_index.rebuild(connection)
    return schemas[0]


def _node(key: int, kind: str, parent: int, name: str, at: datetime) -> dict[str, Any]:
    return {
        "id": key,
        "uuid": str(uuid4()),
        "kind": kind,
        "space": "relation" if kind == "table" else kind,
        "parent_id": parent,
        "name": name,
        "name_key": name,
        "owner": "local",
        "created_at": at,
        "created_by": "local",
        "updated_at": at,
        "updated_by": "local",
    }


def _facts(ids: list[int]) -> Iterator[dict[str, Any]]:
    columns = [asdict(column) for column in COLUMNS]
    for key in ids:
        yield {
            "securable_id": key,
            "table_type": "managed",
            "format": "delta",
            "location": f"/managed/{key}",
            "columns": columns,
            "partition_columns": [],
            "row_count": key,
        }
