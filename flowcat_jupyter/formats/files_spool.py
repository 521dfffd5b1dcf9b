"""Frames kept on disk while a file is read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import polars as pl

from flowcat_jupyter.shared.errors import LimitExceeded


@contextmanager
def spooling() -> Iterator[Spool]:
    """A spool in a file without a name, which goes with the process whatever ends it."""
    with tempfile.TemporaryFile() as file:
        yield Spool(file)


class Spool:
    """Frames kept in a temporary file."""

    def __init__(self, file: IO[bytes]) -> None:
        """Keep them in ``file``, which is the caller's to close."""
        self._file = file
        self._starts: list[tuple[int, int]] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Keep a frame.

        :raises LimitExceeded: the disk is full.
        """
        start = self._file.seek(0, 2)
        try:
            frame.write_ipc_stream(self._file, compression="lz4")
            self._file.flush()
        except OSError as e:
            raise LimitExceeded(
                f"The folder for temporary files is full ({e}).",
                hint="Free some space, or set TMPDIR to a larger disk.",
            ) from e
        self._starts.append((start, self._file.tell() - start))

    def __len__(self) -> int:
        """How many frames are kept."""
        return len(self._starts)

    def at(self, place: int) -> pl.DataFrame:
        """The frame that came as number ``place``, from 0."""
        start, size = self._starts[place]
        self._file.seek(start)
        return pl.read_ipc_stream(self._file.read(size))

    def frames(self) -> Iterator[pl.DataFrame]:
        """The frames, in the order they came."""
        for place in range(len(self)):
            yield self.at(place)
