"""Functions of text that DuckDB spells its own way."""

from __future__ import annotations

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering.calls import Call, rewrites
from flowcat_jupyter.sql.lowering.values import Value


@rewrites("instr", "locate", target="duckdb")
def _instr(call: Call) -> Value:
    text, part = call.arguments[:: 1 if call.function.spelling == "instr" else -1]
    return call.result(f"CAST(STRPOS({text.sql}, {part.sql}) AS INTEGER)", types.INT)
