"""What a SQL cell says below its result, or in place of one."""

from __future__ import annotations

from flowcat_jupyter.kernel.queries import SqlResult
from flowcat_jupyter.shared import outcomes
from flowcat_jupyter.shared.counts import many


def outcome(result: SqlResult) -> str:
    """One line for a statement without rows: ``3 rows inserted``, ``1 table created``."""
    done = outcomes.outcome(result.statement, result.written, changed=result.changed)
    return f"{done} · {duration(result.milliseconds)}"


def caption(result: SqlResult, rows: int, shown: int) -> str:
    """The line below a grid: ``first 100 of 336,776 rows · 12 ms · polars``."""
    size = many(rows, "row") if rows <= shown else f"first {shown:,} of {many(rows, 'row')}"
    if result.truncated:
        size += " (cut at the server's limit on a result's size: there are more)"
    parts = [size, duration(result.milliseconds)]
    if result.engine:
        parts.append(result.engine)
    return " · ".join(parts)


def duration(milliseconds: float) -> str:
    """``12 ms``, or ``3.4 s`` from one second on."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s"
