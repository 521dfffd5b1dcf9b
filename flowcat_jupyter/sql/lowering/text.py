"""Statements of the generated text."""

from __future__ import annotations

from collections.abc import Iterable


def select(columns: Iterable[str], source: str, *, distinct: bool = False) -> str:
    """A SELECT of ``columns`` from ``source``, which begins with what follows FROM."""
    words = ["SELECT", "DISTINCT"] if distinct else ["SELECT"]
    return " ".join([*words, ", ".join(columns) or "1 AS one", "FROM", source])


def nested(inner: str, alias: str) -> str:
    """A query as a source."""
    return f"({inner}) AS {alias}"
