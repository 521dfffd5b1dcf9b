"""Store assignment: giving rows a table's own columns and types, or refusing them.

A cast is *free* when no value can be lost, *checked* when each value must survive the way there
and back, and refused otherwise. Nothing is ever rounded, cut or wrapped on the way in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_floats import as_decimals, as_texts
from flowcat_jupyter.formats.types import polars_type, spark_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

_CONDITION = "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"


class Cast(Enum):
    """How values get from one type to another."""

    FREE = "free"
    CHECKED = "checked"
    REFUSED = "refused"


@dataclass(frozen=True)
class Assignment:
    """How one of the table's columns is filled: from the frame's ``source``, or with its
    ``default``, which is one value as the column stores it or is computed from other columns, or
    NULL.
    """

    column: Column
    source: str | None
    cast: Cast
    default: pl.Series | pl.Expr | None = field(default=None, compare=False)

    @property
    def dtype(self) -> pl.DataType:
        """The column's declared type."""
        return polars_type(self.column.type)


def plan_assignment(
    schema: pl.Schema,
    columns: Sequence[Column],
    *,
    partial: bool = False,
    defaults: Mapping[str, pl.Series | pl.Expr] | None = None,
) -> tuple[Assignment, ...]:
    """Match a frame's columns to a table's, by name whatever the case, in the table's order.

    A missing column gets the one of ``defaults`` under its folded name, or NULL; with ``partial``
    it is left out.

    :raises Invalid: the frame has columns that the table has not, lacks one that may not be NULL,
        or has one of a type that cannot be stored.
    """
    given: dict[str, str] = {}
    for name in schema.names():
        other = given.setdefault(name_key(name), name)
        if other != name:
            raise _mismatch(f"Columns {other} and {name} both mean the same column of the table.")
    known = {name_key(column.name) for column in columns}
    extra = [name for key, name in given.items() if key not in known]
    if extra:
        raise _mismatch(
            f"The table has no column {', '.join(extra)}.",
            f"It has: {', '.join(column.name for column in columns)}. Drop or rename the others.",
        )
    wanted = [column for column in columns if name_key(column.name) in given or not partial]
    _check_maps(wanted)
    planned = [_assign(schema, column, given.get(name_key(column.name))) for column in wanted]
    known_defaults = defaults or {}
    return tuple(
        plan
        if plan.source
        else replace(plan, default=known_defaults.get(name_key(plan.column.name)))
        for plan in planned
    )


def _check_maps(columns: Sequence[Column]) -> None:
    maps = [column.name for column in columns if "map<" in column.type]
    if maps:
        # Not even NULL: there is no polars type that the library takes for a map.
        raise Invalid(
            f"Column {', '.join(maps)} holds maps, which can be read but not written.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            hint="Store the entries as array<struct<key,value>> in a table of your own.",
        )


def _assign(schema: pl.Schema, column: Column, source: str | None) -> Assignment:
    if source is None:
        return Assignment(column, None, Cast.FREE)
    cast = cast_kind(schema[source], polars_type(column.type))
    if cast is Cast.REFUSED:
        given = _named(schema[source])
        raise Invalid(
            f"Column {column.name} is {column.type} and cannot take {given} values.",
            condition=_CONDITION,
            sqlstate="KD000",
            hint=_advice(schema[source], polars_type(column.type)),
        )
    return Assignment(column, source, cast)


def check_required(plans: Sequence[Assignment]) -> None:
    """Check that no column that may not be NULL is left to be NULL.

    :raises Invalid: one is.
    """
    missing = [
        plan.column.name
        for plan in plans
        if not (plan.source or plan.column.nullable or plan.default is not None)
    ]
    if missing:
        raise _mismatch(
            f"Column {', '.join(missing)} may not be NULL and has no values.",
            "Add the column to what you write.",
        )


def assign(batch: pl.DataFrame, plans: Sequence[Assignment]) -> pl.DataFrame:
    """One batch of rows as the table stores them.

    :raises Invalid: a value does not fit its column; both are named.
    """
    computed = {p.column.name: p for p in plans if isinstance(p.default, pl.Expr) and not p.source}
    plain = pl.DataFrame([_filled(batch, p) for p in plans if p.column.name not in computed])
    if not computed:
        return plain
    values = {
        name: plain.select(plan.default.cast(plan.dtype).alias("value"))["value"]
        for name, plan in computed.items()
        if isinstance(plan.default, pl.Expr)
    }
    for name, plan in computed.items():
        _check_null(values[name], plan.column)
    return pl.DataFrame(
        [
            values[plan.column.name].alias(plan.column.name)
            if plan.column.name in computed
            else plain[plan.column.name]
            for plan in plans
        ]
    )


def _filled(batch: pl.DataFrame, plan: Assignment) -> pl.Series:
    name, dtype = plan.column.name, plan.dtype
    if plan.source is None:
        value = plan.default.item() if isinstance(plan.default, pl.Series) else None
        return pl.Series(name, [], dtype=dtype).extend_constant(value, batch.height)
    # A series' own methods look its name up, where `exactly` cannot protect it.
    values = batch[plan.source].alias("value")
    checked = plan.cast is Cast.CHECKED
    cast = _checked(values, dtype, plan.column) if checked else values.cast(dtype)
    _check_null(cast, plan.column)
    return cast.alias(name)


def _check_null(values: pl.Series, column: Column) -> None:
    if not column.nullable and values.null_count():
        raise Invalid(
            f"Column {column.name} may not be NULL, and a row has no value for it.",
            condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
            sqlstate="23502",
        )


