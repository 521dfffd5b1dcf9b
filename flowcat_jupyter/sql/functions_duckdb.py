"""Lines of the function table that DuckDB has of its own, or instead of the general ones.

The columns are those of `functions`, which see.
"""

from __future__ import annotations

SCALARS = """
size           | a      | int     | CAST(LEN({0}) AS INTEGER)
md5            | s      | string  | MD5({0})
"""

AGGREGATES = """
"""

GENERATORS = """
"""
