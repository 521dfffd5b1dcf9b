"""SET and RESET: the settings of a session."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flowcat_jupyter.catalog.planning.literals import text_of
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.session_settings import TIME_ZONE
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece

LOCAL = "LOCAL"
"""The value of ``SET TIME ZONE LOCAL``: what the server is set to."""
_OTHERS = ("CATALOG", "VAR", "VARIABLE")


@dataclass(frozen=True)
class SetSetting:
    """``SET``, ``SET -v``, ``SET key`` or ``SET key = value``; ``start`` is where the key stands.

    Without a ``key`` all are told, ``verbose`` with what they mean; without a ``value`` one is.
    """

    piece: Piece
    key: str | None = None
    value: str | None = None
    verbose: bool = False
    start: int = 0


@dataclass(frozen=True)
class ResetSetting:
    """``RESET`` of one setting, or of all without a ``key``."""

    piece: Piece
    key: str | None = None
    start: int = 0


Setting = SetSetting | ResetSetting


def read_set(piece: Piece, words: list[Word]) -> SetSetting | None:
    """What a ``SET …`` asks for; None where it is about something else than settings.

    :raises SqlError: it is malformed.
    """
    second = words[1].upper if len(words) > 1 else ""
    glued = len(words) > 2 and words[2].text in (".", "=")
    if second in _OTHERS and not glued:
        return None
    return _Reader(piece, words).read_set()


def read_reset(piece: Piece, words: list[Word]) -> ResetSetting:
    """What a ``RESET …`` asks for.

    :raises SqlError: it is malformed.
    """
    reader = _Reader(piece, words)
    if reader.peek() is None:
        return ResetSetting(piece)
    start = reader.here()
    key = reader.key()
    reader.end()
    return ResetSetting(piece, key, start)


class _Reader(Reader):
    """Reads SET and RESET, word by word."""

    def read_set(self) -> SetSetting:
        if self.peek() is None:
            return SetSetting(self.piece)
        start = self.here()
        if self.piece.text[start:].strip().lower() == "-v":
            return SetSetting(self.piece, verbose=True)
        after = [word.upper for word in self.words[self.at : self.at + 2]]
        if after == ["TIME", "ZONE"]:
            self.at += 2
            return SetSetting(self.piece, TIME_ZONE, self._zone(), start=start)
        key = self.key()
        if self.peek() is None:
            return SetSetting(self.piece, key, start=start)
        if not self.accept("="):
            syntax(self.piece, "SET needs = between the setting and its value", self.here())
        return SetSetting(self.piece, key, self._value(), start=start)

    def key(self) -> str:
        parts: list[str] = []
        while True:
            word = self.peek()
            if word is None or word.kind not in ("word", "quoted"):
                syntax(self.piece, "The name of a setting is missing", self.here())
            self.at += 1
            parts.append(word.name)
            if not self.accept("."):
                return ".".join(parts)

    def _value(self) -> str:
        word = self.peek()
        if word is None:
            syntax(self.piece, "The value is missing", self.here())
        rest = self.words[self.at :]
        self.at = len(self.words)
        if len(rest) == 1 and rest[0].kind == "string":
            return text_of(rest[0])
        if len(rest) == 1 and rest[0].kind == "quoted":
            return rest[0].name
        # As in Spark, whatever stands there is the value.
        return self.piece.text[rest[0].start :].strip()

    def _zone(self) -> str:
        word = self.peek()
        if word is None:
            syntax(self.piece, "SET TIME ZONE needs a time zone, LOCAL or an INTERVAL", self.here())
        if self.accept(LOCAL):
            self.end()
            return LOCAL
        if self.accept("INTERVAL"):
            return self._offset(word.start)
        if word.kind != "string":
            syntax(self.piece, "A time zone is a text in single quotes", word.start)
        self.at += 1
        self.end()
        return text_of(word)

    def _offset(self, start: int) -> str:
        """The offset that an interval of hours and minutes is."""
        text = self.piece.text[self.here() :].strip().upper().replace("'", "")
        found = re.fullmatch(r"([+-]?)(\d{1,2})(?::(\d{2}))?\s+(HOURS?|HOUR\s+TO\s+MINUTE)", text)
        hours = int(found[2]) if found else 99
        minutes = int(found[3] or 0) if found else 0
        if found is None or hours * 60 + minutes > 18 * 60 or minutes > 59:
            line, column = place(self.piece, start)
            raise SqlError(
                "The interval is no time zone's.",
                condition="INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
                sqlstate="22006",
                line=line,
                column=column,
                hint="Write hours from -18 to 18: SET TIME ZONE INTERVAL '2' HOUR.",
            )
        self.at = len(self.words)
        return f"{found[1] or '+'}{hours:02d}:{minutes:02d}"
