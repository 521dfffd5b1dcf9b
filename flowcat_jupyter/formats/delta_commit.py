"""What every commit to a Delta table shares: the request, the rows' stream and the error texts."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from arro3.core import RecordBatch, RecordBatchReader, Schema, Table
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError
from polars.exceptions import PolarsError
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.delta_assign import Assignment, assign
from flowcat_jupyter.formats.delta_constraints import first_broken, previewed
from flowcat_jupyter.formats.delta_features import check_writable
from flowcat_jupyter.formats.delta_log import Snapshot, snapshot_of, translated
from flowcat_jupyter.formats.protocol import Parts
from flowcat_jupyter.formats.types import polars_type, spark_columns
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Conflict, FlowcatError, Invalid, Unavailable
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

ORDERED_BYTES = 128 << 20
ADDING = ("append", "upsert")
_BROKEN = re.compile(r"(\d+) rows? failed validation check")
_COMPUTED = re.compile(r"CURRENT_DEFAULT|delta\.generationExpression|delta\.identity\.")


@dataclass(frozen=True)
class WriteRequest:
    """What `LakeFormat.write` was asked, frame apart. ``add_columns``: an append or upsert gives
    the table the frame's columns that it lacks, NULL in the rows it has. ``keep_columns``: an
    overwrite keeps the table's columns and partitions, or takes those of the request; None keeps
    them where they are the same; ``parts``: it is of these partitions alone. ``seen``: the columns
    that an append is made for.
    """

    location: str
    mode: str
    base_version: int | None = None
    merge_keys: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    commit_info: Mapping[str, str] = field(default_factory=dict)
    add_columns: bool = False
    keep_columns: bool | None = None
    seen: tuple[Column, ...] | None = None
    parts: Parts | None = None

    def columns(self, schema: pl.Schema, snapshot: Snapshot) -> tuple[Column, ...]:
        """The columns that the table has after an append or upsert of ``schema``."""
        if not self.add_columns or self.mode not in ADDING:
            return snapshot.columns
        known = {name_key(column.name) for column in snapshot.columns}
        new = (column for column in spark_columns(schema) if name_key(column.name) not in known)
        return (*snapshot.columns, *new)

    def commit(self, retries: int) -> CommitProperties:
        """The library's commit properties, with this many retries of its own."""
        return CommitProperties(dict(self.commit_info), max_commit_retries=retries)


@dataclass
class Rows:
    """Frames of one schema as a stream of Arrow batches.

    ``required`` are columns without NULL: one that may hold NULL would, with columns that are
    added, make the table's own column of that name so. ``conditions`` are the table's, by name. An
    error raised while the stream runs is kept in ``error``, because the library that consumes it
    reports only its text.
    """

    frames: Callable[[], Iterator[pl.DataFrame]]
    schema: pl.Schema
    required: frozenset[str] = frozenset()
    conditions: Mapping[str, str] = field(default_factory=dict)
    error: FlowcatError | None = field(default=None, init=False)

    def reader(self, *, in_order: bool = True) -> RecordBatchReader:
        """A new run of the frames from their start; ``in_order`` holds rows back to keep theirs."""
        self.error = None
        given = Table.from_arrow(pl.DataFrame(schema=self.schema)).schema
        fields = (given.field(name) for name in given.names)
        marked = [part.with_nullable(part.name not in self.required) for part in fields]
        schema = Schema(marked) if self.required else given
        return RecordBatchReader.from_batches(schema, self._batches(schema, in_order))

    def _batches(self, schema: Schema, in_order: bool) -> Iterator[RecordBatch]:
        frames = self.frames()
        try:
            for rows in _whole(frames) if in_order else frames:
                for batch in Table.from_arrow(rows).to_batches():
                    yield batch.with_schema(schema) if self.required else batch
        except FlowcatError as error:
            self.error = error
            raise
        except PolarsError as error:
            self.error = not_computed(error)
            raise


