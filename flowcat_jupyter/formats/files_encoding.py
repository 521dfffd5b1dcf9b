"""Which encoding a text is in, how that is known, and how sure it is."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from charset_normalizer import from_bytes

from flowcat_jupyter.formats.files_bytes import FileBytes
from flowcat_jupyter.shared.errors import Invalid

HEAD_BYTES = 64 << 10
JUNK_ALLOWED = 8
FAR_BYTES = 32
SAMPLE_BYTES = 64 << 10
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# C0 controls that no text export holds; NUL, tab, the line ends, form feed and escape may occur.
_JUNK = bytes(sorted(set(range(1, 32)) - {9, 10, 11, 12, 13, 26, 27}))
_LIKELY = ("cp1250", "cp1251", "cp1253", "cp1255", "cp1256", "koi8_r")
_LIKELY_EAST = ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
CHOICES = ("utf-8", "cp1252", "latin-1", "utf-16", "cp1250", "cp1251", "shift_jis", "gb18030")


@dataclass(frozen=True)
class Encoding:
    """An encoding, how it is known, and what a person should be told of it."""

    name: str
    reason: str
    warnings: tuple[str, ...] = ()


def asked_encoding(name: str | None) -> Encoding | None:
    """The encoding that an option names."""
    return Encoding(name, "As asked.") if name else None


def marked_encoding(packed: FileBytes) -> Encoding | None:
    """The encoding that shows in the file's first bytes; None where any of them may be right.

    :raises Invalid: the bytes are no text at all.
    """
    head = packed.head(HEAD_BYTES)
    if marked := mark_encoding(head):
        return Encoding(marked, "The file begins with a byte order mark.")
    if wide := _wide(head):
        return Encoding(wide, "Every other byte is zero, as in Western text in UTF-16.")
    junk = len(head) - len(head.translate(None, _JUNK))
    if junk > JUNK_ALLOWED + len(head) // 100:
        raise _binary(packed)
    return None


def mark_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark at the beginning names."""
    return next((encoding for mark, encoding in _BOMS if head.startswith(mark)), None)


def _wide(head: bytes) -> str | None:
    pairs = len(head) // 2
    if pairs < 2 or head.count(0) < pairs * 0.7:
        return None
    for zeros, name in ((head[1::2], "utf-16-le"), (head[0::2], "utf-16-be")):
        if zeros[:pairs].count(0) > pairs * 0.7 and _decodes_all(head[: pairs * 2], name):
            return name
    return None


def _decodes_all(data: bytes, name: str) -> bool:
    # A pair may be cut at the end.
    return _decodes(codecs.getincrementaldecoder(name)(), data)


def _binary(packed: FileBytes) -> Invalid:
    return Invalid(
        f"{packed.label} is a binary file of an unknown kind.",
        hint="If it is UTF-16 text without a byte order mark, set the option encoding to "
        "utf-16-le or utf-16-be.",
    )


UTF8 = Encoding("utf-8", "All of it is valid UTF-8.")


def find_encoding(
    packed: FileBytes,
    sample_above: int | None = None,
    report: Callable[[int], None] = lambda rows: None,
) -> Encoding:
    """The encoding of the whole file, or of the sample that `FileBytes.text` would give: by its
    first bytes, else UTF-8 if every byte of it is valid UTF-8, else the one that its other bytes
    make most sense in. ``report`` is called now and then, with no rows read yet.

    :raises Invalid: the bytes are no text at all.
    """
    if marked := marked_encoding(packed):
        return marked
    decoder = codecs.getincrementaldecoder("utf-8")()
    single = codecs.getincrementaldecoder("cp1252")()
    valid = western = True
    far: list[bytes] = []
    with packed.open() as stream:
        for block in packed.blocks(stream, sample_above):
            report(0)
            valid = valid and _decodes(decoder, block)
            western = western and _decodes(single, block)
            far += _far_lines(block, SAMPLE_BYTES - sum(map(len, far)))
        valid = valid and _decodes(decoder, b"", final=True)
    if valid:
        return UTF8
    if b"\0" in packed.head(HEAD_BYTES):
        raise _binary(packed)
    return _guessed(b"".join(far), "cp1252" if western else "latin-1")


def _far_lines(block: bytes, room: int) -> Iterator[bytes]:
    """Lines that hold bytes beyond ASCII."""
    if room <= 0 or block.isascii():
        return
    for line in block.splitlines(keepends=True):
        if not line.isascii():
            yield line[:room]
            room -= len(line)
        if room <= 0:
            return


def _guessed(sample: bytes, western: str) -> Encoding:
    """The encoding in which bytes beyond ASCII look most like a language."""
    if sum(byte > 127 for byte in sample) >= FAR_BYTES:
        names = [*_LIKELY, *_LIKELY_EAST, western.replace("-", "_")]
        best = from_bytes(sample, cp_isolation=names, explain=False).best()
        if best is not None:
            return _told(best.encoding.replace("latin_1", "latin-1"), best.chaos)
    return _told(western, None)


def _told(name: str, chaos: float | None) -> Encoding:
    sure = "perhaps" if chaos is None else "very likely" if chaos < 0.05 else "likely"
    few = " There are too few such bytes to tell for certain." if chaos is None else ""
    reason = f"It is not UTF-8; {name} is {sure} what its bytes beyond ASCII are in.{few}"
    warning = f"The file is not UTF-8; it is read as {name}. Set the option encoding if not so."
    return Encoding(name, reason, (warning,))


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True
