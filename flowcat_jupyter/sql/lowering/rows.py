"""The rows of VALUES as text."""

from __future__ import annotations

import re

from sqlglot import exp

from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.scope import Column
from flowcat_jupyter.sql.lowering.values import Value


def rows_text(table: list[list[Value]], columns: list[Column]) -> str:
    """VALUES as text: literals as arrays side by side, which keep their order."""
    if all(cell.known and cell.type.kind != "timestamp" for cells in table for cell in cells):
        lists = [
            f"UNNEST(ARRAY[{', '.join(bare(cell.sql) for cell in cells)}]) AS {column.id}"
            for cells, column in zip(table, columns, strict=True)
        ]
        return text.select(lists, "(SELECT 1 AS one) AS s0")
    rows = [
        text.select(
            [f"{cell.sql} AS {column.id}" for cell, column in zip(row, columns, strict=True)],
            "(SELECT 1 AS one) AS s0",
        )
        for row in zip(*table, strict=True)
    ]
    return " UNION ALL ".join(rows)


def bare(sql: str) -> str:
    """A literal without brackets around it, which the engine does not take in an array."""
    return sql[1:-1] if re.fullmatch(r"\(-\d+\)", sql) else sql


def cells(row: exp.Expression) -> list[exp.Expression]:
    """The expressions of one row of VALUES."""
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row]
