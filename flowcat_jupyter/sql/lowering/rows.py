"""The rows of VALUES as text."""

from __future__ import annotations

import re

from sqlglot import exp

from flowcat_jupyter.sql.dialect import refusal
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


def row_width(node: exp.Values) -> int:
    """How many columns VALUES has.

    :raises SqlError: its rows are of different lengths.
    """
    (width, *others) = {len(cells(row)) for row in node.expressions}
    if others:
        raise refusal("VALUES with rows of different lengths", node)
    return width


def as_query(node: exp.Values) -> exp.Expression:
    """The rows of VALUES as a query, one SELECT each, with the columns col1, col2 and so on."""
    first, *more = (_selected(row) for row in node.expressions)
    query: exp.Expression = first
    for select in more:
        query = exp.Union(this=query, expression=select, distinct=False)
    return query


def _selected(row: exp.Expression) -> exp.Select:
    items = [
        exp.Alias(this=cell.copy(), alias=exp.to_identifier(f"col{at}"))
        for at, cell in enumerate(cells(row), start=1)
    ]
    return exp.Select(expressions=items)
