"""Saying how many there are."""

from __future__ import annotations


def many(count: int, one: str, more: str = "") -> str:
    """``1 row``, ``2 rows`` or ``1,000 rows`` for ``one`` = ``row``; ``more`` is an odd plural."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
