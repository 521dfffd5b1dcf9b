"""The rows that a Delta table refuses: which condition the first of them breaks, and how.

The library judges every row that it commits, and tells how many rows it refuses. Conditions that
a table may be written with here mean to it what they mean to polars, which finds the row again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.shared.errors import Invalid

_SHOWN = 200


def first_broken(frames: Iterable[pl.DataFrame], conditions: Mapping[str, str]) -> Invalid | None:
    """The error for the first row that breaks a condition; None where none is found.

    A row meets a condition that is true of it, and not one that is NULL.
    """
    for frame in frames:
        for name, text in conditions.items():
            row = _broken(frame, text)
            if row is not None:
                return violation(name, text, row)
    return None


def _broken(frame: pl.DataFrame, text: str) -> dict[str, Any] | None:
    """The values that a condition reads of the first row that breaks it."""
    try:
        condition = pl.sql_expr(text)
        read = list(dict.fromkeys(condition.meta.root_names()))
        if not set(read) <= set(frame.columns):
            return None
        broken = frame.filter(~condition.fill_null(value=False)).head(1)
    except PolarsError:
        return None
    return broken.select(pl.col(read)).row(0, named=True) if broken.height else None


def violation(name: str, condition: str, row: Mapping[str, Any]) -> Invalid:
    """The error for a row that breaks a condition."""
    values = ", ".join(f"{column} = {shown(value)}" for column, value in row.items())
    return Invalid(
        f"A row does not meet the constraint {name}, {condition}"
        + (f": {values}." if values else "."),
        condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
        sqlstate="23001",
        hint="Nothing was written. Mend the row, or leave it out; a condition that is NULL is not "
        "met either.",
    )


def shown(value: Any) -> str:
    """A value as people read it in a sentence."""
    if value is None:
        return "NULL"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
