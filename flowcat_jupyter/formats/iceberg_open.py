"""Opening an Iceberg table: by its metadata file, or the newest in a folder; at one snapshot."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo

from pyiceberg.exceptions import (
    NoSuchTableError,
    NotInstalledError,
    ResolveError,
    ValidationError,
    ValidationException,
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Snapshot, latest_ancestor_before_timestamp

from flowcat_jupyter.formats.iceberg_catalog import PointerCatalog, metadata_number
from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_types import spark_columns_of
from flowcat_jupyter.formats.protocol import label_of
from flowcat_jupyter.shared.errors import FlowcatError, Gone, Invalid, NotFound, Unavailable
from flowcat_jupyter.shared.moments import BadText, instant
from flowcat_jupyter.shared.wire import Column, Source
from flowcat_jupyter.storage.paths import local_path

_NUMBERED = re.compile(r"v(\d+)\.metadata\.json\Z")
_MOST_TABLES = 64


@dataclass(frozen=True)
class AtSnapshot:
    """A table at one snapshot; None: it has none, and no rows.

    ``own`` says that only this product has written it.
    """

    table: Table
    snapshot: Snapshot | None
    schema: Schema
    label: str
    location: str
    own: bool

    @property
    def files(self) -> LocalFiles:
        """Opens the table's files."""
        return LocalFiles(self.location, self.label)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns."""
        return spark_columns_of(self.schema)

    @property
    def version(self) -> int | None:
        """The snapshot's number."""
        return self.snapshot.snapshot_id if self.snapshot else None


@dataclass
class KeptMetadata:
    """The metadata last read; the files never change."""

    _kept: OrderedDict[tuple[str, str], Table] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def table(self, pointer: str, files: LocalFiles, label: str) -> Table:
        """The table whose metadata file is ``pointer``."""
        key = (pointer, label)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = PointerCatalog(files, pointer).load_table()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _MOST_TABLES:
                self._kept.popitem(last=False)
        return made


_KEPT = KeptMetadata()


def open_at(source: Source) -> AtSnapshot:
    """The table of a source, at the snapshot that it asks for or else the newest.

    :raises NotFound: there is no table.
    :raises Invalid: there is no such snapshot, branch or tag, or a feature would be misread.
    :raises Forbidden: its metadata lie outside its folder.
    """
    label, location = label_of(source), local_path(source.location)
    files = LocalFiles(location, label)
    with translated(label):
        pointer = source.pointer or newest_metadata(location, label)
        table = _KEPT.table(pointer, files, label)
    snapshot, schema = _asked(table, source, label)
    return AtSnapshot(table, snapshot, schema, label, location, source.pointer is not None)


def newest_metadata(location: str, label: str) -> str:
    """The metadata file that is the table in a folder nobody keeps a pointer to.

    :raises NotFound: there is none.
    :raises Invalid: it cannot be told which of several it is.
    """
    folder = Path(location) / "metadata"
    hint = folder / "version-hint.text"
    names = {path.name for path in folder.glob("*.metadata.json")}
    if hint.is_file():
        LocalFiles(location, label).path(str(hint))
        hinted = f"v{hint.read_text('utf-8', 'replace').strip()[:20]}.metadata.json"
        if hinted in names:
            return str(folder / hinted)
    numbered = {int(match[1]): name for name in names if (match := _NUMBERED.match(name))}
    if numbered:
        return str(folder / numbered[max(numbered)])
    if not names:
        raise NotFound("table data", label)
    newest = max(map(metadata_number, names))
    found = [name for name in names if metadata_number(name) == newest]
    if len(found) > 1 or newest < 0:
        raise Invalid(
            f"It cannot be told which metadata file of {label} is the newest.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            hint="Its catalog knows: read the table by its name there.",
        )
    return str(folder / found[0])


def _asked(table: Table, source: Source, label: str) -> tuple[Snapshot | None, Schema]:
    if source.ref is not None:
        return _at_ref(table, source.ref, label)
    if source.timestamp is not None:
        return _of(table, _at_time(table, source.timestamp, label))
    if source.version is not None:
        snapshot = table.metadata.snapshot_by_id(source.version)
        if snapshot is None:
            raise _no_version(table, label, f"version {source.version}")
        return _of(table, snapshot)
    return table.metadata.current_snapshot(), table.schema()


