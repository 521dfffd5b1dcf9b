"""Dates and times as Spark spells them, read in a zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?\Z")
_MOMENT = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[ T](?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?\s*(\S.*)?)?\Z"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?\Z")


class BadText(ValueError):
    """The text is not a value of the type."""


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


def instant(text: str, zone: ZoneInfo) -> datetime:
    """A text as a moment in UTC; without a zone of its own it is read in ``zone``.

    :raises BadText: it is no time, or lies outside the years 1 to 9999.
    """
    wall, own = read_moment(text.strip())
    try:
        return wall.replace(tzinfo=own or zone).astimezone(UTC)
    except OverflowError:
        raise BadText(text) from None
