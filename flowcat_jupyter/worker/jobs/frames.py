"""Frames sent with queries: Arrow data of a kernel's or a program's own making."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.types import check_columns, queryable, spark_columns
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire_frames import FrameInfo, FrameJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.cells import write_arrow

_FILE_MAGIC = b"ARROW1"


def run_frame(job: FrameJob, _context: JobContext) -> FrameInfo:
    """Check what was sent before any query reads it.

    :raises Invalid: it is not Arrow data, or a column is of a type that no query can take.
    """
    path = Path(job.path)
    try:
        if not _is_file(path):
            _make_file(path)
        frame = pl.scan_ipc(path)
        schema = queryable(frame).collect_schema()
        check_columns(schema.names())
        rows = int(frame.select(pl.len()).collect().item())
    except (PolarsError, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Invalid(
            f"What was sent is no Arrow data that can be read: {reason}.",
            hint="Send an Arrow IPC file or stream, uncompressed or with lz4 or zstd.",
        ) from error
    return FrameInfo(spark_columns(schema), rows)


def _is_file(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_FILE_MAGIC)) == _FILE_MAGIC


def _make_file(path: Path) -> None:
    """Put the file that says the same as a stream in the stream's place."""
    made = path.with_name(f"{path.name}.file")
    try:
        write_arrow(pl.read_ipc_stream(path), made)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
