"""Turning text into typed columns without ever changing what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from flowcat_jupyter.formats import files_values as values
from flowcat_jupyter.formats.csv_records import LINE
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, parse_type

MAX_SHOWN = 80
_Read = Callable[[pl.Expr, DataType, Convention], pl.Expr]


def typed_frame(
    frame: pl.DataFrame,
    types: Mapping[str, str],
    names: Mapping[str, str],
    convention: Convention,
    *,
    place: str = "Line",
) -> pl.DataFrame:
    """The text columns of ``frame`` in their ``types``, renamed to ``names``.

    Both mappings have the frame's columns as keys; the column of lines goes. ``place`` is what
    its numbers count.

    :raises Invalid: a value does not fit its type; column, line and value are named.
    """
    typed = frame.select(
        _read(exactly(column), parse_type(ddl), convention).alias(column)
        for column, ddl in types.items()
    )
    for column, ddl in types.items():
        wrong = _first_wrong(frame, typed, column, convention)
        if wrong and ddl != "string":
            raise _not_of_type(f"{place} {wrong[0]}", names[column], wrong[1], ddl)
    return typed.rename(dict(names))


def is_readable(ddl: str) -> bool:
    """Whether text can be read as the type."""
    return parse_type(ddl).kind in _READERS


def check_readable(column: str, ddl: str) -> str:
    """The DDL of a type that text can be read as.

    :raises Invalid: it is no type, or one that text cannot be read as.
    """
    kind = parse_type(ddl)
    if kind.kind not in _READERS:
        raise Invalid(
            f"Column {column} cannot be read as {kind.ddl}.",
            condition="UNSUPPORTED_DATATYPE",
            sqlstate="0A000",
            hint="Text can be read as numbers, dates, timestamps, booleans, strings and binary.",
        )
    return kind.ddl


def _read(column: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    if kind.kind == "string":
        if convention.null_values is None:
            return column
        return pl.when(~column.is_in(convention.null_values)).then(column)
    stripped = column.str.strip_chars()
    value = pl.when(~stripped.is_in(convention.nulls)).then(stripped)
    return _READERS[kind.kind](value, kind, convention)


def _first_wrong(
    frame: pl.DataFrame, typed: pl.DataFrame, column: str, convention: Convention
) -> tuple[int, str] | None:
    if typed[column].null_count() == frame[column].null_count():
        return None
    text = frame[column].str.strip_chars()
    wrong = typed[column].is_null() & text.is_not_null() & ~text.is_in(convention.nulls)
    if not wrong.any():
        return None
    first = frame.filter(wrong).row(0, named=True)
    return int(first[LINE]), str(first[column])


def _not_of_type(place: str, name: str, value: str, ddl: str) -> Invalid:
    shown = value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN] + "…"
    return Invalid(
        f"{place}, column {name}: {shown!r} is not a value of type {ddl}.",
        condition="CAST_INVALID_INPUT",
        sqlstate="22018",
        hint="Give the column another type (string takes everything), or correct the file.",
    )


def _integer(value: pl.Expr, kind: DataType, _: Convention) -> pl.Expr:
    digits = pl.when(value.str.contains(values.DIGITS)).then(value.str.strip_prefix("+"))
    return digits.cast(polars_type(kind.ddl), strict=False)


def _float(value: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    number = _number(value, convention).cast(pl.Float64, strict=False)
    finite = pl.when(number.is_finite()).then(number)
    narrowed = finite.cast(polars_type(kind.ddl), strict=False)
    return pl.when(narrowed.is_finite()).then(narrowed)


def _decimal(value: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    number = _number(value, convention)
    # A cast would round; digits that do not fit are a fault of the type, not of the value.
    fits = number.str.contains(rf"^[+-]?\d*(?:\.\d{{0,{kind.scale}}}0*)?$")
    return pl.when(fits).then(number).cast(polars_type(kind.ddl), strict=False)


def _number(value: pl.Expr, convention: Convention) -> pl.Expr:
    pattern = values.number_pattern(convention.decimal, strict=False)
    number = pl.when(value.str.contains(pattern)).then(value).str.strip_prefix("+")
    return number.str.replace(",", ".", literal=True) if convention.decimal == "," else number


_READERS: dict[str, _Read] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), _integer),
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "boolean": lambda value, _, __: values.as_flag(value),
    "date": lambda value, _, how: values.as_date(value, how.strptime),
    "timestamp": lambda value, _, how: values.as_instant(value, how.strptime),
    "timestamp_ntz": lambda value, _, how: values.as_naive(value, how.strptime),
    "string": lambda value, _, __: value,
    "binary": lambda value, _, __: value.cast(pl.Binary),
}
