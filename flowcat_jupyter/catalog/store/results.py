"""Reading what a statement answered."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CursorResult


def inserted_id(result: CursorResult[Any]) -> int:
    """The id the database gave the one row that was inserted."""
    key = result.inserted_primary_key
    if key is None:
        raise LookupError("the statement inserted no row")
    return int(key[0])
