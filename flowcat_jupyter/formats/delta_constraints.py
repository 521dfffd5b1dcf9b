"""The rows that a Delta table refuses: which condition the first of them breaks, and how.

The library judges every row that it commits, and tells how many rows it refuses. Conditions that
a table may be written with here mean to it what they mean to polars, which finds the row again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.shared.errors import Invalid

_SHOWN = 200
_FLOATING = re.compile(r"-?(inf|[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?)|-?NaN")
COMPUTED = "the generated column "
"""What a condition is called by which a column is compared with what it is computed from."""


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


def previewed(text: str, conditions: Mapping[str, str]) -> Invalid | None:
    """The same for the first row that the library shows in its refusal, which of rows that are
    changed is the only one to see them whole; None where it cannot be read.
    """
    row = _shown_row(text)
    if row is None:
        return None
    found = first_broken([pl.DataFrame([_read(name, cell) for name, cell in row])], conditions)
    if found is not None or len(conditions) > 1:
        return found
    ((name, condition),) = conditions.items()
    return violation(name, condition, {})


def _shown_row(text: str) -> list[tuple[str, str]] | None:
    """Names and cells of the first row of a table drawn with lines."""
    lines = text.splitlines()
    borders = [at for at, line in enumerate(lines) if re.fullmatch(r"\+(-+\+)+", line)]
    if len(borders) < 2 or borders[1] + 1 >= len(lines):
        return None
    edges = [at for at, mark in enumerate(lines[borders[0]]) if mark == "+"]
    heading, row = lines[borders[0] + 1], lines[borders[1] + 1]
    if any(len(line) != len(lines[borders[0]]) for line in (heading, row)):
        # Wide letters, by which no place can be told.
        return None
    spans = list(pairwise(edges))
    names = [heading[start + 1 : end].strip() for start, end in spans]
    return list(zip(names, (row[start + 1 : end].strip() for start, end in spans), strict=True))


def _read(name: str, cell: str) -> pl.Series:
    """A cell as the value that it looks like; an empty one is NULL."""
    if not cell:
        return pl.Series(name, [None])
    text = pl.Series(name, [cell])
    if re.fullmatch(r"-?[0-9]+", cell):
        return text.cast(pl.Int64, strict=False)
    if _FLOATING.fullmatch(cell):
        return text.cast(pl.Float64)
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", cell):
        return text.str.to_date("%Y-%m-%d", strict=False)
    return pl.Series(name, [cell == "true"]) if cell in ("true", "false") else text


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
    if name.startswith(COMPUTED):
        return Invalid(
            f"A row has another value for {name} than what it is computed from, {condition}"
            + (f": {values}." if values else "."),
            condition="DELTA_GENERATED_COLUMNS_VALUE_MISMATCH",
            sqlstate="22G03",
            hint="Leave the column out: it is computed. Nothing was written.",
        )
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
