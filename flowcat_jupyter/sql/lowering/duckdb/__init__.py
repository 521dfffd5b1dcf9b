"""What the text for DuckDB says its own way; importing this registers all of it."""

from __future__ import annotations

from flowcat_jupyter.sql.lowering.duckdb import casts, text
from flowcat_jupyter.sql.lowering.duckdb.target import DUCKDB

REGISTERED = (casts, text)
__all__ = ["DUCKDB", "REGISTERED"]
