"""Conditions on columns, their values read as the columns' types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire_rows import FilterTerm
from flowcat_jupyter.worker.jobs.literals import bounds, floored, literal, number, read, series
from flowcat_jupyter.worker.jobs.texts import shown

MOST_VALUES = 10_000
_UNORDERED = "Use =, !=, contains, starts_with, in or not_in."
_COMPARISONS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "=": lambda column, value: column == value,
    "!=": lambda column, value: column != value,
    "<": lambda column, value: column < value,
    "<=": lambda column, value: column <= value,
    ">": lambda column, value: column > value,
    ">=": lambda column, value: column >= value,
}


@dataclass(frozen=True)
class Field:
    """A column of a frame: its name there, what people call it, and its types."""

    name: str
    heading: str
    dtype: pl.DataType
    spark: str


def condition(term: FilterTerm, field: Field, zone: str) -> pl.Expr:
    """The rows that ``term`` keeps, as an expression that is never NULL for those.

    Comparisons are SQL's: NULL fulfils none; NaN equals itself and is larger than any number.
    ``in`` and ``not_in`` are each other's opposite, NULL being a value like any other.

    :raises Invalid: the value is none of the column's type, or the type has no such comparison.
    """
    column = exactly(field.name)
    if term.op in ("is_null", "not_null"):
        return column.is_null() if term.op == "is_null" else column.is_not_null()
    if term.op == "is_nan":
        return _is_nan(column, field)
    if term.op in ("contains", "starts_with"):
        return _text_match(term, field, zone)
    if term.op in ("in", "not_in"):
        found = _among(term.values, field, zone)
        return found if term.op == "in" else ~found
    if term.op not in _COMPARISONS:
        raise Invalid(f"{term.op!r} is not a way to filter.")
    if term.value is None:
        raise Invalid(f"{term.op} needs a value.", hint="is_null and not_null look for NULL.")
    return _compared(term.op, term.value, field, zone)


def _is_nan(column: pl.Expr, field: Field) -> pl.Expr:
    if not field.dtype.is_float():
        raise Invalid(f"{field.heading} is {field.spark.upper()}, which has no NaN.")
    return column.is_nan()


def _text_match(term: FilterTerm, field: Field, zone: str) -> pl.Expr:
    text = shown(field.name, field.dtype, zone).str.to_lowercase()
    wanted = pl.lit((term.value or "").lower())
    return (
        text.str.contains(wanted, literal=True)
        if term.op == "contains"
        else (text.str.starts_with(wanted))
    )


def _compared(op: str, text: str, field: Field, zone: str) -> pl.Expr:
    dtype = field.dtype
    if dtype.is_integer() or isinstance(dtype, pl.Decimal):
        return _compared_exactly(op, number(text, field.spark), field)
    if _has_only_text(dtype):
        if op not in ("=", "!="):
            kind = parse_type(field.spark).kind.upper()
            raise Invalid(f"{field.heading} is {kind}, which has no order.", hint=_UNORDERED)
        return _COMPARISONS[op](shown(field.name, dtype, zone), pl.lit(text))
    value = literal(read(text, dtype, field.spark, zone), dtype)
    return _COMPARISONS[op](exactly(field.name), value)


def _compared_exactly(op: str, value: Decimal, field: Field) -> pl.Expr:
    """A comparison with a number that may have more digits than the column, or be beyond it."""
    column, dtype = exactly(field.name), field.dtype
    lowest, highest = bounds(dtype)
    if not lowest <= value <= highest:
        below = ("<", "<=") if value > highest else (">", ">=")
        return column.is_not_null() if op in (*below, "!=") else pl.lit(False)
    floor = floored(value, dtype)
    if floor != value:
        if op in ("=", "!="):
            return pl.lit(False) if op == "=" else column.is_not_null()
        op = "<=" if op in ("<", "<=") else ">"
    exact = floor if isinstance(dtype, pl.Decimal) else int(floor)
    return _COMPARISONS[op](column, literal(exact, dtype))


def _among(values: Sequence[str | None], field: Field, zone: str) -> pl.Expr:
    if len(values) > MOST_VALUES:
        raise Invalid(f"A filter has at most {MOST_VALUES:,} values.")
    column, dtype = exactly(field.name), field.dtype
    texts = [text for text in values if text is not None]
    if _has_only_text(dtype):
        found = shown(field.name, dtype, zone).is_in(texts)
    else:
        wanted = [read(text, dtype, field.spark, zone) for text in texts]
        kept = [value for value in wanted if value is not None]
        found = column.is_in(series(kept, dtype).implode())
    found = found.fill_null(False)
    return found | column.is_null() if None in values else found


def _has_only_text(dtype: pl.DataType) -> bool:
    """Whether values of a type are told apart by how they are shown."""
    return dtype.is_nested() or isinstance(
        dtype, (pl.Binary, pl.Time, pl.Duration, pl.Null, pl.Object, pl.Categorical, pl.Enum)
    )
