"""Casts of literals, done once at planning, so that engines never see an odd spelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.lowering import values
from flowcat_jupyter.sql.lowering.values import Value

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?\Z")
_MOMENT = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[ T](?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?\s*(\S.*)?)?\Z"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?\Z")
TRUE_WORDS = frozenset(("true", "t", "yes", "y", "1"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "0"))


class BadText(ValueError):
    """The text is not a value of the type."""


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
    with localcontext() as context:
        context.prec = 80
        rounded = number.quantize(Decimal(1).scaleb(-to.scale), rounding=ROUND_HALF_UP)
    if abs(rounded) >= Decimal(10) ** (to.precision - to.scale):
        raise TooBig(str(number))
    return values.exact(rounded, to)


def _from_text(text: str, to: DataType, zone: ZoneInfo) -> Value | None:
    reader = _READERS.get("integer" if to.is_integer else to.kind)
    return reader(text.strip(), to, zone) if reader else None


def _integer(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        raise BadText(text)
    number = int(text)
    if not types.fits(number, to):
        raise BadText(text)
    return values.integer(number, to)


def _decimal(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadText(text) from None
    if not number.is_finite():
        raise BadText(text)
    return rescaled(number, to)


def _float(text: str, to: DataType, _zone: ZoneInfo) -> Value:
    try:
        return values.floating(float(text.replace("_", "x")), to)
    except ValueError:
        raise BadText(text) from None


def _boolean(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    word = text.lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise BadText(text)
    return values.boolean(word in TRUE_WORDS)


def _date(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    return values.day(read_date(re.split(r"[ T]", text, maxsplit=1)[0]))


def read_date(text: str) -> date:
    """A date as ``yyyy``, ``yyyy-m`` or ``yyyy-m-d``.

    :raises BadText: it is not one.
    """
    match = _DATE.match(text)
    if not match:
        raise BadText(text)
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        raise BadText(text) from None


def _timestamp(text: str, _to: DataType, zone: ZoneInfo) -> Value:
    wall, own = read_moment(text)
    return values.instant(wall.replace(tzinfo=own or zone).astimezone(UTC))


def _timestamp_ntz(text: str, _to: DataType, _zone: ZoneInfo) -> Value:
    return values.wall_clock(read_moment(text)[0])


def read_moment(text: str) -> tuple[datetime, timezone | ZoneInfo | None]:
    """A date with an optional time and zone.

    :raises BadText: it is not one.
    """
    match = _MOMENT.match(text)
    if not match:
        return datetime.combine(read_date(text), time()), None
    day = read_date(match.group(1))
    hour, minute, second = (int(match.group(i) or 0) for i in (2, 3, 4))
    micro = int((match.group(5) or "0").ljust(6, "0")[:6])
    try:
        wall = datetime.combine(day, time(hour, minute, second, micro))
    except ValueError:
        raise BadText(text) from None
    return wall, _own_zone(match.group(6), text)


def _own_zone(name: str | None, text: str) -> timezone | ZoneInfo | None:
    if not name:
        return None
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    offset = _OFFSET.match(name)
    if offset:
        sign, hours, minutes = offset.groups()
        away = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(away if sign == "+" else -away)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise BadText(text) from None


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
