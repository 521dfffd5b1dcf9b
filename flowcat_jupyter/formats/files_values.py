"""Texts that may be numbers, dates or flags: how each kind is written and read.

Patterns apply to values whose surrounding white space is gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from flowcat_jupyter.formats import files_times as times
from flowcat_jupyter.formats.types import NAIVE_TIMESTAMP, UTC_TIMESTAMP
from flowcat_jupyter.shared.errors import Invalid

MARKERS = ("", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "NaN", "nan", "\\N", "-")

INTEGER = r"^-?(?:0|[1-9][0-9]*)$"
DIGITS = r"^[+-]?[0-9]+$"
_NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]{{1,4}})?$"
_WIDE_NUMBER = r"^[+-]?(?:[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]{{1,4}})?$"
COMMA_GROUPS = r"^-?[0-9]{1,3}(?:,[0-9]{3})*$"
POINT_GROUPS = r"^-?[0-9]{1,3}(?:\.[0-9]{3})*$"
GROUPS = r"^-?[0-9]{1,3}(?:[., '\u00a0\u202f][0-9]{3})*(?:[.,][0-9]+)?$"
MONEY = r"^-?(?:[$€£¥]|[A-Z]{3} )\s?-?[0-9.,']+$|^-?[0-9.,']+\s?(?:[$€£¥%]| [A-Z]{3})$"
DAY = r"^[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}$"
_DAY_OF_FOUR = r"^[0-9]{{1,2}}{mark}[0-9]{{1,2}}{mark}[0-9]{{4}}$"
FLAG = r"^(?:true|false|True|False|TRUE|FALSE)$"
ORDERS = {
    f"{order}{mark}": f"{first}{mark}{second}{mark}%Y"
    for order, first, second in (("dmy", "%d", "%m"), ("mdy", "%m", "%d"))
    for mark in "/.-"
}
"""Ways to write a date with the year last, as ``strptime`` says."""
_FLAGS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
_SPARK_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%-m",
    "dd": "%d",
    "d": "%-d",
    "HH": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSSSSS": "%6f",
    "SSS": "%3f",
    "a": "%p",
    "XXX": "%:z",
    "Z": "%z",
}
_CLOCK_LETTERS = ("%H", "%I", "%M", "%S")


@dataclass(frozen=True)
class Convention:
    """How a file writes values.

    ``date_order``: ``dmy`` or ``mdy``. ``null_values`` None: `MARKERS`, among numbers and dates
    only.
    """

    decimal: str = "."
    date_format: str | None = None
    date_order: str | None = None
    null_values: tuple[str, ...] | None = None

    @property
    def nulls(self) -> tuple[str, ...]:
        """What stands for NULL in a column that is not text."""
        return MARKERS if self.null_values is None else ("", *self.null_values)

    @property
    def strptime(self) -> str | None:
        """``date_format`` in the letters of ``strptime``; Spark's letters are understood.

        :raises Invalid: it holds a letter that means nothing.
        """
        return strptime_format(self.date_format) if self.date_format else None

    @property
    def format_has_clock(self) -> bool:
        """Whether ``date_format`` gives the time of day too."""
        return any(letter in (self.strptime or "") for letter in _CLOCK_LETTERS)


def strptime_format(text: str) -> str:
    """A Spark date pattern (``dd/MM/yyyy``) or a strptime one (``%d/%m/%Y``) as the latter.

    :raises Invalid: it holds a letter that means nothing, or none that does.
    """
    if "%" in text:
        return text
    out = ""
    for match in re.finditer(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+", text):
        token = match.group(0)
        if token.startswith("'"):
            out += match.group(1)
        elif token[0].isalpha():
            if token not in _SPARK_LETTERS:
                raise Invalid(
                    f"The option date_format cannot be {text!r}: {token} means nothing in it.",
                    hint="Write it as dd/MM/yyyy or %d/%m/%Y.",
                )
            out += _SPARK_LETTERS[token]
        else:
            out += token
    return out


def number_pattern(decimal: str, *, strict: bool = True) -> str:
    """Numbers whose fraction follows ``decimal``; ``strict`` ones have no needless zero or plus."""
    mark = re.escape(decimal)
    return (_NUMBER if strict else _WIDE_NUMBER).format(mark=mark)


def by_format(value: pl.Expr, strptime: str, *, clock: bool) -> pl.Expr:
    """Dates, or naive timestamps when ``clock``, written as ``strptime`` says; else NULL."""
    if clock:
        return value.str.to_datetime(strptime, strict=False, time_unit="us")
    return value.str.to_date(strptime, strict=False)


def as_ordered(value: pl.Expr, strptime: str) -> pl.Expr:
    """Dates written as one of `ORDERS` says; NULL where the text is none."""
    pattern = _DAY_OF_FOUR.format(mark=re.escape(strptime[2]))
    return pl.when(value.str.contains(pattern)).then(value).str.to_date(strptime, strict=False)


def as_date(value: pl.Expr, strptime: str | None = None) -> pl.Expr:
    """Dates, in ISO form or as ``strptime`` says; NULL where the text is none."""
    iso = value.map_batches(times.dates, return_dtype=pl.Date())
    return pl.coalesce(iso, by_format(value, strptime, clock=False)) if strptime else iso


def as_naive(value: pl.Expr, strptime: str | None = None) -> pl.Expr:
    """Timestamps that name no zone, in ISO form or as ``strptime`` says; NULL where it is none."""
    iso = value.map_batches(times.naive_times, return_dtype=NAIVE_TIMESTAMP)
    return pl.coalesce(iso, by_format(value, strptime, clock=True)) if strptime else iso


def as_zoned(value: pl.Expr) -> pl.Expr:
    """Instants, from timestamps that name their zone; NULL where the text is none."""
    return value.map_batches(times.instants, return_dtype=UTC_TIMESTAMP)


def as_instant(value: pl.Expr, strptime: str | None = None) -> pl.Expr:
    """Instants; a timestamp without a zone, or a date, is read as UTC."""
    naive = pl.coalesce(as_naive(value, strptime), as_date(value).cast(pl.Datetime("us")))
    return pl.coalesce(as_zoned(value), naive.dt.replace_time_zone("UTC"))


def as_flag(value: pl.Expr) -> pl.Expr:
    """Booleans by the words Spark's cast takes; NULL where the text is none."""
    return value.str.to_lowercase().replace_strict(_FLAGS, default=None, return_dtype=pl.Boolean)
