"""Casts of literals, done once at planning, so that engines never see an odd spelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from zoneinfo import ZoneInfo

from flowcat_jupyter.shared.moments import BadText, read_date, read_moment
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering import values
from flowcat_jupyter.sql.lowering.values import Value

TRUE_WORDS = frozenset(("true", "t", "yes", "y", "1"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "0"))
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MOST_DIGITS = 38
_SHOWN = 60


class TooBig(ValueError):
    """The number does not fit the type."""


def fold(value: Value, to: DataType, zone: ZoneInfo) -> Value | None:
    """The literal ``value`` as a literal of type ``to``; None where only the engine can tell.

    :raises BadText: a string that does not spell a value of that type.
    :raises TooBig: a number outside the type.
    """
    if value.constant is None:
        return values.null(to) if value.known else None
    if isinstance(value.constant, str):
        return _from_text(value.constant, to, zone)
    if isinstance(value.constant, bool):
        return None
    if isinstance(value.constant, (int, Decimal)):
        return _from_exact(value.constant, to)
    return None


def _from_exact(number: int | Decimal, to: DataType) -> Value | None:
    if to.is_integer:
        whole = int(number)
        if not types.fits(whole, to):
            raise TooBig(str(number))
        return values.integer(whole, to)
    if to.kind == "decimal":
        return rescaled(Decimal(number), to)
    if to.kind in ("float", "double"):
        return values.floating(float(number), to)
    return None


def rescaled(number: Decimal, to: DataType) -> Value:
    """``number`` rounded half up to a decimal type.

    :raises TooBig: it has too many digits.
    """
    # Before it is rounded, for a number of very many digits could not be.
    if number and number.adjusted() >= to.precision - to.scale:
        raise TooBig(_short(number))
    with localcontext() as context:
        context.prec = len(number.as_tuple().digits) + to.precision + 2
        rounded = number.quantize(Decimal(1).scaleb(-to.scale), rounding=ROUND_HALF_UP)
    # As it may be rounded up to one digit more.
    if rounded.adjusted() >= to.precision - to.scale and rounded:
        raise TooBig(_short(number))
    return values.exact(rounded, to)


def _short(number: Decimal) -> str:
    text = str(number)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _from_text(text: str, to: DataType, zone: ZoneInfo) -> Value | None:
    reader = _READERS.get("integer" if to.is_integer else to.kind)
    return reader(text.strip(), to, zone) if reader else None


def _integer(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII) or len(text.lstrip("+-0")) > _MOST_DIGITS:
        raise BadText(text)
    number = int(text.lstrip("+-0") or "0") * (-1 if text.startswith("-") else 1)
    if not types.fits(number, to):
        raise BadText(text)
    return values.integer(number, to)


def _decimal(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    if not _NUMBER.fullmatch(text):
        raise BadText(text)
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadText(text) from None
    return rescaled(number, to)


def _float(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    # Python reads underscores and the digits of any script, too.
    if "_" in text or not text.isascii():
        raise BadText(text)
    try:
        return values.floating(float(text), to)
    except ValueError:
        raise BadText(text) from None


def _boolean(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    word = text.lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise BadText(text)
    return values.boolean(word in TRUE_WORDS)


def _date(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    return values.day(read_date(re.split(r"[ T]", text, maxsplit=1)[0]))


def _timestamp(text: str, _to: DataType, zone: ZoneInfo) -> Value:
    wall, own = read_moment(text)
    return values.instant(wall.replace(tzinfo=own or zone).astimezone(UTC))


def _timestamp_ntz(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    return values.wall_clock(read_moment(text)[0])


_READERS: dict[str, Callable[[str, DataType, ZoneInfo], Value]] = {
    "integer": _integer,
    "decimal": _decimal,
    "float": _float,
    "double": _float,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp_ntz,
}
