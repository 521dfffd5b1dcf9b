"""Polars types, Spark DDL, and what Delta can store of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import polars as pl
from polars.datatypes import DataTypeClass
from polars.exceptions import PolarsError
from polars.selectors import by_name

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, Field, parse_type
from flowcat_jupyter.shared.wire import Column

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

UTC_TIMESTAMP = pl.Datetime("us", "UTC")
NAIVE_TIMESTAMP = pl.Datetime("us")

_ATOMS: dict[str, pl.DataType] = {
    "void": pl.Null(),
    "boolean": pl.Boolean(),
    "tinyint": pl.Int8(),
    "smallint": pl.Int16(),
    "int": pl.Int32(),
    "bigint": pl.Int64(),
    "float": pl.Float32(),
    "double": pl.Float64(),
    "string": pl.String(),
    "binary": pl.Binary(),
    "date": pl.Date(),
    "timestamp": UTC_TIMESTAMP,
    "timestamp_ntz": NAIVE_TIMESTAMP,
}
_DDL: dict[DataTypeClass, str] = {
    type(dtype): ddl for ddl, dtype in _ATOMS.items() if not ddl.startswith("timestamp")
}
_STORED_AS: dict[DataTypeClass, pl.DataType] = {
    pl.Categorical: pl.String(),
    pl.Enum: pl.String(),
    pl.UInt8: pl.Int16(),
    pl.UInt16: pl.Int32(),
    pl.UInt32: pl.Int64(),
    pl.UInt64: pl.Decimal(20, 0),
    pl.Int128: pl.Decimal(38, 0),
    pl.Float16: pl.Float32(),
}
_REMEDY: dict[DataTypeClass, str] = {
    pl.Duration: "Store the number of microseconds: `.dt.total_microseconds()`.",
    pl.Time: 'Store it as text: `.dt.to_string("iso")`, or as seconds since midnight.',
    pl.Null: "Give it a type: `.cast(pl.String)`, or CAST(NULL AS STRING) in SQL.",
    pl.Object: "Convert the Python objects to text, numbers or structs.",
    pl.UInt128: "Store it as text: `.cast(pl.String)`.",
}
_NARROW = (pl.Int8, pl.Int16, pl.Int32)


def polars_type(ddl: str) -> pl.DataType:
    """The polars type of a Spark DDL type; a map is a list of key and value structs.

    :raises Invalid: it is not a type.
    """
    return _polars(parse_type(ddl))


def _polars(kind: DataType) -> pl.DataType:
    if kind.kind == "decimal":
        return pl.Decimal(kind.precision, kind.scale)
    if kind.kind == "array" and kind.element:
        return pl.List(_polars(kind.element))
    if kind.kind == "map" and kind.key and kind.element:
        entry = {"key": _polars(kind.key), "value": _polars(kind.element)}
        return pl.List(pl.Struct(entry))
    if kind.kind == "struct":
        return pl.Struct({field.name: _polars(field.type) for field in kind.fields})
    return _ATOMS[kind.kind]


def spark_columns(schema: pl.Schema) -> tuple[Column, ...]:
    """Columns with the Spark types that a frame of ``schema`` would be stored as.

    A column of nothing but NULL is ``void``.

    :raises Invalid: a column's type has no Spark counterpart; it is named, with a remedy.
    """
    return tuple(Column(name, spark_type(dtype, name)) for name, dtype in schema.items())


def spark_type(dtype: pl.DataType, column: str) -> str:
    """The Spark DDL of a polars type.

    :raises Invalid: it has none; the message names ``column``.
    """
    if isinstance(dtype, pl.Null):
        return "void"
    return _spark(storable_type(dtype, column, nested_null=True)).ddl


def _spark(dtype: pl.DataType) -> DataType:
    if isinstance(dtype, pl.Decimal):
        return DataType("decimal", precision=dtype.precision or 38, scale=dtype.scale)
    if isinstance(dtype, pl.Datetime):
        return DataType("timestamp" if dtype.time_zone else "timestamp_ntz")
    if isinstance(dtype, pl.List):
        return DataType("array", element=_spark(_instance(dtype.inner)))
    if isinstance(dtype, pl.Struct):
        parts = tuple(Field(field.name, _spark(_instance(field.dtype))) for field in dtype.fields)
        return DataType("struct", fields=parts)
    return DataType(_DDL[type(dtype)])


def storable_type(dtype: pl.DataType, column: str, *, nested_null: bool = False) -> pl.DataType:
    """The type in which Delta keeps values of ``dtype``: the documented mapping.

    Categorical and Enum become String; UInt8, UInt16 and UInt32 the next signed integer; UInt64
    Decimal(20, 0); Int128 Decimal(38, 0); Array a List; every Datetime microseconds, and UTC
    where it has a zone.

    :raises Invalid: Delta has nothing for it; the message names ``column``, the hint the remedy.
    """

    def inner(part: pl.DataType) -> pl.DataType:
        return storable_type(part, column, nested_null=nested_null)

    if isinstance(dtype, pl.Datetime):
        return UTC_TIMESTAMP if dtype.time_zone else NAIVE_TIMESTAMP
    if isinstance(dtype, (pl.List, pl.Array)):
        return pl.List(inner(_instance(dtype.inner)))
    if isinstance(dtype, pl.Struct) and dtype.fields:
        return pl.Struct({part.name: inner(_instance(part.dtype)) for part in dtype.fields})
    if isinstance(dtype, pl.Decimal) or (isinstance(dtype, pl.Null) and nested_null):
        return dtype
    kept = dtype if type(dtype) in _DDL and not isinstance(dtype, pl.Null) else None
    stored = _STORED_AS.get(type(dtype), kept)
    if stored is None:
        raise _refused(dtype, column)
    return stored


def with_texts(dtype: pl.DataType) -> pl.DataType:
    """``dtype`` with text where a file says of a column, or of a part of one, that it is NULL."""
    if isinstance(dtype, pl.Null):
        return pl.String()
    if isinstance(dtype, (pl.List, pl.Array)):
        inner = with_texts(_instance(dtype.inner))
        return pl.List(inner) if isinstance(dtype, pl.List) else pl.Array(inner, dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({part.name: with_texts(_instance(part.dtype)) for part in dtype.fields})
    return dtype


def _refused(dtype: pl.DataType, column: str) -> Invalid:
    empty = isinstance(dtype, pl.Struct)
    what = "a struct without fields" if empty else f"polars type {dtype}"
    remedy = "Give the struct a field, or drop the column." if empty else "Cast the column."
    return Invalid(
        f"Column {column} is of a type that no table has: {what}.",
        condition="UNSUPPORTED_DATATYPE",
        sqlstate="0A000",
        hint=_REMEDY.get(type(dtype), remedy),
    )


def exactly(*names: str) -> pl.Expr:
    """The columns of just these names.

    In `pl.col`, and wherever polars takes names, ``*`` and ``^…$`` are patterns.
    """
    return by_name(*names).as_expr()


def to_storable(frame: Frame) -> Frame:
    """``frame`` with every column in the type that Delta keeps it in.

    Nothing is computed for a lazy frame: values that do not fit (an Int128 beyond 38 digits)
    raise when it runs.

    :raises Invalid: there are no columns, two differ only by case, or one has no Delta type.
    """
    check_names(frame.collect_schema().names())
    return readable(frame)


def readable(frame: Frame) -> Frame:
    """As `to_storable`, for rows that are only read: columns may differ by case alone.

    :raises Invalid: a column is of a type that no query can take.
    """
    return _stored(frame, nulls=False)


def queryable(frame: Frame) -> Frame:
    """As `readable`, for rows that are nobody's table: a column may hold nothing but NULL.

    :raises Invalid: a column is of a type that no query can take.
    """
    return _stored(frame, nulls=True)


def _stored(frame: Frame, *, nulls: bool) -> Frame:
    schema = frame.collect_schema()
    casts = [
        exactly(name).cast(stored)
        for name, dtype in schema.items()
        if (stored := storable_type(dtype, name, nested_null=nulls)) != dtype
    ]
    return frame.with_columns(casts) if casts else frame


def check_columns(names: list[str]) -> None:
    """Check that ``names`` can be a query's columns.

    :raises Invalid: there are none, or one is empty.
    """
    if not names:
        raise Invalid("There is nothing to query: the data have no columns.")
    if not all(name.strip() for name in names):
        raise Invalid("A column has no name.", hint="Give every column a name.")


def check_names(names: list[str]) -> None:
    """Check that ``names`` can be the columns of one table.

    :raises Invalid: there are none, one is empty, or two are the same but for case.
    """
    if not names:
        raise Invalid("A table needs at least one column.")
    seen: dict[str, str] = {}
    for name in names:
        if not name.strip():
            raise Invalid("A column has no name.", hint="Give every column a name.")
        other = seen.setdefault(name.casefold(), name)
        if other is not name:
            raise Invalid(
                f"Columns {other} and {name} would be the same column of the table.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
                hint="Column names differ by more than upper and lower case; rename one.",
            )


def storable_warnings(schema: pl.Schema) -> tuple[str, ...]:
    """What to tell the writer of a table with this schema."""
    naive = [name for name, dtype in schema.items() if _contains(dtype, _is_naive)]
    if not naive:
        return ()
    return (
        f"Timestamps without a time zone ({', '.join(naive)}) are stored as timestamp_ntz, which "
        "readers older than Delta 3 cannot open; give them a zone if such readers matter.",
    )


def _is_naive(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Datetime) and dtype.time_zone is None


def _contains(dtype: pl.DataType, test: Callable[[pl.DataType], bool]) -> bool:
    if isinstance(dtype, (pl.List, pl.Array)):
        return _contains(_instance(dtype.inner), test)
    if isinstance(dtype, pl.Struct):
        return any(_contains(_instance(field.dtype), test) for field in dtype.fields)
    return test(dtype)


def widened(dtype: pl.DataType) -> pl.DataType:
    """``dtype`` with every integer in it, at any depth, as Int64."""
    if isinstance(dtype, _NARROW):
        return pl.Int64()
    if isinstance(dtype, pl.List):
        return pl.List(widened(_instance(dtype.inner)))
    if isinstance(dtype, pl.Struct):
        return pl.Struct({part.name: widened(_instance(part.dtype)) for part in dtype.fields})
    return dtype


def literal(value: str | None, dtype: pl.DataType) -> pl.Expr:
    """Text as a literal of a type, read as `parsed` reads it.

    :raises Invalid: it is not a value of that type.
    """
    return pl.lit(parsed([value], dtype)[0], dtype=dtype)


def parsed(values: list[str | None], dtype: pl.DataType) -> pl.Series:
    """Texts as values of a type: numbers, dates and times in ISO 8601, true and false.

    :raises Invalid: one is not a value of that type.
    """
    text = pl.Series(values, dtype=pl.String)
    try:
        return _parsed(text, dtype)
    except PolarsError as error:
        shown = repr(values[0]) if len(values) == 1 else "A text"
        raise Invalid(f"{shown} is not a value of type {dtype}.") from error


def _parsed(text: pl.Series, dtype: pl.DataType) -> pl.Series:
    if isinstance(dtype, pl.Boolean):
        return text.str.to_lowercase().replace_strict(
            ["true", "false"], [True, False], return_dtype=pl.Boolean
        )
    if isinstance(dtype, pl.Datetime):
        plain = text.str.replace("T", " ", literal=True).str.replace(r"(Z|\+00:?00)$", "")
        return plain.str.to_datetime(time_unit="us").dt.replace_time_zone(dtype.time_zone)
    if isinstance(dtype, pl.Date):
        return text.str.to_date("%Y-%m-%d")
    return text.cast(dtype)


def _instance(dtype: pl.DataType | DataTypeClass) -> pl.DataType:
    return dtype if isinstance(dtype, pl.DataType) else dtype()