def _checked(values: pl.Series, dtype: pl.DataType, column: Column) -> pl.Series:
    try:
        cast = _cast(values, dtype)
        lost = cast.is_null() & values.is_not_null()
        if values.dtype.is_float() and dtype.is_float():
            lost = lost | (cast.is_infinite() & values.is_finite())
        elif pl.String not in (values.dtype, dtype):
            back = cast.cast(values.dtype, strict=False)
            lost = lost | back.ne_missing(values)
    except PolarsError as error:
        raise _does_not_fit(f"{_named(values.dtype)} values", column) from error
    if lost.any():
        (bad,) = values.filter(lost).head(1).to_list()
        raise _does_not_fit(
            f"the value {bad!r}" if isinstance(bad, str) else f"the value {bad}", column
        )
    return cast


def _cast(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The values as the type; NULL, or another value, where one does not fit."""
    if values.dtype == dtype:
        return values
    if values.dtype == pl.String:
        return _text_cast(values, dtype)
    if values.dtype.is_float() and dtype == pl.String:
        return as_texts(values)
    if values.dtype.is_float() and isinstance(dtype, pl.Decimal):
        return as_decimals(values, dtype)
    return values.cast(dtype, strict=False)


def _text_cast(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    text = values.str.strip_chars()
    if isinstance(dtype, pl.Date):
        return text.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Boolean):
        known = {"true": True, "false": False}
        return text.str.to_lowercase().replace_strict(known, default=None, return_dtype=pl.Boolean)
    return text.cast(dtype, strict=False)


def _does_not_fit(what: str, column: Column) -> Invalid:
    return Invalid(
        f"Column {column.name} is {column.type} and cannot take {what} without losing something.",
        condition=_CONDITION,
        sqlstate="KD000",
        hint="Cast explicitly to say what should become of it; nothing has been written.",
    )


def cast_kind(source: pl.DataType, target: pl.DataType) -> Cast:
    """How values of ``source`` may be stored as ``target``."""
    if source == target or isinstance(source, pl.Null):
        return Cast.FREE
    if isinstance(source, pl.List) and isinstance(target, pl.List):
        return _inside(_inner(source), _inner(target))
    if isinstance(source, pl.Struct) and isinstance(target, pl.Struct):
        return _struct_cast(source, target)
    return _atom_cast(source, target)


def _inside(source: pl.DataType, target: pl.DataType) -> Cast:
    """The same inside arrays and structs, where floating-point numbers stay what they are."""
    changed = source.is_float() and (target == pl.String or isinstance(target, pl.Decimal))
    return Cast.REFUSED if changed else cast_kind(source, target)


def _inner(dtype: pl.List) -> pl.DataType:
    return dtype.inner if isinstance(dtype.inner, pl.DataType) else dtype.inner()


def _struct_cast(source: pl.Struct, target: pl.Struct) -> Cast:
    given, wanted = source.to_schema(), target.to_schema()
    if list(given) != list(wanted):
        return Cast.REFUSED
    kinds = {_inside(_typed(given[name]), _typed(wanted[name])) for name in wanted}
    for kind in (Cast.REFUSED, Cast.CHECKED):
        if kind in kinds:
            return kind
    return Cast.FREE


def _typed(dtype: object) -> pl.DataType:
    return dtype if isinstance(dtype, pl.DataType) else pl.Unknown()


def _atom_cast(source: pl.DataType, target: pl.DataType) -> Cast:
    if source.is_numeric() and target.is_numeric():
        return _numeric_cast(source, target)
    if source == pl.String:
        # Not fractions: '3.777' would be rounded to a column's scale, '1e400' be infinite.
        parsed = target.is_integer() or target in (pl.Date, pl.Boolean)
        return Cast.CHECKED if parsed else Cast.REFUSED
    if target == pl.String and source.is_float():
        return Cast.CHECKED
    if target == pl.String:
        plain = source.is_numeric() or source in (pl.Date, pl.Boolean)
        return Cast.FREE if plain else Cast.REFUSED
    if source == pl.Date and target == pl.Datetime("us"):
        return Cast.FREE
    return Cast.FREE if _same_instant(source, target) else Cast.REFUSED


def _same_instant(source: pl.DataType, target: pl.DataType) -> bool:
    """Whether both are instants of one unit, whatever zone they are shown in."""
    return (
        isinstance(source, pl.Datetime)
        and isinstance(target, pl.Datetime)
        and None not in (source.time_zone, target.time_zone)
        and source.time_unit == target.time_unit
    )


_WIDTHS: dict[pl.DataType, int] = {pl.Int8(): 8, pl.Int16(): 16, pl.Int32(): 32, pl.Int64(): 64}


def _numeric_cast(source: pl.DataType, target: pl.DataType) -> Cast:
    widths = _WIDTHS.get(source), _WIDTHS.get(target)
    if widths[0] and widths[1] and widths[0] <= widths[1]:
        return Cast.FREE
    if source == pl.Float32 and target == pl.Float64:
        return Cast.FREE
    return Cast.CHECKED


def _advice(source: pl.DataType, target: pl.DataType) -> str:
    if isinstance(source, pl.Datetime) and isinstance(target, pl.Datetime):
        zone = "a time zone" if target.time_zone else "no time zone"
        return f"The column has {zone}: say which is meant, with a cast or replace_time_zone."
    if isinstance(source, pl.Date) and isinstance(target, pl.Datetime):
        return "Say which zone's midnight is meant, with a cast or replace_time_zone."
    return "Cast explicitly to the column's type; nothing has been written."


def _named(dtype: pl.DataType) -> str:
    """A type as SQL calls it, where it has a name there."""
    try:
        return spark_type(dtype, "value")
    except Invalid:
        return str(dtype)


def _mismatch(message: str, hint: str | None = None) -> Invalid:
    return Invalid(message, condition="DELTA_SCHEMA_MISMATCH", sqlstate="42KDG", hint=hint)
