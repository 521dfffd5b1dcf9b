"""Reads and writes catalog tables: the server says where, the kernel moves the data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from tempfile import NamedTemporaryFile
from threading import Event
from time import sleep
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from flowcat_jupyter.kernel.background import interruptible, unless_cancelled
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.frames import as_polars
from flowcat_jupyter.kernel.queries import read_stream, save
from flowcat_jupyter.shared import moments
from flowcat_jupyter.shared.errors import Invalid, Unavailable

if TYPE_CHECKING:
    import polars as pl

    from flowcat_jupyter.formats.protocol import Scan
    from flowcat_jupyter.shared.wire import Source

PARTS_MODE = "overwrite_partitions"
WRITE_MODES = ("overwrite", PARTS_MODE, "error", "append", "upsert", "update", "delete")
KEYED_MODES = ("upsert", "update", "delete")
REPORT_PAUSES_S = (0.2, 0.5, 1.0, 2.0, 4.0)


def read_table(
    client: Client,
    table: str,
    *,
    version: int | None = None,
    timestamp: str | date | None = None,
) -> pl.LazyFrame:
    """The rows of one version of ``table``, however late the frame is collected."""
    from flowcat_jupyter.shared.wire import Source

    if version is not None and timestamp is not None:
        raise Invalid("A version and a timestamp were given.", hint="Give one of the two.")
    when = None if timestamp is None else instant(client, timestamp)
    reply = client.post("catalog/reads", {"table": table, "version": version, "timestamp": when})
    if reply["kind"] == "stream":
        if when is not None and "timestamp=" not in reply["href"]:
            raise Invalid(f"{table} cannot be read by time from here.", hint="Give a version.")
        return _fetched(client, reply["href"])
    source = Source(
        relation="r1",
        kind="table",
        name=tuple(reply["table"]["full_name"]),
        format=reply["format"],
        location=reply["location"],
        version=reply["version"],
        timestamp=when if reply["version"] is None else None,
    )
    return as_declared(_scan(source))


def instant(client: Client, timestamp: str | date) -> str:
    """A time as ISO 8601 with a zone; without one it is in the server's session time zone.

    Texts are read as SQL reads them: a date alone is its midnight, a zone may follow by name.

    :raises Invalid: it is not a time.
    """
    if isinstance(timestamp, datetime) and timestamp.tzinfo is not None:
        return timestamp.isoformat()
    zone = ZoneInfo(client.get("catalog/status")["session_timezone"])
    try:
        return moments.instant(str(timestamp), zone).isoformat()
    except moments.BadText as error:
        raise Invalid(
            f"{timestamp!r} is not a time.",
            condition="INVALID_TIMESTAMP_FORMAT",
            sqlstate="22007",
            hint="Write it as 2026-01-31 12:00:00.",
        ) from error


def _scan(source: Source) -> Scan:
    from flowcat_jupyter.formats.delta import DeltaFormat
    from flowcat_jupyter.formats.parquet import ParquetFormat

    return (ParquetFormat() if source.format == "parquet" else DeltaFormat()).scan(source)


def as_declared(scan: Scan) -> pl.LazyFrame:
    """A scan's frame with each column in its declared type.

    Scans widen integers; only the columns they widened are cast back, so that filters on all
    others still reach the files.
    """
    from flowcat_jupyter.formats.types import exactly, polars_type, widened

    declared = {column.name: polars_type(column.type) for column in scan.columns}
    return scan.frame.with_columns(
        exactly(name).cast(dtype) for name, dtype in declared.items() if widened(dtype) != dtype
    )


def _fetched(client: Client, href: str) -> pl.LazyFrame:
    with NamedTemporaryFile(prefix="flowcat-", suffix=".arrow") as spool:
        with client.stream("GET", href) as response:
            save(response, spool)
        return read_stream(spool.name).lazy()


def write_table(
    client: Client,
    data: Any,
    table: str,
    *,
    write_mode: str = "overwrite",
    merge_keys: Sequence[str] = (),
    partition_by: Sequence[str] = (),
    description: str | None = None,
) -> Mapping[str, Any]:
    """Write ``data`` as one new version of ``table``; the server's description of it after.

    Nothing is left of a write that fails, and the table it would have made does not exist; one
    that has nothing to write leaves the table as it is. Warns beforehand if the write will keep
    older readers out of the table.
    """
    from flowcat_jupyter.formats.delta import DeltaFormat
    from flowcat_jupyter.formats.types import spark_columns

    _check_mode(write_mode, merge_keys)
    frame = as_polars(data)
    columns = spark_columns(frame.collect_schema())
    origin = client.origin()
    ticket = client.post(
        "catalog/writes",
        {
            "table": table,
            "mode": "overwrite" if write_mode == PARTS_MODE else write_mode,
            "columns": [asdict(column) for column in columns],
            "merge_keys": list(merge_keys),
            "partition_by": list(partition_by),
            "description": description,
            "origin": origin,
        },
    )
    path = f"catalog/writes/{ticket['write_id']}"
    try:
        for text in DeltaFormat().warnings(frame.collect_schema(), ticket["location"]):
            warnings.warn(text, stacklevel=3)
        version = _commit(frame, ticket, origin, parts=write_mode == PARTS_MODE)
    except BaseException:
        client.delete_quietly(path)
        raise
    if version == ticket["base_version"]:
        client.delete_quietly(path)
        asked = {"table": table, "version": None, "timestamp": None}
        known: Mapping[str, Any] = client.post("catalog/reads", asked)["table"]
        return known
    return _report(client, path, ticket, version)


def _report(
    client: Client, path: str, ticket: Mapping[str, Any], version: int
) -> Mapping[str, Any]:
    """Tell the server what was committed. It may be starting again: the answer may get lost, and
    to tell it twice is fine.
    """
    for pause in REPORT_PAUSES_S:
        try:
            return _told(client, path, version)
        except Unavailable:
            sleep(pause)
    try:
        return _told(client, path, version)
    except Unavailable as error:
        raise Unavailable(
            f"The rows are written as version {version} of {ticket['sql_name']}, but the server "
            f"could not be told: {error.message}",
            hint="Do not write them again: the catalog finds them when it runs again.",
        ) from error


def _told(client: Client, path: str, version: int) -> Mapping[str, Any]:
    try:
        reply: Mapping[str, Any] = client.post(f"{path}/commit", {"version": version})
    except Unavailable:
        raise
    except BaseException:
        client.delete_quietly(path)
        raise
    return reply


def _commit(
    frame: pl.DataFrame | pl.LazyFrame,
    ticket: Mapping[str, Any],
    origin: Mapping[str, str],
    *,
    parts: bool,
) -> int:
    from flowcat_jupyter.formats.delta import DeltaFormat
    from flowcat_jupyter.formats.protocol import Parts

    base = ticket["base_version"]
    # A table without partitions is one partition.
    replaced = Parts() if parts and base is not None else None

    def write(cancelled: Event) -> int:
        return DeltaFormat().write(
            unless_cancelled(frame, cancelled),
            location=ticket["location"],
            mode="create" if base is None else ticket["mode"],
            base_version=base,
            merge_keys=ticket["merge_keys"],
            partition_by=ticket["partition_by"],
            commit_info={"flowcat_write": ticket["write_id"], **origin},
            keep_columns=True if replaced else None,
            parts=replaced,
        )

    return interruptible(write)


def _check_mode(mode: str, merge_keys: Sequence[str]) -> None:
    if mode not in WRITE_MODES:
        raise Invalid(
            f"{mode!r} is not a way to write a table.", hint=f"One of: {', '.join(WRITE_MODES)}."
        )
    if isinstance(merge_keys, str):
        raise Invalid("merge_keys is a text.", hint=f"Write merge_keys=[{merge_keys!r}].")
    if mode in KEYED_MODES and not merge_keys:
        raise Invalid(
            f"The mode {mode} matches rows by keys, and merge_keys names none.",
            hint="Name the columns that identify a row: merge_keys=['id'].",
        )
    if mode not in KEYED_MODES and merge_keys:
        raise Invalid(
            f"The mode {mode} uses no merge_keys.",
            hint=f"Leave them out, or choose one of: {', '.join(KEYED_MODES)}.",
        )
