"""Files that bring their own types: Parquet, Arrow IPC and Avro."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError
from polars.selectors import temporal

from flowcat_jupyter.formats.csv_told import compression
from flowcat_jupyter.formats.delta_assign import Cast, cast_kind
from flowcat_jupyter.formats.files_bytes import FileBytes, unreadable
from flowcat_jupyter.formats.files_cast import Typed, is_readable, typed
from flowcat_jupyter.formats.files_infer import EXAMPLE_LENGTH, EXAMPLES, Decision
from flowcat_jupyter.formats.files_misfits import Misfits, Tried
from flowcat_jupyter.formats.files_options import BAD_ROWS, FileOptions, given_options
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide, widened
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.parquet import ParquetFormat
from flowcat_jupyter.formats.types import (
    exactly,
    polars_type,
    spark_type,
    storable_type,
    with_texts,
)
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import ImportFile, ProposedColumn, Source

_CONVENTION = Convention()


@dataclass(frozen=True)
class _Scanned:
    """All rows of a file, its columns' Spark types, why where they are not its own, warnings."""

    frame: pl.LazyFrame
    types: dict[str, str]
    reasons: Mapping[str, str]
    warnings: tuple[str, ...] = ()


@contextmanager
def read_parquet(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Open a Parquet file; only its footer is read until its rows are asked for.

    :raises Invalid: it is damaged, or a type cannot be made of a column's own.
    :raises NotFound: a type is given for a column it does not have.
    """
    with _columnar("parquet", packed, options, request, _scan_parquet) as reading:
        yield reading


@contextmanager
def read_arrow(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Open an Arrow IPC file, or a stream, which is read into memory; see `read_parquet`."""
    with _columnar("arrow", packed, options, request, _scan_arrow) as reading:
        yield reading


@contextmanager
def read_avro(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read an Avro file into memory; see `read_parquet`."""
    with _columnar("avro", packed, options, request, _scan_avro) as reading:
        yield reading


def _scan_parquet(path: Path, label: str) -> _Scanned:
    source = Source("file", "table", (label,), "parquet", str(path.absolute()))
    scan = ParquetFormat().scan(source)
    types = {column.name: column.type for column in scan.columns}
    stored = pl.read_parquet_schema(path)
    types |= {name: "void" for name, dtype in stored.items() if isinstance(dtype, pl.Null)}
    return _Scanned(scan.declared(), types, {}, scan.warnings)


def _scan_arrow(path: Path, label: str) -> _Scanned:
    with path.open("rb") as raw:
        is_file = raw.read(6) == b"ARROW1"
    return _storable(pl.scan_ipc(path) if is_file else pl.read_ipc_stream(path).lazy())


def _scan_avro(path: Path, label: str) -> _Scanned:
    return _storable(pl.read_avro(path).lazy())


def _storable(frame: pl.LazyFrame) -> _Scanned:
    """The frame in types that tables have."""
    casts: list[pl.Expr] = []
    reasons: dict[str, str] = {}
    types: dict[str, str] = {}
    for name, dtype in frame.collect_schema().items():
        column = exactly(name)
        stored = dtype
        if isinstance(dtype, pl.Time):
            column, stored = column.dt.to_string("iso"), pl.String()
            reasons[name] = "times of day, which tables have no type for; as text"
        elif isinstance(dtype, pl.Duration):
            column, stored = column.dt.total_microseconds(), pl.Int64()
            reasons[name] = "durations, which tables have no type for; as microseconds"
        elif not isinstance(dtype, pl.Null):
            stored = storable_type(with_texts(dtype), name)
            column = column.cast(stored)
        if stored != dtype:
            casts.append(column)
            reasons.setdefault(name, f"{dtype} in the file, which tables keep as this")
        types[name] = spark_type(stored, name)
    return _Scanned(frame.with_columns(casts) if casts else frame, types, reasons)


@contextmanager
def _columnar(
    kind: str,
    packed: FileBytes,
    options: FileOptions,
    request: Request,
    scan: Callable[[Path, str], _Scanned],
) -> Iterator[Reading]:
    with packed.on_disk() as path:
        try:
            scanned = scan(path, packed.label)
        except (PolarsError, OSError, BaseExceptionGroup) as e:
            raise unreadable(packed.label, e) from e
        yield _ColumnarFile(kind, packed, scanned, options, request).reading()


class _ColumnarFile:
    def __init__(
        self,
        kind: str,
        packed: FileBytes,
        scanned: _Scanned,
        options: FileOptions,
        request: Request,
    ) -> None:
        self._kind = kind
        self._packed = packed
        self._scanned = scanned
        self._options = options
        self._own = scanned.types
        self._names = {name: name for name in self._own}
        self._bad = BadRows(packed.label, request.keep)
        self._stamp = packed.stamp()
        self._rows = int(self._collect(scanned.frame.select(pl.len())).item())
        self._decisions = decide(self._names, request, self._infer)
        unsure = {n: f for n, f in self._decisions.items() if not self._is_own(n, f.ddl)}
        for name, found in unsure.items():
            self._check_cast(name, found)
        if unsure and request.sample_above is None:
            look = Misfits(self._names, self._tried, self._bad, options.bad_rows, "Row")
            self._decisions, lost = look.settle(self._decisions, unsure)
            self._rows -= lost

    def _infer(self, name: str) -> Decision:
        if self._own[name] == "void":
            return Decision("string", "no values; text until a type is given")
        return Decision(self._own[name], self._scanned.reasons.get(name, "as in the file"))

    def _is_own(self, name: str, ddl: str) -> bool:
        own = "string" if self._own[name] == "void" else self._own[name]
        return parse_type(own) == parse_type(ddl)

    def _check_cast(self, name: str, found: Decision) -> None:
        own = self._own[name]
        if own in ("string", "void") and is_readable(found.ddl):
            return
        if cast_kind(polars_type(own), polars_type(found.ddl)) is Cast.REFUSED:
            raise Invalid(
                f"Column {name} holds {own} and cannot become {found.ddl}.",
                condition="CAST_INVALID_INPUT",
                sqlstate="22018",
                hint="Import it as it is and convert it with SQL.",
            )

    def _retyped(self, types: Mapping[str, str]) -> Reading:
        self._decisions = widened(self._decisions, self._names, types)
        for name, found in self._decisions.items():
            self._check_cast(name, found)
        return self.reading()

    def reading(self) -> Reading:
        """What is in the file."""
        head = self._collect(self._scanned.frame.head(HEAD_ROWS))
        columns = [
            ProposedColumn(name, found.ddl, found.reason, _examples(head[name]))
            for name, found in self._decisions.items()
        ]
        return Reading(
            format=self._kind,
            options=given_options(self._kind, self._options),
            columns=tuple(columns),
            rows=self._rows,
            bad=(self._bad,),
            bad_rows=self._options.bad_rows,
            warnings=self._scanned.warnings,
            sampled=False,
            frames=self._frames,
            head=lambda size: self._typed(head.head(size), self._decisions).fitting(),
            retyped=self._retyped,
            own=self._own,
            detected=(compression(self._packed),),
            choices={"bad_rows": BAD_ROWS},
            files=(ImportFile(self._packed.label, self._packed.size),),
        )

    def _frames(self) -> Iterator[pl.DataFrame]:
        for tried in self._tried(self._decisions):
            yield tried.typed.fitting()
        if self._packed.packing == "plain":
            self._packed.check_unchanged(self._stamp)

    def _collect(self, frame: pl.LazyFrame) -> pl.DataFrame:
        try:
            return frame.collect()
        except (PolarsError, OSError) as e:
            raise unreadable(self._packed.label, e) from e

    def _tried(self, decisions: Mapping[str, Decision]) -> Iterator[Tried]:
        row = 1
        try:
            for batch in self._scanned.frame.collect_batches(lazy=True, maintain_order=True):
                lines = pl.int_range(row, row + batch.height, dtype=pl.UInt64, eager=True)
                yield Tried(
                    self._typed(batch, decisions),
                    lines,
                    partial(_as_json, batch),
                )
                row += batch.height
        except (PolarsError, OSError) as e:
            raise unreadable(self._packed.label, e) from e

    def _typed(self, frame: pl.DataFrame, decisions: Mapping[str, Decision]) -> Typed:
        texts = {
            name: found
            for name, found in decisions.items()
            if self._own[name] in ("string", "void") and not self._is_own(name, found.ddl)
        }
        text = frame.select(exactly(*texts).cast(pl.String)) if texts else pl.DataFrame()
        read = typed(text, self._names, texts, _CONVENTION)
        wrong = dict(read.wrong)
        columns: list[pl.Series] = []
        for name, found in decisions.items():
            if name in texts:
                columns.append(read.frame[name])
                continue
            cast, lost = _fitted(frame[name], polars_type(found.ddl))
            columns.append(cast)
            if lost is not None:
                wrong[name] = lost
        return Typed(pl.DataFrame(columns), wrong, frame, decisions)


def _fitted(values: pl.Series, dtype: pl.DataType) -> tuple[pl.Series, pl.Series | None]:
    """Values in a type, NULL where one would not be the same in it, and where that is."""
    kind = cast_kind(values.dtype, dtype)
    if kind is Cast.FREE:
        return values.cast(dtype), None
    cast = values.cast(dtype, strict=False)
    lost = cast.is_null() & values.is_not_null()
    if values.dtype.is_float() and dtype.is_float():
        lost |= cast.is_infinite().fill_null(value=False) & values.is_finite()
    else:
        lost |= cast.cast(values.dtype, strict=False).ne_missing(values)
    if not lost.any():
        return cast, None
    return cast.zip_with(~lost, cast.clear(len(cast))), lost


def _as_json(rows: pl.DataFrame, at: int) -> str:
    # As text first: a file's years may be beyond those of Python.
    row = rows.slice(at, 1).with_columns(temporal().cast(pl.String)).row(0, named=True)
    return json.dumps(row, ensure_ascii=False, default=str)


def _examples(values: pl.Series) -> tuple[str, ...]:
    first = values.drop_nulls().head(EXAMPLES)
    if first.dtype.is_temporal():
        first = first.cast(pl.String)
    found = first.to_list()
    return tuple(dict.fromkeys(str(value)[:EXAMPLE_LENGTH] for value in found))
