"""Text as UTF-8 bytes, some megabytes of whole lines at a time, whatever its own encoding."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Iterable

from flowcat_jupyter.shared.errors import Invalid

BLOCK_BYTES = 4 << 20
MAX_LINE = 64 << 20
_BOM = codecs.BOM_UTF8

Read = Callable[[int], bytes]


class Blocks:
    """The lines of one text, read once. A block ends with a line's end, or the text's."""

    def __init__(self, read: Read) -> None:
        """Take bytes of UTF-8 text from ``read``, which gives none at the end."""
        self._read = read
        self._left = b""
        self._again: deque[bytes] = deque()
        self._started = False
        self._over = False

    def take(self) -> bytes:
        """The next block; nothing at the end.

        :raises Invalid: a line is longer than any of a text file.
        """
        data = self._left
        while not self.ended:
            data += self._more()
            cut = self._cut(data)
            if cut and not self.ended:
                self._left = data[cut:]
                return data[:cut]
            if len(data) > MAX_LINE + BLOCK_BYTES:
                raise Invalid(
                    f"A line is longer than {MAX_LINE >> 20} MB.",
                    hint="This is not a file of delimited text.",
                )
        self._left = b""
        return data

    @property
    def ended(self) -> bool:
        """Whether the last block has been taken."""
        return self._over and not self._again

    def _more(self) -> bytes:
        if self._again:
            return self._again.popleft()
        chunk = self._read(BLOCK_BYTES)
        while not self._started and 0 < len(chunk) < len(_BOM) and (more := self._read(1)):
            chunk += more
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(_BOM)
            # A mark alone is not yet the end.
            chunk = chunk or self._read(BLOCK_BYTES)
        self._over = not chunk
        return chunk

    @staticmethod
    def _cut(data: bytes) -> int:
        # A carriage return alone ends a line too, but not where a line feed may follow.
        return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, len(data) - 1) + 1

    def give_back(self, data: bytes, later: Iterable[bytes] = ()) -> None:
        """Put the end of a block before the next one; ``later`` are the blocks taken since."""
        if later := [*later]:
            later[-1] += self._left
            self._again.extendleft(reversed(later))
            self._left = data
        else:
            self._left = data + self._left


def transcoded(read: Read, encoding: str) -> Read:
    """``read``, whose bytes are text in ``encoding``, as UTF-8; it raises `UnicodeError`."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii"):
        return read
    decoder = codecs.getincrementaldecoder(encoding)()
    ended = False

    def run(size: int) -> bytes:
        nonlocal ended
        text = ""
        while not text and not ended:
            chunk = read(size)
            ended = not chunk
            text = decoder.decode(chunk, final=ended)
        return text.encode()

    return run
