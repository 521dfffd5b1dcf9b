"""Functions that make a text of any length of a short one: none may be larger than a cell may."""

from __future__ import annotations

from flowcat_jupyter.shared.errors import LimitExceeded
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import values
from flowcat_jupyter.sql.lowering.calls import Call, constant_int, constant_text, rewrites
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

TOO_LARGE = 54000
"""What the engine fails to cast where a text would be too large."""
_FEW = 32
"""So many copies are joined in the SQL itself, where every clause can have them."""


def most_copies(call: Call, size: int = 1) -> int:
    """How many times ``size`` bytes a cell may have."""
    return call.binder.context.max_cell_bytes // max(size, 1)


def too_large(call: Call) -> LimitExceeded:
    """The error for a text that is known to be too large before anything runs."""
    line, column = place(call.node)
    most = call.binder.context.max_cell_bytes
    return LimitExceeded(
        f"{call.function.name} makes a text larger than {most / 1_000_000:,.1f} MB.",
        line=line,
        column=column,
        hint="Make shorter texts, or raise max_cell_bytes.",
    )


def checked(call: Call, length: Value, size: int = 1) -> str:
    """``length`` as a count of ``size`` bytes each: not negative, and failing where it is too many.

    :raises LimitExceeded: it is written out and too many.
    """
    most = most_copies(call, size)
    if length.known and isinstance(length.constant, int):
        if length.constant > most:
            raise too_large(call)
        return str(max(length.constant, 0))
    beyond = f"CAST(COALESCE(({length.sql} > {most}), FALSE) AS INTEGER)"
    failing = f"CAST(({beyond} * {TOO_LARGE}) AS TINYINT)"
    return f"CASE WHEN ({length.sql} < 0) THEN 0 ELSE ({length.sql} + {failing}) END"


@rewrites("lpad", "rpad")
def _pad(call: Call) -> Value:
    text, length = call.arguments[:2]
    given = call.argument(2)
    fill = constant_text(given, "padding", call.node) if given is not None else " "
    count = constant_int(length, "a length", call.node)
    if count <= 0:
        # The engine's own functions forget that nothing is made of NULL.
        sql = f"CASE WHEN ({text.sql} IS NULL) THEN NULL ELSE '' END"
        return call.result(sql, types.STRING)
    if len(fill) != 1:
        raise refusal(f"{call.function.name} with anything but one character", call.node)
    if count > most_copies(call):
        raise too_large(call)
    name = call.function.spelling.upper()
    padded = f"{name}({text.sql}, {count}, {literal(fill)})"
    return call.result(f"LEFT({padded}, {count})", types.STRING)


@rewrites("space")
def _space(call: Call) -> Value:
    count = call.arguments[0]
    if count.known and count.constant is None:
        return values.null(types.STRING)
    return call.result(f"RPAD('', {checked(call, count)}, ' ')", types.STRING, raises=True)


@rewrites("repeat")
def _repeat(call: Call) -> Value:
    text, times = call.arguments
    if any(item.known and item.constant is None for item in (text, times)):
        return values.null(types.STRING)
    if text.known and isinstance(text.constant, str):
        size = len(text.constant.encode())
        marks = f"RPAD('', {checked(call, times, size)}, 'x')"
        return call.result(f"REPLACE({marks}, 'x', {text.sql})", types.STRING, raises=True)
    count = times.constant if times.known else None
    if isinstance(count, int) and count <= _FEW:
        return call.result(_joined(text.sql, max(count, 0)), types.STRING)
    most = call.binder.context.max_cell_bytes
    return call.binder.step("repeat", [text, times], types.STRING, call.node, (most,))


def _joined(text: str, count: int) -> str:
    """``count`` copies, nested no deeper than the logarithm of their number."""
    if count == 0:
        return f"SUBSTR({text}, 1, 0)"
    if count == 1:
        return text
    half = count // 2
    return f"({_joined(text, half)} || {_joined(text, count - half)})"
