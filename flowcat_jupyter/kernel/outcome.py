"""What a SQL cell says below its result, or in place of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowcat_jupyter.kernel.queries import SqlResult
from flowcat_jupyter.shared import outcomes
from flowcat_jupyter.shared.counts import many

if TYPE_CHECKING:
    import polars as pl

COUNTS = ("num_affected_rows", "num_inserted_rows", "num_updated_rows", "num_deleted_rows")


def outcome(result: SqlResult) -> str:
    """One line for a statement without rows: ``3 rows inserted``, ``1 table created``."""
    done = outcomes.outcome(
        result.statement,
        result.written,
        changed=result.changed,
        current=result.current,
        note=result.note,
        dry_run=result.dry_run,
    )
    return f"{done} · {duration(result.milliseconds)}"


def counts(result: SqlResult) -> pl.DataFrame:
    """How many rows a statement without rows wrote: one row, named as Delta's statements name it.

    NULL where the statement is not about rows (DROP), 0 where it found nothing to do.
    """
    import polars as pl

    written = result.written if result.changed or result.dry_run else result.written or {}
    if written is None:
        numbers: list[int | None] = [None] * len(COUNTS)
    else:
        parts = [written.get(key, 0) for key in ("inserted", "updated", "deleted")]
        numbers = [sum(parts), *parts]
    row = {name: [number] for name, number in zip(COUNTS, numbers, strict=True)}
    return pl.DataFrame(row, schema=dict.fromkeys(COUNTS, pl.Int64))


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
