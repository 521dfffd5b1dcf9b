"""From a path to its data: what the bytes are, unpacked, and in which encoding.

Everything is decided by content. A name only helps to word an error.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO, cast

from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound

BLOCK = 1 << 20
SAMPLE_BYTES = 64 << 20
SAMPLE_PIECES = 8
JUNK_ALLOWED = 8
UNPACKED_FREELY = 1 << 30
UNPACKED_TIMES = 200
_PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_BINARY = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"SQLite format 3\x00": "a SQLite database",
    b"\x7fELF": "a program",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"ARROW1": "an Arrow IPC file",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# C0 controls that no text export holds; NUL, tab, the line ends, form feed and escape may occur.
_LIKELY = ("cp1252", "latin-1")
_JUNK = bytes(sorted(set(range(1, 32)) - {9, 10, 11, 12, 13, 26, 27}))
_MACOS_EXTRA = "__MACOSX/"
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class FileBytes:
    """A file whose packing is known. ``packing`` is ``plain``, ``gzip`` or ``zip``."""

    path: Path
    packing: str
    member: str | None = None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The unpacked bytes.

        :raises Invalid: the archive is damaged, cut short, protected by a password, or one that
            swells beyond all measure.
        """
        try:
            with self.path.open("rb") as raw:
                if self.packing == "gzip":
                    with gzip.open(raw) as stream:
                        yield self._bounded(stream)
                elif self.packing == "zip":
                    with zipfile.ZipFile(raw) as archive, archive.open(self.member or "") as member:
                        yield self._bounded(member)
                else:
                    yield raw
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as e:
            raise Invalid(
                f"{self.path.name} is damaged or was cut short ({e}).",
                hint="Copy or download the file again.",
            ) from e
        except NotImplementedError as e:
            raise Invalid(
                f"{self.path.name} cannot be unpacked: {e}.",
                hint="Unpack the archive first; its compression is a rare one.",
            ) from e

    def _bounded(self, stream: object) -> IO[bytes]:
        most = max(UNPACKED_FREELY, UNPACKED_TIMES * self._size())
        return cast(IO[bytes], _Bounded(cast(IO[bytes], stream), most, self.path.name))

    def head(self, size: int) -> bytes:
        """The first ``size`` unpacked bytes, or all there are."""
        with self.open() as stream:
            return stream.read(size)

    def is_sampled(self, encoding: str, above: int | None) -> bool:
        """Whether `text` would give a sample only: in a plain file of more than ``above`` bytes
        whose lines can be told from its bytes.
        """
        lined = "\n".encode(encoding) == b"\n"
        return (
            above is not None
            and lined
            and self.packing == "plain"
            and self._size() > max(above, SAMPLE_BYTES)
        )

    def blocks(self, stream: IO[bytes], sample_above: int | None) -> Iterator[bytes]:
        """The bytes of the opened file, or of its sample, some at a time."""
        if self.is_sampled("utf-8", sample_above):
            return _pieces(stream, self._size())
        return iter(lambda: stream.read(BLOCK), b"")

    def _size(self) -> int:
        return self.path.stat().st_size

    @contextmanager
    def text(self, encoding: str, sample_above: int | None = None) -> Iterator[TextIO]:
        """The text, its line ends untouched and its byte order mark gone.

        Where `is_sampled` says so, the text is `SAMPLE_BYTES` of whole lines from the beginning,
        the end and evenly between.

        :raises Invalid: some bytes are not valid in ``encoding``.
        """
        codec = "utf-8-sig" if _same_codec(encoding, "utf-8") else encoding
        sampled = self.is_sampled(encoding, sample_above)
        with self.open() as stream:
            source = _Stripes(stream, self._size()) if sampled else _Raw(stream)
            try:
                with io.TextIOWrapper(
                    cast(IO[bytes], io.BufferedReader(source, BLOCK)),
                    encoding=codec,
                    newline="",
                ) as text:
                    yield text
            except UnicodeError as e:
                raise Invalid(
                    f"{self.path.name} is not {encoding} text: {e}.",
                    hint="Set the option encoding to the file's own, for instance latin-1.",
                ) from e


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


class _Raw(io.RawIOBase):
    """Any readable stream as a raw one, so that it can be buffered; it is not closed with it."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)


class _Stripes(_Raw):
    """Pieces of a large file, each of whole lines, one after the other."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        super().__init__(io.BytesIO())
        self._pieces = _pieces(stream, size)

    def readinto(self, buffer: object) -> int:
        while not (count := super().readinto(buffer)):
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._stream = io.BytesIO(piece)
        return count


def _pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    length = SAMPLE_BYTES // SAMPLE_PIECES
    for number in range(SAMPLE_PIECES):
        start = number * (size - length) // (SAMPLE_PIECES - 1)
        stream.seek(start)
        piece = stream.read(length)
        if start:
            piece = piece[piece.find(b"\n") + 1 :]
        yield piece if start + length >= size else piece[: piece.rfind(b"\n") + 1]


