"""Rounding half away from zero, as Spark does, where the engine rounds half to even.

The two differ on ties alone. So a tie is moved off: by the least digit of a decimal, or by a digit
far behind the others of a text, which the engine reads to its end.
"""

from __future__ import annotations

from decimal import Decimal

from flowcat_jupyter.shared.types import MAX_PRECISION, DataType
from flowcat_jupyter.sql.lowering.values import type_name
from flowcat_jupyter.sql.quoting import literal

_MORE_DIGITS, _ENOUGH_DIGITS = 6, 12
TIE_BREAK = "0" * (MAX_PRECISION + 1) + "1"
"""What follows the digits of a text that may be a tie: less than any digit that is kept."""
_SMALL = r"^([+-]?[0-9]*50*)([eE]-[0-9]+)$"
_TIE = r"^([+-]?(?:[0-9]*\.[0-9]*50*|[0-9]*50*\.0*))((?:[eE][+-]?[0-9]+)?)$"


def half_up(sql: str, precision: int, scale: int, keep: int) -> str:
    """A decimal moved off its ties, so that a cast to ``keep`` places rounds half up."""
    if keep >= scale:
        return sql
    if precision < MAX_PRECISION and scale < MAX_PRECISION - 1:
        kind = f"DECIMAL({MAX_PRECISION},{scale + 1})"
        nudge = f"0.{'0' * scale}1"
        return (
            f"(CAST({sql} AS {kind}) + CASE WHEN {sql} < 0 THEN CAST('-{nudge}' AS {kind}) "
            f"ELSE CAST('{nudge}' AS {kind}) END)"
        )
    # There is no room for another digit: the last one is moved, and of nothing but a tie.
    number = _exact(sql, scale)
    half, least = f"0.{'0' * keep}5", f"0.{'0' * (scale - 1)}1"
    moved = " ".join(
        f"WHEN {_number(sign + half, scale)} THEN {_number(sign + least, scale)}"
        for sign in ("", "-")
    )
    rest = remainder(sql, scale, keep)
    return f"({number} + CASE {rest} {moved} ELSE {_number('0', scale)} END)"


def remainder(sql: str, scale: int, keep: int) -> str:
    """What of a decimal lies behind ``keep`` places, which are fewer than it has."""
    if scale == MAX_PRECISION and keep == 0:
        return _exact(sql, scale)
    return f"({_exact(sql, scale)} % {_number(f'{Decimal(1).scaleb(-keep):f}', scale)})"


def _exact(sql: str, scale: int) -> str:
    return f"CAST({sql} AS DECIMAL({MAX_PRECISION},{scale}))"


def _number(written: str, scale: int) -> str:
    return _exact(f"'{written}'", scale)


def whole(sql: str, scale: int, *, up: bool) -> str:
    """The next whole number of a decimal with a fraction, as a DECIMAL(38,0)."""
    rest, nothing = remainder(sql, scale, 0), _number("0", scale)
    kept = _exact(cut(sql, scale, 0), 0)
    test, one = (f"({rest} > {nothing})", "1") if up else (f"({rest} < {nothing})", "-1")
    return f"({kept} + CASE WHEN {test} THEN {_number(one, 0)} ELSE {_number('0', 0)} END)"


def cut(sql: str, scale: int, keep: int) -> str:
    """A decimal with nothing behind ``keep`` places."""
    return f"({_exact(sql, scale)} - {remainder(sql, scale, keep)})" if keep < scale else sql


def digits(sql: str) -> str:
    """A floating-point number as text; a float is a double first, of more digits than its own."""
    return f"CAST(CAST({sql} AS DOUBLE) AS VARCHAR)"


def rounded_type(kind: DataType, scale: int) -> DataType:
    """A digit more before the point, where there is room: of those behind it none is given up."""
    precision = min(kind.precision - kind.scale + scale + 1, MAX_PRECISION)
    return DataType("decimal", precision=precision, scale=scale)


def untied(text: str) -> str:
    """A number's text moved off its ties, of which the last digit but zeros is always a 5."""
    pointed = f"REGEXP_REPLACE({text}, {literal(_SMALL)}, {literal(_put('.'))})"
    return f"REGEXP_REPLACE({pointed}, {literal(_TIE)}, {literal(_put(TIE_BREAK))})"


def _put(between: str) -> str:
    return f"\\1{between}\\2"


def divided(dividend: str, divisor: str, whole: int, kind: DataType) -> str:
    """A quotient of decimals rounded half up to ``kind``; the dividend has ``whole`` digits before
    its point, and the quotient those of ``kind``.

    The engine keeps the dividend's scale, or up to six digits more of at most twelve, and rounds
    half to even: so a few digits more are asked for where there is room.
    """
    room = MAX_PRECISION - 1 - kind.scale - max(whole, kind.precision - kind.scale)
    scale = kind.scale + max(0, min(_MORE_DIGITS, room))
    quotient = f"(CAST({dividend} AS DECIMAL({MAX_PRECISION},{scale})) / {divisor})"
    made = max(scale, min(scale + _MORE_DIGITS, _ENOUGH_DIGITS))
    digits = min(MAX_PRECISION, kind.precision - kind.scale + made)
    return f"CAST({half_up(quotient, digits, made, kind.scale)} AS {type_name(kind)})"
