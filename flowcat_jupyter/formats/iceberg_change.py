"""Changing rows of an Iceberg table.

Files that hold such a row are written anew, in one snapshot, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import polars as pl
from polars.exceptions import PolarsError
from pyiceberg.manifest import DataFile
from pyiceberg.table import FileScanTask, Transaction
from pyiceberg.table.metadata import TableMetadata

from flowcat_jupyter.formats.delta_assign import (
    Assignment,
    assign,
    check_required,
    plan_assignment,
)
from flowcat_jupyter.formats.delta_commit import Rows, not_computed
from flowcat_jupyter.formats.iceberg_alter import add_columns
from flowcat_jupyter.formats.iceberg_catalog import PointerCatalog
from flowcat_jupyter.formats.iceberg_facts import DELETED, INSERTED, UPDATED
from flowcat_jupyter.formats.iceberg_files import LocalFiles
from flowcat_jupyter.formats.iceberg_open import translated, unsupported
from flowcat_jupyter.formats.iceberg_scan import OpenedIceberg, total_rows
from flowcat_jupyter.formats.iceberg_write import (
    Base,
    Written,
    append_files,
    begin,
    data_files,
    files_of,
    fitted,
    replace_files,
    spooled,
    written,
)
from flowcat_jupyter.formats.types import exactly, polars_type, spark_type
from flowcat_jupyter.shared.conditions import Condition, Conditions, Plain
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape

_THERE, _NEW, _MARK = "__flowcat_there", "__flowcat_new", "__flowcat_mark"
_ALL = "__flowcat_all"
_SHOWN = 10
_ORDERED = ("tinyint", "smallint", "int", "bigint", "string", "date")


def change_rows(
    frame: pl.LazyFrame, shape: RowShape, base: Base
) -> tuple[Written | None, ChangedRows]:
    """Change rows of the table of ``base``, and count them; where there are none, nothing is
    committed.

    :raises Invalid: a value does not fit its column, or a row would change twice.
    """
    opened = base.opened()
    changes = _Changes(opened, frame, shape)
    if changes.all_go:
        return _emptied(opened, base)
    with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        work = _Work(changes, opened, change.table_metadata, files)
        try:
            work.run()
        except PolarsError as error:
            raise not_computed(error) from error
        return _committed(work, work.told, catalog, change, base)


def replace_rows(
    frame: pl.LazyFrame,
    gone: pl.LazyFrame,
    keys: Sequence[str],
    base: Base,
    check: Callable[[Path], None],
) -> tuple[Written | None, ChangedRows]:
    """Put rows in place of those whose ``keys`` are in ``gone``, NULL included, and count both.

    ``check`` is given a file of the new rows as the table stores them, and raises if they may not
    be there.
    """
    opened = base.opened()
    rows = fitted(frame, opened.columns)
    delete = RowShape(tuple(keys), (RowAction("delete", new=False, columns=()),), once=False)
    with TemporaryDirectory(prefix="flowcat-replace-") as folder:
        file = Path(folder, "rows.arrow")
        spooled(rows, file)
        check(file)
        with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
            catalog, change = begin(base, files)
            work = _Work(_Changes(opened, gone, delete), opened, change.table_metadata, files)
            work.run()
            new = Rows(lambda: iter([pl.read_ipc(file)]), rows.schema)
            work.made += data_files(new, change.table_metadata, files)
            inserted = pl.scan_ipc(file).select(pl.len()).collect().item()
            told = replace(work.told, inserted=inserted)
            return _committed(work, told, catalog, change, base)


def _committed(
    work: _Work, told: ChangedRows, catalog: PointerCatalog, change: Transaction, base: Base
) -> tuple[Written | None, ChangedRows]:
    """Commit what was made, if there is anything to tell."""
    if not told.total:
        return None, told
    counts = {INSERTED: told.inserted, UPDATED: told.updated, DELETED: told.deleted}
    if work.gone:
        replace_files(change, work.gone, work.made, base, counts)
    else:
        append_files(change, work.made, base, counts)
    change.commit_transaction()
    return written(catalog), told


def evolved(frame: pl.LazyFrame, shape: RowShape, base: Base) -> Base:
    """The table of ``base`` with the columns that an action fills and that it lacks."""
    schema = frame.collect_schema()
    known = {name_key(column.name) for column in base.opened().columns}
    given = [column for action in shape.actions for column in action.columns]
    types = schema.dtypes()[len(schema) - len(given) :]
    new: dict[str, Column] = {}
    for name, dtype in zip(given, types, strict=True):
        if name_key(name) not in known:
            new.setdefault(name_key(name), Column(name, spark_type(dtype, name)))
    if not new:
        return base
    return replace(base, pointer=add_columns(tuple(new.values()), base).pointer)


def _emptied(opened: OpenedIceberg, base: Base) -> tuple[Written | None, ChangedRows]:
    """Take every file out of a table."""
    gone = [task.file for task in opened.tasks()]
    if not gone:
        return None, ChangedRows()
    told = ChangedRows(deleted=total_rows(opened.at.snapshot) or 0)
    with LocalFiles(opened.at.location, base.label) as files, translated(base.label):
        catalog, change = begin(base, files)
        replace_files(change, gone, (), base, {DELETED: told.deleted})
        change.commit_transaction()
        return written(catalog), told


class _Changes:
    """Changes whose columns have been matched with the table's, and every value with its type.

    Of a row, ``there`` is the number of the action if the table has it, ``new`` of the one if not.
    """

    def __init__(self, opened: OpenedIceberg, frame: pl.LazyFrame, shape: RowShape) -> None:
        self.shape = shape
        self.columns = opened.columns
        known = {column.name: column for column in opened.columns}
        self._of_keys = [known[key] for key in shape.keys]
        self._named = [f"__flowcat_k{number}" for number in range(len(shape.keys))]
        # Without keys every row of the table is meant.
        self.keys = self._named or [_ALL]
        self._names = [
            [f"__flowcat_g{number}_{place}" for place in range(len(action.columns))]
            for number, action in enumerate(shape.actions, start=1)
        ]
        given = self._given(frame)
        self._plans = [
            self._planned(action, names, given.collect_schema())
            for action, names in zip(shape.actions, self._names, strict=True)
        ]
        self.rows = self._once(given.collect())

    @property
    def all_go(self) -> bool:
        """Whether every row of the table is deleted."""
        alone = [action.kind for action in self.shape.actions] == ["delete"]
        return alone and not self.shape.keys and bool(self.rows.height)

    def _given(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The rows with their columns under our names, and the keys in the table's types."""
        by_source = self.shape.by_source
        numbers = [_THERE, _NEW] if by_source else [_THERE]
        names = [*self._named, *numbers, *(name for group in self._names for name in group)]
        old = frame.collect_schema().names()
        given = frame.rename(dict(zip(old, names, strict=True)))
        # What does not fit a key's type is in no row of the table.
        fitted = [
            canonical(pl.col(name).cast(polars_type(column.type), strict=False), column)
            for name, column in zip(self._named, self._of_keys, strict=True)
        ]
        given = given.with_columns(*fitted, pl.lit(0).alias(_ALL))
        if by_source:
            return given
        new = [n for n, action in enumerate(self.shape.actions, start=1) if action.new]
        is_new = pl.col(_THERE).is_in(new)
        return given.with_columns(
            pl.when(~is_new).then(_THERE).alias(_THERE), pl.when(is_new).then(_THERE).alias(_NEW)
        )

    def _planned(
        self, action: RowAction, names: Sequence[str], schema: pl.Schema
    ) -> tuple[Assignment, ...]:
        """What an action gives the table's columns."""
        if action.kind == "delete":
            return ()
        given = pl.Schema(
            {column: schema[name] for column, name in zip(action.columns, names, strict=True)}
        )
        plan = plan_assignment(given, self.columns, partial=action.kind != "insert")
        if action.kind == "insert":
            check_required(plan)
        return plan

    def _once(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows, of which no two say what becomes of one row of the table."""
        there = rows.filter(pl.col(_THERE).is_not_null())
        if self.shape.by_source:
            return rows
        if self.shape.once:
            self._check_once(there)
        else:
            there = there.unique(subset=self.keys)
        return pl.concat([there, rows.filter(pl.col(_THERE).is_null())])

    def _check_once(self, there: pl.DataFrame) -> None:
        counted = there.group_by(self.keys).len(_MARK)
        repeated = counted.filter(pl.col(_MARK) > 1).select(self.keys)
        if not repeated.height:
            return
        shown = repeated.head(_SHOWN).rows()
        listed = ", ".join(str(row[0]) if len(row) == 1 else str(row) for row in shown)
        where = f", where {', '.join(self.shape.keys)} is {listed}" if self._named else ""
        raise Invalid(
            f"Several rows of the source change the same row of the table{where}.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Leave one row of the source for each row of the table; nothing was changed.",
        )

    def new(self, number: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that an action inserts, of ``rows`` of changes."""
        return self._values(number, rows.filter(pl.col(_NEW) == number))

    def there(self, number: int) -> pl.DataFrame:
        """What an action says of rows of the table: keys, and values by the names of `stored`."""
        rows = self.rows.filter(pl.col(_THERE) == number)
        keys = rows.select(self.keys)
        if not self._plans[number - 1]:
            return keys
        return keys.hstack(self._values(number, rows).rename(self.stored(number)))

    def _values(self, number: int, rows: pl.DataFrame) -> pl.DataFrame:
        plans, names = self._plans[number - 1], self._names[number - 1]
        pairs = zip(self.shape.actions[number - 1].columns, names, strict=True)
        return assign(rows.select(pl.col(name).alias(column) for column, name in pairs), plans)

    def stored(self, number: int) -> dict[str, str]:
        """The columns that an action fills, with where it has the values."""
        plans = self._plans[number - 1]
        return {plan.column.name: f"__flowcat_v{number}_{at}" for at, plan in enumerate(plans)}

    def keyed(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Rows of the table with their keys under our names."""
        return rows.with_columns(
            *(
                canonical(exactly(column.name), column).alias(name)
                for name, column in zip(self._named, self._of_keys, strict=True)
            ),
            pl.lit(0).alias(_ALL),
        )

    def bounds(self, wanted: pl.DataFrame) -> Conditions:
        """What rows of the table meet of which ``wanted`` changes can say something."""
        place: list[Condition] = []
        for name, column in zip(self._named, self._of_keys, strict=True):
            values = wanted[name]
            known = self.shape.by_source or not values.null_count()
            if known and column.type in _ORDERED and values.drop_nulls().len():
                least, most = values.min(), values.max()
                place.append(Condition(column.name, ">=", (cast(Plain, least),)))
                place.append(Condition(column.name, "<=", (cast(Plain, most),)))
        return (tuple(place),) if place else ()


def canonical(values: pl.Expr, column: Column) -> pl.Expr:
    """As in SQL, zeros of both signs are one value, and so is every NaN."""
    if column.type not in ("float", "double"):
        return values
    return pl.when(values.is_nan()).then(float("nan")).otherwise(values + 0.0)


@dataclass
class _Work:
    """Goes through a table's files, and writes those anew that hold a row to change."""

    changes: _Changes
    opened: OpenedIceberg
    metadata: TableMetadata
    files: LocalFiles
    gone: list[DataFile] = field(default_factory=list)
    made: list[DataFile] = field(default_factory=list)
    told: ChangedRows = field(default_factory=ChangedRows)

    def run(self) -> None:
        """Write the files."""
        changes = self.changes
        rows = changes.rows
        wanted = rows if changes.shape.by_source else rows.filter(pl.col(_THERE).is_not_null())
        met: list[pl.DataFrame] = []
        if wanted.height:
            for task in self.opened.tasks(changes.bounds(wanted)):
                if task.delete_files:
                    raise unsupported(self.opened.at.label, "deletes in files of their own")
                met += self._file(task, wanted)
        if met and changes.shape.by_source:
            rows = rows.join(pl.concat(met), on=changes.keys, how="anti", nulls_equal=False)
        for number, action in enumerate(changes.shape.actions, start=1):
            if action.new:
                new = changes.new(number, rows)
                self.made += files_of(new, self.metadata, self.files)
                self.told = replace(self.told, inserted=self.told.inserted + new.height)

    def _file(self, task: FileScanTask, wanted: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Write a file anew if something is to become of a row in it; the keys that it has of the
        changes'.
        """
        frame = self.changes.keyed(self._declared(task))
        keys = self.changes.keys
        held = frame.select(keys).unique().collect()
        said = wanted.select(*keys, pl.col(_THERE).is_not_null().alias(_MARK))
        equal = not self.changes.shape.by_source
        found = said.join(held, on=keys, how="semi", nulls_equal=equal)
        if found.height:
            yield found.select(keys).unique()
        if found[_MARK].any():
            self._rewrite(task, frame.collect())

    def _declared(self, task: FileScanTask) -> pl.LazyFrame:
        frame, _ = self.opened.frame([task])
        types = self.opened.schema
        stored = {column.name: polars_type(column.type) for column in self.changes.columns}
        return frame.with_columns(
            exactly(name).cast(dtype) for name, dtype in stored.items() if dtype != types[name]
        )

    def _rewrite(self, task: FileScanTask, rows: pl.DataFrame) -> None:
        """Write a file's rows with what becomes of them."""
        kept = pl.lit(value=True)
        for number, action in enumerate(self.changes.shape.actions, start=1):
            if action.new:
                continue
            mark = f"{_MARK}{number}"
            said = self.changes.there(number).with_columns(pl.lit(value=True).alias(mark))
            rows = self._joined(rows, said)
            hit = pl.col(mark).is_not_null()
            count = rows.select(hit.sum()).item()
            if action.kind == "delete":
                kept &= ~hit
                self.told = replace(self.told, deleted=self.told.deleted + count)
            else:
                self.told = replace(self.told, updated=self.told.updated + count)
                rows = rows.with_columns(
                    pl.when(hit).then(pl.col(value)).otherwise(exactly(name)).alias(name)
                    for name, value in self.changes.stored(number).items()
                )
        names = [column.name for column in self.changes.columns]
        self.made += files_of(rows.filter(kept).select(exactly(*names)), self.metadata, self.files)
        self.gone.append(task.file)

    def _joined(self, rows: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
        equal = not self.changes.shape.by_source
        keys = self.changes.keys
        return rows.join(said, on=keys, how="left", nulls_equal=equal, maintain_order="left")
