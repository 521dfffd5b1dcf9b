"""Rows saved as files of one format, in a folder and in folders for the values of columns."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.options import Option, Options, read_options
from flowcat_jupyter.formats.parquet_scan import HIVE_NULL
from flowcat_jupyter.formats.sink_publish import check_mode, may_write, present, published
from flowcat_jupyter.formats.source_listing import LISTING, folder_name
from flowcat_jupyter.formats.source_table import FileFormat, FileReader
from flowcat_jupyter.formats.types import check_names, exactly, polars_type, spark_columns
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column, OptionLayer
from flowcat_jupyter.storage.moving import Piece
from flowcat_jupyter.storage.paths import local_path
from flowcat_jupyter.storage.patterns import SEPARATOR, is_pattern

MOST_PARTITIONS = 10_000
_ROWS = ".rows"


class FileWriter(Protocol):
    """How a format writes a file."""

    @property
    def options(self) -> Sequence[Option]:
        """The options it has for writing."""
        ...

    def suffix(self, options: Options) -> str:
        """What the names of its files end with."""
        ...

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Let pass columns that its files can hold.

        :raises Invalid: they cannot hold one of them; it is named.
        """
        ...

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """Write a file; the frame is in the declared types of ``columns``."""
        ...


class FileSink:
    """A format in which rows can be saved as files: see `SinkFormat`."""

    def __init__(self, name: str, writer: FileWriter, others: Sequence[Option] = ()) -> None:
        """Write by ``writer`` what is called ``name``; ``others`` are the options for reading."""
        self.name = name
        self.write_options = tuple(writer.options)
        self._writer = writer
        self._elsewhere = others
        self._before: Sequence[Piece] | None = None

    def begun(self, location: str, mode: str) -> FileSink:
        """The same, for one write whose rows are computed from now on: `save` refuses to replace
        files that others have written since.

        :raises Conflict: in `save`.
        """
        known = copy.copy(self)
        if location:
            known._before = present(Path(local_path(location)), check_mode(mode))
        return known

    def save(
        self,
        frame: pl.LazyFrame,
        *,
        location: str | None,
        mode: str,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str] = (),
        columns: Sequence[Column] = (),
    ) -> int:
        """Write all rows as files in the folder ``location``; how many rows they were."""
        mode = check_mode(mode)
        declared = tuple(columns) or spark_columns(frame.collect_schema())
        folder, said, apart = self._prepared(location, options, partition_by, declared)
        inside = [column for column in declared if column not in apart]
        if not may_write(folder, mode):
            return 0
        with published(folder, mode, before=self._before) as staged, _written(self.name):
            rows = _spooled(frame, declared, staged.place / _ROWS)
            for part, into in _parts(rows, apart, staged.place):
                self._writer.write(part, inside, self._path(into, said), said)
            count = int(rows.select(pl.len()).collect().item())
            (staged.place / _ROWS).unlink()
        return count if staged.published else 0

    def define(
        self,
        columns: Sequence[Column],
        *,
        location: str,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str] = (),
    ) -> None:
        """Make the empty folder of a table of ``columns``.

        :raises Invalid: the format cannot hold a column, or an option is unknown or wrong.
        """
        folder, _, _ = self._prepared(location, options, partition_by, columns)
        may_write(folder, "error")
        with published(folder, "error"):
            pass

    def _prepared(
        self,
        location: str | None,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str],
        columns: Sequence[Column],
    ) -> tuple[str, Options, list[Column]]:
        """The folder, the options and the columns that folders' names hold, all of them sound."""
        known = self._writer.options
        said = read_options(self.name, options, known, doing="write", others=self._elsewhere)
        if not location or SEPARATOR in location or is_pattern(location):
            raise Invalid("Rows are saved in one folder.", hint="Say its path.")
        check_names([column.name for column in columns])
        apart = _apart(columns, partition_by)
        self._writer.check([column for column in columns if column not in apart], said)
        return local_path(location), said, apart

    def _path(self, folder: Path, options: Options) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"part-00000-{uuid.uuid4()}{self._writer.suffix(options)}"


