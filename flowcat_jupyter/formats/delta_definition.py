"""What a Delta table's log says a table is, and the commit that says it anew.

The library writes conditions back in words of its own, takes no properties but its own, and loses
comments and defaults with new columns. So such commits are written here, in the words of the
protocol: https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from flowcat_jupyter.formats.delta_commit import WriteRequest, moved
from flowcat_jupyter.formats.delta_defaults import DEFAULT
from flowcat_jupyter.formats.delta_generated import GENERATED, MARK
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.formats.delta_properties import CONSTRAINT
from flowcat_jupyter.formats.delta_versions import commit_file
from flowcat_jupyter.shared.errors import Conflict, Invalid, Unavailable
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire_alter import Definition

_LEGACY = {
    2: ("appendOnly", "invariants"),
    3: ("checkConstraints",),
    4: ("changeDataFeed", "generatedColumns"),
}
_NAMED = 7
"""The writer's version from which features are named one by one."""
# Those that a commit of ours leaves as true as they were.
_KNOWN = {
    *(name for names in _LEGACY.values() for name in names),
    "deletionVectors",
    "timestampNtz",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantType",
    "variantType-preview",
}


@dataclass(frozen=True)
class Protocol:
    """What readers and writers of a table must know."""

    reader: int
    writer: int
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def action(self) -> dict[str, Any]:
        """It as the log says it."""
        said: dict[str, Any] = {"minReaderVersion": self.reader, "minWriterVersion": self.writer}
        if self.reader >= 3:
            said["readerFeatures"] = sorted(self.reads)
        if self.writer >= _NAMED:
            said["writerFeatures"] = sorted(self.writes)
        return {"protocol": said}

    def with_features(self, wanted: Iterable[str]) -> Protocol:
        """It with features that readers need not know."""
        wanted = set(wanted)
        if self.writer >= _NAMED:
            return replace(self, writes=self.writes | wanted)
        known = [version for version, names in _LEGACY.items() if wanted.intersection(names)]
        return replace(self, writer=max([self.writer, *known]))

    def joined(self, other: Protocol) -> Protocol:
        """The least that knows what both know."""
        if other.writer < _NAMED:
            return replace(self, writer=max(self.writer, other.writer))
        own = {n for version, names in _LEGACY.items() if version <= self.writer for n in names}
        writes = (self.writes if self.writer >= _NAMED else own) | other.writes
        reads = self.reads | other.reads
        return Protocol(max(self.reader, other.reader), _NAMED, reads, frozenset(writes))


@dataclass(frozen=True)
class Defined:
    """A table as its log defines it: fields in the protocol's words, and its configuration."""

    id: str
    name: str | None
    description: str | None
    created: int | None
    fields: tuple[dict[str, Any], ...]
    partition_by: tuple[str, ...]
    configuration: dict[str, str]

    def action(self) -> dict[str, Any]:
        """It as the log says it."""
        said = {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": list(self.fields)}),
            "partitionColumns": list(self.partition_by),
            "configuration": self.configuration,
            "createdTime": self.created,
        }
        return {"metaData": said}

    def changed(self, change: Definition) -> Defined:
        """It with what a change says; columns are named as the table spells them or otherwise."""
        configuration = dict(self.configuration)
        said = {CONSTRAINT + name: text for name, text in change.constraints.items()}
        for key, value in {**change.properties, **said}.items():
            if value is None:
                configuration.pop(key, None)
            else:
                configuration[key] = value
        defaults = {name_key(name): text for name, text in change.defaults.items()}
        required = {name_key(name): held for name, held in change.required.items()}
        computed = {name_key(name): text for name, text in change.generated.items()}
        fields = tuple(_changed(field, defaults, required, computed) for field in self.fields)
        return replace(self, fields=fields, configuration=configuration)

    @property
    def features(self) -> set[str]:
        """What a writer must know of the table for what is said of it."""
        said = {key.lower(): str(value).lower() for key, value in self.configuration.items()}
        found = {
            "appendOnly": said.get("delta.appendonly") == "true",
            "changeDataFeed": said.get("delta.enablechangedatafeed") == "true",
            "checkConstraints": any(key.startswith(CONSTRAINT) for key in said),
            "invariants": not all(field["nullable"] for field in self.fields),
            "generatedColumns": any(GENERATED in field["metadata"] for field in self.fields),
        }
        return {name for name, wanted in found.items() if wanted}


