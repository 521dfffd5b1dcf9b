"""A Delta table's log: opening one version, its files, and refusing what we would misread."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import polars as pl
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from flowcat_jupyter.formats.delta_versions import check_version, has_log, version_at
from flowcat_jupyter.formats.protocol import label_of
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import FlowcatError, Gone, Invalid, NotFound, Unavailable
from flowcat_jupyter.shared.names import quote
from flowcat_jupyter.shared.wire import Column, Source
from flowcat_jupyter.storage.paths import check_delta_path, local_path

# What the library or our own scan carries out in full. The library lists variantType on tables
# without a variant column, so that one is judged by the columns.
_READABLE = {
    "columnMapping",
    "timestampNtz",
    "deletionVectors",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantType",
    "variantType-preview",
}
_PLACE = re.compile(r"file://\S+")
_SPARK_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}


@dataclass(frozen=True)
class DataFile:
    """One file of a version: its absolute path, its partition values as the log spells them, the
    number of rows that are not deleted (None: not recorded) and its size.
    """

    path: str
    partition: tuple[str | None, ...]
    rows: int | None
    size: int


@dataclass(frozen=True)
class Snapshot:
    """One version of a table. ``table`` is the library's handle on it."""

    table: DeltaTable
    location: str
    version: int
    columns: tuple[Column, ...]
    partition_columns: tuple[str, ...]
    label: str
    mapping: str = "none"

    @cached_property
    def actions(self) -> pl.DataFrame:
        """What the log says of each file: path, size, partition values and statistics."""
        with translated(self.label):
            return pl.DataFrame(self.table.get_add_actions(flatten=False))

    def physical_names(self) -> dict[str, str]:
        """Each column's name inside the files, by its own name."""
        fields = json.loads(self.table.schema().to_json())["fields"]
        key = "delta.columnMapping.physicalName"
        return {field["name"]: field["metadata"].get(key, field["name"]) for field in fields}

    def files(self) -> list[DataFile]:
        """The version's files, in the log's order."""
        actions = self.actions
        values = self._partition_values(actions)
        deleted = {path: (~keep).sum() for path, keep in self.deletions.items()}
        rows = actions.select("path", "num_records", "size_bytes").rows()
        return [
            DataFile(
                path=(path := self._absolute(name)),
                partition=values[index],
                rows=None if count is None else count - deleted.get(path, 0),
                size=size,
            )
            for index, (name, count, size) in enumerate(rows)
        ]

    @cached_property
    def deletions(self) -> dict[str, pl.Series]:
        """Path to a mask of the rows that stand, for files that have deleted rows."""
        if "deletionVectors" not in (self.table.protocol().reader_features or ()):
            return {}
        with translated(self.label):
            vectors = pl.DataFrame(self.table.deletion_vectors())
        masks = zip(vectors["filepath"], vectors["selection_vector"], strict=True)
        return {unquote(uri.removeprefix("file://")): mask for uri, mask in masks}

    def _partition_values(self, actions: pl.DataFrame) -> list[tuple[str | None, ...]]:
        if not self.partition_columns:
            return [()] * actions.height
        parts = actions["partition"].struct.unnest().select(exactly(*self.partition_columns))
        return parts.cast(pl.String).rows()

    def _absolute(self, name: str) -> str:
        # The log holds names percent-encoded once more than they are on disk.
        decoded = unquote(name)
        if decoded.startswith("file://"):
            return decoded.removeprefix("file://")
        return decoded if decoded.startswith("/") else f"{self.location.rstrip('/')}/{decoded}"


def open_snapshot(source: Source) -> Snapshot:
    """Open a source at its version, at its timestamp, or at the newest version.

    :raises NotFound: there is no table.
    :raises Invalid: there is no such version, or the table needs a feature we do not have.
    """
    location = checked_location(source.location)
    label = label_of(source)
    if not has_log(location):
        raise NotFound("table data", label, hint="The folder holds no Delta table.")
    version = source.version
    if version is None and source.timestamp is not None:
        version = version_at(location, source.timestamp, label)
    if version is not None:
        check_version(location, version, label)
    with translated(label):
        table = DeltaTable(location, version=version, storage_options=source.storage_options)
    return snapshot_of(table, location, label)


