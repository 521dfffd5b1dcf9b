"""Iceberg's types and Spark's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, Field, parse_type
from flowcat_jupyter.shared.wire import Column

_ATOMS: dict[str, IcebergType] = {
    "boolean": BooleanType(),
    "tinyint": IntegerType(),
    "smallint": IntegerType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": BinaryType(),
    "date": DateType(),
    "timestamp": TimestamptzType(),
    "timestamp_ntz": TimestampType(),
}
_DDL: dict[type[IcebergType], str] = {
    type(kind): ddl for ddl, kind in _ATOMS.items() if ddl not in ("tinyint", "smallint")
} | {FixedType: "binary"}


def iceberg_schema(columns: Sequence[Column]) -> Schema:
    """A new schema of columns, whose fields are numbered from 1.

    Iceberg has no integers narrower than four bytes: TINYINT and SMALLINT become INT.
    """
    numbers = count(1)
    tops = [(next(numbers), column) for column in columns]
    return Schema(
        *(
            NestedField(
                field_id=number,
                name=column.name,
                field_type=_iceberg(parse_type(column.type), numbers),
                required=not column.nullable,
                doc=column.comment,
            )
            for number, column in tops
        )
    )


def iceberg_type(ddl: str, numbers: Iterator[int] | None = None) -> IcebergType:
    """The Iceberg type of a Spark type, its parts numbered from 1 or by ``numbers``."""
    return _iceberg(parse_type(ddl), numbers or count(1))


def _iceberg(kind: DataType, numbers: Iterator[int]) -> IcebergType:
    if kind.kind == "decimal":
        return DecimalType(kind.precision, kind.scale)
    if kind.kind == "array" and kind.element:
        number = next(numbers)
        return ListType(number, _iceberg(kind.element, numbers), element_required=False)
    if kind.kind == "map" and kind.key and kind.element:
        first, second = next(numbers), next(numbers)
        key, value = _iceberg(kind.key, numbers), _iceberg(kind.element, numbers)
        return MapType(first, key, second, value, value_required=False)
    if kind.kind == "struct":
        parts = [(next(numbers), part) for part in kind.fields]
        return StructType(
            *(
                NestedField(number, part.name, _iceberg(part.type, numbers), required=False)
                for number, part in parts
            )
        )
    return _ATOMS[kind.kind]


def spark_columns_of(schema: Schema) -> tuple[Column, ...]:
    """A schema's columns.

    :raises Invalid: one is of a type that would come out wrong; it is named.
    """
    return tuple(
        Column(
            field.name,
            _spark(field.field_type, field.name).ddl,
            nullable=not field.required,
            comment=field.doc,
        )
        for field in schema.fields
    )


def _spark(kind: IcebergType, column: str) -> DataType:
    if isinstance(kind, DecimalType):
        return DataType("decimal", precision=kind.precision, scale=kind.scale)
    if isinstance(kind, ListType):
        return DataType("array", element=_spark(kind.element_type, column))
    if isinstance(kind, MapType):
        key, value = _spark(kind.key_type, column), _spark(kind.value_type, column)
        return DataType("map", key=key, element=value)
    if isinstance(kind, StructType):
        parts = (Field(part.name, _spark(part.field_type, column)) for part in kind.fields)
        return DataType("struct", fields=tuple(parts))
    ddl = _DDL.get(type(kind))
    if ddl is None:
        raise Invalid(
            f"Column {column} is of the Iceberg type {kind}, which cannot be read here.",
            condition="UNSUPPORTED_DATATYPE",
            sqlstate="0A000",
            hint="Read the table with the engine that made it, or copy it without this column.",
        )
    return DataType(ddl)
