"""Functions that make a long text of a short one, for DuckDB."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering.calls import Call, constant_text, rewrites
from flowcat_jupyter.sql.lowering.duckdb.failing import TOO_LARGE, fail
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal


def bounded_count(call: Call, length: Value, size: str) -> str:
    """``length`` as a count of ``size`` bytes each, failing where that is more than a cell has."""
    most = call.binder.context.max_cell_bytes
    beyond = f"(CAST({length.sql} AS HUGEINT) * {size}) > {most}"
    return (
        f"CASE WHEN ({length.sql} < 0) THEN 0 WHEN {beyond} "
        f"THEN {fail(TOO_LARGE)} ELSE {length.sql} END"
    )


@rewrites("lpad", "rpad", target="duckdb")
def _pad(call: Call) -> Value:
    text, length = call.arguments[:2]
    given = call.argument(2)
    fill = constant_text(given, "padding", call.node) if given is not None else " "
    name = call.function.spelling.upper()
    count = bounded_count(call, length, "1")
    padded = f"{name}({text.sql}, {count}, {literal(fill)})" if fill else text.sql
    sql = f"CASE WHEN ({length.sql} IS NULL) THEN NULL ELSE LEFT({padded}, {count}) END"
    return call.result(sql, types.STRING, raises=True)


@rewrites("repeat", target="duckdb")
def _repeat(call: Call) -> Value:
    text, times = call.arguments
    count = bounded_count(call, times, f"OCTET_LENGTH(ENCODE({text.sql}))")
    return call.result(f"REPEAT({text.sql}, {count})", types.STRING, raises=True)


@rewrites("space", target="duckdb")
def _space(call: Call) -> Value:
    count = bounded_count(call, call.arguments[0], "1")
    return call.result(f"REPEAT(' ', {count})", types.STRING, raises=True)
