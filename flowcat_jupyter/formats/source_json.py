"""JSON as a table, by Spark's rules and options: an object on every line, or with ``multiLine`` an
array of objects or one object to a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from flowcat_jupyter.formats.options import Option, Options, flag, only
from flowcat_jupyter.formats.source_json_infer import Found, Rules, fields_of
from flowcat_jupyter.formats.source_json_text import LENIENT, Parse, parser
from flowcat_jupyter.formats.source_json_values import Converter, Keys, values_of
from flowcat_jupyter.formats.source_listing import DataFile, Listed
from flowcat_jupyter.formats.source_modes import (
    CORRUPT,
    MODE,
    check_corrupt,
    judged,
    refused_record,
)
from flowcat_jupyter.formats.source_patterns import PATTERNS, spelling
from flowcat_jupyter.formats.source_texts import (
    COMPRESSION,
    ENCODING,
    ENGLISH,
    LINE_SEPARATOR,
    line_blocks,
    opened_text,
)
from flowcat_jupyter.formats.source_values import read_text
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

MAX_WHOLE = 1 << 29
CHUNK = 20_000
_WHOLE_FILE = "All records are looked at: set it to 1.0, or declare the columns."
OPTIONS: tuple[Option, ...] = (
    flag("multiLine", False),
    flag("primitivesAsString", False),
    flag("prefersDecimal", False),
    flag("dropFieldIfAllNull", False),
    flag("inferTimestamp", False),
    *PATTERNS,
    only("samplingRatio", ("1.0", "1"), _WHOLE_FILE),
    *LENIENT,
    MODE,
    CORRUPT,
    ENCODING,
    LINE_SEPARATOR,
    COMPRESSION,
    ENGLISH,
)


class _Record(NamedTuple):
    """A row as it was written; None for a text that is none."""

    row: dict[str, Any] | None
    text: str


class JsonReader:
    """JSON; see `FileReader`."""

    name = "json"
    options = OPTIONS

    def columns(self, files: Listed, options: Options) -> tuple[Column, ...]:
        """All keys of all objects, in the order of their names; and one for the records that are
        no objects, if there are any and they are kept.

        :raises Invalid: there is no key, or a record is no object and the mode is FAILFAST.
        """
        found: dict[str, Found] = {}
        corrupt = self._see(files, options, found)
        fields = fields_of(found, drop_nulls=options["dropFieldIfAllNull"])
        columns = [Column(each.name, each.type.ddl) for each in fields]
        if not columns:
            raise Invalid(
                "The columns cannot be told: there is no object with a key in the files.",
                condition="UNABLE_TO_INFER_SCHEMA",
                sqlstate="42KD9",
                hint="Declare the columns; if objects take several lines, set multiLine to true.",
            )
        if corrupt and options["mode"] == "PERMISSIVE":
            columns.append(Column(options["columnNameOfCorruptRecord"], "string"))
        return tuple(sorted(columns, key=lambda column: column.name))

    @staticmethod
    def _see(files: Listed, options: Options, found: dict[str, Found]) -> bool:
        """Look at all objects; whether there are records that are none."""
        how = spelling(options)

        def is_time(text: str) -> bool:
            one = pl.Series([text], dtype=pl.String)
            return read_text(one, "timestamp", spelling=how).null_count() == 0

        rules, corrupt = Rules.of(options, is_time), False
        for file in files.files:
            for record in _records(file, options):
                if record.row is None:
                    corrupt = True
                    if options["mode"] == "FAILFAST":
                        raise refused_record(record.text, Path(file.path).name)
                for key, value in (record.row or {}).items():
                    found.setdefault(key, Found(depth=2)).see(value, rules)
        return corrupt

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Any type can be read."""
        check_corrupt(columns, options)

    def frames(
        self, file: DataFile, columns: Sequence[Column], options: Options
    ) -> Iterator[pl.DataFrame]:
        """A file's objects; keys belong to columns by their names."""
        corrupt = name_key(options["columnNameOfCorruptRecord"])
        inside = [column for column in columns if name_key(column.name) != corrupt]
        converter = Converter(spelling(options))
        types = {column.name: parse_type(column.type) for column in inside}
        records = _records(file, options)
        known: Keys = {}
        while chunk := list(islice(records, CHUNK)):
            wrong = [record.row is None for record in chunk]
            rows = [record.row or {} for record in chunk]
            values = {
                name: converter.column(values_of(rows, name, known), kind, wrong)
                for name, kind in types.items()
            }
            texts = pl.Series([record.text for record in chunk], dtype=pl.String)
            label = Path(file.path).name
            yield judged(values, columns, pl.Series(wrong, dtype=pl.Boolean), texts, options, label)


def _records(file: DataFile, options: Options) -> Iterator[_Record]:
    parse = parser(options)
    if options["multiLine"]:
        yield from _of_text(_whole(file, options), parse)
        return
    for lines in line_blocks(file.path, options["encoding"], options["lineSep"]):
        for line in lines:
            if line and not line.isspace():
                yield from _of_text(line, parse)


def _whole(file: DataFile, options: Options) -> str:
    with opened_text(file.path, options["encoding"]) as text:
        whole = text.read(MAX_WHOLE + 1)
    if len(whole) > MAX_WHOLE:
        raise LimitExceeded(
            f"{Path(file.path).name} is too long to be read as one JSON value.",
            hint="Write an object on every line, and leave multiLine out.",
        )
    return whole


def _of_text(text: str, parse: Parse) -> Iterator[_Record]:
    """The rows of a text: an object, or each object of an array."""
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        yield _Record(None, text)
        return
    if isinstance(value, list):
        for part in value:
            yield _Record(part if isinstance(part, dict) else None, text)
    else:
        yield _Record(value if isinstance(value, dict) else None, text)
