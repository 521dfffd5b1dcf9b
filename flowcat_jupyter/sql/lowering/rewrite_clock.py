"""Functions between instants, numbers and the calendar."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering import casts, numbers, values
from flowcat_jupyter.sql.lowering.calls import (
    Call,
    constant_text,
    rewrites,
    takes_nodes,
)
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.logic import case, compare
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal

_MICROS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "dayofyear": 1, "week": 7}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _wall(value: Value, binder: Binder) -> Value:
    """An instant as the session's clock shows it."""
    return value.with_sql(casts.local(value.sql, binder.context.time_zone), types.TIMESTAMP_NTZ)


def _unit(node: exp.Expression, known: dict[str, int]) -> str | None:
    written = (node.name or "").lower()
    name = written if written == "dayofyear" else re.sub(r"s$", "", written)
    return name if name in known else None


@takes_nodes("timestampadd")
def _add(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """``timestampadd(unit, n, time)``: clock units on the instant, the others on the calendar."""
    unit, count_node, time_node = node.expressions
    value = binder.bind(time_node)
    if value.type.kind != "timestamp_ntz":
        value = binder.coerce(value, types.TIMESTAMP, node)
    count = binder.coerce(binder.bind(count_node), types.BIGINT, node)
    micros, days, months = _unit(unit, _MICROS), _unit(unit, _DAYS), _unit(unit, _MONTHS)
    if micros:
        return _moved(value, count, _MICROS[micros], binder.context.target)
    zoned = value.type.kind == "timestamp"
    wall = _wall(value, binder) if zoned else value
    if days:
        wall = _moved(wall, count, _DAYS[days] * 86_400_000_000, binder.context.target)
    elif months:
        size, target = values.integer(_MONTHS[months]), binder.context.target
        scaled = numbers.checked("*", count, size, types.INT, target)
        wall = binder.step("offset", [wall, scaled], types.TIMESTAMP_NTZ, node)
    else:
        raise refusal(f"{function.name} in {unit.name.upper()}", node)
    return casts.cast(wall, value.type, binder.context)


def _moved(value: Value, count: Value, micros: int, target: Target) -> Value:
    total = f"(CAST({count.sql} AS INT128) * CAST('{micros}' AS INT128))"
    made = f"CAST(({target.micros(value.sql)} + {total}) AS BIGINT)"
    sql = target.moment(made, zoned=value.type.kind == "timestamp")
    return combine(sql, value.type, value, count, raises=True)


@takes_nodes("timestampdiff")
def _difference(binder: Binder, function: Function, node: exp.Expression) -> Value:
    """``timestampdiff(unit, start, end)``, towards zero."""
    unit = node.expressions[0]
    bound = [binder.bind(item) for item in node.expressions[1:]]
    if _unit(unit, _DAYS) and all(item.type.kind == "date" for item in bound):
        days = [f"CAST({binder.context.target.days(item.sql)} AS BIGINT)" for item in bound]
        size = _DAYS[_unit(unit, _DAYS) or "day"]
        sql = f"CAST((({days[1]} - {days[0]}) // {size}) AS BIGINT)"
        return combine(sql, types.BIGINT, *bound)
    start, end = (binder.coerce(item, types.TIMESTAMP, node) for item in bound)
    micros = _unit(unit, _MICROS)
    if micros:
        target = binder.context.target
        away = f"({target.micros(end.sql)} - {target.micros(start.sql)})"
        sql = f"({away} // {_MICROS[micros]})"
        return combine(f"CAST({sql} AS BIGINT)", types.BIGINT, start, end)
    name = _unit(unit, _DAYS) or _unit(unit, _MONTHS)
    if name is None:
        raise refusal(f"{function.name} in {unit.name.upper()}", node)
    walls = [_wall(item, binder) for item in (start, end)]
    return binder.step("calendar_difference", walls, types.BIGINT, node, (name,))


@rewrites("months_between", target="polars")
def _months_between(call: Call) -> Value:
    given = call.argument(2)
    if given is not None and not isinstance(given.constant, bool):
        raise refusal("months_between with a rounding that is not written out", call.node)
    rounded = given is None or bool(given.constant)
    walls = [_wall(item, call.binder) for item in call.arguments[:2]]
    return call.binder.step("months_between", walls, types.DOUBLE, call.node, (rounded,))


@rewrites("months_between")
def _elsewhere(call: Call) -> Value:
    raise refusal(f"the function {call.function.name} on this engine", call.node)


@rewrites("next_day")
def _next_day(call: Call) -> Value:
    day = constant_text(call.arguments[1], "a day of the week", call.node).strip().lower()
    found = [at for at, name in enumerate(_WEEKDAYS) if day in (name, name[:3], name[:2])]
    if not found:
        raise SqlError(
            f"{day!r} is not a day of the week.",
            condition="ILLEGAL_DAY_OF_WEEK",
            sqlstate="22009",
            hint="Write MON, TUE, WED, THU, FRI, SAT or SUN.",
        )
    start = call.arguments[0]
    target = call.binder.context.target
    # Day 0 was a Thursday, which is day 3 of a week that begins on Monday.
    days = f"CAST({target.days(start.sql)} AS BIGINT)"
    weekday = f"((({days} + 3) % 7) + 7) % 7"
    ahead = f"((({found[0]} - ({weekday})) + 6) % 7) + 1"
    return call.result(target.date(f"({days} + ({ahead}))"), types.DATE)


@rewrites("unix_date")
def _unix_date(call: Call) -> Value:
    sql = call.binder.context.target.days(call.arguments[0].sql)
    return call.result(f"CAST({sql} AS INTEGER)", types.INT)


@rewrites("date_from_unix_date")
def _date_from_unix_date(call: Call) -> Value:
    sql = call.binder.context.target.date(f"CAST({call.arguments[0].sql} AS BIGINT)")
    return call.result(sql, types.DATE)


@rewrites("instant")
def _instant(call: Call) -> Value:
    size = call.function.spelling.partition(":")[2]
    value = call.arguments[0]
    micros = f"CAST((CAST({value.sql} AS INT128) * {size}) AS BIGINT)"
    sql = call.binder.context.target.moment(micros, zoned=True)
    return call.result(sql, types.TIMESTAMP, raises=size != "1")


@rewrites("since_epoch")
def _since_epoch(call: Call) -> Value:
    size = call.function.spelling.partition(":")[2]
    micros = call.binder.context.target.micros(call.arguments[0].sql)
    rest = f"((({micros} % {size}) + {size}) % {size})"
    return call.result(f"(({micros} - {rest}) // {size})", types.BIGINT)


@rewrites("from_utc_timestamp")
def _from_utc(call: Call) -> Value:
    zone = constant_text(call.arguments[1], "a time zone", call.node)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise refusal(f"the time zone {zone}", call.node) from None
    wall = casts.local(call.arguments[0].sql, zone)
    return call.result(f"({wall} AT TIME ZONE {literal('UTC')})", types.TIMESTAMP)


@rewrites("localtimestamp")
def _localtimestamp(call: Call) -> Value:
    context = call.binder.context
    return values.wall_clock(context.moment.astimezone(context.zone).replace(tzinfo=None))


@rewrites("zeroifnull")
def _zeroifnull(call: Call) -> Value:
    value = call.arguments[0]
    missing = value.with_sql(f"({value.sql} IS NULL)", types.BOOLEAN)
    return case([missing], [values.integer(0), value], call.binder, call.node)


@rewrites("nullifzero")
def _nullifzero(call: Call) -> Value:
    value = call.arguments[0]
    zero = compare("=", value, values.integer(0), call.binder, call.node)
    return case([zero], [values.null(value.type), value], call.binder, call.node)


@rewrites("try_mod")
def _try_mod(call: Call) -> Value:
    left, right = call.arguments
    binder = call.binder
    zero = compare("=", right, values.integer(0), binder, call.node)
    rest = numbers.arithmetic("%", left, right, binder.context, call.node)
    return case([zero], [values.null(rest.type), rest], binder, call.node)
