"""A statement read word by word, where its tree would say less than its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece

_TOKEN = re.compile(
    r"""\s+ | --[^\n]* | /\*.*?\*/
      | (?P<quoted>`(?:[^`]|``)*` | "(?:[^"]|"")*")
      | (?P<string>'(?:[^'\\]|\\.|'')*')
      | (?P<word>[^\W\d]\w*|\d+)
      | (?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Word:
    """A word, mark, text or quoted name (``kind`` says which), and where it starts."""

    text: str
    kind: str
    start: int

    @property
    def upper(self) -> str:
        """A bare word in capitals; empty for anything else."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The word without the quotes around it."""
        if self.kind != "quoted":
            return self.text
        return self.text[1:-1].replace(self.text[0] * 2, self.text[0])


def words_of(text: str) -> list[Word]:
    """The words of a text in order, without comments."""
    return [
        Word(match.group(), match.lastgroup, match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup
    ]


def syntax(piece: Piece, message: str, start: int) -> NoReturn:
    """Say what is wrong with a statement's form, at a character of its piece."""
    line, column = place(piece, start)
    raise SqlError(
        f"{message}.", condition="PARSE_SYNTAX_ERROR", sqlstate="42601", line=line, column=column
    )


class Reader:
    """Goes through a statement's words, from number ``at`` on."""

    def __init__(self, piece: Piece, words: list[Word], at: int = 1) -> None:
        """Read the words of ``piece``."""
        self.piece = piece
        self.words = words
        self.at = at

    def name(self) -> tuple[str, ...]:
        """A name of any number of parts.

        :raises SqlError: something else stands here.
        """
        parts: list[str] = []
        while True:
            word = self.peek()
            if word is None or word.kind not in ("word", "quoted"):
                syntax(self.piece, "A name is missing", self.here())
            self.at += 1
            parts.append(word.name)
            if not self.accept("."):
                return tuple(parts)

    def accept(self, *texts: str) -> bool:
        """Whether one of these (capital) words or marks stands here; it is then gone past."""
        word = self.peek()
        if word and (word.upper in texts or word.text in texts):
            self.at += 1
            return True
        return False

    def peek(self) -> Word | None:
        """The next word, if there is one."""
        return self.words[self.at] if self.at < len(self.words) else None

    def here(self) -> int:
        """Where the next word starts, or the text ends."""
        word = self.peek()
        return word.start if word else len(self.piece.text.rstrip())

    def end(self) -> None:
        """Check that nothing follows.

        :raises SqlError: something does.
        """
        word = self.peek()
        if word:
            syntax(self.piece, f"{word.text} is not expected here", word.start)


def says(piece: Piece, *wanted: str) -> bool:
    """Whether these words follow each other in a statement, where its tree does not tell."""
    words = [word.upper for word in words_of(piece.text)]
    return any(
        tuple(words[at : at + len(wanted)]) == wanted for at in range(len(words) - len(wanted) + 1)
    )
