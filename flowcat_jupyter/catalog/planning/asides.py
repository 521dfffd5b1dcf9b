"""Words that the parser has no place for: they are read here, and are blanks in what it reads.

Every other character keeps its place, so that errors point at the text as it was written.
"""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.catalog.planning.words import Word, words_of
from flowcat_jupyter.sql.dialect import Piece

_EVOLUTION = ("WITH", "SCHEMA", "EVOLUTION")
_UNLESS_THERE = ("IF", "NOT", "EXISTS")
_SYSTEM = {"SYSTEM_VERSION": "VERSION", "SYSTEM_TIME": "TIMESTAMP"}


def plainer(piece: Piece, words: list[Word]) -> Piece:
    """A statement without such words."""
    text = piece.text
    for word in _evolution(words) + _unless_there(words):
        text = _put(text, word, "")
    if replaces(piece):
        text = _put(text, words[0], "CREATE")
    for word, second, third in zip(words, words[1:], words[2:], strict=False):
        plain = _SYSTEM.get(word.upper)
        if plain and (second.upper, third.upper) == ("AS", "OF"):
            text = _put(text, word, plain)
    return replace(piece, text=text)


def evolves(piece: Piece) -> bool:
    """Whether a MERGE or an INSERT is one ``WITH SCHEMA EVOLUTION``."""
    return bool(_evolution(words_of(piece.text)))


def unless_there(piece: Piece) -> bool:
    """Whether an INSERT says ``IF NOT EXISTS`` after its partition."""
    return bool(_unless_there(words_of(piece.text)))


def replaces(piece: Piece) -> bool:
    """Whether the statement is ``REPLACE TABLE``, of a table that has to be there."""
    first = words_of(piece.text)[:2]
    return [word.upper for word in first] == ["REPLACE", "TABLE"]


def _evolution(words: list[Word]) -> list[Word]:
    said = tuple(word.upper for word in words[1:4]) == _EVOLUTION
    return words[1:4] if said and words[0].upper in ("MERGE", "INSERT") else []


def _unless_there(words: list[Word]) -> list[Word]:
    if not words or words[0].upper not in ("INSERT", "WITH"):
        return []
    for at in range(1, len(words) - 3):
        found = words[at : at + 3]
        if tuple(word.upper for word in found) == _UNLESS_THERE and _after_partition(words[:at]):
            return found
    return []


def _after_partition(words: list[Word]) -> bool:
    """Whether the last of these words close the bracket of ``PARTITION``."""
    depth = 0
    for at in range(len(words) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(words[at].text, 0)
        if depth <= 0:
            return words[at].text == "(" and words[at - 1].upper == "PARTITION"
    return False


def _put(text: str, word: Word, plain: str) -> str:
    end = word.start + len(word.text)
    return text[: word.start] + plain.ljust(len(word.text)) + text[end:]
