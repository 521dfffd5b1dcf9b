"""Delimited text files: CSV, TSV and their kin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TextIO

import polars as pl

from flowcat_jupyter.formats.csv_dialect import (
    column_names,
    excel_delimiter,
    find_dialect,
    has_header,
)
from flowcat_jupyter.formats.csv_records import BadRows, Records, text_schema
from flowcat_jupyter.formats.files_bytes import FileBytes, encoding_warning, find_encoding
from flowcat_jupyter.formats.files_cast import typed_frame
from flowcat_jupyter.formats.files_infer import Profile
from flowcat_jupyter.formats.files_options import FileOptions
from flowcat_jupyter.formats.files_reading import (
    HEAD_ROWS,
    Reading,
    Request,
    Spool,
    decide,
    spooling,
)
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import ProposedColumn

_NO_HEADER = (
    "The first row holds numbers or dates, so the columns are numbered; set the option header to "
    "true if it names them."
)
SAMPLE_CHARS = 256 * 1024


@contextmanager
def read_csv(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read a delimited file through; its rows can be taken while the context is open.

    :raises Invalid: it holds no rows, is not text, or a type does not suit it.
    :raises NotFound: a type is given for a column it does not have.
    """
    encoding = options.encoding or find_encoding(packed, request.sample_above, request.report)
    told = encoding_warning(options.encoding, encoding)
    options = replace(options, encoding=encoding)
    sampled = packed.is_sampled(encoding, request.sample_above)
    with spooling() as spool:
        with packed.text(encoding, request.sample_above) as text:
            file = _CsvFile(text, _sample(packed, encoding), options, packed.path.name)
            file.scan(request, spool)
        reading = file.reading(request, spool, sampled)
        yield replace(reading, warnings=(*told, *reading.warnings))


def _sample(packed: FileBytes, encoding: str) -> str:
    with packed.text(encoding) as text:
        sample = text.read(SAMPLE_CHARS)
        # A cut line would look ragged, unless it is the only one.
        return sample if len(sample) < SAMPLE_CHARS else sample + text.readline(SAMPLE_CHARS)


class _CsvFile:
    """One delimited file, its dialect settled, read once."""

    def __init__(self, text: TextIO, sample: str, options: FileOptions, label: str) -> None:
        self._label = label
        if told := excel_delimiter(sample):
            sample = sample.partition("\n")[2]
            text.readline()
            options = replace(options, delimiter=options.delimiter or told)
        self._options = options
        self._dialect = find_dialect(sample, options)
        self._header = has_header(sample, self._dialect)
        if options.header is not None:
            self._header = options.header
        self._records = Records(text, self._dialect, lines_before=1 if told else 0)
        self._names, self._warnings = self._read_names()
        self._convention = Convention(
            options.decimal or ".", options.date_format, options.null_values
        )
        self._profile = Profile([str(i) for i in range(len(self._names))], self._convention)
        self._head = pl.DataFrame(schema=text_schema(len(self._names)))
        self._rows = 0

    def _read_names(self) -> tuple[list[str], list[str]]:
        first = self._records.header()
        if first is None:
            raise Invalid(f"{self._label} holds nothing but blank lines.")
        if self._header:
            return column_names(first)
        self._records.put_back()
        guessed = self._options.header is None
        return [f"column_{number}" for number in range(1, len(first) + 1)], [_NO_HEADER] * guessed

    def scan(self, request: Request, spool: Spool) -> None:
        """Read all rows, learning the columns' types."""
        for frame in self._records.frames(len(self._names)):
            self._profile.add(frame)
            if self._head.height < HEAD_ROWS:
                self._head = pl.concat([self._head, frame.head(HEAD_ROWS - self._head.height)])
            if request.keep:
                spool.add(frame)
            self._rows += frame.height
            request.report(self._rows)
        if not self._rows and not self._records.bad.count:
            raise Invalid(f"{self._label} holds a header and no rows.")
        if self._options.decimal is None:
            mark = self._profile.decimal_mark(self._dialect.delimiter)
            self._convention = replace(self._convention, decimal=mark)

    def reading(self, request: Request, spool: Spool, sampled: bool) -> Reading:
        """What was read; rows come from ``spool``."""
        names = {str(i): name for i, name in enumerate(self._names)}
        decisions = decide(
            names,
            request,
            lambda column: self._profile.decide(column, self._convention),
            self._profile.with_markers,
        )
        types = {column: decision.ddl for column, decision in decisions.items()}

        def typed(frame: pl.DataFrame) -> pl.DataFrame:
            return typed_frame(frame, types, names, self._convention)

        columns = [
            ProposedColumn(names[column], found.ddl, found.reason, self._examples(column))
            for column, found in decisions.items()
        ]
        return Reading(
            format="csv",
            options=self._found_options(),
            columns=tuple(columns),
            rows=self._rows,
            # In a sample neither line numbers nor the ends of quoted fields are certain.
            bad=BadRows() if sampled else self._records.bad,
            skip_bad=self._options.skip_bad,
            warnings=(*self._warnings, *self._blank_warning()),
            sampled=sampled,
            frames=lambda: map(typed, spool.frames()),
            head=lambda size: typed(self._head.head(size)),
        )

    def _examples(self, column: str) -> tuple[str, ...]:
        return tuple(self._profile.columns[column].examples)

    def _blank_warning(self) -> tuple[str, ...]:
        blank = self._records.blank
        return (f"Blank lines are no rows: there are {blank:,}.",) if blank else ()

    def _found_options(self) -> dict[str, str]:
        delimiter = self._dialect.delimiter
        found = {
            "delimiter": "\\t" if delimiter == "\t" else delimiter,
            "quote": self._dialect.quote or "",
            "encoding": self._options.encoding or "utf-8",
            "header": "true" if self._header else "false",
            "decimal": self._convention.decimal,
            "bad_rows": "skip" if self._options.skip_bad else "stop",
        }
        if self._options.null_values is not None:
            found["null_values"] = ",".join(self._options.null_values)
        if self._options.date_format:
            found["date_format"] = self._options.date_format
        return found
