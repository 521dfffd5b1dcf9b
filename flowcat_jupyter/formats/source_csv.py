"""Delimited text as a table, by Spark's rules and options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import polars as pl

from flowcat_jupyter.formats.options import (
    Option,
    Options,
    flag,
    number,
    only,
    refused,
    text,
    unescape,
)
from flowcat_jupyter.formats.source_csv_infer import Seen
from flowcat_jupyter.formats.source_csv_split import (
    WRONG,
    Style,
    joined_lines,
    kept_lines,
    split_lines,
    split_record,
)
from flowcat_jupyter.formats.source_listing import DataFile, Listed
from flowcat_jupyter.formats.source_modes import CORRUPT, MODE, check_corrupt, judged
from flowcat_jupyter.formats.source_patterns import PATTERNS, spelling
from flowcat_jupyter.formats.source_texts import (
    COMPRESSION,
    ENCODING,
    ENGLISH,
    LINE_SEPARATOR,
    ended_lines,
    line_blocks,
)
from flowcat_jupyter.formats.source_values import ATOMS, Spelling, read_text
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

_WHOLE_FILE = "All records are looked at: set it to 1.0, or declare the columns."
_STOPS = "An unescaped quote is taken as it stands, up to the delimiter."


def mark(said: str) -> str:
    """One character, or nothing.

    :raises ValueError: it is more.
    """
    found = unescape(said)
    if len(found) > 1:
        raise ValueError("it is more than one character")
    return "" if found == "\0" else found


def delimiter(said: str) -> str:
    """What separates fields.

    :raises ValueError: nothing, or an end of a line.
    """
    found = unescape(said)
    if not found or any(each in found for each in "\r\n\0"):
        raise ValueError("it is empty or a line break")
    return found


_ONE = "one character, or nothing"
OPTIONS: tuple[Option, ...] = (
    Option("sep", delimiter, "a text that separates fields", ",", ("delimiter",)),
    Option("quote", mark, _ONE, '"'),
    Option("escape", mark, _ONE, "\\"),
    Option("comment", mark, _ONE, ""),
    flag("header", False),
    flag("inferSchema", False),
    flag("preferDate", True),
    flag("enforceSchema", None),
    flag("ignoreLeadingWhiteSpace", False),
    flag("ignoreTrailingWhiteSpace", False),
    flag("multiLine", False),
    text("nullValue", ""),
    text("emptyValue", ""),
    text("nanValue", "NaN"),
    text("positiveInf", "Inf"),
    text("negativeInf", "-Inf"),
    *PATTERNS,
    number("maxColumns", 20480, least=1),
    number("maxCharsPerColumn", -1, least=-1),
    only("samplingRatio", ("1.0", "1"), _WHOLE_FILE),
    only("unescapedQuoteHandling", ("stop_at_delimiter",), _STOPS),
    refused("charToEscapeQuoteEscaping", "An escape character before itself stands for itself."),
    MODE,
    CORRUPT,
    ENCODING,
    LINE_SEPARATOR,
    COMPRESSION,
    ENGLISH,
)


class CsvReader:
    """Delimited text; see `FileReader`."""

    name = "csv"
    options = OPTIONS

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """Columns by the first file's first record: its texts with ``header``, else ``_c0`` …;
        all STRING unless ``inferSchema``.

        :raises Invalid: no file has a record.
        """
        firsts = (_first(file, options) for file in files.files)
        first = next((found for found in firsts if found is not None), None)
        if first is None:
            raise Invalid(
                "The columns cannot be told: the files are empty.",
                condition="UNABLE_TO_INFER_SCHEMA",
                sqlstate="42KD9",
                hint="Declare the columns.",
            )
        names = header_names(first, options)
        if options["header"] and options["enforceSchema"] is None:
            _check_headers(files, names, options)
        if not options["inferSchema"]:
            return tuple(Column(name, "string") for name in names)
        seen = Seen(len(names), spelling(options), dates=options["preferDate"])
        for file in files.files:
            for _, frame in _frames(file, options, len(names)):
                seen.add(frame)
        return tuple(Column(n, t) for n, t in zip(names, seen.types(), strict=True))

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse nested columns, which no field holds."""
        for column in columns:
            if parse_type(column.type).kind not in ATOMS:
                raise Invalid(
                    f"CSV files have no column {column.name} of type {column.type}.",
                    condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                    sqlstate="0A000",
                    hint="Declare it as STRING, or keep the data as JSON or Parquet.",
                )
        check_corrupt(columns, options)

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """A file's records; fields belong to columns by their place."""
        corrupt = name_key(options["columnNameOfCorruptRecord"])
        inside = [column for column in columns if name_key(column.name) != corrupt]
        if options["header"] and options["enforceSchema"] is False:
            _check_header(file, [column.name for column in inside], options)
        how = spelling(options)
        for lines, texts in _frames(file, options, len(inside)):
            values = {
                column.name: read_text(
                    texts[str(at)].alias(column.name),
                    column.type,
                    spelling=_for(column, how, options),
                )
                for at, column in enumerate(inside)
            }
            wrong = texts[WRONG]
            for at, column in enumerate(inside):
                wrong = wrong | (texts[str(at)].is_not_null() & values[column.name].is_null())
            yield judged(values, columns, wrong, lines, options, Path(file.path).name)


