"""Empty Parquet files that exist in memory alone, for scans to take their columns from.

Given a schema, polars opens no footer while it plans: it then knows neither how many rows a file
has nor the range of a column, and orders joins blindly. It takes the schema of the first file
otherwise. So an empty file of just the wanted schema goes first.
"""

from __future__ import annotations

import os
import sys

import polars as pl
from polars.exceptions import PolarsError

_MOST = 500
"""So many different schemas get a file; files are kept, as a plan may name them at any time."""
_SHAPES: dict[tuple[tuple[str, pl.DataType], ...], str | None] = {}


def shape_file(schema: pl.Schema) -> str | None:
    """The path of an empty file with this schema, for this process.

    None where there can be none: the system has no such files, or Parquet no such type.
    """
    key = tuple(schema.items())
    if key not in _SHAPES:
        if len(_SHAPES) >= _MOST:
            return None
        _SHAPES[key] = _written(schema)
    return _SHAPES[key]


def _written(schema: pl.Schema) -> str | None:
    if sys.platform != "linux" or not schema:
        return None
    try:
        path = f"/proc/self/fd/{os.memfd_create('flowcat-shape')}"
        pl.DataFrame(schema=schema).write_parquet(path)
        return path if pl.read_parquet_schema(path) == schema else None
    except (OSError, PolarsError):
        return None
