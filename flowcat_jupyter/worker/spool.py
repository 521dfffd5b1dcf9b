"""Where workers leave results for the server: private files that expire."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from flowcat_jupyter.shared.ages import Ages
from flowcat_jupyter.shared.errors import Gone, Internal, Unavailable
from flowcat_jupyter.worker.holding import LOCK, hold, remove_abandoned

# Arrow's file format is: magic padded to eight bytes, a stream, the footer, the footer's length,
# magic.
_MAGIC = b"ARROW1"
_START = 8
_TAIL = struct.Struct("<i6s")
_CONTINUATION = b"\xff\xff\xff\xff"
_END_OF_STREAM = _CONTINUATION + b"\x00\x00\x00\x00"
_PREFIX = "flowcat-"
SCRATCH = "scratch"
KEPT = "kept-"
"""What the name of whatever stays until it is let go begins with."""


class Spool:
    """A folder of one server's results, readable by its user alone.

    The names of its files are the spool's own; nothing a client says becomes part of a path.
    """

    def __init__(
        self, folder: Path, ttl_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Make a fresh private folder inside ``folder``; files live ``ttl_s`` seconds by ``clock``.

        What servers that are no more have left behind is removed.

        :raises Unavailable: it cannot be made.
        """
        self.ttl_s = ttl_s
        self._clock = clock
        self._ages = Ages()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            remove_abandoned(folder, _PREFIX)
            self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=folder))
            self._held: int | None = hold(self.folder)
        except OSError as error:
            raise Unavailable(
                f"The folder for results cannot be used: {error.strerror}.",
                hint="Check the space in the catalog's home folder and who may write there.",
            ) from error

    def new_path(self) -> Path:
        """A path for a worker to write to; nothing is there yet."""
        return self.folder / uuid.uuid4().hex

    def remove(self, path: Path) -> None:
        """Delete a file now, with what its writer may have left beside it; gone already is fine."""
        shutil.rmtree(parts_of(path), ignore_errors=True)
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    def sweep(self) -> int:
        """Delete every file that has not changed for the time to live; how many that were."""
        files = [path for path in self.folder.iterdir() if not _stays(path.name)]
        expired = self._ages.older(files, self.ttl_s, self._clock())
        for path in expired:
            self.remove(path)
        return len(expired)

    def new_kept(self) -> Path:
        """A path for what stays until `let_go`; nothing is there yet."""
        return self.folder / f"{KEPT}{uuid.uuid4().hex}"

    def let_go(self, path: Path) -> None:
        """Let what lies there, or in it, be swept with what has expired; quick whatever it is.

        :raises Internal: it does not lie here.
        """
        if self.folder not in path.parents:
            raise Internal(f"{path.name} is none of the spool's.")
        with suppress(FileNotFoundError):
            path.rename(self.new_path())

    def scratch(self) -> Path:
        """A folder for the temporary files of this server's workers; it goes with the others."""
        place = self.folder / SCRATCH
        place.mkdir(mode=0o700, exist_ok=True)
        return place

    def close(self) -> None:
        """Delete the folder and all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._held is not None:
            os.close(self._held)
            self._held = None


def _stays(name: str) -> bool:
    return name in (LOCK, SCRATCH) or name.startswith(KEPT)


def parts_of(path: Path) -> Path:
    """The folder where who writes ``path`` keeps what it is made of."""
    return path.with_name(f"{path.name}-parts")


@dataclass(frozen=True)
class StreamSpan:
    """Where a stream lies: ``head``, then ``length`` bytes from ``offset`` of the file."""

    head: bytes
    offset: int
    length: int

    @property
    def size(self) -> int:
        """Bytes of the whole stream."""
        return len(self.head) + self.length


def arrow_stream_span(path: Path) -> StreamSpan:
    """Where in the Arrow IPC file at ``path`` the stream lies that says the same.

    Sending just those bytes is sending an Arrow IPC stream; no data need be parsed. Columns must
    not be categorical: polars puts their dictionaries where a stream cannot have them.

    :raises Gone: there is no file.
    :raises Internal: it is not a whole Arrow IPC file, or has such a column.
    """
    try:
        with path.open("rb") as file:
            return _span(file)
    except FileNotFoundError as error:
        raise Gone("The result has expired.", hint="Run the query again.") from error
    except (struct.error, ValueError, OSError) as error:
        raise Internal(f"{path.name} cannot be sent as an Arrow stream.") from error


def arrow_stream_chunks(path: Path, chunk: int = 1 << 20) -> Iterator[bytes]:
    """The stream of `arrow_stream_span`, in pieces of at most ``chunk`` bytes.

    :raises Gone: there is no file. :raises Internal: it is not a whole Arrow IPC file.
    """
    span = arrow_stream_span(path)
    if span.head:
        yield span.head
    with path.open("rb") as file:
        file.seek(span.offset)
        left = span.length
        while left > 0 and (part := file.read(min(chunk, left))):
            left -= len(part)
            yield part


def _span(file: BinaryIO) -> StreamSpan:
    size = file.seek(0, os.SEEK_END)
    footer_length, tail = _TAIL.unpack(_read_at(file, size - _TAIL.size, _TAIL.size))
    end = size - _TAIL.size - footer_length
    sane = footer_length > 0 and end >= _START + len(_END_OF_STREAM)
    if not sane or tail != _MAGIC or _read_at(file, 0, len(_MAGIC)) != _MAGIC:
        raise ValueError("no magic")
    if _read_at(file, end - len(_END_OF_STREAM), len(_END_OF_STREAM)) != _END_OF_STREAM:
        raise ValueError("no end of stream")
    head = b""
    if _read_at(file, _START, len(_CONTINUATION)) != _CONTINUATION:
        # polars leaves out what belongs before the schema: the mark and the schema's length.
        first = _first_block(_read_at(file, end, footer_length)) or end - len(_END_OF_STREAM)
        head = _CONTINUATION + struct.pack("<i", first - _START)
    return StreamSpan(head, _START, end - _START)


def _first_block(footer: bytes) -> int | None:
    """The file offset of the first dictionary or record batch a footer lists; None without any.

    :raises ValueError: dictionaries follow the rows that need them, which no stream allows.
    """
    dictionaries, batches = _first_of(footer, 8), _first_of(footer, 10)
    if dictionaries is not None and batches is not None and dictionaries > batches:
        raise ValueError("dictionaries after rows")
    return batches if dictionaries is None else dictionaries


def _first_of(footer: bytes, slot: int) -> int | None:
    """The offset that the first block of a vector begins with.

    A footer is a flatbuffers table; ``slot`` is the vector's place in the table's index.
    """
    (table,) = struct.unpack_from("<I", footer)
    index = table - struct.unpack_from("<i", footer, table)[0]
    (index_size,) = struct.unpack_from("<H", footer, index)
    field = struct.unpack_from("<H", footer, index + slot)[0] if slot < index_size else 0
    if not field:
        return None
    vector = table + field + struct.unpack_from("<I", footer, table + field)[0]
    (count,) = struct.unpack_from("<I", footer, vector)
    return int(struct.unpack_from("<q", footer, vector + 4)[0]) if count else None


def _read_at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)
