"""Values of Python as values of declared types: taken as they are, or refused by name.

Nothing is rounded, cut or guessed. A time without a zone is no ``timestamp``, a text no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Real
from operator import index
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

Fit = Callable[[Any], Any]
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_AS_THEY_ARE: dict[str, type] = {
    "boolean": bool,
    "double": float,
    "string": str,
    "binary": bytes,
    "date": date,
}
_FLOAT32 = 3.4028235677973366e38
_EXACT = 1 << 53
_SHOWN = 60


class Misfit(ValueError):
    """A value that is none of its type; the text says what is wrong, if more than that is."""


def series(values: Sequence[Any], column: Column, first: int, label: str) -> pl.Series:
    """One column of rows that begin with number ``first``, integers in it as Int64.

    :raises Invalid: a value is none of the column's type; column, type, value and row are named.
    """
    kind = parse_type(column.type)
    dtype = widened(polars_type(column.type))
    plain = _AS_THEY_ARE.get(kind.kind)
    fit = fitting(kind)
    types = set(map(type, values))
    if plain is None or not types <= {plain, type(None)}:
        values = [_fitted(item, fit, column, first + at, label) for at, item in enumerate(values)]
    if not column.nullable and type(None) in types:
        at = next(at for at, item in enumerate(values) if item is None)
        raise _error(column, None, first + at, label, "the column may not be NULL")
    try:
        return pl.Series(column.name, values, dtype=dtype, strict=True)
    except (PolarsError, TypeError, ValueError, OverflowError) as error:
        raise _culprit(values, column, dtype, first, label) from error


def _fitted(value: Any, fit: Fit, column: Column, row: int, label: str) -> Any:
    if value is None:
        return None
    try:
        return fit(value)
    except Misfit as error:
        raise _error(column, value, row, label, str(error)) from error


def _culprit(
    values: Sequence[Any], column: Column, dtype: pl.DataType, first: int, label: str
) -> Invalid:
    """The error of the first value that polars does not take."""
    for at, value in enumerate(values):
        try:
            pl.Series([value], dtype=dtype, strict=True)
        except (PolarsError, TypeError, ValueError, OverflowError):
            return _error(column, value, first + at, label, "")
    return _error(column, values[0] if values else None, first, label, "")


def _error(column: Column, value: Any, row: int, label: str, reason: str) -> Invalid:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    held = "NULL" if value is None else f"{shown} ({type(value).__name__})"
    more = f": {reason}" if reason else ""
    return Invalid(
        f"Column {column.name} of the data source {label} is {column.type}, and row {row} has "
        f"{held} there{more}.",
        condition="DATA_SOURCE_VALUE_MISMATCH",
        sqlstate="22000",
        hint="Give values of the declared type, or declare another type.",
    )


def fitting(kind: DataType) -> Fit:
    """What turns a Python value into one that polars keeps for a type.

    The function raises `Misfit` for a value that is none of the type.
    """
    if kind.kind == "array" and kind.element:
        return _array(fitting(kind.element))
    if kind.kind == "map" and kind.key and kind.element:
        return _map(fitting(kind.key), fitting(kind.element))
    if kind.kind == "struct":
        return _struct({field.name: fitting(field.type) for field in kind.fields})
    if kind.kind == "decimal":
        return _decimal(kind.precision, kind.scale)
    if kind.kind in _BITS:
        return _integer(_BITS[kind.kind])
    return _FITS[kind.kind]


def _integer(bits: int) -> Fit:
    most = (1 << (bits - 1)) - 1

    def fit(value: Any) -> int:
        if isinstance(value, bool):
            raise Misfit
        try:
            number = index(value)
        except TypeError as error:
            raise Misfit from error
        if not -most - 1 <= number <= most:
            raise Misfit("it is too large")
        return number

    return fit


def _decimal(precision: int, scale: int) -> Fit:
    limit = 10**precision

    def fit(value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            raise Misfit
        number = Decimal(value)
        if not number.is_finite():
            raise Misfit("it is no number")
        scaled = number.scaleb(scale)
        if scaled != scaled.to_integral_value():
            raise Misfit(f"it has more than {scale} digits after the point")
        if abs(scaled) >= limit:
            raise Misfit("it is too large")
        return number

    return fit


def _float(value: Any) -> float:
    number = _double(value)
    if math.isfinite(number) and abs(number) >= _FLOAT32:
        raise Misfit("it is too large")
    return number


def _double(value: Any) -> float:
    if isinstance(value, bool):
        raise Misfit
    if isinstance(value, int):
        if abs(value) > _EXACT:
            raise Misfit("it may be no double")
        return float(value)
    if not isinstance(value, Real):
        raise Misfit
    return float(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise Misfit
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Misfit
    return str(value)


def _binary(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise Misfit
    return bytes(value)


def _date(value: Any) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise Misfit
    return value


def _timestamp(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise Misfit
    if value.tzinfo is None:
        raise Misfit("it has no time zone; give it one, or declare timestamp_ntz")
    try:
        return value.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Misfit("it is too far away") from error


def _wall_clock(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise Misfit
    if value.tzinfo is not None:
        raise Misfit("it has a time zone; declare timestamp")
    return value


def _nothing(_value: Any) -> None:
    raise Misfit


def _optional(value: Any, fit: Fit) -> Any:
    return None if value is None else fit(value)


def _array(inner: Fit) -> Fit:
    def fit(value: Any) -> list[Any]:
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
            raise Misfit
        return [_optional(item, inner) for item in value]

    return fit


def _map(key: Fit, inner: Fit) -> Fit:
    def fit(value: Any) -> list[dict[str, Any]]:
        if not isinstance(value, Mapping):
            raise Misfit
        return [{"key": key(name), "value": _optional(item, inner)} for name, item in value.items()]

    return fit


def _struct(fields: dict[str, Fit]) -> Fit:
    def fit(value: Any) -> dict[str, Any]:
        if isinstance(value, Mapping):
            unknown = [name for name in value if name not in fields]
            if unknown:
                raise Misfit(f"there is no field {unknown[0]}")
            given = {name: value.get(name) for name in fields}
        elif isinstance(value, (tuple, list)) and len(value) == len(fields):
            given = dict(zip(fields, value, strict=True))
        else:
            raise Misfit
        return {name: _optional(given[name], inner) for name, inner in fields.items()}

    return fit


_FITS: dict[str, Fit] = {
    "boolean": _boolean,
    "float": _float,
    "double": _double,
    "string": _text,
    "binary": _binary,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _wall_clock,
    "void": _nothing,
}
