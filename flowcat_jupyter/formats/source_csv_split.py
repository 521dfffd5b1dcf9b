"""Lines of delimited text as columns of text, by the rules that Spark's reader has for quotes.

A field without quotes is all that stands up to the delimiter. In a quoted field the escape
character before a quote, or before itself, stands for that character. A quoted field that goes
on after its closing quote was not meant as one: it is taken as it stands, up to the delimiter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from flowcat_jupyter.formats.options import Options
from flowcat_jupyter.formats.source_texts import MAX_RECORD, Ended
from flowcat_jupyter.shared.errors import Invalid

WRONG = "\0wrong"
"""The column that says which records do not have the number of fields they should."""


@dataclass(frozen=True)
class Style:
    """How fields are written; ``quote`` and ``escape`` may be empty."""

    delimiter: str
    quote: str
    escape: str
    comment: str
    empty: str
    left: bool
    right: bool
    most_columns: int
    most_chars: int

    @staticmethod
    def of(options: Options) -> Style:
        """What the options say."""
        return Style(
            delimiter=options["sep"],
            quote=options["quote"],
            escape=options["escape"],
            comment=options["comment"],
            empty=options["emptyValue"],
            left=options["ignoreLeadingWhiteSpace"],
            right=options["ignoreTrailingWhiteSpace"],
            most_columns=options["maxColumns"],
            most_chars=options["maxCharsPerColumn"],
        )


@dataclass
class _Cursor:
    """A place in a record."""

    text: str
    at: int = 0
    open: bool = False


def split_record(text: str, style: Style) -> tuple[list[str | None], bool]:
    """The fields of a record, None where nothing is written; and whether it ends inside quotes."""
    cursor = _Cursor(text)
    fields: list[str | None] = []
    while True:
        fields.append(_field(cursor, style))
        if cursor.at >= len(text):
            break
        cursor.at += len(style.delimiter)
        if cursor.at == len(text):
            fields.append(None)
            break
    return fields, cursor.open


def _field(cursor: _Cursor, style: Style) -> str | None:
    begin = cursor.at
    start = begin
    if style.left:
        while start < len(cursor.text) and cursor.text[start] in " \t":
            start += 1
    if style.quote and cursor.text.startswith(style.quote, start):
        return _quoted(cursor, style, start)
    return _plain(cursor, style, begin)


def _plain(cursor: _Cursor, style: Style, begin: int) -> str | None:
    end = cursor.text.find(style.delimiter, cursor.at)
    cursor.at = len(cursor.text) if end < 0 else end
    value = cursor.text[begin : cursor.at]
    value = value.lstrip() if style.left else value
    return (value.rstrip() if style.right else value) or None


def _quoted(cursor: _Cursor, style: Style, start: int) -> str | None:
    text, quote, escape = cursor.text, style.quote, style.escape
    parts: list[str] = []
    at = start + 1
    while at < len(text):
        mark = text[at]
        following = text[at + 1 : at + 2]
        if mark == escape and (following == quote or (escape != quote and following == escape)):
            parts.append(following)
            at += 2
        elif mark == quote:
            after = at + 1
            while style.right and after < len(text) and text[after] in " \t":
                after += 1
            if after >= len(text) or text.startswith(style.delimiter, after):
                cursor.at = after
                return "".join(parts) or style.empty
            # It goes on after its end: no quotes were meant.
            cursor.at = at
            return _plain(cursor, style, start)
        else:
            parts.append(mark)
            at += 1
    cursor.at, cursor.open = len(text), True
    return "".join(parts) or style.empty


def kept_lines(lines: pl.Series, style: Style) -> pl.Series:
    """The lines that are records: neither blank nor a comment."""
    kept = lines.str.strip_chars() != ""
    if style.comment:
        kept &= ~lines.str.starts_with(style.comment)
    return lines if kept.all() else lines.filter(kept)


def split_lines(lines: pl.Series, style: Style, width: int) -> pl.DataFrame:
    """Records as ``width`` columns of text called "0", "1" …, short ones filled with NULL and long
    ones cut; `WRONG` says which these were.

    :raises Invalid: a record has more fields than there may be.
    """
    if not style.quote:
        return _fast(lines, style, width)
    hard = lines.str.contains(style.quote, literal=True)
    if not hard.any():
        return _fast(lines, style, width)
    at = pl.Series("\0at", range(len(lines)), dtype=pl.UInt32)
    whole = _wholly_quoted(lines, style) & hard
    rest = hard & ~whole
    parts = [
        _fast(lines.filter(~hard), style, width).with_columns(at.filter(~hard)),
        _quick(lines.filter(whole), style, width).with_columns(at.filter(whole)),
        _slow(lines.filter(rest).to_list(), style, width).with_columns(at.filter(rest)),
    ]
    return pl.concat(parts).sort("\0at").drop("\0at")


def _wholly_quoted(lines: pl.Series, style: Style) -> pl.Series:
    """Whether each field of a record has no quotes, or is in quotes and has none within: of these
    there is one way to read them.
    """
    marks = style.delimiter + style.quote
    if len(marks) != 2 or not marks.isascii() or style.left or style.right:
        return pl.Series([False]).new_from_index(0, len(lines))
    apart, quote, escape = map(re.escape, (style.delimiter, style.quote, style.escape))
    field = f"(?:[^{apart}{quote}\r\n]*|{quote}[^{quote}{escape}\r\n]*{quote})"
    return lines.str.contains(f"^{field}(?:{apart}{field})*$").fill_null(value=False)


def _quick(lines: pl.Series, style: Style, width: int) -> pl.DataFrame:
    """Such records, read by polars."""
    schema = {str(number): pl.String() for number in range(width)}
    if not len(lines):
        return pl.DataFrame(schema={**schema, WRONG: pl.Boolean()})
    fields = lines.str.replace_all(f"{re.escape(style.quote)}[^{re.escape(style.quote)}]*", "")
    counts = fields.str.count_matches(style.delimiter, literal=True).cast(pl.Int64) + 1
    most = counts.max()
    _check_count(most if isinstance(most, int) else 0, style)
    # A first record of the full width, so that no other one has to say how many there are.
    head = style.delimiter.join("x" * width)
    frame = pl.read_csv(
        "\n".join((head, *lines.to_list(), "")).encode(),
        has_header=False,
        separator=style.delimiter,
        quote_char=style.quote,
        infer_schema=False,
        schema=schema,
        truncate_ragged_lines=True,
    ).slice(1)
    if frame.height != len(lines):
        return _slow(lines.to_list(), style, width)
    if style.most_chars >= 0:
        for name in schema:
            longest = frame[name].str.len_chars().max()
            _check_length(longest if isinstance(longest, int) else 0, style)
    told = frame.with_columns(pl.all().replace("", style.empty)) if style.empty else frame
    return told.with_columns((counts != width).alias(WRONG))


def _fast(lines: pl.Series, style: Style, width: int) -> pl.DataFrame:
    fields = pl.DataFrame({"f": lines.str.split(style.delimiter)})
    column = pl.col("f")
    parts = []
    for number in range(width):
        part = column.list.get(number, null_on_oob=True)
        part = part.str.strip_chars_start() if style.left else part
        part = part.str.strip_chars_end() if style.right else part
        parts.append(part.replace("", None).alias(str(number)))
    counts = column.list.len().cast(pl.Int64).alias(WRONG)
    frame = fields.select(*parts, counts)
    most = frame[WRONG].max()
    _check_count(most if isinstance(most, int) else 0, style)
    if style.most_chars >= 0:
        for name in frame.columns[:-1]:
            longest = frame[name].str.len_chars().max()
            _check_length(longest if isinstance(longest, int) else 0, style)
    return frame.with_columns(pl.col(WRONG) != width)


def _slow(lines: Sequence[str], style: Style, width: int) -> pl.DataFrame:
    rows = []
    for line in lines:
        fields, _ = split_record(line, style)
        _check_count(len(fields), style)
        _check_length(max(len(each or "") for each in fields), style)
        wrong = len(fields) != width
        rows.append((*(fields + [None] * (width - len(fields)))[:width], wrong))
    schema = {**{str(number): pl.String() for number in range(width)}, WRONG: pl.Boolean()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _check_count(count: int, style: Style) -> None:
    if count > style.most_columns:
        raise Invalid(
            f"A record has {count:,} fields and may have {style.most_columns:,}.",
            condition="MALFORMED_CSV_RECORD",
            sqlstate="KD000",
            hint="Set the option maxColumns higher, or check sep and quote.",
        )


def _check_length(length: int, style: Style) -> None:
    if 0 <= style.most_chars < length:
        raise Invalid(
            f"A field has {length:,} characters and may have {style.most_chars:,}.",
            condition="MALFORMED_CSV_RECORD",
            sqlstate="KD000",
            hint="Set the option maxCharsPerColumn higher, or to -1 for any length.",
        )


def joined_lines(blocks: Iterator[Ended], style: Style) -> Iterator[list[str]]:
    """Records out of lines: a line that ends inside quotes goes on in the next one.

    :raises Invalid: a record is longer than any may be: a quote was never closed.
    """
    held, last = "", ""
    for lines, ends in blocks:
        records: list[str] = []
        for line, end in zip(lines, ends, strict=False):
            if held:
                held, last = f"{held}{last}{line}", end
                if style.quote not in line:
                    _check_record(held)
                    continue
            elif not style.quote or style.quote not in line:
                records.append(line)
                continue
            record = held or line
            _, is_open = split_record(record, style)
            if is_open:
                held, last = record, end
            else:
                records.append(record)
                held = ""
        yield records
    if held:
        yield [held]


def _check_record(record: str) -> None:
    if len(record) > MAX_RECORD:
        raise Invalid(
            f"A record is longer than {MAX_RECORD >> 20} MB: a quote is never closed.",
            condition="MALFORMED_CSV_RECORD",
            sqlstate="KD000",
            hint="Set multiLine to false, or check quote and escape.",
        )