def _for(column: Column, how: Spelling, options: Options) -> Spelling:
    if parse_type(column.type).kind != "timestamp_ntz":
        return how
    return Spelling(how.zone, how.dates, options["timestampNTZFormat"], how.nan)


def _blocks(file: DataFile, options: Options, style: Style) -> Iterator[list[str]]:
    read = (file.path, options["encoding"], options["lineSep"])
    return joined_lines(ended_lines(*read), style) if options["multiLine"] else line_blocks(*read)


def _records(file: DataFile, options: Options, style: Style) -> Iterator[pl.Series]:
    for lines in _blocks(file, options, style):
        kept = kept_lines(pl.Series(lines, dtype=pl.String), style)
        if len(kept):
            yield kept


def _frames(
    file: DataFile, options: Options, width: int
) -> Iterator[tuple[pl.Series, pl.DataFrame]]:
    """Records as they stand, and as columns of text, the header passed."""
    style = Style.of(options)
    records = _records(file, options, style)
    if options["header"]:
        first = next(records, None)
        records = chain([] if first is None else [first.slice(1)], records)
    null = options["nullValue"]
    for lines in records:
        texts = split_lines(lines, style, width)
        if null or style.empty == null:
            texts = texts.with_columns(pl.col(pl.String).replace(null, None))
        yield lines, texts


def _first(file: DataFile, options: Options) -> list[str | None] | None:
    """The fields of a file's first record; None if it has none."""
    style = Style.of(options)
    first = next(_records(file, options, style), None)
    return None if first is None else split_record(first[0], style)[0]


def header_names(fields: Sequence[str | None], options: Options) -> list[str]:
    """The columns' names by the first record. One that several fields have gets their numbers."""
    if not options["header"]:
        return [f"_c{at}" for at in range(len(fields))]
    null = options["nullValue"]
    said = [None if each == null else each for each in fields]
    return [
        f"_c{at}" if not name else f"{name}{at}" if said.count(name) > 1 else name
        for at, name in enumerate(said)
    ]


def _check_headers(files: Listed, names: list[str], options: Options) -> None:
    for file in files.files[1:]:
        _check_header(file, names, options)


def _check_header(file: DataFile, names: Sequence[str], options: Options) -> None:
    """Refuse a file whose header is not that of the columns, which go by their places."""
    first = _first(file, options)
    if first is None:
        return
    found = header_names(first, options)
    if [name_key(name) for name in found] != [name_key(name) for name in names]:
        raise Invalid(
            f"The header of {Path(file.path).name} is {', '.join(found)}, and the columns are "
            f"{', '.join(names)}.",
            condition="MALFORMED_CSV_RECORD",
            sqlstate="KD000",
            hint="Fields belong to columns by their place. Set enforceSchema to true to read the "
            "file all the same, or read it apart.",
        )
