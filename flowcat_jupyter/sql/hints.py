"""What a text that cannot be read may have been meant to be, and where its places are."""

from __future__ import annotations

import re
from difflib import get_close_matches

_TYPOGRAPHY = {
    "\u2018": "a curly quote; type a straight one: '",
    "\u2019": "a curly quote; type a straight one: '",
    "\u201c": 'a curly double quote; type a straight one: "',
    "\u201d": 'a curly double quote; type a straight one: "',
    "\u00a0": "a non-breaking space; replace it by an ordinary one",
    "\u200b": "an invisible zero-width space; delete it",
    "\ufeff": "an invisible byte order mark; delete it",
}
_FIRST_WORDS = (
    "SELECT",
    "WITH",
    "FROM",
    "VALUES",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "CREATE",
    "ALTER",
    "DROP",
    "SHOW",
    "DESCRIBE",
    "EXPLAIN",
    "TRUNCATE",
    "REPLACE",
    "OPTIMIZE",
    "VACUUM",
    "RESTORE",
    "SET",
    "USE",
    "COMMENT",
)


def line_column(text: str, offset: int) -> tuple[int, int]:
    """The 1-based line and column of a place in ``text``."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def misspelt(text: str) -> str | None:
    """What a statement's first word may have been meant to be."""
    first = re.match(r"\s*([A-Za-z]+)", text)
    word = first[1].upper() if first else ""
    if not word or word in _FIRST_WORDS:
        return None
    close = get_close_matches(word, _FIRST_WORDS, n=1, cutoff=0.7)
    return f"Did you mean {close[0]}?" if close else "A query begins with SELECT or WITH."


def unbound(name: str) -> tuple[str, str]:
    """What to say of a parameter without a value, and what to do; ``?`` is one without a name."""
    if name == "?":
        return "A parameter has no name.", "Write :name for it, and pass its value by that name."
    return f"No value was given for the parameter :{name}.", f"Pass {name} with the query."


def looks_like(text: str) -> str | None:
    """What to say of a character in a name that looks like another one, when it holds any."""
    found = next((what for mark, what in _TYPOGRAPHY.items() if mark in text), None)
    return f"The name holds {found}." if found else None


def typography(text: str) -> str | None:
    """What to say of a character that looks like another one, when ``text`` holds any."""
    for mark, what in _TYPOGRAPHY.items():
        if mark in text:
            line, column = line_column(text, text.index(mark))
            return f"Line {line}, column {column} holds {what}."
    return None
