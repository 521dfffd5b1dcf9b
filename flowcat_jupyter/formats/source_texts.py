"""Text files as lines or blocks of lines, however they are packed and encoded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from flowcat_jupyter.formats.files_bytes import FileBytes, check_encoding
from flowcat_jupyter.formats.options import Option, only, unescape
from flowcat_jupyter.shared.errors import Forbidden, Invalid

BLOCK = 4 << 20
MAX_RECORD = 64 << 20
_ENDS = re.compile("(\r\n|\n|\r)")
Ended = tuple[list[str], list[str]]
"""Lines, and the text that ends each of them."""
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}
PACKINGS = ("none", "uncompressed", "gzip", "bzip2", "zstd", "xz")


def _encoding(said: str) -> str:
    try:
        return check_encoding(said.strip())
    except Invalid as error:
        raise ValueError("it is no encoding") from error


def _separator(said: str) -> str:
    found = said.encode().decode("unicode_escape") if said.startswith("\\") else unescape(said)
    if not found:
        raise ValueError("it is empty")
    return found


ENCODING = Option(
    "encoding", _encoding, "an encoding such as UTF-8 or ISO-8859-1", "utf-8", ("charset",)
)
LINE_SEPARATOR = Option("lineSep", _separator, "a text such as \\n, which ends every line")
COMPRESSION = only(
    "compression",
    PACKINGS,
    "How a file is packed is seen from its first bytes: gzip, bzip2, zstd and xz are read.",
    "codec",
)
ENGLISH = only("locale", ("en-us", "en"), "Numbers and names of months are read in English.")


def packed_file(path: str) -> FileBytes:
    """A file, its packing told by its first bytes.

    :raises FileNotFoundError: it is gone.
    :raises Forbidden: the operating system does not let it be read.
    """
    file = Path(path)
    try:
        with file.open("rb") as raw:
            head = raw.read(8)
    except PermissionError as error:
        raise Forbidden("read", "file", file.name) from error
    packing = next((name for magic, name in _PACKED.items() if head.startswith(magic)), "plain")
    return FileBytes(file, packing, file.stat().st_size)


@contextmanager
def opened_text(path: str, encoding: str, *, as_is: bool = False) -> Iterator[TextIO]:
    """A file's text, whose lines end with ``\\n`` alone unless it is wanted ``as_is``.

    :raises Invalid: its bytes are not text in the encoding, or it is damaged.
    """
    with packed_file(path).text(encoding) as text:
        if not as_is:
            cast(io.TextIOWrapper, text).reconfigure(newline=None)
        yield text


def line_blocks(path: str, encoding: str, separator: str | None) -> Iterator[list[str]]:
    """A file's lines without their ends, many at a time.

    :raises Invalid: a line is longer than any record may be.
    """
    mark = separator or "\n"
    with opened_text(path, encoding, as_is=separator is not None) as text:
        rest = ""
        while block := text.read(BLOCK):
            *lines, rest = (rest + block).split(mark)
            _check_line(rest, path)
            if lines:
                yield lines
        if rest:
            yield [rest]


def ended_lines(path: str, encoding: str, separator: str | None) -> Iterator[Ended]:
    """A file's lines, many at a time, and how each of them ends in the file.

    :raises Invalid: a line is longer than any record may be.
    """
    with opened_text(path, encoding, as_is=True) as text:
        rest = ""
        while block := text.read(BLOCK):
            lines, ends, rest = _split(rest + block, separator)
            _check_line(rest, path)
            if lines:
                yield lines, ends
        # What was held back may be an end of its own.
        *lines, rest = rest.split("\r") if separator is None else [rest]
        yield [*lines, rest] if rest else lines, ["\r"] * len(lines) + [""]


def _split(text: str, separator: str | None) -> tuple[list[str], list[str], str]:
    """Whole lines, their ends, and the beginning of what is read next."""
    if separator is not None or "\r" not in text:
        mark = separator or "\n"
        *lines, rest = text.split(mark)
        return lines, [mark] * len(lines), rest
    # A line feed may follow a last carriage return.
    late = "\r" if text.endswith("\r") else ""
    parts = _ENDS.split(text.removesuffix(late))
    return parts[:-1:2], parts[1::2], parts[-1] + late


def _check_line(line: str, path: str) -> None:
    if len(line) > MAX_RECORD:
        raise Invalid(
            f"A line of {Path(path).name} is longer than {MAX_RECORD >> 20} MB.",
            hint="Say how its lines end with the option lineSep.",
        )
