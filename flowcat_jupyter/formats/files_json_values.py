"""Rows as strict JSON, for showing."""

from __future__ import annotations

import base64
import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl

EXACT = 2**53


def strict_rows(frame: pl.DataFrame) -> tuple[tuple[Any, ...], ...]:
    """The frame's rows as values any JSON parser takes and keeps exactly.

    Integers past 2^53, decimals and non-finite floats are text; dates and timestamps are ISO 8601.
    """
    return tuple(tuple(_strict(value) for value in row) for row in frame.iter_rows())


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_strict(part) for part in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, int):
        return value if abs(value) <= EXACT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return format(value, "f") if isinstance(value, Decimal) else str(value)
