"""Saying how many there are."""

from __future__ import annotations


def many(count: int, one: str, more: str = "") -> str:
    """``1 row``, ``2 rows`` or ``1,000 rows`` for ``one`` = ``row``; ``more`` is an odd plural."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def size(count: int) -> str:
    """``728 B``, ``5.6 MB``: one digit after the point, in powers of 1,000."""
    if count < 1000:
        return f"{count} B"
    amount = float(count)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if round(amount, 1) < 1000:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:,.1f} TB"
