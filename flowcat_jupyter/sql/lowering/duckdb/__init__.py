"""What the text for DuckDB says its own way; importing this registers all of it."""

from __future__ import annotations

from flowcat_jupyter.sql.lowering.duckdb import (
    aggregates,
    arrays,
    casts,
    lambdas,
    long,
    nested,
    numbers,
    text,
    times,
)
from flowcat_jupyter.sql.lowering.duckdb.target import DUCKDB

REGISTERED = (aggregates, arrays, casts, lambdas, long, nested, numbers, text, times)
__all__ = ["DUCKDB", "REGISTERED"]
