"""Delimited text files: CSV, TSV and their kin.

A file is read twice: once to learn its columns' types and which rows do not fit, and once to give
the others in those types.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import polars as pl

from flowcat_jupyter.formats.csv_blocks import Blocks, transcoded
from flowcat_jupyter.formats.csv_careful import LINE, text_schema
from flowcat_jupyter.formats.csv_dialect import (
    column_names,
    find_dialect,
    find_header,
)
from flowcat_jupyter.formats.csv_records import Records
from flowcat_jupyter.formats.csv_told import told_of
from flowcat_jupyter.formats.files_ahead import ahead
from flowcat_jupyter.formats.files_bytes import FileBytes, not_encoded
from flowcat_jupyter.formats.files_cast import typed
from flowcat_jupyter.formats.files_encoding import (
    UTF8,
    Encoding,
    asked_encoding,
    find_encoding,
    marked_encoding,
)
from flowcat_jupyter.formats.files_infer import Decision, Profile
from flowcat_jupyter.formats.files_misfits import Misfits, Tried
from flowcat_jupyter.formats.files_options import FileOptions, given_options
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide, widened
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import ImportFile, ProposedColumn

SAMPLE_BYTES = 256 * 1024
MAX_SAMPLE = 4 * SAMPLE_BYTES


@contextmanager
def read_csv(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read a delimited file through.

    :raises Invalid: it holds no rows, is not text, or a type does not suit it.
    :raises NotFound: a type is given for a column it does not have.
    """
    encoding = asked_encoding(options.encoding) or marked_encoding(packed)
    if encoding is None:
        try:
            # Nearly every file is, and then it need not be read once more to find out.
            file = _CsvFile(packed, UTF8, options, request)
        except UnicodeDecodeError:
            encoding = find_encoding(packed, request.sample_above, request.report)
            file = _CsvFile(packed, encoding, options, request)
    else:
        file = _CsvFile(packed, encoding, options, request)
    yield file.reading()


