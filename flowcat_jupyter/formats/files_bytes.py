"""From a path to its data: how a file is packed, and its bytes unpacked.

Everything is decided by content. A name only helps to word an error.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TextIO, cast

import zstandard

from flowcat_jupyter.shared.errors import Conflict, Invalid, LimitExceeded

BLOCK = 1 << 20
SAMPLE_BYTES = 64 << 20
SAMPLE_PIECES = 8
UNPACKED_FREELY = 1 << 30
UNPACKED_TIMES = 200
# What so many packed bytes become is in memory at once, whatever they swell to.
_ZSTD_BYTES = 4096
# A bzip2 stream's faults are plain OSErrors, as are those of a disk; both make a file unreadable.
_DAMAGED = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zstandard.ZstdError,
)


def _unxz(raw: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], lzma.LZMAFile(raw))


_UNPACK: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    "gzip": lambda raw: cast(IO[bytes], gzip.GzipFile(fileobj=raw)),
    "zstd": lambda raw: cast(IO[bytes], _Zstd(raw)),
    "bzip2": lambda raw: cast(IO[bytes], bz2.BZ2File(raw)),
    "xz": _unxz,
}


@dataclass(frozen=True)
class FileBytes:
    """A file whose packing is known: ``plain``, ``gzip``, ``zstd``, ``bzip2``, ``xz``, or ``zip``
    with the name of a ``member``. ``size`` is the number of bytes it takes, a member unpacked.

    ``archive`` is the opened zip, where several of its members are read: each time it is opened
    its whole directory is read.
    """

    path: Path
    packing: str
    size: int
    member: str | None = None
    archive: zipfile.ZipFile | None = field(default=None, compare=False, repr=False)

    @property
    def label(self) -> str:
        """What to call it."""
        return f"{self.path.name}/{self.member}" if self.member else self.path.name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The unpacked bytes.

        :raises Invalid: the archive is damaged, cut short, protected by a password, or one that
            swells beyond all measure.
        """
        try:
            with ExitStack() as stack:
                if self.packing == "zip":
                    archive = self.archive or stack.enter_context(zipfile.ZipFile(self.path))
                    yield self._bounded(stack.enter_context(archive.open(self.member or "")))
                    return
                raw = stack.enter_context(self.path.open("rb"))
                if self.packing == "plain":
                    yield raw
                else:
                    yield self._bounded(stack.enter_context(_UNPACK[self.packing](raw)))
        except _DAMAGED as e:
            raise cut_short(self.path.name, e) from e
        except (NotImplementedError, RuntimeError) as e:
            if self.packing != "zip":
                raise
            raise Invalid(
                f"{self.path.name} cannot be unpacked: {e}.",
                hint="Unpack the archive first; its compression is a rare one.",
            ) from e

    def _bounded(self, stream: object) -> IO[bytes]:
        most = most_unpacked(self._stored())
        return cast(IO[bytes], _Bounded(cast(IO[bytes], stream), most, self.path.name))

    def _stored(self) -> int:
        return self.path.stat().st_size

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """The path of a file that holds the unpacked bytes, for readers that need one.

        :raises LimitExceeded: there is no room to unpack it.
        """
        if self.packing == "plain":
            yield self.path
            return
        with tempfile.NamedTemporaryFile(prefix="flowcat-") as out:
            with self.open() as stream:
                while data := stream.read(BLOCK):
                    self._keep(data, out)
            yield Path(out.name)

    def _keep(self, data: bytes, out: IO[bytes]) -> None:
        try:
            out.write(data)
            out.flush()
        except OSError as e:
            raise LimitExceeded(
                f"{self.label} cannot be unpacked into the folder for temporary files ({e}).",
                hint="Free some space, or set TMPDIR to a larger disk.",
            ) from e

    def stamp(self) -> tuple[int, int]:
        """What changes when the file does."""
        stat = self.path.stat()
        return stat.st_size, stat.st_mtime_ns

    def check_unchanged(self, stamp: tuple[int, int]) -> None:
        """Check that the file is what it was at its `stamp`, so that what was counted is read.

        :raises Conflict: it has changed, or is gone.
        """
        try:
            unchanged = self.stamp() == stamp
        except OSError:
            unchanged = False
        if not unchanged:
            raise Conflict(
                f"{self.label} changed while it was read; nothing was imported.",
                hint="Import it again when nothing writes to it.",
            )

    def head(self, size: int) -> bytes:
        """The first ``size`` unpacked bytes, or all there are."""
        with self.open() as stream:
            data = b""
            while len(data) < size and (more := stream.read(size - len(data))):
                data += more
            return data

    def is_sampled(self, encoding: str, above: int | None) -> bool:
        """Whether only a sample would be read: of a plain file of more than ``above`` bytes whose
        lines can be told from its bytes.
        """
        lined = "\n".encode(encoding) == b"\n"
        return (
            above is not None
            and lined
            and self.packing == "plain"
            and self._stored() > max(above, SAMPLE_BYTES)
        )

    def blocks(self, stream: IO[bytes], sample_above: int | None) -> Iterator[bytes]:
        """The bytes of the opened file, or of its sample, some at a time."""
        if self.is_sampled("utf-8", sample_above):
            return _pieces(stream, self._stored())
        return iter(lambda: stream.read(BLOCK), b"")

    @contextmanager
    def lines(
        self, encoding: str, sample_above: int | None = None
    ) -> Iterator[Callable[[int], bytes]]:
        """A function that reads the unpacked bytes on.

        Where `is_sampled` says so, these are `SAMPLE_BYTES` of whole lines from the beginning,
        the end and evenly between.
        """
        with self.open() as stream:
            if self.is_sampled(encoding, sample_above):
                stripes = _Stripes(stream, self._stored())
                yield lambda size: stripes.read(size) or b""
            else:
                yield stream.read

    @contextmanager
    def text(self, encoding: str, sample_above: int | None = None) -> Iterator[TextIO]:
        """The text, its line ends untouched and its byte order mark gone; see `lines`.

        :raises Invalid: some bytes are not valid in ``encoding``.
        """
        codec = "utf-8-sig" if same_codec(encoding, "utf-8") else encoding
        with self.lines(encoding, sample_above) as read:
            try:
                with io.TextIOWrapper(
                    cast(IO[bytes], io.BufferedReader(_Raw(read), BLOCK)),
                    encoding=codec,
                    newline="",
                ) as text:
                    yield text
            except UnicodeError as e:
                raise not_encoded(self, encoding, e) from e


