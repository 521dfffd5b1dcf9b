"""Writing a result as an uncompressed Arrow IPC file that may not grow beyond a size."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, cast

import polars as pl

from flowcat_jupyter.engines.cell_sizes import CellLimit
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError

COLLECT_BELOW = 100_000
"""Results of at most so many rows are collected and then written."""
TOO_LARGE = "RESULT_SIZE_EXCEEDED"
"""The condition of the error for rows that take more bytes than they may."""
# No frame holds more rows than this.
_MAX_HEAD = 2**32 - 2
_FARTHEST_S = 260_000 * 31_556_952
_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY_S = 86_400
_PLAIN = pl.QueryOptFlags()


def spool(
    frame: pl.LazyFrame,
    path: Path,
    *,
    limit: int | None,
    max_bytes: int,
    cells: CellLimit | None = None,
    flags: pl.QueryOptFlags = _PLAIN,
) -> tuple[int, bool]:
    """Run ``frame`` and write at most ``limit`` of its rows; how many, and whether there were more.

    :raises LimitExceeded: they are more than ``max_bytes``, or a value is more than ``cells``
        allow; no file is left.
    """
    limit = None if limit is not None and limit >= _MAX_HEAD else limit
    head = frame if limit is None else frame.head(limit + 1)
    if limit is not None and limit <= COLLECT_BELOW:
        return write(head.collect(optimizations=flags), path, limit, max_bytes, cells)
    rows = _stream(head, path, max_bytes, flags)
    _check_written(path, cells)
    _refuse_far_times(pl.scan_ipc(path), path)
    if limit is None or rows <= limit:
        return rows, False
    # One row too many was written to learn that there are more.
    return write(pl.scan_ipc(path).collect(), path, limit, max_bytes)


def write(
    frame: pl.DataFrame, path: Path, limit: int, max_bytes: int, cells: CellLimit | None = None
) -> tuple[int, bool]:
    """Write at most ``limit`` rows; how many, and whether there were more.

    :raises LimitExceeded: see `spool`; nothing is written.
    """
    kept = frame.head(limit)
    size = int(kept.estimated_size())
    if cells is not None:
        cells.check(kept, size)
    if size > max_bytes:
        raise too_large(max_bytes)
    _refuse_far_times(kept.lazy())
    kept.write_ipc(path, compression="uncompressed")
    return kept.height, frame.height > limit


def _refuse_far_times(frame: pl.LazyFrame, written: Path | None = None) -> None:
    """Say so where a date or time is too far away to be written as text, which ends in a panic."""
    numbers = (pl.selectors.date() | pl.selectors.datetime()).to_physical()
    least, most = pl.collect_all([frame.select(numbers.min()), frame.select(numbers.max())])
    schema = frame.collect_schema()
    for low, high in zip(least.iter_columns(), most.iter_columns(), strict=True):
        if low[0] is None or max(-low[0], high[0]) <= _farthest(schema[low.name]):
            continue
        if written is not None:
            written.unlink(missing_ok=True)
        raise SqlError(
            "A time of the result lies more than 260,000 years away.",
            condition="DATETIME_OVERFLOW",
            sqlstate="22008",
            hint="Is it in milliseconds or microseconds, where seconds are meant?",
        )


def _farthest(dtype: pl.DataType) -> int:
    """How many of the units that a date or time is counted in may lie between it and 1970."""
    if isinstance(dtype, pl.Datetime):
        return _FARTHEST_S * _SECOND[dtype.time_unit]
    return _FARTHEST_S // _DAY_S


def _stream(frame: pl.LazyFrame, path: Path, max_bytes: int, flags: pl.QueryOptFlags) -> int:
    with path.open("wb") as file:
        guard = _Guard(file, max_bytes)
        try:
            frame.sink_ipc(cast(IO[bytes], guard), compression="uncompressed", optimizations=flags)
        except (pl.exceptions.PolarsError, OSError):
            if not guard.exceeded:
                raise
    if guard.exceeded:
        path.unlink(missing_ok=True)
        raise too_large(max_bytes)
    return int(pl.scan_ipc(path).select(pl.len()).collect().item())


def _check_written(path: Path, cells: CellLimit | None) -> None:
    if cells is None:
        return
    try:
        cells.check(pl.scan_ipc(path), path.stat().st_size)
    except LimitExceeded:
        path.unlink(missing_ok=True)
        raise


class _Guard(io.RawIOBase):
    """A file that refuses to grow beyond a size."""

    def __init__(self, file: io.BufferedWriter, max_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._left = max_bytes
        self.exceeded = False

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        size = len(cast(bytes, data))
        self._left -= size
        if self._left < 0:
            self.exceeded = True
            raise OSError("the result is larger than allowed")
        return self._file.write(cast(bytes, data))

    def flush(self) -> None:
        # Asked once more when the guard is let go of, after its file was closed.
        if not self._file.closed:
            self._file.flush()


def too_large(max_bytes: int) -> LimitExceeded:
    """The error for a result of more bytes than allowed."""
    return LimitExceeded(
        f"The result is larger than {max_bytes / 1_000_000:,.0f} MB.",
        condition=TOO_LARGE,
        sqlstate="54000",
        hint="Select fewer columns or rows, aggregate, or raise result_max_bytes.",
    )