def spooled(rows: Rows, file: Path) -> None:
    """Put rows into a file, a batch at a time.

    :raises Invalid: one cannot be computed, or does not fit its column.
    """

    def batches(
        _columns: list[str] | None, _predicate: pl.Expr | None, _rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        yield pl.DataFrame(schema=rows.schema)
        yield from rows.frames()

    try:
        register_io_source(batches, schema=rows.schema).sink_ipc(file)
    except PolarsError as error:
        raise not_computed(error) from error


def assigned_rows(
    frame: pl.LazyFrame,
    plans: Sequence[Assignment],
    partition_by: Sequence[str],
    conditions: Mapping[str, str] | None = None,
) -> Rows:
    """The rows of a lazy frame in a table's columns; ``conditions`` of the table judge them."""

    def frames() -> Iterator[pl.DataFrame]:
        for batch in frame.collect_batches(lazy=True, maintain_order=True):
            rows = assign(batch, plans)
            check_partitions(rows, partition_by)
            yield rows

    schema = pl.Schema({plan.column.name: plan.dtype for plan in plans})
    required = frozenset(plan.column.name for plan in plans if not plan.column.nullable)
    return Rows(frames, schema, required, conditions or {})


def _whole(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The frames in one piece when they fit in `ORDERED_BYTES`, else one after the other.

    The library deals batches out to several writers and so mixes them. Rows that come in one
    batch keep their order, which is what people expect of a file they have just imported.
    """
    held: deque[pl.DataFrame] = deque()
    size = 0
    for frame in frames:
        held.append(frame)
        size += int(frame.estimated_size())
        if size > ORDERED_BYTES:
            while held:
                yield held.popleft()
            yield from frames
            return
    if held:
        whole = pl.concat(held, rechunk=True)
        held.clear()
        yield whole


def check_partitions(rows: pl.DataFrame, partition_by: Sequence[str]) -> None:
    """Check that other engines will read the rows' partition values as they are.

    :raises Invalid: one is an empty text.
    """
    for name in partition_by:
        if rows.schema.get(name) == pl.String and (rows[name].alias("value") == "").any():
            raise Invalid(
                f"Partition column {name} has an empty text as a value, which other engines would "
                "read back as NULL.",
                condition="INVALID_PARTITION_VALUE",
                sqlstate="42846",
                hint="Use NULL, or a word of your own such as 'none'.",
            )


def partition_names(columns: Sequence[Column], wanted: Sequence[str]) -> tuple[str, ...]:
    """Partition columns in the table's own spelling.

    :raises Invalid: one is no column, comes twice, cannot be a folder's name, or no column would
        remain.
    """
    known = {name_key(column.name): column for column in columns}
    found: dict[str, str] = {}
    for name in wanted:
        key = name_key(name)
        column = known.get(key)
        if column is None:
            raise Invalid(
                f"There is no column {name} to partition by.",
                condition="COLUMN_NOT_DEFINED_IN_TABLE",
                sqlstate="42703",
                hint=f"There are: {', '.join(column.name for column in columns)}.",
            )
        if key in found:
            raise Invalid(
                f"Column {column.name} is named twice to partition by.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
                hint="Name each column once; case does not matter.",
            )
        if not _partitionable(polars_type(column.type)):
            raise Invalid(
                f"A table cannot be partitioned by column {column.name}, which is {column.type}.",
                condition="INVALID_PARTITION_COLUMN_DATA_TYPE",
                sqlstate="0A000",
                hint="Partition by texts, whole numbers, dates, timestamps or booleans.",
            )
        found[key] = column.name
    if found and len(found) >= len(columns):
        raise Invalid(
            "At least one column must remain that is not partitioned by.",
            condition="ALL_PARTITION_COLUMNS_NOT_ALLOWED",
            sqlstate="KD005",
            hint="Leave a column out of the list.",
        )
    return tuple(found.values())


def _partitionable(dtype: pl.DataType) -> bool:
    # The library spells negative fractions and bytes so that they do not read back.
    if isinstance(dtype, pl.Decimal):
        return dtype.scale == 0
    return not (dtype.is_nested() or dtype.is_float() or isinstance(dtype, pl.Binary))


def check_computed(snapshot: Snapshot, plans: Sequence[Assignment]) -> None:
    """Check that no column is left out whose value another engine would compute.

    :raises Invalid: one is; it would become NULL here.
    """
    filled = {plan.column.name for plan in plans if plan.source or plan.default is not None}
    fields = json.loads(snapshot.table.schema().to_json())["fields"]
    computed = [
        field["name"]
        for field in fields
        if field["name"] not in filled and any(map(_COMPUTED.match, field["metadata"]))
    ]
    if computed:
        raise Invalid(
            f"Column {', '.join(computed)} has a default or is generated, which is not supported.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Write values for the column, too.",
        )


def current(location: str) -> Snapshot:
    """The newest snapshot of the table at a location, to be written to.

    :raises Invalid: the table can be read but not written, for a feature that is named.
    """
    with translated(location):
        table = DeltaTable(location)
    snapshot = snapshot_of(table, location, location)
    check_writable(snapshot)
    return snapshot


def check_replaceable(snapshot: Snapshot, *, keeps: bool = True) -> None:
    """Check that rows of a table may be changed or taken away; and, unless it ``keeps`` its
    definition, that nothing of that would be left to judge other rows.

    :raises Invalid: the table is for appending only, or has constraints.
    """
    properties = snapshot.table.metadata().configuration
    if str(properties.get("delta.appendOnly", "false")).lower() == "true":
        raise Invalid(
            "Rows of the table may only be added: its property delta.appendOnly is true.",
            condition="DELTA_CANNOT_MODIFY_APPEND_ONLY",
            sqlstate="42809",
            hint="Add rows with INSERT INTO, or write them to another table.",
        )
    constraints = [name for name in properties if name.startswith("delta.constraints.")]
    if constraints and not keeps:
        raise Invalid(
            f"The table has constraints: {', '.join(name.split('.')[-1] for name in constraints)}.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Drop the table first, so that none of them is left to judge the new rows.",
        )


def base_of(snapshot: Snapshot, request: WriteRequest) -> int:
    """The version the caller read.

    :raises Conflict: the table has moved past it.
    """
    base = snapshot.version if request.base_version is None else request.base_version
    if snapshot.version != base:
        raise moved(base, snapshot.location)
    return base


def moved(base: int | None, location: str) -> Conflict:
    """The error for a table that somebody else committed to."""
    newest = DeltaTable(location).version()
    known = base is not None and base != newest
    told = f" (version {base} became {newest})" if known else ""
    return Conflict(
        f"The table has changed since you read it{told}.",
        condition="DELTA_CONCURRENT_WRITE",
        sqlstate="2D521",
        hint="Read it again and repeat what you did.",
    )


@contextmanager
def committing(rows: Rows) -> Iterator[None]:
    """Turn what goes wrong while rows are committed into our errors."""
    try:
        yield
    except CommitFailedError as error:
        raise Conflict("Somebody else committed to the table at the same moment.") from error
    except OSError as error:
        raise Unavailable(f"The table's folder cannot be written: {error}.") from error
    except (DeltaError, PolarsError, FlowcatError, ValueError, RuntimeError) as error:
        if rows.error is not None:
            raise rows.error from error
        raise system_fault(error) or _refused(rows, str(error)) from error


def _refused(rows: Rows, text: str) -> FlowcatError:
    """The library's refusal of rows, by the condition that one of them breaks if that is it."""
    if not (rows.conditions and _BROKEN.search(text)):
        return refusal(text)
    try:
        found = first_broken(rows.frames(), rows.conditions) or previewed(text, rows.conditions)
    except (FlowcatError, PolarsError):
        found = None
    return found or refusal(text, rows.conditions)


@contextmanager
def committing_to(location: str, request: WriteRequest) -> Iterator[None]:
    """Turn what goes wrong in a commit without rows into our errors."""
    try:
        yield
    except CommitFailedError as error:
        raise moved(request.base_version, location) from error
    except OSError as error:
        raise Unavailable(f"The table's folder cannot be written: {error}.") from error
    except DeltaError as error:
        raise system_fault(error) or refusal(str(error)) from error


def not_computed(error: PolarsError) -> Invalid:
    """The error for rows that fail while they are computed."""
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    hint = "Store such numbers as text: `.cast(pl.String)`." if "i128" in reason else None
    return Invalid(f"The rows cannot be computed: {reason}.", hint=hint)


def refusal(text: str, conditions: Mapping[str, str] | None = None) -> Invalid:
    """The library's refusal to write, in our words where we know it."""
    broken = _BROKEN.search(text)
    if broken:
        rows = int(broken[1])
        named = ", ".join(f"{name}: {said}" for name, said in (conditions or {}).items())
        return Invalid(
            f"{many(rows, 'row')} {'does' if rows == 1 else 'do'} not meet a constraint of the "
            f"table{f' ({named})' if named else ''}.",
            condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
            sqlstate="23001",
            hint="Its CHECK constraints and NOT NULL columns say which values it takes.",
        )
    reason = (text.rsplit("External error: ", 1)[-1].splitlines() or ["no reason given"])[0]
    reason, hint = reason.rstrip("."), None
    if "feature" in text.lower():
        hint = "Write to a new table, or upgrade this one's protocol with the engine that made it."
    return Invalid(f"The rows cannot be written: {reason}.", hint=hint)
