"""Dates and instants: adding intervals, parts, and the literals of now."""

from __future__ import annotations

from datetime import UTC

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, values
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.text import is_column
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

_UNITS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "millisecond",
    "microsecond": "microsecond",
}
_DAYS_OF = {
    "hour": 24,
    "minute": 24 * 60,
    "second": 24 * 60 * 60,
    "millisecond": 24 * 60 * 60 * 1_000,
    "microsecond": 24 * 60 * 60 * 1_000_000,
}
# Beyond this a sum of microseconds would wrap.
_FARTHEST = 90_000_000
_FAR_TEXT = 200
"""Longer texts are not written twice over to see whether a date is still one."""
_WEEK = 7
_MINUTE = 60_000_000
_CALENDAR = ("year", "quarter", "month", "week", "day")
# Spark's fields, and how the engine spells each; dayofweek counts from Sunday = 1.
PARTS = {
    "year": "EXTRACT(YEAR FROM {0})",
    "quarter": "EXTRACT(QUARTER FROM {0})",
    "month": "EXTRACT(MONTH FROM {0})",
    "week": "EXTRACT(WEEK FROM {0})",
    "day": "EXTRACT(DAY FROM {0})",
    "dow": "(CAST(EXTRACT(DOW FROM {0}) AS INTEGER) + 1)",
    "dow_iso": "EXTRACT(ISODOW FROM {0})",
    "weekday": "(CAST(EXTRACT(ISODOW FROM {0}) AS INTEGER) - 1)",
    "doy": "EXTRACT(DOY FROM {0})",
    "yearofweek": "EXTRACT(ISOYEAR FROM {0})",
    "hour": "EXTRACT(HOUR FROM {0})",
    "minute": "EXTRACT(MINUTE FROM {0})",
    "second": "EXTRACT(SECOND FROM {0})",
}
PART_ALIASES = {
    "dayofweek": "dow",
    "dayofweek_iso": "dow_iso",
    "days": "day",
    "years": "year",
    "months": "month",
    "weeks": "week",
    "hours": "hour",
    "minutes": "minute",
    "seconds": "second",
    "dayofmonth": "day",
    "dayofyear": "doy",
}
_CLOCK = ("hour", "minute", "second")


def part(name: str, value: Value, binder: Binder, node: exp.Expression) -> Value:
    """A field of a date or instant in the session's zone, as INT.

    :raises SqlError: there is no such field.
    """
    name = PART_ALIASES.get(name.lower(), name.lower())
    if name not in PARTS:
        raise refusal(f"the field {name.upper()} of a date", node)
    wall = _wall(name, value, binder, node)
    return wall.with_sql(f"CAST({PARTS[name].format(wall.sql)} AS INTEGER)", types.INT)


def extracted(name: str, value: Value, binder: Binder, node: exp.Expression) -> Value:
    """As `part`, with the fraction of seconds, which only the function ``second`` leaves out."""
    if PART_ALIASES.get(name.lower(), name.lower()) != "second":
        return part(name, value, binder, node)
    wall = _wall("second", value, binder, node)
    micros = f"(((({binder.context.target.micros(wall.sql)}) % {_MINUTE}) + {_MINUTE}) % {_MINUTE})"
    text = f"LPAD(CAST({micros} AS VARCHAR), 8, '0')"
    written = f"(LEFT({text}, 2) || '.' || RIGHT({text}, 6))"
    kind = types.decimal(8, 6)
    return wall.with_sql(f"CAST({written} AS {values.type_name(kind)})", kind)


def _wall(name: str, value: Value, binder: Binder, node: exp.Expression) -> Value:
    """A date, or an instant as the session's clock shows it."""
    if value.type.kind in ("string", "void"):
        kind = types.TIMESTAMP if name in _CLOCK else types.DATE
        value = binder.coerce(value, kind, node)
    if value.type.kind not in ("date", "timestamp", "timestamp_ntz"):
        value = binder.coerce(value, types.TIMESTAMP, node)
    if value.type.kind == "date" and name in _CLOCK:
        value = casts.cast(value, types.TIMESTAMP_NTZ, binder.context)
    if value.type.kind == "timestamp":
        local = casts.local(value.sql, binder.context.time_zone)
        value = value.with_sql(local, types.TIMESTAMP_NTZ)
    return value


@handles(exp.Extract)
def _extract(binder: Binder, node: exp.Expression) -> Value:
    return extracted(child(node).name, binder.bind(child(node, "expression")), binder, node)


