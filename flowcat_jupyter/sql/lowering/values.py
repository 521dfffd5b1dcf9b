"""A lowered expression: its text for the engine, its Spark type, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.quoting import literal

Constant = bool | int | float | Decimal | str | date | datetime | None


@dataclass(frozen=True, slots=True)
class Value:
    """``raises`` says that evaluating it may fail, so that nothing may evaluate it needlessly.

    ``constant`` is the Python value of a literal (``known`` tells None from no literal);
    ``fields`` names the columns it reads; ``equates`` are the two sides of an equality;
    ``compares`` are the operator and the sides of any comparison; ``written`` says that it stands
    in the statement as a whole number, not as a cast of one. ``bare`` is a chain of operations from
    left to right without anything around it, to be continued by the operators in ``chain``;
    ``present`` are shorter texts of which one is NULL exactly where the value is; ``row`` is the
    query of one row and its column that the value is, where nothing around is asked for.
    """

    sql: str
    type: DataType
    raises: bool = False
    known: bool = False
    constant: Constant = None
    fields: frozenset[str] = frozenset()
    equates: tuple[Value, Value] | None = None
    compares: tuple[str, Value, Value] | None = None
    written: bool = False
    chain: str = ""
    bare: str = ""
    present: tuple[str, ...] = ()
    row: tuple[str, str] | None = None

    def with_sql(self, sql: str, kind: DataType | None = None, *, raises: bool = False) -> Value:
        """A value computed from this one alone."""
        return Value(sql, kind or self.type, self.raises or raises, fields=self.fields)

    def retyped(self, kind: DataType) -> Value:
        """The same text under another type."""
        return replace(self, type=kind)


def combine(sql: str, kind: DataType, *parts: Value, raises: bool = False) -> Value:
    """A value computed from ``parts``."""
    fields = frozenset[str]().union(*(part.fields for part in parts))
    return Value(sql, kind, raises or any(part.raises for part in parts), fields=fields)


TYPE_NAMES = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "REAL",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BYTEA",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
}


def type_name(kind: DataType) -> str:
    """The engine's name of a type that is not nested."""
    if kind.kind == "decimal":
        return f"DECIMAL({kind.precision},{kind.scale})"
    return TYPE_NAMES[kind.kind]


def null(kind: DataType = types.VOID) -> Value:
    """NULL of a type."""
    plain = kind.kind == "void" or kind.is_nested
    sql = "NULL" if plain else f"CAST(NULL AS {type_name(kind)})"
    return Value(sql, kind, known=True)


def boolean(value: bool) -> Value:
    """TRUE or FALSE."""
    return Value("TRUE" if value else "FALSE", types.BOOLEAN, known=True, constant=value)


def integer(number: int, kind: DataType | None = None) -> Value:
    """A whole number: int where it fits, else bigint, else decimal."""
    if kind is None:
        kind = types.INT if types.fits(number, types.INT) else types.BIGINT
        if not types.fits(number, types.BIGINT):
            return exact(Decimal(number))
    sql = str(number) if number >= 0 else f"({number})"
    if kind.kind != "int" or number == -(1 << 31):
        sql = f"CAST('{number}' AS {type_name(kind)})"
    return Value(sql, kind, known=True, constant=number)


def exact(number: Decimal, kind: DataType | None = None) -> Value:
    """A decimal number, in as few digits as it needs or as ``kind`` says."""
    kind = kind or types.decimal_of(number)
    sql = f"CAST('{number:f}' AS {type_name(kind)})"
    return Value(sql, kind, known=True, constant=number)


def floating(number: float, kind: DataType = types.DOUBLE) -> Value:
    """A binary floating-point number, NaN and infinities included."""
    return Value(f"CAST('{number!r}' AS {type_name(kind)})", kind, known=True, constant=number)


def largest(sql: str, kind: DataType, over: str = "") -> str:
    """The largest of many values: NaN is more than any number, and the engine's MAX passes it."""
    most = f"MAX({sql}){over}"
    if kind.kind not in ("float", "double"):
        return most
    nan = f"CAST('nan' AS {type_name(kind)})"
    some = f"MAX(CASE WHEN ({sql} = {nan}) THEN 1 ELSE 0 END){over}"
    return f"CASE WHEN ({some} = 1) THEN {nan} ELSE {most} END"


def text(value: str) -> Value:
    """A string."""
    return Value(literal(value), types.STRING, known=True, constant=value)


def day(value: date) -> Value:
    """A date."""
    return Value(f"CAST('{value.isoformat()}' AS DATE)", types.DATE, known=True, constant=value)


def instant(value: datetime) -> Value:
    """A moment in UTC; ``value`` must be aware."""
    sql = f"CAST('{value.replace(tzinfo=None).isoformat()}' AS TIMESTAMP) AT TIME ZONE 'UTC'"
    return Value(f"({sql})", types.TIMESTAMP, known=True, constant=value)


def wall_clock(value: datetime) -> Value:
    """A time of day without a zone."""
    sql = f"CAST('{value.isoformat()}' AS TIMESTAMP)"
    return Value(sql, types.TIMESTAMP_NTZ, known=True, constant=value)
