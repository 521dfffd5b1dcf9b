"""Numbers written out: DuckDB's own spelling of some is not what it reads, or what Spark writes."""

from __future__ import annotations

from flowcat_jupyter.shared.types import MAX_PRECISION, DataType
from flowcat_jupyter.sql.lowering.values import Value, type_name

_PARTS = r"^([+-]?)([0-9]*)\.?([0-9]*)[eE]([+-]?[0-9]+)$"
_MOST = 400
"""A DECIMAL and a DOUBLE alike have no power of ten beyond it, of either sign."""


def plainly(text: str) -> str:
    """A number's text without a power of ten: 1.5.5 reads 5e-8 as 1 where it rounds to that unit.

    What is put before and after the digits makes room for the point to move.
    """
    # Java reads no power of more than 32 bits: it is no number then, and NULL here.
    power = "TRY_CAST(z.e AS INTEGER)"
    power = f"CASE WHEN ({power} IS NOT NULL) THEN GREATEST(-{_MOST}, LEAST({_MOST}, {power})) END"
    digits = f"REPEAT('0', - {power}) || z.w || z.p || REPEAT('0', {power})"
    point = f"(LENGTH(z.w) + GREATEST(0, {power}))"
    moved = f"z.s || LEFT({digits}, {point}) || '.' || SUBSTR({digits}, {point} + 1)"
    parts = f"REGEXP_EXTRACT({text}, '{_PARTS}', ['s', 'w', 'p', 'e'])"
    written_out = f"LIST_TRANSFORM([{parts}], lambda z: {moved})[1]"
    return f"CASE WHEN REGEXP_MATCHES({text}, '[eE]') THEN {written_out} ELSE {text} END"


def decimal_text(value: Value) -> str:
    """A DECIMAL's text, with a digit before its point also where the type has none for it."""
    kind, sql = value.type, value.sql
    if kind.precision > kind.scale:
        return f"CAST({sql} AS VARCHAR)"
    if kind.precision < MAX_PRECISION:
        wider = type_name(DataType("decimal", precision=kind.precision + 1, scale=kind.scale))
        return f"CAST(CAST({sql} AS {wider}) AS VARCHAR)"
    return rf"REGEXP_REPLACE(CAST({sql} AS VARCHAR), '^(-?)\.', '\10.')"
