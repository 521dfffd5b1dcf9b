"""Between Spark's types and polars': sources made canonical, results given their exact types."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.quoting import column_name

_ATOMS: dict[str, pl.DataType] = {
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
    "timestamp_ntz": pl.Datetime("us"),
    "timestamp": pl.Datetime("us", "UTC"),
    "void": pl.Null(),
}


def polars_type(kind: DataType, time_zone: str = "UTC") -> pl.DataType | None:
    """The polars type of a Spark type; None for a map, which stays as it is."""
    if kind.kind == "decimal":
        return pl.Decimal(kind.precision, kind.scale)
    if kind.kind == "timestamp":
        return pl.Datetime("us", time_zone)
    if kind.kind == "array" and kind.element:
        inner = polars_type(kind.element, time_zone)
        return pl.List(inner) if inner is not None else None
    if kind.kind == "struct":
        fields = [(item.name, polars_type(item.type, time_zone)) for item in kind.fields]
        known = [pl.Field(name, inner) for name, inner in fields if inner is not None]
        return pl.Struct(known) if len(known) == len(fields) else None
    return _ATOMS.get(kind.kind)


def canonical(frame: pl.LazyFrame, columns: Sequence[Column]) -> pl.LazyFrame:
    """``frame`` as the lowering counts on it: instants in microseconds and UTC, names its own.

    Only columns that differ are touched, because a cast here blocks predicate pushdown.
    """
    names = {column.name: column_name(column.name, at) for at, column in enumerate(columns)}
    renamed = {old: new for old, new in names.items() if old != new}
    if renamed:
        frame = frame.rename(renamed, strict=False)
    if not any(column.type in ("timestamp", "timestamp_ntz") for column in columns):
        # Asking for a schema plans the frame.
        return frame
    schema = frame.collect_schema()
    changed = []
    for column in columns:
        name = names[column.name]
        if column.type not in ("timestamp", "timestamp_ntz") or name not in schema:
            continue
        wanted = _ATOMS[column.type]
        found = schema[name]
        if found == wanted:
            continue
        expression = pl.col(name).cast(pl.Datetime("us", getattr(found, "time_zone", None)))
        if column.type == "timestamp":
            zoned = getattr(found, "time_zone", None) is not None
            expression = (
                expression.dt.convert_time_zone("UTC")
                if zoned
                else expression.dt.replace_time_zone("UTC")
            )
        changed.append(expression)
    return frame.with_columns(changed) if changed else frame


def to_output(frame: pl.LazyFrame, columns: Sequence[Column], time_zone: str) -> pl.LazyFrame:
    """``frame`` with the exact types of a result; instants are shown in ``time_zone``."""
    schema = frame.collect_schema()
    changed = []
    for at, column in enumerate(columns):
        kind = parse_type(column.type)
        wanted = polars_type(kind, time_zone)
        name = f"c{at}"
        if wanted is None or schema[name] == wanted:
            continue
        if kind.kind == "timestamp" and schema[name] == _ATOMS["timestamp"]:
            changed.append(pl.col(name).dt.convert_time_zone(time_zone))
        else:
            changed.append(pl.col(name).cast(wanted))
    return frame.with_columns(changed) if changed else frame
