"""Reading an Iceberg snapshot's files: by which route, and which of them.

Files of this product's own that name every field as the table does are one scan of Parquet files.
What has to be found by a field's number, or has rows deleted, goes through pyiceberg.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from glob import has_magic
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source
from pyiceberg.expressions import (
    AlwaysTrue,
    And,
    BooleanExpression,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotNull,
    Or,
)
from pyiceberg.expressions.visitors import ResidualEvaluator, UnpartitionedResidualEvaluator
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema, index_by_id, index_name_by_id, sanitize_column_names
from pyiceberg.table import FileScanTask, ManifestGroupPlanner
from pyiceberg.table.snapshots import Snapshot

from flowcat_jupyter.formats.iceberg_open import AtSnapshot, translated
from flowcat_jupyter.formats.parquet_scan import read_parquet
from flowcat_jupyter.formats.protocol import Reading, Scan
from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared.conditions import Condition, Conditions
from flowcat_jupyter.shared.errors import Gone
from flowcat_jupyter.shared.wire import Column

OWN = "its Parquet files, in one scan"
BY_NUMBER = "pyiceberg, which finds columns by their number and leaves deleted rows out"
_MAKES: dict[str, Callable[..., BooleanExpression]] = {
    "=": EqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "in": In,
    "is_null": IsNull,
    "not_null": NotNull,
}


class _Planner(ManifestGroupPlanner):
    """Finds files, and not what is left to ask of each one's rows: the library would compare NULL
    as the value of a partition, which fails, and nobody here wants to know.
    """

    def _build_residual_evaluator(self, spec_id: int) -> Callable[[DataFile], ResidualEvaluator]:
        schema = self.table_metadata.schema()
        return lambda _file: UnpartitionedResidualEvaluator(schema, self.row_filter)


@dataclass(frozen=True)
class OpenedIceberg:
    """See `Opened`."""

    at: AtSnapshot

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns."""
        return self.at.columns

    @property
    def version(self) -> int | None:
        """The snapshot it stays at."""
        return self.at.version

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows, integers widened to Int64, columns in the declared order.

        :raises Gone: a file that is needed is no longer there.
        :raises Forbidden: one that is needed lies outside the table's folder.
        """
        tasks = self.tasks(conditions)
        frame, route = self.frame(tasks)
        total, rows = self._totals()
        read = sum(task.file.record_count for task in tasks)
        paths = tuple(self._path(task.file) for task in tasks)
        reading = Reading(
            route=route,
            files=total,
            files_skipped=0 if total is None else total - len(tasks),
            rows=rows,
            rows_skipped=None if rows is None else max(rows - read, 0),
            paths=paths if route == OWN and self._plain(paths) else None,
        )
        return Scan(frame, self.columns, self.version, reading=reading)

    def tasks(self, conditions: Conditions = ()) -> list[FileScanTask]:
        """The files that may hold a wanted row, with what is deleted of them."""
        return self.tasks_where(self._where(conditions))

    def tasks_where(self, where: BooleanExpression) -> list[FileScanTask]:
        """The files that may hold a row for which an expression is true."""
        if self.at.snapshot is None:
            return []
        with translated(self.at.label):
            table = self.at.table
            planner = _Planner(table.metadata, table.io, where)
            tasks = list(planner.plan_files(self.at.snapshot.manifests(table.io)))
        needed = {file for task in tasks for file in (task.file, *task.delete_files)}
        if not all(Path(self._path(file)).is_file() for file in needed):
            raise _gone(self.at.label)
        return tasks

    def frame(self, tasks: Sequence[FileScanTask]) -> tuple[pl.LazyFrame, str]:
        """The rows of some files, and how they are read."""
        if not tasks:
            return pl.LazyFrame(schema=self.schema), OWN
        if self._by_name and not any(task.delete_files for task in tasks):
            return read_parquet([self._path(task.file) for task in tasks], self.schema), OWN
        return _by_number(self.at, self.schema, tasks), BY_NUMBER

    @cached_property
    def schema(self) -> pl.Schema:
        """The polars schema of the rows as a scan gives them."""
        return pl.Schema({c.name: widened(polars_type(c.type)) for c in self.columns})

    @cached_property
    def _by_name(self) -> bool:
        """Whether every file names and stores every field as the table does now."""
        schemas = [*self.at.table.schemas().values()]
        # In files, names have letters, digits and _ alone.
        plain = all(sanitize_column_names(schema) == schema for schema in schemas)
        return self.at.own and plain and _same_names(schemas)

    def _plain(self, paths: Sequence[str]) -> bool:
        """Whether another engine finds just the declared columns in the files."""
        table = self.at.table
        alone = len(table.schemas()) == 1 and len(table.specs()) == 1
        return alone and table.spec().is_unpartitioned() and not any(map(has_magic, paths))

    def _where(self, conditions: Conditions) -> BooleanExpression:
        # The library takes names to be those of the newest columns.
        newest = self.at.schema.schema_id == self.at.table.schema().schema_id
        return expression(conditions, self.columns) if newest else AlwaysTrue()

    def _path(self, file: DataFile) -> str:
        return str(self.at.files.path(file.file_path))

    def _totals(self) -> tuple[int | None, int | None]:
        """How many files and rows the snapshot says it has."""
        return total(self.at.snapshot, "total-data-files"), total_rows(self.at.snapshot)


def total(snapshot: Snapshot | None, name: str) -> int | None:
    """A number of a snapshot's summary; None where its writer did not count."""
    if snapshot is None:
        return 0
    text = snapshot.summary.additional_properties.get(name) if snapshot.summary else None
    return int(text) if text is not None and text.isdigit() else None


