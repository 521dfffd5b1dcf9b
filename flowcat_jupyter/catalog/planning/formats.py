"""What the formats of tables have in common, by their names."""

from __future__ import annotations

FILES = ("parquet", "csv", "json", "text", "binary", "binaryfile", "arrow", "avro")
"""The formats whose tables are files in a folder."""
LAKES = ("delta", "iceberg")
"""The formats whose tables have versions."""