def _of(table: Table, snapshot: Snapshot) -> tuple[Snapshot, Schema]:
    """A snapshot and the columns of its time; the newest has the table's."""
    if snapshot.snapshot_id == table.metadata.current_snapshot_id or snapshot.schema_id is None:
        return snapshot, table.schema()
    schemas = table.schemas()
    return snapshot, schemas.get(snapshot.schema_id, table.schema())


def _at_ref(table: Table, name: str, label: str) -> tuple[Snapshot | None, Schema]:
    ref = table.metadata.refs.get(name)
    snapshot = table.metadata.snapshot_by_id(ref.snapshot_id) if ref else None
    if ref is None or snapshot is None:
        if name == "main" and not table.metadata.snapshots:
            return None, table.schema()
        raise _no_version(table, label, f"branch or tag {name!r}")
    if ref.snapshot_ref_type == SnapshotRefType.BRANCH:
        return snapshot, table.schema()
    return _of(table, snapshot)


def _at_time(table: Table, timestamp: str, label: str) -> Snapshot:
    try:
        moment = instant(timestamp, ZoneInfo("UTC"))
    except BadText as error:
        raise Invalid(
            f"{timestamp!r} is not a time.",
            condition="INVALID_TIMESTAMP_FORMAT",
            sqlstate="22007",
            hint="Write it as 2026-01-31 12:00:00.",
        ) from error
    if moment > datetime.now(UTC):
        raise Invalid(
            f"{moment.isoformat(sep=' ')} lies in the future, so that {label} has no version of "
            "that time yet.",
            condition="INVALID_TIME_TRAVEL_SPEC",
            sqlstate="42K0E",
        )
    millis = int(moment.timestamp() * 1000)
    logged = [entry for entry in table.metadata.snapshot_log if entry.timestamp_ms <= millis]
    found = table.metadata.snapshot_by_id(logged[-1].snapshot_id) if logged else None
    found = found or latest_ancestor_before_timestamp(table.metadata, millis + 1)
    if found is None:
        raise _no_version(table, label, f"version as old as {moment.isoformat(sep=' ')}")
    return found


def _no_version(table: Table, label: str, what: str) -> Invalid:
    newest = table.metadata.current_snapshot()
    named = sorted(name for name in table.metadata.refs if name != "main")
    told = f"Its newest snapshot is {newest.snapshot_id}." if newest else "It has no snapshot yet."
    if named:
        told += f" Its branches and tags: {', '.join(named)}."
    return Invalid(
        f"There is no {what} of {label}.",
        condition="INVALID_TIME_TRAVEL_SPEC",
        sqlstate="42K0E",
        hint=f"{told} DESCRIBE HISTORY lists its versions.",
    )


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Turn the library's errors into ours."""
    try:
        yield
    except FlowcatError:
        raise
    except (NoSuchTableError, FileNotFoundError, OSError) as error:
        raise _unread(error, label) from error
    except (NotInstalledError, NotImplementedError) as error:
        raise unsupported(label, str(error)) from error
    except (ValidationError, ValidationException, ResolveError, ValueError) as error:
        # Damaged metadata are a ValueError of pydantic's.
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        if "equality delete" in reason:
            raise unsupported(label, "equality deletes") from error
        raise Invalid(
            f"{label} cannot be read: {reason}.", hint="Read it with the engine that made it."
        ) from error


def _unread(error: Exception, label: str) -> FlowcatError:
    if isinstance(error, NoSuchTableError):
        return NotFound("table data", label)
    if isinstance(error, FileNotFoundError):
        return Gone(
            f"Files of {label} have been removed.",
            condition="FAILED_READ_FILE.FILE_NOT_EXIST",
            sqlstate="KD001",
            hint="Old versions lose their files when snapshots expire; read a newer version.",
        )
    return Unavailable(f"The data of {label} cannot be read: {type(error).__name__}.")


def unsupported(label: str, what: str) -> Invalid:
    """The refusal of a table whose rows would come out wrong."""
    return Invalid(
        f"{label} uses a feature of Iceberg that cannot be read here: {what.rstrip('.')}.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Rewrite it with the engine that made it, without this feature.",
    )