def total_rows(snapshot: Snapshot | None) -> int | None:
    """How many rows a snapshot has; None where that takes reading them."""
    rows = total(snapshot, "total-records")
    gone = total(snapshot, "total-position-deletes")
    equal = total(snapshot, "total-equality-deletes")
    return None if rows is None or equal else rows - (gone or 0)


def _same_names(schemas: Sequence[Schema]) -> bool:
    """Whether in all schemas of a table a field of one name is the same, of the same type."""
    numbers: dict[str, int] = {}
    kinds: dict[int, tuple[str, object]] = {}
    for schema in schemas:
        fields = index_by_id(schema)
        for number, name in index_name_by_id(schema).items():
            kind = fields[number].field_type
            told = (name, kind if kind.is_primitive else type(kind))
            if numbers.setdefault(name, number) != number or kinds.setdefault(number, told) != told:
                return False
            if getattr(fields[number], "initial_default", None) is not None:
                return False
    return True


def _by_number(at: AtSnapshot, schema: pl.Schema, tasks: Sequence[FileScanTask]) -> pl.LazyFrame:
    def batches(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # A count asks for no column, and rows without one would have no number.
        names = (schema.names() if columns is None else columns) or schema.names()[:1]
        left = rows
        for frame in _read(at, names, tasks):
            part = frame.select(
                frame.to_series(frame.get_column_index(name)).cast(schema[name]) for name in names
            )
            part = part if predicate is None else part.filter(predicate)
            if left is not None:
                part = part.head(left)
                left -= part.height
            yield part
            if left is not None and left <= 0:
                return

    return register_io_source(batches, schema=schema, is_pure=True)


def _read(
    at: AtSnapshot, names: Sequence[str], tasks: Sequence[FileScanTask]
) -> Iterator[pl.DataFrame]:
    """The rows of files, one file after the other."""
    wanted = at.schema.select(*names)
    scan = ArrowScan(at.table.metadata, at.files, wanted, AlwaysTrue())
    with translated(at.label):
        for task in tasks:
            for batch in scan.to_record_batches([task]):
                frame = pl.from_arrow(batch)
                if isinstance(frame, pl.DataFrame):
                    yield frame


def expression(conditions: Conditions, columns: Sequence[Column]) -> BooleanExpression:
    """The conditions as pyiceberg has them, for files to be left out by.

    Those on floating-point numbers are left out: their bounds say nothing of NaN.
    """
    kinds = {column.name: column.type for column in columns}
    places = [[_spelled(item) for item in place if _decisive(kinds, item)] for place in conditions]
    if not places or not all(places):
        return AlwaysTrue()
    return reduce(Or, (reduce(And, place) for place in places))


def _decisive(kinds: dict[str, str], item: Condition) -> bool:
    kind = kinds.get(item.column, "float")
    # Fractions come as doubles, and truth has no order.
    plain = kind not in ("float", "double", "binary", "boolean") and "(" not in kind
    return "." not in item.column and plain and "<" not in kind


def equal(column: str, value: object) -> BooleanExpression:
    """That a column has a value; None: that it is NULL."""
    return _MAKES["is_null"](column) if value is None else _MAKES["="](column, value)


def _spelled(item: Condition) -> BooleanExpression:
    values = (set(item.values),) if item.op == "in" else item.values
    return _MAKES[item.op](item.column, *values)


def _gone(label: str) -> Gone:
    return Gone(
        f"Data files of {label} have been removed.",
        condition="FAILED_READ_FILE.FILE_NOT_EXIST",
        sqlstate="KD001",
        hint="Old versions lose their files when snapshots expire; read a newer version.",
    )