def snapshot_of(table: DeltaTable, location: str, label: str) -> Snapshot:
    """The snapshot of a handle that is already open.

    :raises Invalid: the table needs a feature we do not have; it is named.
    """
    check_readable(table, label)
    columns = declared_columns(table, label)
    partition_columns = tuple(table.metadata().partition_columns)
    if any(c.type == "binary" for c in columns if c.name in partition_columns):
        raise unsupported("binary partition columns", label)
    return Snapshot(
        table=table,
        location=location,
        version=table.version(),
        columns=columns,
        partition_columns=partition_columns,
        label=label,
        mapping=_mapping(table),
    )


def checked_location(location: str) -> str:
    """The absolute local path of a location that the library can take.

    :raises Invalid: it cannot.
    """
    return check_delta_path(local_path(location))


def check_readable(table: DeltaTable, label: str) -> None:
    """Refuse a table whose rows or columns we would get wrong.

    :raises Invalid: the feature is named.
    """
    protocol = table.protocol()
    mapping = _mapping(table)
    wanted = set(protocol.reader_features or ())
    if mapping not in ("none", "name", "id"):
        raise unsupported(f"column mapping (mode {mapping})", label)
    unknown = sorted(wanted - _READABLE)
    if unknown or protocol.min_reader_version > 3:
        raise unsupported(", ".join(unknown) or f"reader {protocol.min_reader_version}", label)


def _mapping(table: DeltaTable) -> str:
    return str(table.metadata().configuration.get("delta.columnMapping.mode", "none"))


def unsupported(feature: str, label: str) -> Invalid:
    """The refusal of a table for its features."""
    return Invalid(
        f"{label} uses a Delta feature that is not supported: {feature}.",
        condition="DELTA_UNSUPPORTED_FEATURES_FOR_READ",
        sqlstate="56038",
        hint="Read it with an engine that has the feature, or write a copy without it.",
    )


def declared_columns(table: DeltaTable, label: str) -> tuple[Column, ...]:
    """The columns of a table, which people call ``label``, as its log declares them.

    :raises Invalid: one is of a type that is not read.
    """
    fields = json.loads(table.schema().to_json())["fields"]
    return tuple(
        Column(
            name=field["name"],
            type=_ddl(field["type"], field["name"], label),
            nullable=field["nullable"],
            comment=field["metadata"].get("comment"),
        )
        for field in fields
    )


def _ddl(kind: Any, column: str, label: str) -> str:
    if isinstance(kind, str):
        if kind in ("variant", "interval"):
            raise unsupported(f"type {kind} of column {column}", label)
        return _SPARK_NAMES.get(kind, kind)
    if kind["type"] == "array":
        return f"array<{_ddl(kind['elementType'], column, label)}>"
    if kind["type"] == "map":
        pair = (_ddl(kind[part], column, label) for part in ("keyType", "valueType"))
        return f"map<{','.join(pair)}>"
    parts = (
        f"{quote(part['name'])}:{_ddl(part['type'], column, label)}" for part in kind["fields"]
    )
    return f"struct<{','.join(parts)}>"


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Turn the library's errors into ours."""
    try:
        yield
    except TableNotFoundError as error:
        raise NotFound("table data", label) from error
    except DeltaError as error:
        raise _translate(str(error), label) from error
    except FileNotFoundError as error:
        raise gone(label) from error
    except OSError as error:
        raise Unavailable(f"The data of {label} cannot be read: {error.strerror}.") from error


def _translate(text: str, label: str) -> FlowcatError:
    if "is not supported" in text and "Feature" in text:
        return unsupported(text.split("Feature", 1)[1].split("is not supported")[0].strip(), label)
    if "not found" in text.lower():
        return gone(label)
    if "catalog-managed" in text:
        return unsupported("catalogManaged", label)
    reason = _PLACE.sub("a file", text.removeprefix("Kernel error: ").splitlines()[0]).rstrip(".")
    hint = "Its file _last_checkpoint names one that is not there; delete that file."
    return Invalid(
        f"The Delta log of {label} cannot be read: {reason}.",
        hint=hint if "_last_checkpoint" in text else None,
    )


def gone(label: str) -> Gone:
    """The error for data that have been vacuumed away."""
    return Gone(
        f"Data files of {label} have been removed.",
        condition="DELTA_FILE_NOT_FOUND",
        sqlstate="42K03",
        hint="Old versions lose their files when the table is vacuumed; read a newer version.",
    )
