"""Delta tables as other engines leave them, made by hand from the protocol's text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flowcat_jupyter.shared.wire import Source
from tests.support.deletion_vectors import deletion_vector

SPARK = {pa.int32(): "integer", pa.int64(): "long", pa.string(): "string", pa.int16(): "short"}


class Foreign:
    """A table of another writer's: files anywhere, a log written line by line."""

    def __init__(self, path: Path, *, features: tuple[str, ...] = (), mapping: str = "none"):
        self.path = path
        self.log = path / "_delta_log"
        self.log.mkdir(parents=True)
        self.features = list(features) + (["columnMapping"] if mapping != "none" else [])
        self.mapping = mapping
        self.version = 0
        self.partitions: tuple[str, ...] = ()
        self.added: list[dict[str, Any]] = []

    def source(self, **options: Any) -> Source:
        return Source("r1", "table", ("m", "s", "t"), "delta", str(self.path), **options)

    def commit(self, *actions: dict[str, Any], timestamp: int = 1) -> None:
        lines = [{"commitInfo": {"timestamp": timestamp, "operation": "WRITE"}}, *actions]
        text = "\n".join(json.dumps(line) for line in lines)
        (self.log / f"{self.version:020}.json").write_text(text, encoding="utf-8")
        self.version += 1

    def physical(self, name: str) -> str:
        return f"col-{name.encode().hex()}" if self.mapping != "none" else name

    def begin(self, fields: list[tuple[str, Any]], partitions: tuple[str, ...] = ()) -> None:
        """Version 0: the protocol and the columns; a type is the log's own JSON."""
        self.partitions = partitions
        self.commit(*self.head(fields, partitions))

    def head(self, fields, partitions):
        protocol: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
        if self.features:
            both = {"readerFeatures": self.features, "writerFeatures": self.features}
            protocol = {"minReaderVersion": 3, "minWriterVersion": 7, **both}
        made = [
            {"name": name, "type": kind, "nullable": True, "metadata": self._mapped(name, at)}
            for at, (name, kind) in enumerate(fields, start=1)
        ]
        settings = {}
        if self.mapping != "none":
            settings = {
                "delta.columnMapping.mode": self.mapping,
                "delta.columnMapping.maxColumnId": str(len(fields)),
            }
        meta = {
            "id": "0000",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": made}),
            "partitionColumns": list(partitions),
            "configuration": settings,
        }
        return {"protocol": protocol}, {"metaData": meta}

    def _mapped(self, name: str, at: int) -> dict[str, Any]:
        if self.mapping == "none":
            return {}
        return {
            "delta.columnMapping.id": at,
            "delta.columnMapping.physicalName": self.physical(name),
        }

    def file(
        self,
        rows: pa.Table,
        name: str,
        values: dict[str, str | None] | None = None,
        *,
        deleted: list[int] | None = None,
        written: str | None = None,
        stats: bool = True,
    ) -> dict[str, Any]:
        """Write a data file and give its action; ``written`` is how the log spells its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        order = {field: at for at, field in enumerate(rows.column_names, start=1)}
        fields = [
            pa.field(
                self.physical(f.name), f.type, metadata={"PARQUET:field_id": str(order[f.name])}
            )
            for f in rows.schema
        ]
        pq.write_table(pa.table(rows.columns, schema=pa.schema(fields)), path)
        add: dict[str, Any] = {
            "path": written or name,
            "partitionValues": {self.physical(k): v for k, v in (values or {}).items()},
            "size": path.stat().st_size,
            "modificationTime": 1,
            "dataChange": True,
        }
        if stats:
            add["stats"] = json.dumps(self._stats(rows))
        elif deleted:
            # The protocol asks for this one.
            add["stats"] = json.dumps({"numRecords": rows.num_rows})
        if deleted:
            add["deletionVector"] = deletion_vector(deleted)
        self.added.append(add)
        return {"add": add}

    def _stats(self, rows: pa.Table) -> dict[str, Any]:
        frame = pl.DataFrame(rows)
        plain = [s for s in frame if not s.dtype.is_nested() and s.dtype != pl.Boolean]
        known = [s for s in plain if s.null_count() < s.len()]
        return {
            "numRecords": frame.height,
            "minValues": {self.physical(s.name): _json(s.min()) for s in known},
            "maxValues": {self.physical(s.name): _json(s.max()) for s in known},
            "nullCount": {self.physical(s.name): s.null_count() for s in plain},
        }


def _json(value: Any) -> Any:
    return value if isinstance(value, (int, float, str)) else str(value)


@pytest.fixture
def make_foreign(tmp_path):
    def make(*parts: str, **options: Any) -> Foreign:
        return Foreign(tmp_path.joinpath(*(parts or ("t",))), **options)

    return make
