"""Values that stand in a statement which is read word by word."""

from __future__ import annotations

import re

from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax

Partition = tuple[tuple[str, str | None], ...]
"""Partition columns and the text of their values, None being NULL."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b"}


def text_of(word: Word) -> str:
    """What a text in single quotes says."""
    return re.sub(
        r"\\(.)|''",
        lambda found: "'" if found[1] is None else _ESCAPES.get(found[1], found[1]),
        word.text[1:-1],
        flags=re.DOTALL,
    )


def partition_of(reader: Reader) -> Partition:
    """The values of ``PARTITION (a = 1, b = 'x')``; none where it does not stand here.

    :raises SqlError: it is malformed.
    """
    if not reader.accept("PARTITION"):
        return ()
    if not reader.accept("("):
        syntax(reader.piece, "PARTITION needs columns and values in brackets", reader.here())
    found: list[tuple[str, str | None]] = []
    while True:
        (name, *more) = reader.name()
        if more or not reader.accept("="):
            syntax(reader.piece, "PARTITION needs column = value", reader.here())
        found.append((name, _value(reader)))
        if reader.accept(")"):
            return tuple(found)
        if not reader.accept(","):
            syntax(reader.piece, "The bracket of PARTITION is not closed", reader.here())


def _value(reader: Reader) -> str | None:
    if reader.accept("DATE", "TIMESTAMP"):
        word = reader.peek()
        if word is None or word.kind != "string":
            syntax(reader.piece, "A text in single quotes is missing", reader.here())
    start = reader.at
    while (word := reader.peek()) is not None and word.text not in (",", ")"):
        reader.at += 1
    words = reader.words[start : reader.at]
    if len(words) == 1 and words[0].kind == "string":
        return text_of(words[0])
    text = "".join(word.text for word in words)
    if text.upper() == "NULL":
        return None
    if text.lower() in ("true", "false"):
        return text.lower()
    if not re.fullmatch(r"[+-]?[\d.]+", text):
        start_of = words[0].start if words else reader.here()
        syntax(reader.piece, "A partition's value is a number, a text or NULL", start_of)
    return text.removeprefix("+")
