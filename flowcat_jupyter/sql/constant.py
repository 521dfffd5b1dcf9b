"""What an expression over constants comes to, worked out in Python without an engine.

Small on purpose: literals, parameters, the time of the statement, and the arithmetic of dates and
whole numbers. Whatever else is met is *not constant*, and whoever asked does without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from sqlglot import exp

from flowcat_jupyter.shared.moments import BadText, instant, read_date, read_moment

Constant = bool | int | float | Decimal | str | date | datetime | None

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_UNITS = {
    "week": timedelta(weeks=1),
    "day": timedelta(days=1),
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
    "millisecond": timedelta(milliseconds=1),
    "microsecond": timedelta(microseconds=1),
}
_WALL_UNITS = ("day", "week")


class NotConstant(ValueError):
    """The expression reads rows, or is of a kind that is not worked out here."""


@dataclass(frozen=True)
class Setting:
    """What constants depend on: the session's zone, the statement's time and its parameters."""

    zone: ZoneInfo
    now: datetime
    params: Mapping[str, Any] = field(default_factory=dict)


def evaluate(node: exp.Expr, setting: Setting) -> Constant:
    """The value of an expression: an instant is an aware datetime, a wall clock a naive one.

    :raises NotConstant: it has none that can be told beforehand.
    """
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise NotConstant(node.key)
    try:
        return handler(node, setting)
    except (BadText, OverflowError, ArithmeticError) as error:
        raise NotConstant(str(error)) from error


def as_instant(value: Constant, zone: ZoneInfo) -> datetime:
    """A constant as a moment in UTC: texts, dates and wall clocks are read in ``zone``.

    :raises NotConstant: it is no time.
    """
    if isinstance(value, str):
        try:
            return instant(value, zone)
        except BadText as error:
            raise NotConstant(value) from error
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        raise NotConstant(repr(value))
    try:
        return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError as error:
        raise NotConstant(str(value)) from error


def _literal(node: exp.Expr, _setting: Setting) -> Constant:
    text = str(node.this)
    if node.args.get("is_string"):
        return text
    if text.isdigit():
        return int(text)
    return float(text) if "e" in text.lower() else Decimal(text)


def _negated(node: exp.Expr, setting: Setting) -> Constant:
    value = evaluate(node.this, setting)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise NotConstant("a minus before what is no number")
    return -value


def _placeholder(node: exp.Expr, setting: Setting) -> Constant:
    name = str(node.this) if node.this else "?"
    if name not in setting.params:
        raise NotConstant(f"no value for :{name}")
    return parameter(setting.params[name], setting.zone)


def parameter(given: object, zone: ZoneInfo) -> Constant:
    """A bound value: plain, or tagged as ``{"timestamp": …}``, ``{"date": …}``, ``{"decimal": …}``.

    :raises NotConstant: it is of another kind, or malformed.
    """
    if given is None or isinstance(given, (bool, int, float, str, Decimal, date)):
        return given
    tag, text = next(iter(given.items())) if isinstance(given, dict) and given else ("", "")
    try:
        if tag == "date":
            return read_date(str(text))
        if tag in ("timestamp", "datetime"):
            return as_instant(str(text), zone)
        if tag == "decimal":
            return Decimal(str(text))
    except (BadText, InvalidOperation) as error:
        raise NotConstant(str(text)) from error
    raise NotConstant(repr(given))


def _cast(node: exp.Expr, setting: Setting) -> Constant:
    value = evaluate(node.this, setting)
    kind = node.args["to"].this.name
    if kind == "DATE":
        return _to_date(value, setting)
    if kind in ("TIMESTAMPTZ", "TIMESTAMPLTZ"):
        return as_instant(value, setting.zone)
    if kind in ("TIMESTAMP", "TIMESTAMPNTZ") and isinstance(value, str):
        return read_moment(value.strip())[0]
    if kind in ("INT", "BIGINT") and isinstance(value, int):
        return value
    if kind in ("TEXT", "VARCHAR") and isinstance(value, str):
        return value
    raise NotConstant(f"a cast to {kind}")


def _to_date(value: Constant, setting: Setting) -> date:
    if isinstance(value, str):
        return read_moment(value.strip())[0].date()
    if isinstance(value, datetime):
        return value.astimezone(setting.zone).date() if value.tzinfo else value.date()
    if isinstance(value, date):
        return value
    raise NotConstant(repr(value))


def _added(node: exp.Expr, setting: Setting) -> Constant:
    return _sum(node.this, node.expression, 1, setting)


def _subtracted(node: exp.Expr, setting: Setting) -> Constant:
    return _sum(node.this, node.expression, -1, setting)


def _sum(left: exp.Expr, right: exp.Expr, sign: int, setting: Setting) -> Constant:
    left, right = left.unnest(), right.unnest()
    if isinstance(left, exp.Interval) and sign > 0:
        left, right = right, left
    value = evaluate(left, setting)
    if isinstance(right, exp.Interval):
        count, unit = _interval(right, setting)
        return _shifted(value, sign * count, unit, setting)
    other = evaluate(right, setting)
    if isinstance(value, bool) or isinstance(other, bool) or not isinstance(other, int):
        raise NotConstant("arithmetic of other than whole numbers")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value + timedelta(days=sign * other)
    if isinstance(value, int):
        return value + sign * other
    raise NotConstant("arithmetic of other than whole numbers")


def _interval(node: exp.Expr, setting: Setting) -> tuple[int, str]:
    unit = node.args.get("unit")
    name = (unit.name if unit is not None else "").lower().rstrip("s")
    count = evaluate(node.this, setting)
    if isinstance(count, str) and count.strip().lstrip("+-").isdigit():
        count = int(count)
    if isinstance(count, bool) or not isinstance(count, int):
        raise NotConstant("an interval of other than a whole number")
    if name not in _MONTHS and name not in _UNITS:
        raise NotConstant(f"an interval of {name}")
    return count, name


def _shifted(value: Constant, count: int, unit: str, setting: Setting) -> Constant:
    """Days and longer are counted on the session's calendar, hours and shorter on the clock."""
    if isinstance(value, str):
        value = as_instant(value, setting.zone)
    if not isinstance(value, date):
        raise NotConstant("an interval added to what is no time")
    if not isinstance(value, datetime):
        if unit in _MONTHS or unit in _WALL_UNITS:
            return _moved(value, count, unit)
        value = as_instant(value, setting.zone)
    if value.tzinfo and (unit in _MONTHS or unit in _WALL_UNITS):
        wall = _moved(value.astimezone(setting.zone).replace(tzinfo=None), count, unit)
        return as_instant(wall, setting.zone)
    return _moved(value, count, unit)