@handles(exp.CurrentDate)
def _current_date(binder: Binder, _node: exp.Expression) -> Value:
    return values.day(binder.context.moment.astimezone(binder.context.zone).date())


@handles(exp.CurrentTimestamp)
def _current_timestamp(binder: Binder, _node: exp.Expression) -> Value:
    return values.instant(binder.context.moment.astimezone(UTC))


@handles(exp.CurrentUser)
def _current_user(binder: Binder, _node: exp.Expression) -> Value:
    return values.text(binder.context.user)


def moved(binder: Binder, node: exp.Expression, operator: str, bound: Value | None) -> Value | None:
    """A date or instant plus or minus an interval; None where there is no interval.

    ``bound`` is the left side where that is bound already.
    """
    left, right = child(node), child(node, "expression")
    if operator == "+" and isinstance(_bare(left), exp.Interval):
        left, right = right, left
    interval = _bare(right)
    if operator in ("+", "-") and isinstance(interval, exp.Interval):
        return shift(bound or binder.bind(left), operator, interval, binder)
    return None


def _bare(node: exp.Expression) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = child(node)
    return node


def add_days(start: Value, count: Value, target: Target, operator: str = "+") -> Value:
    """A date moved by a whole number of days."""
    first = f"CAST({target.days(start.sql)} AS BIGINT)"
    days = f"({first} {operator} CAST({count.sql} AS BIGINT))"
    return values.combine(target.date(days), types.DATE, start, count)


def shift(value: Value, operator: str, interval: exp.Interval, binder: Binder) -> Value:
    """A date or instant moved by an interval's literal.

    :raises SqlError: the interval is not one number and unit, or the value is not a time.
    """
    count, unit = _amount(interval)
    if value.type.kind in ("string", "void"):
        value = binder.coerce(value, types.TIMESTAMP, interval)
    if value.type.kind not in ("date", "timestamp", "timestamp_ntz"):
        raise refusal(f"an interval added to a value of type {value.type.ddl}", interval)
    if count < 0:
        count, operator = -count, "-" if operator == "+" else "+"
    if value.type.kind == "date" and unit not in _CALENDAR:
        value = casts.cast(value, types.TIMESTAMP, binder.context)
    if unit in _DAYS_OF:
        days, count = divmod(count, _DAYS_OF[unit])
        if days:
            # Whole days of an interval are days of the calendar, which a clock's change may bend.
            value = _stepped(value, operator, days, "day", binder)
            if not count:
                return value
    return _stepped(value, operator, count, unit, binder)


def _too_far(node: exp.Expression) -> SqlError:
    """The error for a time moved beyond all that is counted in microseconds."""
    line, column = place(node)
    return SqlError(
        "A date or time is moved too far from 1970.",
        condition="DATETIME_OVERFLOW",
        sqlstate="22008",
        line=line,
        column=column,
        hint="Move it by less.",
    )


def _stepped(value: Value, operator: str, count: int, unit: str, binder: Binder) -> Value:
    step = f"INTERVAL {literal(f'{count} {unit}')}"
    if value.type.kind != "timestamp" or unit not in _CALENDAR:
        moved = f"({value.sql} {operator} {step})"
        dated = value.type.kind == "date"
        if dated and not value.known and not is_column(value.sql) and len(value.sql) < _FAR_TEXT:
            moved = binder.context.target.reached(moved, value.sql)
        return value.with_sql(binder.context.target.moved_date(moved) if dated else moved)
    zone = binder.context.time_zone
    wall = f"({casts.local(value.sql, zone)} {operator} {step})"
    return value.with_sql(f"({wall} AT TIME ZONE {literal(zone)})")


def _amount(interval: exp.Interval) -> tuple[int, str]:
    given = interval.args.get("unit")
    name = (given.name if given is not None else "").lower().rstrip("s")
    amount = interval.this
    sign = 1
    while isinstance(amount, (exp.Neg, exp.Paren)):
        sign = -sign if isinstance(amount, exp.Neg) else sign
        amount = amount.this
    written = str(amount.this) if isinstance(amount, exp.Literal) else ""
    if name not in _UNITS or not written.lstrip("+-").isdigit():
        raise refusal(
            "an interval of more than one number and unit",
            interval,
            hint="Write it as INTERVAL '3' DAY, and add several one after the other.",
        )
    count, unit = sign * int(written), _UNITS[name]
    if abs(count) * (_WEEK if unit == "week" else 1) // _DAYS_OF.get(unit, 1) > _FARTHEST:
        raise _too_far(interval)
    return count, unit