class _CsvFile:
    """One delimited file that has been read once."""

    def __init__(
        self, packed: FileBytes, encoding: Encoding, options: FileOptions, request: Request
    ) -> None:
        self._packed = packed
        self._encoding = encoding
        self._options = options
        self._request = request
        self._sampled = packed.is_sampled(encoding.name, request.sample_above)
        self._stamp = packed.stamp()
        sample = self._sample()
        self._dialect = find_dialect(sample, options)
        self._header = find_header(sample, self._dialect.dialect, options)
        self._convention = Convention(
            options.decimal or ".", options.date_format, options.date_order, options.null_values
        )
        self._bad = BadRows(packed.label, request.keep)
        self._rows = self._blank = 0
        self._scan()
        self._decide()

    def _sample(self) -> str:
        with self._blocks(None) as blocks:
            data = blocks.take()
            # A cut line would look ragged, unless it is the only one.
            cut = data.find(b"\n", SAMPLE_BYTES) + 1 if len(data) > SAMPLE_BYTES else len(data)
            data = data[: cut if 0 < cut <= MAX_SAMPLE else MAX_SAMPLE]
            text = codecs.getincrementaldecoder("utf-8")().decode(data)
        for _ in range(self._options.skip_lines):
            text = text.partition("\n")[2]
        return text

    @contextmanager
    def _blocks(self, sample_above: int | None) -> Iterator[Blocks]:
        name = self._encoding.name
        with self._packed.lines(name, sample_above) as read:
            try:
                yield Blocks(transcoded(read, name))
            except UnicodeError as e:
                if self._encoding is UTF8:
                    raise
                raise not_encoded(self._packed, name, e) from e

    @contextmanager
    def _records(
        self, bad: BadRows, sample_above: int | None, known: Sequence[int] = ()
    ) -> Iterator[Records]:
        """The file's records, what comes before the first row passed."""
        with self._blocks(sample_above) as blocks:
            records = Records(blocks, self._dialect.dialect, bad, known=known)
            records.skip(self._options.skip_lines + self._dialect.lines)
            first = records.header(keep=not self._header.there)
            if first is None:
                raise Invalid(f"{self._packed.label} holds nothing but blank lines.")
            self._first = first
            yield records

    def _names_of(self, first: list[str]) -> None:
        if self._header.there:
            self._names, self._warnings = column_names(first)
            return
        self._names = [f"column_{number}" for number in range(1, len(first) + 1)]
        self._warnings = list(self._header.warnings)

    def _scan(self) -> None:
        """Read all rows, learning the columns' types."""
        with self._records(self._bad, self._request.sample_above) as records:
            self._names_of(self._first)
            self._keys = {str(i): name for i, name in enumerate(self._names)}
            self._profile = Profile(list(self._keys), self._convention)
            self._head = pl.DataFrame(schema=text_schema(len(self._names)))
            for batch in ahead(records.batches(len(self._names))):
                self._learn(batch.frame)
            self._blank, self._plain = records.blank, records.plain
        if not self._rows and not self._bad.count:
            raise Invalid(f"{self._packed.label} holds a header and no rows.")
        if self._options.decimal is None:
            mark = self._profile.decimal_mark(self._dialect.dialect.delimiter)
            self._convention = replace(self._convention, decimal=mark)
        if self._sampled:
            # In a sample neither line numbers nor the ends of quoted fields are certain.
            self._bad = BadRows(self._packed.label)

    def _learn(self, frame: pl.DataFrame) -> None:
        self._profile.add(frame)
        if self._head.height < HEAD_ROWS:
            self._head = pl.concat([self._head, frame.head(HEAD_ROWS - self._head.height)])
        self._rows += frame.height
        self._request.report(self._rows)

    def _infer(self, key: str) -> Decision:
        return self._profile.decide(key, self._convention)

    def _decide(self) -> None:
        self._decisions = decide(self._keys, self._request, self._infer, self._profile.with_markers)
        unsure = {
            key: found
            for key, found in self._decisions.items()
            if not self._profile.supports(key, found.ddl, self._convention)
        }
        if unsure and not self._sampled:
            look = Misfits(self._keys, self._typed, self._bad, self._options.bad_rows)
            self._decisions, lost = look.settle(self._decisions, unsure)
            self._rows -= lost

    def _typed(self, decisions: Mapping[str, Decision]) -> Iterator[Tried]:
        """The rows in their types, read once more."""
        with self._records(BadRows(), None, () if self._sampled else self._plain) as records:
            for batch in ahead(records.batches(len(self._names))):
                yield Tried(
                    typed(batch.frame, self._keys, decisions, self._convention),
                    batch.frame[LINE],
                    batch.row_text,
                )

    def _frames(self) -> Iterator[pl.DataFrame]:
        yield from ahead(found.typed.fitting() for found in self._typed(self._decisions))
        self._packed.check_unchanged(self._stamp)

    def _first_rows(self, size: int) -> pl.DataFrame:
        rows = self._head.head(size)
        return typed(rows, self._keys, self._decisions, self._convention).fitting()

    def _retyped(self, types: Mapping[str, str]) -> Reading:
        self._decisions = widened(self._decisions, self._keys, types)
        return self.reading()

    def reading(self) -> Reading:
        """What was read; taking the rows reads the file again."""
        found = self._options_found()
        columns = [
            ProposedColumn(
                self._keys[key], was.ddl, was.reason, tuple(self._profile.columns[key].examples)
            )
            for key, was in self._decisions.items()
        ]
        return Reading(
            format="csv",
            options=found,
            columns=tuple(columns),
            rows=self._rows,
            bad=(self._bad,),
            bad_rows=self._options.bad_rows,
            warnings=(*self._encoding.warnings, *self._warnings, *self._blank_warning()),
            sampled=self._sampled,
            frames=self._frames,
            head=self._first_rows,
            retyped=self._retyped,
            own=self._own_types(),
            files=(ImportFile(self._packed.label, self._packed.size),),
            **told_of(
                found, self._packed, self._encoding, self._dialect, self._header, self._profile
            ),
        )

    def _own_types(self) -> dict[str, str]:
        return {
            name: self._infer(key).ddl if self._profile.columns[key].values else "void"
            for key, name in self._keys.items()
        }

    def _blank_warning(self) -> tuple[str, ...]:
        blank = self._blank
        return (f"Blank lines are no rows: there are {blank:,}.",) if blank else ()

    def _options_found(self) -> dict[str, str]:
        dialect = self._dialect.dialect
        return {
            "delimiter": "\\t" if dialect.delimiter == "\t" else dialect.delimiter,
            "quote": dialect.quote or "",
            "encoding": self._encoding.name,
            "header": "true" if self._header.there else "false",
            "decimal": self._convention.decimal,
            **given_options("csv", self._options),
        }
