"""Rows as JSON objects, a column at a time where its values are single ones."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from flowcat_jupyter.formats.options import Options
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

AsText = Callable[[pl.Expr, DataType, Options], pl.Expr]
_BARE = ("boolean", "tinyint", "smallint", "int", "bigint", "decimal")


def json_lines(
    frame: pl.DataFrame, columns: Sequence[Column], options: Options, as_text: AsText
) -> pl.Series:
    """An object as text for each row."""
    keep = not options["ignoreNullFields"]
    parts: list[pl.Series] = []
    for at, column in enumerate(columns):
        kind = parse_type(column.type)
        if kind.is_nested:
            values = frame[column.name].to_list()
            dump = _dumper(kind, keep=keep)
            written = pl.Series([None if v is None else dump(v) for v in values], dtype=pl.String)
        else:
            written = frame.select(_json(exactly(column.name), kind, options, as_text)).to_series()
        key = json.dumps(column.name, ensure_ascii=False) + ":"
        text = pl.DataFrame({"v": written}).select(pl.concat_str(pl.lit(key), "v").alias(str(at)))
        parts.append(text.to_series().fill_null(f"{key}null") if keep else text.to_series())
    inner = pl.concat_str(pl.all(), separator=",", ignore_nulls=True)
    return pl.DataFrame(parts).select(pl.concat_str(pl.lit("{"), inner, pl.lit("}"))).to_series()


def _json(value: pl.Expr, kind: DataType, options: Options, as_text: AsText) -> pl.Expr:
    if kind.kind in _BARE:
        return as_text(value, kind, options)
    if kind.kind in ("float", "double"):
        text = as_text(value, kind, options)
        quoted = pl.concat_str(pl.lit('"'), text, pl.lit('"'))
        return pl.when(value.is_finite()).then(text).otherwise(quoted)
    if kind.kind == "binary":
        return _string(value.bin.encode("base64"))
    return _string(as_text(value, kind, options))


def _string(value: pl.Expr) -> pl.Expr:
    """A text as JSON has it; NULL stays so."""
    encoded = pl.struct(value.alias("v")).struct.json_encode()
    inner = encoded.str.strip_prefix('{"v":').str.strip_suffix("}")
    return pl.when(value.is_not_null()).then(inner)


def _dumper(kind: DataType, *, keep: bool) -> Callable[[Any], str]:
    """A function from a value of a nested type to JSON text."""
    if kind.kind == "array" and kind.element:
        element = _dumper(kind.element, keep=keep)
        return lambda value: (
            "[" + ",".join("null" if v is None else element(v) for v in value) + "]"
        )
    if kind.kind == "map" and kind.element:
        part = _dumper(kind.element, keep=keep)
        return lambda value: "{" + ",".join(_pair(v["key"], v["value"], part) for v in value) + "}"
    if kind.kind == "struct":
        fields = [(field.name, _dumper(field.type, keep=keep)) for field in kind.fields]
        return lambda value: _object(value, fields, keep=keep)
    return _atom


def _pair(key: Any, value: Any, part: Callable[[Any], str]) -> str:
    return f"{_text(str(key))}:{'null' if value is None else part(value)}"


def _object(
    value: dict[str, Any], fields: Sequence[tuple[str, Callable[[Any], str]]], *, keep: bool
) -> str:
    said = ((name, part, value[name]) for name, part in fields)
    return "{" + ",".join(_pair(n, v, part) for n, part, v in said if keep or v is not None) + "}"


def _atom(value: Any) -> str:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return _text(base64.b64encode(value).decode())
    if isinstance(value, (datetime, date)):
        return _text(value.isoformat())
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        names = {float("inf"): "Infinity", float("-inf"): "-Infinity"}
        return _text(names.get(value, "NaN"))
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
