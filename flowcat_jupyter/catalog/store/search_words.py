"""Texts as the words they are found by.

A text is folded (case, accents and compatibility forms gone) and cut at white space. Each piece is
a word, and so is each part of it that a reader would call one: those between underscores, dashes
and changes of case. What is looked for is folded alike; three letters and more may stand anywhere
in a word, fewer must begin one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from flowcat_jupyter.catalog.store.seen import storable

WHOLE, FIRST, NAME, TAG, COLUMN, COMMENT = range(6)
"""Where a word stands: it is the whole name, begins it, or is elsewhere in it; and so on."""

INFIX = 3
"""Letters from which a text is found inside of words too."""
LONGEST = 255
"""Letters of a word that count."""
SOUGHT = 64
"""Letters of a word that is looked for that count."""
MOST_WORDS = 2000
"""Words of one text that count."""
MOST_ASKED = 8
"""Words of a question that count."""

_LETTERS = str.maketrans(
    {
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "\u0131": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ħ": "h",
    }
)
_ACCENTS = re.compile("[\u0300-\u036f]+")
_PIECES = re.compile(r"\S+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """The form in which texts are compared when something is looked for."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = unicodedata.normalize("NFC", _ACCENTS.sub("", plain)).translate(_LETTERS)
    # A lone accent is all that some text has.
    return bare or unicodedata.normalize("NFC", text)


def asked(q: str) -> tuple[str, ...]:
    """The words of a question, each once."""
    found = dict.fromkeys(piece[:SOUGHT] for piece in _pieces(q))
    return tuple(found)[:MOST_ASKED]


def words(text: str) -> Iterator[str]:
    """The words of a text: its pieces, and the parts of each."""
    for number, piece in enumerate(_PIECES.findall(unicodedata.normalize("NFC", text))):
        if number == MOST_WORDS:
            return
        for start, end in _parts(piece):
            word = fold(piece[start:end])[:LONGEST]
            # Some letters fold to several words.
            yield from word.split()


def matches(word: str, text: str) -> bool:
    """Whether a text is found by one word of a question."""
    folded = fold(text)
    if word not in folded:
        return False
    return len(word) >= INFIX or any(part.startswith(word) for part in words(text))


def entries(
    name: str,
    *,
    tags: Iterable[str] = (),
    columns: Iterable[str] = (),
    comments: Iterable[str] = (),
) -> set[tuple[str, int]]:
    """The words of an object, each with where it stands."""
    pieces = _pieces(name)
    found = {(word, NAME) for word in words(name)}
    if pieces:
        found.add((pieces[0][:LONGEST], WHOLE if len(pieces) == 1 else FIRST))
    for field, texts in ((TAG, tags), (COLUMN, columns), (COMMENT, comments)):
        found.update((word, field) for text in texts for word in words(text))
    return {(word, field) for word, field in found if storable(word)}


def tails(word: str) -> set[str]:
    """What a word may be found by from the middle: what is left of it from each letter on."""
    return {word[start : start + SOUGHT] for start in range(len(word) - INFIX + 1)}


def _pieces(text: str) -> list[str]:
    return [word for piece in _PIECES.findall(text) for word in fold(piece).split()]


def _parts(piece: str) -> Iterator[tuple[int, int]]:
    """Where a piece and its parts begin and end."""
    yield 0, len(piece)
    starts = [at for at in range(len(piece)) if _begins(piece, at)]
    if starts in ([], [0]):
        return
    for start, end in zip(starts, [*starts[1:], len(piece)], strict=True):
        # What is written without spaces has a word at every letter.
        last = len(piece) if _IDEOGRAPHS.match(piece[start]) else end
        yield start, min(last, start + LONGEST)


def _begins(piece: str, at: int) -> bool:
    letter = piece[at]
    if not letter.isalnum():
        return False
    if at == 0 or _IDEOGRAPHS.match(letter):
        return True
    before, after = piece[at - 1], piece[at + 1 : at + 2]
    if not before.isalnum():
        return True
    if letter.isdigit() != before.isdigit():
        return True
    return letter.isupper() and (before.islower() or (before.isupper() and after.islower()))
