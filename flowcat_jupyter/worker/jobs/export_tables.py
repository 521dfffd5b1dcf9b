"""Rows as Parquet and Arrow files, in their own types."""

from __future__ import annotations

from pathlib import Path

from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.export import Rows


def write_parquet(rows: Rows, path: Path, total: int) -> int:
    """Write a Parquet file."""
    rows.renamed.sink_parquet(path)
    return total


def write_arrow_file(rows: Rows, path: Path, total: int) -> int:
    """Write an Arrow IPC file that every Arrow reader understands."""
    write_arrow(rows.renamed, path)
    return total
