"""SHOW and DESCRIBE, which sqlglot keeps as opaque text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece


@dataclass(frozen=True)
class Show:
    """``SHOW CATALOGS``, ``SHOW SCHEMAS [IN c]``, ``SHOW TABLES [IN s]`` or ``SHOW COLUMNS IN t``.

    ``like`` is a Hive pattern: ``*`` is any text, ``|`` separates alternatives.
    """

    piece: Piece
    what: str
    within: tuple[str, ...] = ()
    like: str | None = None


@dataclass(frozen=True)
class Describe:
    """``DESCRIBE [TABLE|SCHEMA] [EXTENDED] name`` or ``DESCRIBE HISTORY name``."""

    piece: Piece
    what: str
    name: tuple[str, ...]
    extended: bool = False


_SHOW = {
    "CATALOGS": "CATALOGS",
    "SCHEMAS": "SCHEMAS",
    "DATABASES": "SCHEMAS",
    "NAMESPACES": "SCHEMAS",
    "TABLES": "TABLES",
    "COLUMNS": "COLUMNS",
}


def read_show(piece: Piece, words: list[Word]) -> Show:
    """What ``SHOW …`` asks for.

    :raises SqlError: it is malformed, or shows what is not there to be shown.
    """
    return _Reader(piece, words).show()


def read_describe(piece: Piece, words: list[Word]) -> Describe:
    """What ``DESCRIBE …`` asks for.

    :raises SqlError: it is malformed.
    """
    return _Reader(piece, words).describe()


class _Reader(Reader):
    """Reads SHOW and DESCRIBE, word by word."""

    def show(self) -> Show:
        word = self.peek()
        what = _SHOW.get(word.upper) if word else None
        if word is None or what is None:
            named = f"SHOW {word.text.upper()}" if word else "SHOW"
            self._unknown(named, "SHOW CATALOGS, SHOW SCHEMAS, SHOW TABLES and SHOW COLUMNS")
        self.at += 1
        within: tuple[str, ...] = ()
        if what != "CATALOGS" and self.accept("IN", "FROM"):
            within = self.name()
        if what == "COLUMNS" and not within:
            syntax(self.piece, "SHOW COLUMNS needs IN and a table's name", self.here())
        like = self._like()
        self.end()
        return Show(self.piece, what, within, like)

    def describe(self) -> Describe:
        what = "TABLE"
        word = self.peek()
        follows = len(self.words) > self.at + 1 and self.words[self.at + 1].text != "."
        if word and follows and word.upper in ("TABLE", "SCHEMA", "DATABASE", "HISTORY"):
            what = "SCHEMA" if word.upper == "DATABASE" else word.upper
            self.at += 1
        extended = self.accept("EXTENDED", "FORMATTED")
        name = self.name()
        self.end()
        return Describe(self.piece, what, name, extended)

    def _like(self) -> str | None:
        marked = self.accept("LIKE")
        word = self.peek()
        if word and word.kind == "string":
            self.at += 1
            return word.text[1:-1].replace("''", "'")
        if marked:
            syntax(self.piece, "LIKE needs a pattern in single quotes", self.here())
        return None

    def _unknown(self, named: str, known: str) -> NoReturn:
        line, column = place(self.piece, self.here())
        raise SqlError(
            f"{named} is not supported.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            line=line,
            column=column,
            hint=f"There are {known}.",
        )
