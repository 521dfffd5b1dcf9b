"""The types and values of partition columns, whose values are texts in folders' names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

import polars as pl

from flowcat_jupyter.formats.source_values import read_text
from flowcat_jupyter.shared.errors import Invalid

_WHOLE = re.compile(r"[+-]?[0-9]+\Z")
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?Z?\Z"
)
_DIGITS = 38


def partition_type(values: Sequence[str | None]) -> str:
    """The narrowest type that takes all values, text where they have nothing in common.

    As Spark: INT, BIGINT, DECIMAL for longer whole numbers, DOUBLE, DATE, TIMESTAMP, STRING.
    """
    kinds = {_kind(value) for value in values if value is not None}
    if not kinds:
        return "string"
    if kinds <= {"int", "bigint"}:
        return "bigint" if "bigint" in kinds else "int"
    if kinds <= {"int", "bigint", "decimal"}:
        digits = max(len(_plain(value)) for value in values if value is not None)
        return f"decimal({min(_DIGITS, max(20, digits))},0)"
    if kinds <= {"int", "double"}:
        return "double"
    if kinds <= {"date", "timestamp"}:
        return "timestamp" if "timestamp" in kinds else "date"
    return "string"


def _kind(value: str) -> str:
    for test, kind in _TESTS:
        if test(value):
            return kind
    return "string"


def _fits(value: str, bits: int) -> bool:
    return bool(_WHOLE.match(value)) and -(1 << bits) <= int(value) < 1 << bits


def _plain(value: str) -> str:
    return str(abs(int(Decimal(value))))


def _is_decimal(value: str) -> bool:
    try:
        return bool(_WHOLE.match(value)) and len(_plain(value)) <= _DIGITS
    except (InvalidOperation, ValueError):
        return False


def _is_date(value: str) -> bool:
    try:
        return bool(_DATE.match(value)) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _is_time(value: str) -> bool:
    try:
        return bool(_TIME.match(value)) and bool(datetime.fromisoformat(value.replace("T", " ")))
    except ValueError:
        return False


_TESTS: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda value: _fits(value, 31), "int"),
    (lambda value: _fits(value, 63), "bigint"),
    (_is_decimal, "decimal"),
    (lambda value: bool(_NUMBER.match(value)) or value in ("NaN", "Infinity"), "double"),
    (_is_date, "date"),
    (_is_time, "timestamp"),
)


def partition_values(name: str, values: Sequence[str | None], ddl: str, zone: str) -> pl.Series:
    """Each file's value, in the type.

    :raises Invalid: one is not a value of the type.
    """
    text = pl.Series(name, values, dtype=pl.String)
    read = read_text(text, ddl, zone=zone)
    wrong = read.is_null() & text.is_not_null()
    if wrong.any():
        shown = text.filter(wrong)[0]
        raise Invalid(
            f"A folder says that {name} is {shown!r}, which is not a value of type {ddl}.",
            condition="CAST_INVALID_INPUT",
            sqlstate="22018",
            hint="Declare the column with another type, for instance STRING.",
        )
    return read.alias(name)
