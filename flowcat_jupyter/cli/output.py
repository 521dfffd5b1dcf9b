"""Answers as text for people, or as JSON for programs."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_CELL = 60
NULL = "NULL"


@dataclass(frozen=True)
class Answer:
    """What a command has to say.

    ``body`` is the JSON form. People see ``headings`` over ``rows``, then ``note``; ``text`` is
    written as it is, whatever was asked for.
    """

    body: Any = None
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""
    text: str | None = None
    exit_code: int = 0
    right: frozenset[int] = field(default_factory=frozenset)


def render(answer: Answer, *, as_json: bool) -> str:
    """The answer as it is printed, with its last line ended."""
    if answer.text is not None:
        return answer.text
    if as_json:
        return json.dumps(answer.body, ensure_ascii=False, allow_nan=False) + "\n"
    parts = [_table(answer)] if answer.headings else []
    if answer.note:
        parts.append(answer.note + "\n")
    return "".join(parts)


def _table(answer: Answer) -> str:
    cells = [[_cell(value) for value in row] for row in answer.rows]
    headings = [_cell(heading) for heading in answer.headings]
    widths = [
        max([_width(heading), *(_width(row[i]) for row in cells)])
        for i, heading in enumerate(headings)
    ]
    fit: list[Callable[[str, int], str]] = [
        _right if i in answer.right else _left for i in range(len(headings))
    ]
    lines = [headings, ["─" * width for width in widths], *cells]
    return "".join(
        "  ".join(
            pad(cell, width) for pad, cell, width in zip(fit, line, widths, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def _cell(value: Any) -> str:
    """One line of text; control characters cannot reach the terminal."""
    text = NULL if value is None else _text(value)
    shown = "".join(
        char if unicodedata.category(char)[0] != "C" else f"\\x{ord(char):02x}"
        for char in text.replace("\n", "⏎").replace("\t", "⇥")
    )
    return shown if len(shown) <= MAX_CELL else shown[: MAX_CELL - 1] + "…"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _left(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _right(text: str, width: int) -> str:
    return " " * (width - _width(text)) + text
