"""What an Iceberg table's metadata say of it: counts, and its snapshots as a history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from pyiceberg.partitioning import PartitionField
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot
from pyiceberg.transforms import BucketTransform, IdentityTransform, TruncateTransform

from flowcat_jupyter.formats.iceberg_open import AtSnapshot
from flowcat_jupyter.formats.iceberg_scan import total, total_rows
from flowcat_jupyter.shared.partitioning import Partition
from flowcat_jupyter.shared.wire import HistoryEntry, HistoryInfo, TableFacts

INSERTED, UPDATED, DELETED = "flowcat_inserted", "flowcat_updated", "flowcat_deleted"
_NAMES = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


def table_facts(at: AtSnapshot) -> TableFacts:
    """Schema, counts and versions of a table at a snapshot."""
    newest = _newest_data(at)
    return TableFacts(
        format="iceberg",
        columns=at.columns,
        partition_columns=partitions(at.table),
        row_count=total_rows(at.snapshot),
        size_bytes=total(at.snapshot, "total-files-size"),
        version=at.version,
        data_files_version=newest.snapshot_id if newest else None,
        files=total(at.snapshot, "total-data-files"),
        written_at=_when(newest) if newest else None,
        pointer=at.table.metadata_location,
        properties={n: v for n, v in at.table.properties.items() if not n.startswith("commit.")},
    )


def partitions(table: Table) -> tuple[str, ...]:
    """What a table is partitioned by, as SQL writes it."""
    return tuple(_partition(table, field) for field in table.spec().fields)


def _partition(table: Table, field: PartitionField) -> str:
    column = table.schema().find_column_name(field.source_id) or field.name
    transform = field.transform
    if isinstance(transform, IdentityTransform):
        return column
    if isinstance(transform, BucketTransform):
        return Partition(column, "bucket", transform.num_buckets).text
    if isinstance(transform, TruncateTransform):
        return Partition(column, "truncate", transform.width).text
    return Partition(column, _NAMES.get(str(transform), str(transform))).text


def _newest_data(at: AtSnapshot) -> Snapshot | None:
    """The newest snapshot that changed rows."""
    newest = at.snapshot
    for snapshot in _line(at.table, at.snapshot):
        newest = snapshot
        if not _maintenance(snapshot):
            break
    return newest


def _line(table: Table, snapshot: Snapshot | None) -> Iterator[Snapshot]:
    """A snapshot and those it was made from."""
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else table.metadata.snapshot_by_id(parent)


def _maintenance(snapshot: Snapshot) -> bool:
    return snapshot.summary is not None and snapshot.summary.operation == Operation.REPLACE


def _when(snapshot: Snapshot) -> str:
    moment = datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def table_history(at: AtSnapshot, limit: int) -> HistoryInfo:
    """The newest ``limit`` snapshots up to the one that the table is at."""
    line = list(_line(at.table, at.snapshot))
    return HistoryInfo(tuple(map(_entry, line[: max(limit, 0)])), len(line))


def _entry(snapshot: Snapshot) -> HistoryEntry:
    told = snapshot.summary.additional_properties if snapshot.summary else {}
    operation = snapshot.summary.operation.value if snapshot.summary else "unknown"
    statement = told.get("flowcat_statement")
    return HistoryEntry(
        version=snapshot.snapshot_id,
        timestamp=_when(snapshot),
        operation=statement or operation.upper(),
        user=told.get("user"),
        rows_added=_rows(told, (INSERTED, UPDATED), "added-records"),
        rows_removed=_rows(told, (DELETED, UPDATED), "deleted-records"),
        maintenance=_maintenance(snapshot),
        run_id=told.get("run_id"),
        write_id=told.get("flowcat_write"),
        mode=_mode(snapshot, operation, statement or ""),
    )


def _mode(snapshot: Snapshot, operation: str, statement: str) -> str | None:
    if snapshot.parent_snapshot_id is None and statement.startswith("CREATE"):
        return "create"
    plain = operation in ("append", "overwrite") and statement in ("", "INSERT")
    return operation if plain else None


def _rows(told: dict[str, str], ours: tuple[str, ...], theirs: str) -> int | None:
    """How many rows a change was about; else how many the files held."""
    if any(name in told for name in ours):
        return sum(int(told.get(name, "0")) for name in ours)
    text = told.get(theirs)
    return int(text) if text is not None and text.isdigit() else None