def _changed(
    field: dict[str, Any],
    defaults: Mapping[str, str | None],
    required: Mapping[str, bool],
    computed: Mapping[str, str],
) -> dict[str, Any]:
    key = name_key(field["name"])
    metadata = dict(field["metadata"])
    if key in computed:
        metadata |= {GENERATED: computed[key], MARK: "true"}
    if key in defaults:
        text = defaults[key]
        if text is None:
            metadata.pop(DEFAULT, None)
        else:
            metadata[DEFAULT] = text
    nullable = not required[key] if key in required else field["nullable"]
    return {**field, "nullable": nullable, "metadata": metadata}


def defined(snapshot: Snapshot) -> Defined:
    """A table as its log defines it."""
    told = snapshot.table.metadata()
    return Defined(
        id=str(told.id),
        name=told.name,
        description=told.description,
        created=told.created_time,
        fields=tuple(json.loads(snapshot.table.schema().to_json())["fields"]),
        partition_by=tuple(told.partition_columns),
        configuration={key: str(value) for key, value in told.configuration.items()},
    )


def protocol_of(snapshot: Snapshot) -> Protocol:
    """What readers and writers of a table must know.

    :raises Invalid: something that a commit of ours would break; it is named.
    """
    told = snapshot.table.protocol()
    reads, writes = frozenset(told.reader_features or ()), frozenset(told.writer_features or ())
    unknown = sorted((reads | writes) - _KNOWN)
    if unknown or 4 < told.min_writer_version < _NAMED:
        named = ", ".join(unknown) or f"writer version {told.min_writer_version}"
        raise Invalid(
            f"The table's definition cannot be changed here, for it uses: {named}.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Change it with the engine that made it, or write a copy without it.",
        )
    return Protocol(told.min_reader_version, told.min_writer_version, reads, writes)


def commit_definition(
    snapshot: Snapshot,
    request: WriteRequest,
    after: Defined,
    operation: str,
    parameters: Mapping[str, str],
    *,
    files: Sequence[Mapping[str, Any]] = (),
    needs: Protocol | None = None,
    metrics: Mapping[str, int] | None = None,
) -> int:
    """Commit a definition, and with it files added and removed, on top of a snapshot.

    :raises Conflict: somebody else has committed meanwhile.
    """
    before = protocol_of(snapshot)
    protocol = before if needs is None else before.joined(needs)
    protocol = protocol.with_features(after.features)
    said = [after.action(), *files]
    if protocol != before:
        said.insert(0, protocol.action())
    version = snapshot.version + 1
    info = {**commit_info(request, operation, parameters), "readVersion": snapshot.version}
    if metrics:
        info["operationMetrics"] = dict(metrics)
    write_commit(snapshot.location, version, [{"commitInfo": info}, *said])
    return version


def commit_info(
    request: WriteRequest, operation: str, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """What a commit tells of itself."""
    return {
        "timestamp": int(time.time() * 1000),
        "operation": operation,
        "operationParameters": dict(parameters),
        "engineInfo": "flowcat-jupyter",
        **request.commit_info,
    }


def write_commit(location: str, version: int, actions: Sequence[Mapping[str, Any]]) -> None:
    """Write a version of a table whole, unless there is one of that number.

    :raises Conflict: there is.
    :raises Unavailable: the folder cannot be written to.
    """
    path = commit_file(location, version)
    held = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    text = "\n".join(json.dumps(action, separators=(",", ":")) for action in actions)
    try:
        with held.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _linked(held, path)
    except FileExistsError as error:
        if version == 0:
            raise Conflict("Somebody else has made the table at the same moment.") from error
        raise moved(version - 1, location) from error
    except OSError as error:
        raise Unavailable(f"The table's folder cannot be written: {error}.") from error
    finally:
        with suppress(OSError):
            held.unlink(missing_ok=True)


def _linked(held: Path, path: Path) -> None:
    """Give a file its name, which nobody else's file has, at one moment."""
    try:
        os.link(held, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links: the name is taken first, and the text follows.
        with path.open("xb") as file:
            try:
                file.write(held.read_bytes())
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                # Half a text under a version's name would be a table that nobody can read.
                path.unlink(missing_ok=True)
                raise
