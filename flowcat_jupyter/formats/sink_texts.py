"""CSV, JSON and plain text, a file's lines at a time."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import polars as pl
import zstandard

from flowcat_jupyter.formats.options import Option, Options, choice, flag, refused, text
from flowcat_jupyter.formats.sink_json import json_lines
from flowcat_jupyter.formats.source_csv import delimiter, mark
from flowcat_jupyter.formats.source_listing import TIME_ZONE
from flowcat_jupyter.formats.source_patterns import PATTERNS
from flowcat_jupyter.formats.source_texts import ENCODING, ENGLISH, LINE_SEPARATOR
from flowcat_jupyter.formats.source_values import ATOMS, Pattern
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

CHUNK = 50_000
COMPRESSION = choice(
    "compression", ("none", "uncompressed", "gzip", "bzip2", "zstd", "xz"), "none", "codec"
)
_SUFFIX = {"gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst", "xz": ".xz"}


def _xz(path: Path) -> IO[bytes]:
    return cast(IO[bytes], lzma.LZMAFile(path, "wb"))


_PACK: dict[str, Callable[[Path], IO[bytes]]] = {
    "gzip": lambda path: cast(IO[bytes], gzip.GzipFile(path, "wb", 6)),
    "bzip2": lambda path: cast(IO[bytes], bz2.BZ2File(path, "wb")),
    "xz": _xz,
    "zstd": lambda path: cast(IO[bytes], zstandard.open(path, "wb")),
}
_COMMON: tuple[Option, ...] = (COMPRESSION, ENCODING, LINE_SEPARATOR)
_TIMES: tuple[Option, ...] = (*PATTERNS, TIME_ZONE, ENGLISH)
_ONE = "one character, or nothing"


def suffix_of(extension: str, options: Options) -> str:
    """What a file's name ends with."""
    return extension + _SUFFIX.get(options["compression"], "")


@contextmanager
def _opened(path: Path, options: Options) -> Iterator[IO[str]]:
    pack = _PACK.get(options["compression"])
    raw = pack(path) if pack else path.open("wb")
    with io.TextIOWrapper(raw, encoding=options["encoding"], newline="") as out:
        yield out


def _write_lines(
    lines: Iterator[pl.Series], head: str | None, path: Path, options: Options
) -> None:
    end = options["lineSep"] or "\n"
    try:
        with _opened(path, options) as out:
            if head is not None:
                out.write(head + end)
            for block in lines:
                if len(block):
                    out.write(end.join(block.to_list()) + end)
    except UnicodeEncodeError as error:
        raise Invalid(
            f"{options['encoding']} has no {error.object[error.start : error.end]!r}.",
            hint="Set the option encoding to UTF-8.",
        ) from error


