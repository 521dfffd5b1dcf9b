"""Statements of the generated text."""

from __future__ import annotations

import re
from collections.abc import Iterable

OVER = "\ufdd0"
"""Stands in an aggregate's text where a window's specification goes."""
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_NESTING = re.compile(r"[()]|\b(?:CASE|END)\b")


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
    """How deeply the parentheses and CASEs of a generated text are nested."""
    deep = deepest = 0
    for match in _NESTING.finditer(_QUOTED.sub("''", sql)):
        deep += 1 if match.group() in ("(", "CASE") else -1
        deepest = max(deepest, deep)
    return deepest