class WritableFiles(FileFormat, FileSink):
    """A format of files that is read and written."""

    def __init__(self, reader: FileReader, writer: FileWriter) -> None:
        """Read by ``reader``, write by ``writer``."""
        FileFormat.__init__(self, reader, writer.options)
        FileSink.__init__(self, reader.name, writer, (*LISTING, *reader.options))


@contextmanager
def _written(format: str) -> Iterator[None]:
    try:
        yield
    except (PolarsError, OSError) as error:
        if fault := system_fault(error):
            raise fault from error
        if isinstance(error, OSError):
            raise
        reason = (str(error).splitlines() or ["unknown"])[0]
        raise Invalid(
            f"The rows cannot be written as {format}: {reason}.",
            hint="Cast the column that is named, or choose another format.",
        ) from error


def _apart(columns: Sequence[Column], partition_by: Sequence[str]) -> list[Column]:
    known = {name_key(column.name): column for column in columns}
    found: list[Column] = []
    for name in partition_by:
        column = known.get(name_key(name))
        if column is None:
            raise NotFound("column", name, hint=f"There are: {', '.join(c.name for c in columns)}.")
        if column in found:
            raise Invalid(f"Rows cannot be partitioned by {name} twice.")
        if parse_type(column.type).is_nested or parse_type(column.type).kind == "binary":
            raise Invalid(
                f"Rows cannot be partitioned by {name}, which is {column.type}.",
                condition="INVALID_PARTITION_COLUMN_DATA_TYPE",
                sqlstate="0A000",
            )
        found.append(column)
    if found and len(found) == len(columns):
        raise Invalid(
            "Rows cannot be partitioned by all of their columns: nothing would be in the files.",
            condition="ALL_PARTITION_COLUMNS_NOT_ALLOWED",
            sqlstate="KD005",
        )
    return found


def _spooled(frame: pl.LazyFrame, columns: Sequence[Column], path: Path) -> pl.LazyFrame:
    """The rows in their declared types, computed once."""
    frame.select(
        exactly(column.name).cast(polars_type(column.type)) for column in columns
    ).sink_ipc(path)
    return pl.scan_ipc(path)


def _parts(
    rows: pl.LazyFrame, apart: Sequence[Column], folder: Path
) -> Iterator[tuple[pl.LazyFrame, Path]]:
    if not apart:
        yield rows, folder
        return
    names = [column.name for column in apart]
    keys = rows.select(exactly(*names)).unique().sort(names).collect()
    if keys.height > MOST_PARTITIONS:
        raise Invalid(
            f"The rows have {keys.height:,} different values of {', '.join(names)}; more than "
            f"{MOST_PARTITIONS:,} folders are not made.",
            hint="Partition by columns that have few values.",
        )
    texts = keys.select(_as_text(column) for column in apart)
    _check_texts(texts, names)
    for key, said in zip(keys.iter_rows(), texts.iter_rows(), strict=True):
        wanted = [
            exactly(name).eq_missing(pl.lit(value, dtype=keys.schema[name]))
            for name, value in zip(names, key, strict=True)
        ]
        into = folder.joinpath(*(folder_name(n, t) for n, t in zip(names, said, strict=True)))
        yield rows.filter(wanted).drop(*names), into


def _as_text(column: Column) -> pl.Expr:
    kind = parse_type(column.type).kind
    value = exactly(column.name)
    if kind.startswith("timestamp"):
        # A reader takes a time without a zone for one of the zone that its session has.
        return value.dt.strftime("%Y-%m-%d %H:%M:%S%.f" + ("Z" if kind == "timestamp" else ""))
    return value.cast(pl.String)


def _check_texts(texts: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        # Such folders would be read as NULL.
        said = texts[name].filter(texts[name].is_in(["", HIVE_NULL])).first()
        if said is not None:
            what = f"the text {HIVE_NULL}" if said else "the empty text"
            raise Invalid(
                f"Column {name} holds {what}, which no folder's name can say.",
                condition="INVALID_PARTITION_VALUE",
                sqlstate="42846",
                hint="Write NULL in place of it, or do not partition by the column.",
            )
