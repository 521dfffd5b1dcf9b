"""What only a table's own log or files tell: its versions, its partitions, and its log's words."""

from __future__ import annotations

from urllib.parse import quote as percent
from zoneinfo import ZoneInfo

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.commanding.details import time_text
from flowcat_jupyter.catalog.commanding.rows import Read, Rows, Value, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.directory import source_of
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.literals import Partition
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.store.seen import USE
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo, HistoryJob, Source
from flowcat_jupyter.shared.wire_shows import (
    DetailInfo,
    DetailJob,
    PartitionsInfo,
    PartitionsJob,
)

HISTORY_ROWS = 1000
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What stands for NULL in a partition's name."""
_KEPT = " !$&()+,-.;<>@^_|~"
"""What Spark leaves as it is in a partition's name, beside letters and digits."""


def describe_history(scene: Scene, statement: Describe) -> Read:
    """A table's versions.

    :raises SqlError: there is no such table.
    :raises Forbidden: it may not be read.
    """
    table = _readable(scene, statement.name)
    return read_history(source_of(table), statement)


def read_history(source: Source, statement: Describe) -> Read:
    """The versions of what a worker opens as ``source``, as many as a statement asks for."""
    limit = HISTORY_ROWS if statement.limit is None else min(statement.limit, HISTORY_ROWS)
    return Read(HistoryJob(source, max(limit, 1)), lambda info: _history(info, limit))


def describe_detail(scene: Scene, statement: Describe) -> Read:
    """What a table's log says of the table, in the columns that Delta Lake has for it.

    :raises SqlError: there is no such table.
    :raises Forbidden: it may not be read.
    """
    table = _readable(scene, statement.name)
    return Read(DetailJob(source_of(table)), lambda info: _detail(table, info))


def show_partitions(scene: Scene, statement: Show) -> Read:
    """A table's partitions, or those with some values.

    :raises SqlError: there is no such table, or it has no such partition columns.
    :raises Forbidden: it may not be read.
    """
    table = _readable(scene, statement.within)
    wanted = _spec(table, statement.partition)

    def rows(info: PartitionsInfo) -> Rows:
        found = [values for values in info.values if _fits(info.columns, values, wanted)]
        names = sorted(partition_name(info.columns, values) for values in found)
        return Rows(texts("partition"), tuple((name,) for name in names))

    return Read(PartitionsJob(source_of(table), table.partition_columns), rows)


def one_partition(
    table: TableRow, statement: Describe, columns: list[tuple[Value, ...]], zone: ZoneInfo
) -> Read:
    """A table's columns, and with EXTENDED what there is to say of one of its partitions.

    :raises SqlError: the values are not those of all partition columns.
    :raises Forbidden: the table may not be read.
    """
    require(table, USE, "read")
    wanted = _spec(table, statement.partition)
    if len(wanted) != len(table.partition_columns):
        raise SqlError(
            f"PARTITION names {len(wanted)} of the {len(table.partition_columns)} columns that "
            f"{table.sql_name} is partitioned by: {', '.join(table.partition_columns)}.",
            condition="PARTITIONS_NOT_FOUND",
            sqlstate="428FT",
            hint="Give a value for each. SHOW PARTITIONS lists the partitions that there are.",
        )

    def rows(info: PartitionsInfo) -> Rows:
        if not any(_fits(info.columns, values, wanted) for values in info.values):
            raise SqlError(
                f"{table.sql_name} has no partition "
                f"{', '.join(f'{name} = {value}' for name, value in statement.partition)}.",
                condition="PARTITIONS_NOT_FOUND",
                sqlstate="428FT",
                hint="SHOW PARTITIONS lists those that there are.",
            )
        more = _extended(table, statement.partition, zone) if statement.extended else []
        heading = texts("col_name", "data_type", "comment", nullable="comment")
        return Rows(heading, (*columns, *more))

    return Read(PartitionsJob(source_of(table), table.partition_columns), rows)