def open_bytes(path: str | Path) -> FileBytes:
    """Look at what is at ``path``.

    :raises NotFound: nothing is there.
    :raises Invalid: a folder, an empty file, an archive without one plain data file, or a kind of
        file that is recognised and cannot be read.
    """
    path = Path(path)
    head = _magic(path)
    if head.startswith((_ZIP, _EMPTY_ZIP)):
        packed = FileBytes(path, "zip", _only_member(path))
    elif head.startswith(_GZIP):
        packed = FileBytes(path, "gzip")
    else:
        packed = FileBytes(path, "plain")
    head = packed.head(512)
    if not head:
        raise Invalid(f"{path.name} is empty.", hint="Choose a file that holds data.")
    for magic, what in _BINARY.items():
        if head.startswith(magic):
            raise Invalid(
                f"{path.name} is {what}, which cannot be imported.",
                hint="CSV, JSON, NDJSON and Parquet files can be, text also in gzip or zip.",
            )
    return packed


def _magic(path: Path) -> bytes:
    if path.is_dir():
        raise Invalid(f"{path.name} is a folder.", hint="Choose one file in it.")
    try:
        with path.open("rb") as raw:
            return raw.read(8)
    except (FileNotFoundError, NotADirectoryError) as e:
        raise NotFound("file", path.name) from e
    except PermissionError as e:
        raise Forbidden("read", "file", path.name) from e
    except (OSError, ValueError) as e:
        raise Invalid(f"{path.name} cannot be read ({e}).") from e


def _only_member(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            items = [item for item in archive.infolist() if not item.is_dir()]
    except zipfile.BadZipFile as e:
        raise Invalid(
            f"{path.name} is damaged or was cut short ({e}).",
            hint="Copy or download the file again.",
        ) from e
    members = [item.filename for item in items]
    if any(item.flag_bits & _ENCRYPTED for item in items):
        raise Invalid(f"{path.name} is protected by a password.", hint="Unpack it first.")
    if any(name.startswith(("xl/", "word/", "META-INF/")) for name in members):
        raise Invalid(
            f"{path.name} is an Office document, which cannot be imported.",
            hint="Save the sheet as CSV and import that.",
        )
    plain = [name for name in members if not name.startswith(_MACOS_EXTRA)]
    plain = [name for name in plain if not name.rpartition("/")[2].startswith(".")]
    if len(plain) != 1:
        listed = ", ".join(plain[:5]) or "nothing"
        raise Invalid(
            f"{path.name} must hold one data file; it holds {len(plain)}: {listed}.",
            hint="Unpack it and import its files one by one.",
        )
    return plain[0]


def is_parquet(packed: FileBytes) -> bool:
    """Whether the unpacked bytes begin as Parquet does."""
    return packed.head(4) == _PARQUET


def encoding_warning(asked: str | None, found: str) -> tuple[str, ...]:
    """What to say of an encoding that is only likely."""
    if asked or found not in _LIKELY:
        return ()
    return (f"The file is not UTF-8; it is read as {found}. Set the option encoding if not so.",)


def mark_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark at the beginning names."""
    return next((encoding for mark, encoding in _BOMS if head.startswith(mark)), None)


def find_encoding(
    packed: FileBytes,
    sample_above: int | None = None,
    report: Callable[[int], None] = lambda rows: None,
) -> str:
    """The encoding of the whole file, or of the sample that `FileBytes.text` would give: by its
    byte order mark, else UTF-8 if every byte of it is valid UTF-8, else ``cp1252``, else
    ``latin-1``. ``report`` is called now and then, with no rows read yet.

    :raises Invalid: the bytes are no text at all.
    """
    head = packed.head(64 * 1024)
    if marked := mark_encoding(head):
        return marked
    junk = len(head) - len(head.translate(None, _JUNK))
    decoder = codecs.getincrementaldecoder("utf-8")()
    valid = True
    single = codecs.getincrementaldecoder("cp1252")()
    fallback = "cp1252"
    with packed.open() as stream:
        for block in packed.blocks(stream, sample_above):
            report(0)
            valid = valid and _decodes(decoder, block)
            if not _decodes(single, block):
                fallback = "latin-1"
            if not valid and fallback == "latin-1":
                break
        valid = valid and _decodes(decoder, b"", final=True)
    if junk > JUNK_ALLOWED + len(head) // 100 or (not valid and b"\0" in head):
        raise Invalid(
            f"{packed.path.name} is a binary file of an unknown kind.",
            hint="If it is UTF-16 text without a byte order mark, set the option encoding to "
            "utf-16-le or utf-16-be.",
        )
    return "utf-8" if valid else fallback


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def check_encoding(name: str) -> str:
    """``name`` when it is a text encoding.

    :raises Invalid: it is not.
    """
    try:
        "\n".encode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError) as e:
        raise Invalid(
            f"{name!r} is not an encoding.",
            hint="Common ones are utf-8, utf-16, latin-1 and cp1252.",
        ) from e
    return name


def _same_codec(one: str, other: str) -> bool:
    return codecs.lookup(one).name == codecs.lookup(other).name
