"""Statements of the generated text."""

from __future__ import annotations

import re
from collections.abc import Iterable

OVER = "\ufdd0"
"""Stands in an aggregate's text where a window's specification goes."""
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_NESTING = re.compile(r"(?:(?:[-+*/%=<>|]|\b(?:AND|OR)) (?:\w*\(|CASE\b))|[()]|\b(?:CASE|END)\b")


def select(columns: Iterable[str], source: str, *, distinct: bool = False) -> str:
    """A SELECT of ``columns`` from ``source``, which begins with what follows FROM."""
    words = ["SELECT", "DISTINCT"] if distinct else ["SELECT"]
    return " ".join([*words, ", ".join(columns) or "1 AS one", "FROM", source])


def is_column(sql: str) -> bool:
    """Whether a text is nothing but a column's name."""
    return re.fullmatch(r"[a-z]\d+\.[a-z]\d+", sql) is not None


def nested(inner: str, alias: str) -> str:
    """A query as a source."""
    return f"({inner}) AS {alias}"


def depth(sql: str) -> int:
    """How deeply the engine's parser goes into a generated text.

    Each parenthesis and CASE is a level, and two of them to the right of an operator.
    """
    open_: list[int] = []
    deep = deepest = 0
    for match in _NESTING.finditer(_QUOTED.sub("''", sql)):
        found = match.group()
        if found in (")", "END"):
            deep -= open_.pop()
            continue
        open_.append(1 if found in ("(", "CASE") else 2)
        deep += open_[-1]
        deepest = max(deepest, deep)
    return deepest