def partition_name(columns: tuple[str, ...], values: tuple[str | None, ...]) -> str:
    """A partition as its folders are called: ``a=1/b=x``."""
    parts = zip(columns, values, strict=True)
    return "/".join(f"{_escaped(name)}={_escaped(value)}" for name, value in parts)


def _escaped(text: str | None) -> str:
    return NO_VALUE if text in (None, "") else percent(str(text), safe=_KEPT)


def _readable(scene: Scene, name: tuple[str, ...]) -> TableRow:
    table = scene.table(name)
    require(table, USE, "read")
    return table


def _spec(table: TableRow, partition: Partition) -> dict[str, str | None]:
    """The values that are asked for, by the folded name of their column."""
    if not table.partition_columns:
        raise SqlError(
            f"The table {table.sql_name} is not partitioned.",
            condition="INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY",
            sqlstate="42601",
            hint="DESCRIBE shows the columns that a table is partitioned by.",
        )
    known = set(map(name_key, table.partition_columns))
    unknown = [name for name, _ in partition if name_key(name) not in known]
    if unknown:
        raise SqlError(
            f"{table.sql_name} is not partitioned by {TableName((unknown[0],)).sql}.",
            condition="PARTITIONS_NOT_FOUND",
            sqlstate="428FT",
            hint=f"It is partitioned by {', '.join(table.partition_columns)}.",
        )
    return {name_key(name): value for name, value in partition}


def _fits(
    columns: tuple[str, ...], values: tuple[str | None, ...], wanted: dict[str, str | None]
) -> bool:
    found = {name_key(name): value for name, value in zip(columns, values, strict=True)}
    return all(found.get(name) == value for name, value in wanted.items())


def _extended(table: TableRow, partition: Partition, zone: ZoneInfo) -> list[tuple[Value, ...]]:
    values = ", ".join(f"{name}={NO_VALUE if v is None else v}" for name, v in partition)
    facts = [
        ("Database", table.path[1]),
        ("Table", table.name),
        ("Partition Values", f"[{values}]"),
        ("Created Time", time_text(table.created_at, zone)),
        ("Last Access", "UNKNOWN"),
    ]
    rows: list[tuple[Value, ...]] = [("", "", ""), ("# Detailed Partition Information", "", "")]
    rows += [(name, value, "") for name, value in facts]
    if table.public_location:
        rows += [("", "", ""), ("# Storage Information", "", "")]
        rows.append(("Location", table.public_location, ""))
    return rows


def _history(info: HistoryInfo, limit: int) -> Rows:
    columns = (
        Column("version", "bigint", nullable=False),
        Column("timestamp", "string", nullable=False),
        Column("userName", "string"),
        Column("operation", "string", nullable=False),
        Column("rowsAdded", "bigint"),
        Column("rowsRemoved", "bigint"),
        Column("mode", "string"),
    )
    rows = tuple(
        (e.version, e.timestamp, e.user, e.operation, e.rows_added, e.rows_removed, e.mode)
        for e in info.entries[:limit]
    )
    return Rows(columns, rows)


def _detail(table: TableRow, info: DetailInfo) -> Rows:
    facts = info.facts
    columns = (
        Column("format", "string"),
        Column("id", "string"),
        Column("name", "string"),
        Column("description", "string"),
        Column("location", "string"),
        Column("createdAt", "timestamp"),
        Column("lastModified", "timestamp"),
        Column("partitionColumns", "array<string>"),
        Column("clusteringColumns", "array<string>"),
        Column("numFiles", "bigint"),
        Column("sizeInBytes", "bigint"),
        Column("properties", "map<string,string>"),
        Column("minReaderVersion", "int"),
        Column("minWriterVersion", "int"),
        Column("tableFeatures", "array<string>"),
    )
    row: tuple[Value, ...] = (
        facts.format,
        info.id,
        ".".join(table.path),
        table.description,
        table.public_location,
        info.created_at or table.created_at.isoformat(),
        facts.written_at,
        list(facts.partition_columns),
        [],
        facts.files,
        facts.size_bytes,
        dict(facts.properties),
        info.min_reader,
        info.min_writer,
        list(info.features),
    )
    return Rows(columns, (row,))