def most_unpacked(stored: int) -> int:
    """How many bytes an archive of ``stored`` bytes may hold; more were made to do harm."""
    return max(UNPACKED_FREELY, UNPACKED_TIMES * stored)


def cut_short(name: str, error: Exception) -> Invalid:
    """The error for a file whose packing is broken."""
    return Invalid(
        f"{name} is damaged or was cut short ({error}).", hint="Copy or download the file again."
    )


def unreadable(label: str, error: BaseException) -> Invalid:
    """The error for a file in which a library stumbles, in the library's first words."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return Invalid(
        f"{label} is damaged or holds what cannot be read ({reason}).",
        hint="Copy or download the file again, or save it in another format.",
    )


def not_encoded(packed: FileBytes, encoding: str, error: UnicodeError) -> Invalid:
    """The error for bytes that are not text in an encoding."""
    return Invalid(
        f"{packed.label} is not {encoding} text: {error}.",
        hint="Set the option encoding to the file's own, for instance latin-1.",
    )


class _Bounded:
    """A stream of which no more than so many bytes are read: a few kilobytes can hold terabytes."""

    def __init__(self, stream: IO[bytes], most: int, name: str) -> None:
        self._stream = stream
        self._left = most
        self._name = name

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Invalid(
                f"{self._name} unpacks to more than {UNPACKED_TIMES} times its size.",
                hint="If it is meant to, unpack it first and import what it holds.",
            )
        return data


class _Zstd(io.RawIOBase):
    """The frames of a zstd file. The library's own stream takes one cut short for its end."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__()
        self._raw = raw
        self._left = b""
        self._done = b""
        self._new_frame()

    def _new_frame(self) -> None:
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False

    def read(self, size: int = -1) -> bytes:
        while not self._done and (packed := self._left or self._raw.read(_ZSTD_BYTES)):
            self._done = self._frame.decompress(packed)
            self._begun = True
            self._left = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._new_frame()
        if not self._done and self._begun:
            raise EOFError("it ends inside a frame")
        data, self._done = self._done[:size], self._done[size:]
        return data


class _Raw(io.RawIOBase):
    """Any way to read as a raw stream, so that it can be buffered."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        super().__init__()
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        data = self._read(len(view))
        view[: len(data)] = data
        return len(data)


class _Stripes:
    """Pieces of a large file, each of whole lines, one after the other."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._pieces = _pieces(stream, size)
        self._piece = io.BytesIO()

    def read(self, size: int) -> bytes:
        while not (data := self._piece.read(size)):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._piece = io.BytesIO(piece)
        return data


def _pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    length = SAMPLE_BYTES // SAMPLE_PIECES
    for number in range(SAMPLE_PIECES):
        start = number * (size - length) // (SAMPLE_PIECES - 1)
        stream.seek(start)
        piece = stream.read(length)
        if start:
            piece = piece[piece.find(b"\n") + 1 :]
        yield piece if start + length >= size else piece[: piece.rfind(b"\n") + 1]


def check_encoding(name: str) -> str:
    """``name`` when it is a text encoding.

    :raises Invalid: it is not.
    """
    try:
        "\n".encode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError, ValueError) as e:
        raise Invalid(
            f"{name!r} is not an encoding.",
            hint="Common ones are utf-8, utf-16, latin-1 and cp1252.",
        ) from e
    return name


def same_codec(one: str, other: str) -> bool:
    """Whether two names mean one encoding."""
    return codecs.lookup(one).name == codecs.lookup(other).name
