"""A Delta table's log: opening one version, its files, and refusing what we would misread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

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
    mapping: str = "none"

    @cached_property
    def actions(self) -> pl.DataFrame:
        """What the log says of each file: path, size, partition values and statistics."""
        with translated(self.location):
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
        deleted = {path: (~keep).sum() for path, keep in self.deletions().items()}
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

    def deletions(self) -> dict[str, pl.Series]:
        """Path to a mask of the rows that stand, for files that have deleted rows."""
        return self._deletions

    @cached_property
    def _deletions(self) -> dict[str, pl.Series]:
        if "deletionVectors" not in (self.table.protocol().reader_features or ()):
            return {}
        with translated(self.location):
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
        return decoded if decoded.startswith("/") else str(Path(self.location, decoded))


def open_snapshot(source: Source) -> Snapshot:
    """Open a source at its version, at its timestamp, or at the newest version.

    :raises NotFound: there is no table.
    :raises Invalid: there is no such version, or the table needs a feature we do not have.
    """
    location = checked_location(source.location)
    label = ".".join(quote(part) for part in source.name) or location
    if not has_log(location):
        raise NotFound("table data", label, hint="The folder holds no Delta table.")
    version = source.version
    if version is None and source.timestamp is not None:
        version = version_at(location, source.timestamp, label)
    if version is not None:
        _check_version(location, version, label)
    with translated(label):
        table = DeltaTable(location, version=version, storage_options=source.storage_options)
    return snapshot_of(table, location, label)


def snapshot_of(table: DeltaTable, location: str, label: str) -> Snapshot:
    """The snapshot of a handle that is already open.

    :raises Invalid: the table needs a feature we do not have; it is named.
    """
    check_readable(table, label)
    columns = declared_columns(table)
    partition_columns = tuple(table.metadata().partition_columns)
    if any(c.type == "binary" for c in columns if c.name in partition_columns):
        raise unsupported("binary partition columns", label)
    return Snapshot(
        table=table,
        location=location,
        version=table.version(),
        columns=columns,
        partition_columns=partition_columns,
        mapping=_mapping(table),
    )


def checked_location(location: str) -> str:
    """The absolute local path of a location that the library can take.

    :raises Invalid: it cannot.
    """
    return check_delta_path(local_path(location))


def has_log(location: str) -> bool:
    """Whether there is a committed Delta log at a local path."""
    return any(_log(location).glob("*.json")) or any(_log(location).glob("*.checkpoint*"))


def _log(location: str) -> Path:
    return Path(location) / "_delta_log"


def commit_count(location: str, newest: int) -> int:
    """How many commits up to a version are on record."""
    return sum(version <= newest for version in _committed(location))


def _committed(location: str) -> list[int]:
    return sorted(int(p.stem) for p in _log(location).glob("*.json") if p.stem.isdigit())


def known_versions(location: str) -> tuple[int, int]:
    """The oldest version that can be opened, and the newest."""
    committed = _committed(location)
    marks = {
        int(path.name.split(".", 1)[0])
        for path in _log(location).glob("*.checkpoint*")
        if path.name.split(".", 1)[0].isdigit()
    }
    newest = max([*committed, *marks], default=-1)
    oldest = 0 if committed[:1] == [0] else min(marks, default=newest)
    return oldest, newest


def _check_version(location: str, version: int, label: str) -> None:
    oldest, newest = known_versions(location)
    if oldest <= version <= newest:
        return
    raise _no_version(
        f"There is no version {version} of {label}.",
        f"Versions {oldest} to {newest} can be read.",
    )


def _no_version(message: str, hint: str) -> Invalid:
    return Invalid(message, condition="DELTA_VERSION_NOT_FOUND", sqlstate="22003", hint=hint)


def version_at(location: str, timestamp: str, label: str) -> int:
    """The newest version committed at or before an ISO 8601 time; without a zone it is UTC.

    :raises Invalid: it is not a time, or lies before the oldest version on record.
    """
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError as error:
        raise Invalid(
            f"{timestamp!r} is not a time.",
            condition="INVALID_TIMESTAMP_FORMAT",
            sqlstate="22007",
            hint="Write it as 2026-01-31 12:00:00.",
        ) from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    wanted = moment.timestamp() * 1000
    oldest, newest = known_versions(location)
    first = 0
    for commit in commits(location, newest):
        first = commit_millis(location, commit)
        if commit["version"] < oldest:
            break
        if first <= wanted:
            return int(commit["version"])
    raise _no_version(
        f"{label} has no version as old as {timestamp}.",
        f"Its oldest version is of {iso_utc(first)}.",
    )


def commits(location: str, newest: int) -> Iterator[dict[str, Any]]:
    """What is recorded of each commit up to a version, newest first, with its ``version``.

    Read here because the library's own history is empty under some folder names, and counts
    wrongly from an old version.
    """
    for version in range(newest, -1, -1):
        path = _log(location) / f"{version:020}.json"
        if path.is_file():
            yield {**_commit_info(path), "version": version}


def _commit_info(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if '"commitInfo"' in line:
                info = json.loads(line).get("commitInfo")
                if isinstance(info, dict):
                    return info
    return {}


def commit_millis(location: str, commit: dict[str, Any]) -> int:
    """When a commit was made, in milliseconds since 1970; the file's own time as a last resort."""
    stamp = commit.get("inCommitTimestamp") or commit.get("timestamp")
    if stamp is not None:
        return int(stamp)
    return int((_log(location) / f"{commit['version']:020}.json").stat().st_mtime * 1000)


def iso_utc(millis: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="milliseconds")


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


def declared_columns(table: DeltaTable) -> tuple[Column, ...]:
    """A table's columns as its log declares them."""
    fields = json.loads(table.schema().to_json())["fields"]
    return tuple(
        Column(
            name=field["name"],
            type=_ddl(field["type"], field["name"]),
            nullable=field["nullable"],
            comment=field["metadata"].get("comment"),
        )
        for field in fields
    )


def _ddl(kind: Any, column: str) -> str:
    if isinstance(kind, str):
        if kind in ("variant", "interval"):
            raise unsupported(f"type {kind} of column {column}", "The table")
        return _SPARK_NAMES.get(kind, kind)
    if kind["type"] == "array":
        return f"array<{_ddl(kind['elementType'], column)}>"
    if kind["type"] == "map":
        return f"map<{_ddl(kind['keyType'], column)},{_ddl(kind['valueType'], column)}>"
    parts = (f"{quote(part['name'])}:{_ddl(part['type'], column)}" for part in kind["fields"])
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
    reason = text.removeprefix("Kernel error: ").splitlines()[0]
    return Invalid(f"The Delta log of {label} cannot be read: {reason}.")


def gone(label: str) -> Gone:
    """The error for data that have been vacuumed away."""
    return Gone(
        f"Data files of {label} have been removed.",
        condition="DELTA_FILE_NOT_FOUND",
        sqlstate="42K03",
        hint="Old versions lose their files when the table is vacuumed; read a newer version.",
    )
