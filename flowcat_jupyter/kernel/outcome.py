"""What a SQL cell says below its result, or in place of one."""

from __future__ import annotations

from flowcat_jupyter.kernel.grid import count
from flowcat_jupyter.kernel.queries import SqlResult

_ROWS = {"INSERT": "inserted", "DELETE": "deleted", "UPDATE": "updated", "MERGE": "changed"}
_OBJECTS = {"CREATE": "created", "DROP": "dropped", "ALTER": "altered", "UNDROP": "restored"}
_KINDS = ("TABLE", "VIEW", "SCHEMA", "CATALOG", "DATABASE")


def outcome(result: SqlResult) -> str:
    """One line for a statement without rows: ``3 rows inserted``, ``1 table created``."""
    words = result.statement.upper().split()
    verb = words[0] if words else ""
    kind = next((word.lower() for word in words if word in _KINDS), None)
    if verb in _ROWS and result.affected_rows is not None:
        done = f"{count(result.affected_rows, 'row')} {_ROWS[verb]}"
    elif verb in _OBJECTS and kind:
        done = f"1 {kind} {_OBJECTS[verb]}"
        if result.affected_rows is not None:
            done += f", {count(result.affected_rows, 'row')}"
    else:
        done = f"{result.statement} done"
    return f"{done} · {duration(result.milliseconds)}"


def caption(result: SqlResult, rows: int, shown: int) -> str:
    """The line below a grid: ``first 100 of 336,776 rows · 12 ms · polars``."""
    size = count(rows, "row") if rows <= shown else f"first {shown:,} of {count(rows, 'row')}"
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