def _blocks(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    yield from frame.collect_batches(chunk_size=CHUNK, maintain_order=True, lazy=True)


class CsvWriter:
    """Delimited text; see `FileWriter`."""

    options: tuple[Option, ...] = (
        Option("sep", delimiter, "a text that separates fields", ",", ("delimiter",)),
        Option("quote", mark, _ONE, '"'),
        Option("escape", mark, _ONE, "\\"),
        flag("header", False),
        flag("quoteAll", False),
        flag("escapeQuotes", True),
        flag("ignoreLeadingWhiteSpace", False),
        flag("ignoreTrailingWhiteSpace", False),
        text("nullValue", ""),
        text("emptyValue", None),
        refused("charToEscapeQuoteEscaping", "An escape character is escaped by itself."),
        *_COMMON,
        *_TIMES,
    )

    def suffix(self, options: Options) -> str:
        """``.csv``."""
        return suffix_of(".csv", options)

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse nested and binary columns, which no field says."""
        for column in columns:
            kind = parse_type(column.type).kind
            if kind not in ATOMS or kind == "binary":
                raise Invalid(
                    f"CSV files cannot hold column {column.name} of type {column.type}.",
                    condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                    sqlstate="0A000",
                    hint="Cast it to STRING, or write JSON or Parquet.",
                )

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """A line for each row; NULL is ``nullValue``, the empty text is in quotes."""
        fields = [_field(column, options, alone=len(columns) == 1) for column in columns]
        line = pl.concat_str(fields, separator=options["sep"]).alias("line")
        head = None
        if options["header"]:
            names = pl.DataFrame({str(at): [c.name] for at, c in enumerate(columns)})
            head = options["sep"].join(
                names.select(_quoted(exactly(str(at)), options)).item()
                for at in range(len(columns))
            )
        texts = [c.name for c in columns if parse_type(c.type).kind == "string"]
        blocks = (_without(block, texts, options["nullValue"]) for block in _blocks(frame))
        lines = (block.select(line).to_series() for block in blocks)
        _write_lines(lines, head, path, options)


def _without(block: pl.DataFrame, names: Sequence[str], null: str) -> pl.DataFrame:
    """Rows none of whose texts would be read as NULL.

    :raises Invalid: one would.
    """
    if null and names and block.select((exactly(*names) == null).any()).row(0).count(True):
        raise Invalid(
            f"A value is {null!r}, which stands for NULL in the file.",
            hint="Set the option nullValue to a text that is no value.",
        )
    return block


def _field(column: Column, options: Options, *, alone: bool) -> pl.Expr:
    kind = parse_type(column.type)
    value = exactly(column.name)
    written = as_text(value, kind, options)
    if kind.kind == "string":
        for wanted, strip in (
            ("ignoreLeadingWhiteSpace", written.str.strip_chars_start),
            ("ignoreTrailingWhiteSpace", written.str.strip_chars_end),
        ):
            written = strip() if options[wanted] else written
        written = _quoted(written, options)
    elif options["quoteAll"]:
        written = pl.concat_str(pl.lit(options["quote"]), written, pl.lit(options["quote"]))
    null = options["nullValue"]
    # A line with nothing on it is no row.
    return written.fill_null(options["quote"] * 2 if alone and not null else null)


def _quoted(value: pl.Expr, options: Options) -> pl.Expr:
    quote, escape = options["quote"], options["escape"]
    empty = options["emptyValue"]
    if not quote:
        return value
    marks = [options["sep"], "\n", "\r", *([quote] if options["escapeQuotes"] else [])]
    needed = value.str.contains_any(marks) | (value.str.strip_chars() != value)
    if options["quoteAll"]:
        needed = value.is_not_null()
    inner = value
    if escape and escape != quote:
        inner = inner.str.replace_all(escape, escape * 2, literal=True)
    if options["escapeQuotes"]:
        inner = inner.str.replace_all(quote, (escape or quote) + quote, literal=True)
    wrapped = pl.concat_str(pl.lit(quote), inner, pl.lit(quote))
    nothing = pl.lit(quote * 2 if empty is None else empty)
    return pl.when(value == "").then(nothing).when(needed).then(wrapped).otherwise(value)


def as_text(value: pl.Expr, kind: DataType, options: Options) -> pl.Expr:
    """Values as text that reads as the same values."""
    if kind.kind in ("float", "double"):
        text_of = value.cast(pl.String)
        return text_of.replace({"inf": "Infinity", "-inf": "-Infinity"})
    if kind.kind == "date":
        return value.dt.strftime(_format(options["dateFormat"], "%Y-%m-%d"))
    if kind.kind == "timestamp":
        local = value.dt.convert_time_zone(options["timeZone"])
        return local.dt.strftime(_format(options["timestampFormat"], "%Y-%m-%dT%H:%M:%S%.f%:z"))
    if kind.kind == "timestamp_ntz":
        wanted = _format(options["timestampNTZFormat"], "%Y-%m-%dT%H:%M:%S%.f")
        return value.dt.strftime(wanted)
    if kind.kind == "boolean":
        return pl.when(value).then(pl.lit("true")).when(~value).then(pl.lit("false"))
    return value.cast(pl.String)


def _format(patterns: Sequence[Pattern], default: str) -> str:
    """How moments are written; of a pattern with optional parts all are."""
    if not patterns:
        return default
    first = patterns[0]
    written = first.text
    for _ in first.suffix.split():
        written = written.rpartition(" ")[0]
    return written.replace("%#z", "%:z")


class JsonWriter:
    """An object on every line; see `FileWriter`."""

    options: tuple[Option, ...] = (flag("ignoreNullFields", True), *_COMMON, *_TIMES)

    def suffix(self, options: Options) -> str:
        """``.json``."""
        return suffix_of(".json", options)

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """JSON holds everything."""

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """An object for each row; what is NULL is left out unless ``ignoreNullFields`` is false."""
        lines = (json_lines(block, columns, options, as_text) for block in _blocks(frame))
        _write_lines(lines, None, path, options)


class TextWriter:
    """One column of text, a line for each value; see `FileWriter`."""

    options: tuple[Option, ...] = _COMMON

    def suffix(self, options: Options) -> str:
        """``.txt``."""
        return suffix_of(".txt", options)

    def check(self, columns: Sequence[Column], options: Options) -> None:
        """Refuse anything but one column of text."""
        if len(columns) != 1 or parse_type(columns[0].type).kind != "string":
            raise Invalid(
                "Text files hold one column, of type STRING.",
                condition="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                sqlstate="0A000",
                hint="Select one column, CAST to STRING if it is none.",
            )

    def write(
        self, frame: pl.LazyFrame, columns: Sequence[Column], path: Path, options: Options
    ) -> None:
        """A line for each value; NULL is an empty one.

        :raises Invalid: a value would be several lines.
        """
        ends = ("\n", "\r") if options["lineSep"] is None else (options["lineSep"],)
        lines = (_single(block.to_series().fill_null(""), ends) for block in _blocks(frame))
        _write_lines(lines, None, path, options)


def _single(values: pl.Series, ends: Sequence[str]) -> pl.Series:
    if any(values.str.contains(end, literal=True).any() for end in ends):
        raise Invalid(
            "A value holds the end of a line, and would be read as several rows.",
            hint="Replace line breaks, set the option lineSep, or write JSON.",
        )
    return values
