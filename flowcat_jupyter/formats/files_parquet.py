"""Parquet files, which bring their own types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.csv_records import LINE, BadRows
from flowcat_jupyter.formats.delta_assign import Cast, assign, cast_kind, plan_assignment
from flowcat_jupyter.formats.files_bytes import FileBytes
from flowcat_jupyter.formats.files_cast import is_readable, typed_frame
from flowcat_jupyter.formats.files_infer import EXAMPLE_LENGTH, EXAMPLES, Decision
from flowcat_jupyter.formats.files_options import FileOptions
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.parquet import ParquetFormat
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column, ProposedColumn, Source

_CONVENTION = Convention()


@contextmanager
def read_parquet(packed: FileBytes, _options: FileOptions, request: Request) -> Iterator[Reading]:
    """Open a Parquet file; only its footer is read until its rows are asked for.

    :raises Invalid: it is packed or damaged, or a type cannot be made of a column's own.
    :raises NotFound: a type is given for a column it does not have.
    """
    if packed.packing != "plain":
        raise Invalid(
            f"{packed.path.name} is a packed Parquet file.", hint="Unpack it; it gains nothing."
        )
    yield _ParquetFile(packed, request).reading()


class _ParquetFile:
    def __init__(self, packed: FileBytes, request: Request) -> None:
        location = str(packed.path.absolute())
        source = Source("file", "table", (packed.path.name,), "parquet", location)
        scan = ParquetFormat().scan(source)
        self._label = packed.path.name
        self._warnings = scan.warnings
        self._rows = ParquetFormat().facts(source).row_count or 0
        self._own = {column.name: column.type for column in scan.columns}
        self._frame = scan.declared()
        self._decisions = decide({name: name for name in self._own}, request, self._infer)
        self._check_casts()

    def _infer(self, name: str) -> Decision:
        if self._own[name] == "void":
            return Decision("string", "no values; text until a type is given")
        return Decision(self._own[name], "as in the file")

    def _check_casts(self) -> None:
        for name, found in self._decisions.items():
            own = self._own[name]
            if own in ("string", "void") and is_readable(found.ddl):
                continue
            if cast_kind(polars_type(own), polars_type(found.ddl)) is Cast.REFUSED:
                raise Invalid(
                    f"Column {name} holds {own} and cannot become {found.ddl}.",
                    condition="CAST_INVALID_INPUT",
                    sqlstate="22018",
                    hint="Import it as it is and convert it with SQL.",
                )

    def reading(self) -> Reading:
        """What is in the file."""
        head = self._collect(self._frame.head(HEAD_ROWS))
        return Reading(
            format="parquet",
            options={},
            columns=tuple(
                ProposedColumn(name, found.ddl, found.reason, _examples(head[name]))
                for name, found in self._decisions.items()
            ),
            rows=self._rows,
            bad=BadRows(),
            skip_bad=False,
            warnings=self._warnings,
            sampled=False,
            frames=self._frames,
            head=lambda size: self._typed(head.head(size), 1),
        )

    def _collect(self, frame: pl.LazyFrame) -> pl.DataFrame:
        try:
            return frame.collect()
        except (PolarsError, OSError) as e:
            raise self._damaged(e) from e

    def _damaged(self, error: Exception) -> Invalid:
        reason = str(error).splitlines()[0]
        return Invalid(
            f"{self._label} is damaged ({reason}).", hint="Copy or download the file again."
        )

    def _frames(self) -> Iterator[pl.DataFrame]:
        row = 1
        try:
            for batch in self._frame.collect_batches(lazy=True, maintain_order=True):
                yield self._typed(batch, row)
                row += batch.height
        except (PolarsError, OSError) as e:
            raise self._damaged(e) from e

    def _typed(self, frame: pl.DataFrame, row: int) -> pl.DataFrame:
        numbers = pl.int_range(row, row + frame.height, dtype=pl.UInt64, eager=True)
        return pl.DataFrame(
            [
                self._column(frame[name], found.ddl, numbers.alias(LINE))
                for name, found in self._decisions.items()
            ]
        )

    def _column(self, values: pl.Series, ddl: str, numbers: pl.Series) -> pl.Series:
        name = values.name
        own = self._own[name]
        if parse_type(own) == parse_type(ddl):
            return values
        if own in ("string", "void"):
            frame = pl.DataFrame([values.cast(pl.String).alias("0"), numbers])
            return typed_frame(frame, {"0": ddl}, {"0": name}, _CONVENTION, place="Row")[name]
        frame = values.to_frame()
        return assign(frame, plan_assignment(frame.schema, [Column(name, ddl)]))[name]


def _examples(values: pl.Series) -> tuple[str, ...]:
    found = values.drop_nulls().head(EXAMPLES).to_list()
    return tuple(dict.fromkeys(str(value)[:EXAMPLE_LENGTH] for value in found))
