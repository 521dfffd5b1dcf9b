"""What a query asks of a table's own columns, simple enough to skip files by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Op = Literal["=", "<", "<=", ">", ">=", "in", "is_null", "not_null"]
Plain = int | float | str | date | datetime


@dataclass(frozen=True)
class Condition:
    """``column op values``; ``values`` are in the column's own type, instants in UTC.

    All but ``is_null`` are false or unknown for NULL.
    """

    column: str
    op: Op
    values: tuple[Plain, ...] = ()


Conditions = tuple[tuple[Condition, ...], ...]
"""One item per place that reads the table, each met by a row when all of it holds. A row that
meets none of them matters to nobody; a place that asks nothing (an empty item) needs every row.
"""