def _moved(value: date, count: int, unit: str) -> date:
    if unit in _UNITS:
        return value + count * _UNITS[unit]
    months = value.year * 12 + value.month - 1 + count * _MONTHS[unit]
    year, month = divmod(months, 12)
    for day in range(value.day, value.day - 4, -1):
        try:
            return value.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise NotConstant("a date out of range")


def _now(_node: exp.Expr, setting: Setting) -> Constant:
    return setting.now


def _today(_node: exp.Expr, setting: Setting) -> Constant:
    return setting.now.astimezone(setting.zone).date()


def _date_add(node: exp.Expr, setting: Setting) -> Constant:
    sign = -1 if str(node.this).lower() == "date_sub" else 1
    start, days = (evaluate(item, setting) for item in _arguments(node, 2))
    if isinstance(days, bool) or not isinstance(days, int):
        raise NotConstant("a number of days")
    return _to_date(start, setting) + timedelta(days=sign * days)


def _to_timestamp(node: exp.Expr, setting: Setting) -> Constant:
    return as_instant(evaluate(_arguments(node, 1)[0], setting), setting.zone)


def _date_of(node: exp.Expr, setting: Setting) -> Constant:
    return _to_date(evaluate(_arguments(node, 1)[0], setting), setting)


def _add_months(node: exp.Expr, setting: Setting) -> Constant:
    start, months = (evaluate(item, setting) for item in _arguments(node, 2))
    if isinstance(months, bool) or not isinstance(months, int):
        raise NotConstant("a number of months")
    return _moved(_to_date(start, setting), months, "month")


_FIRST = {"year": (1, 1), "month": (None, 1), "day": (None, None)}


def _date_trunc(node: exp.Expr, setting: Setting) -> Constant:
    unit, value = (evaluate(item, setting) for item in _arguments(node, 2))
    local = as_instant(value, setting.zone).astimezone(setting.zone)
    day = local.date()
    if unit == "week":
        day -= timedelta(days=day.weekday())
    elif isinstance(unit, str) and unit.lower() in _FIRST:
        month, first = _FIRST[unit.lower()]
        day = day.replace(month=month or day.month, day=first or day.day)
    else:
        raise NotConstant(f"date_trunc to {unit}")
    return as_instant(day, setting.zone)


def _arguments(node: exp.Expr, count: int) -> list[exp.Expr]:
    given = list(node.expressions)
    if len(given) != count:
        raise NotConstant("another number of arguments")
    return given


_FUNCTIONS: dict[str, Callable[[exp.Expr, Setting], Constant]] = {
    "current_timestamp": _now,
    "now": _now,
    "current_date": _today,
    "curdate": _today,
    "date_add": _date_add,
    "date_sub": _date_add,
    "to_timestamp": _to_timestamp,
    "timestamp": _to_timestamp,
    "to_date": _date_of,
    "date": _date_of,
    "add_months": _add_months,
    "date_trunc": _date_trunc,
}


def _function(node: exp.Expr, setting: Setting) -> Constant:
    function = _FUNCTIONS.get(str(node.this).lower())
    if function is None:
        raise NotConstant(f"the function {node.this}")
    return function(node, setting)


_HANDLERS: dict[type[exp.Expr], Callable[[exp.Expr, Setting], Constant]] = {
    exp.Literal: _literal,
    exp.Null: lambda _node, _setting: None,
    exp.Boolean: lambda node, _setting: bool(node.this),
    exp.Paren: lambda node, setting: evaluate(node.this, setting),
    exp.Neg: _negated,
    exp.Placeholder: _placeholder,
    exp.Cast: _cast,
    exp.Add: _added,
    exp.Sub: _subtracted,
    exp.CurrentTimestamp: _now,
    exp.CurrentDate: _today,
    exp.Anonymous: _function,
}
