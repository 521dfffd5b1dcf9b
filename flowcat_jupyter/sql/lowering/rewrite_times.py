"""Functions of dates and instants that need more than a template."""

from __future__ import annotations

import re
from datetime import UTC

from sqlglot import exp

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts, times, values
from flowcat_jupyter.sql.lowering.calls import Call, constant_text, rewrites
from flowcat_jupyter.sql.lowering.values import Value, combine
from flowcat_jupyter.sql.quoting import literal

_FORMATS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%-m",
    "dd": "%d",
    "d": "%-d",
    "HH": "%H",
    "H": "%-H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%3f",
    "SSSSSS": "%6f",
    "a": "%p",
    "EEEE": "%A",
    "E": "%a",
    "EEE": "%a",
    "MMMM": "%B",
    "MMM": "%b",
    "DDD": "%j",
}
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_DIRECTIVE = re.compile(r"%(?:%|-?[A-Za-z]|[36]f)|[^%]+")
_WIDTHS = {
    "%Y": "4",
    **dict.fromkeys(("%y", "%m", "%d", "%H", "%I", "%M", "%S"), "2"),
    **dict.fromkeys(("%-m", "%-d", "%-H"), "1,2"),
    "%3f": "1,3",
    "%6f": "1,6",
    "%j": "3",
}
"""How many digits a part of a date has."""
_TRUNCATIONS = {
    "year": "year",
    "yyyy": "year",
    "yy": "year",
    "quarter": "quarter",
    "month": "month",
    "mon": "month",
    "mm": "month",
    "week": "week",
    "day": "day",
    "dd": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
}


@rewrites("part")
def _part(call: Call) -> Value:
    name = call.function.spelling.partition(":")[2]
    return times.part(name, call.arguments[0], call.binder, call.node)


@rewrites("date_part")
def _date_part(call: Call) -> Value:
    name = constant_text(call.arguments[0], "a field", call.node)
    return times.extracted(name, call.arguments[1], call.binder, call.node)


@rewrites("current_date")
def _current_date(call: Call) -> Value:
    context = call.binder.context
    return values.day(context.moment.astimezone(context.zone).date())


@rewrites("current_timestamp")
def _current_timestamp(call: Call) -> Value:
    return values.instant(call.binder.context.moment.astimezone(UTC))


@rewrites("current_timezone")
def _current_timezone(call: Call) -> Value:
    return values.text(call.binder.context.time_zone)


@rewrites("date_add", "date_sub")
def _date_add(call: Call) -> Value:
    start, count = call.arguments
    operator = "+" if call.function.spelling == "date_add" else "-"
    return times.add_days(start, count, call.binder.context.target, operator)


@rewrites("datediff")
def _datediff(call: Call) -> Value:
    binder, node = call.binder, call.node
    later, earlier = (binder.coerce(item, types.DATE, node) for item in call.arguments[-2:])
    target = binder.context.target
    sql = f"({target.days(later.sql)} - {target.days(earlier.sql)})"
    return combine(sql, types.INT, later, earlier)


@rewrites("add_months")
def _add_months(call: Call) -> Value:
    start, count = call.arguments
    if not count.known or not isinstance(count.constant, int):
        return call.binder.step("offset", call.arguments, types.DATE, call.node)
    operator = "+" if count.constant >= 0 else "-"
    step = literal(f"{abs(count.constant)} months")
    moved = f"({start.sql} {operator} INTERVAL {step})"
    return call.result(call.binder.context.target.moved_date(moved), types.DATE)


@rewrites("last_day")
def _last_day(call: Call) -> Value:
    first = f"CAST(DATE_TRUNC('month', {call.arguments[0].sql}) AS DATE)"
    target = call.binder.context.target
    following = target.moved_date(f"({first} + INTERVAL '1 month')")
    return call.result(target.date(f"({target.days(following)} - 1)"), types.DATE)


@rewrites("date_trunc")
def _date_trunc(call: Call) -> Value:
    unit = _unit(call.arguments[0], call.node)
    value, zone = call.arguments[1], call.binder.context.time_zone
    if unit in ("hour", "minute", "second"):
        # Measured on the wall, taken off the instant: a local hour may come twice a year.
        clock = casts.local(value.sql, zone)
        sql = f"({value.sql} - ({clock} - DATE_TRUNC('{unit}', {clock})))"
        return call.result(sql, types.TIMESTAMP)
    wall = f"DATE_TRUNC('{unit}', {casts.local(value.sql, zone)})"
    return call.result(f"({wall} AT TIME ZONE {literal(zone)})", types.TIMESTAMP)


@rewrites("trunc")
def _trunc(call: Call) -> Value:
    unit = _unit(call.arguments[1], call.node)
    if unit not in ("year", "quarter", "month", "week"):
        raise refusal(f"trunc to {unit}", call.node)
    sql = f"CAST(DATE_TRUNC('{unit}', {call.arguments[0].sql}) AS DATE)"
    return call.result(sql, types.DATE)


def _unit(value: Value, node: exp.Expression) -> str:
    word = constant_text(value, "a unit", node).lower()
    if word not in _TRUNCATIONS:
        raise refusal(f"truncating to {word}", node)
    return _TRUNCATIONS[word]


def engine_format(pattern: str, node: exp.Expression) -> str:
    """Spark's date pattern as the engine's.

    :raises SqlError: it holds a letter that has no equal.
    """
    out, end = "", 0
    for match in _PIECE.finditer(pattern):
        piece = match.group()
        end = match.end()
        if match.group(1) is not None:
            out += match.group(1).replace("''", "'").replace("%", "%%") or "'"
        elif match.group(2) is None:
            out += piece.replace("%", "%%")
        elif piece in _FORMATS:
            out += _FORMATS[piece]
        else:
            raise refusal(f"{piece} in a date pattern", node)
    if end != len(pattern):
        raise refusal(f"the date pattern {pattern}", node)
    return out


def shape(made: str) -> str:
    """The regular expression of the texts that Spark reads by a pattern, given as the engine's.

    The engines read 2023-1-5 as well where Spark wants two digits.
    """
    parts = (
        f"[0-9]{{{_WIDTHS[part]}}}"
        if part in _WIDTHS
        else (".+" if part[0] == "%" and part != "%%" else re.escape(part.replace("%%", "%")))
        for part in _DIRECTIVE.findall(made)
    )
    return f"^{''.join(parts)}$"


def _shaped(value: Value, made: str) -> str:
    """The text, or one that cannot be read and names it, where it has not the pattern's shape."""
    fits = f"REGEXP_LIKE({value.sql}, {literal(shape(made))})"
    return f"CASE WHEN {fits} THEN {value.sql} ELSE ('timestamp:' || {value.sql}) END"


@rewrites("date_format")
def _date_format(call: Call) -> Value:
    value, pattern = call.arguments
    made = engine_format(constant_text(pattern, "a pattern", call.node), call.node)
    wall = casts.local(value.sql, call.binder.context.time_zone)
    return call.result(f"STRFTIME({wall}, {literal(made)})", types.STRING)


@rewrites("to_date")
def _to_date(call: Call) -> Value:
    value = call.arguments[0]
    given = call.argument(1)
    if given is None or value.type.kind != "string":
        return call.binder.coerce(value, types.DATE, call.node)
    made = engine_format(constant_text(given, "a pattern", call.node), call.node)
    sql = f"DATE({_shaped(value, made)}, {literal(made)})"
    return call.result(sql, types.DATE, raises=True)


@rewrites("to_timestamp")
def _to_timestamp(call: Call) -> Value:
    value = call.arguments[0]
    given = call.argument(1)
    if given is None or value.type.kind != "string":
        return call.binder.coerce(value, types.TIMESTAMP, call.node)
    made = engine_format(constant_text(given, "a pattern", call.node), call.node)
    if "%H" not in made and "%I" not in made:
        raise refusal("to_timestamp with a pattern without hours", call.node, hint="Use to_date.")
    zone = literal(call.binder.context.time_zone)
    sql = f"(TIMESTAMP({_shaped(value, made)}, {literal(made)}) AT TIME ZONE {zone})"
    return call.result(sql, types.TIMESTAMP, raises=True)


@rewrites("unix_timestamp")
def _unix_timestamp(call: Call) -> Value:
    """Whole seconds, towards zero where a CAST goes down."""
    value = call.arguments[0]
    if value.type.kind == "string":
        value = call.binder.coerce(value, types.TIMESTAMP, call.node)
    below = casts.cast(value, types.BIGINT, call.binder.context).sql
    wall = casts.local(value.sql, "UTC")
    parted = f"(({below} < 0) AND ({wall} <> DATE_TRUNC('second', {wall})))"
    sql = f"CAST(({below} + CASE WHEN {parted} THEN 1 ELSE 0 END) AS BIGINT)"
    return call.result(sql, types.BIGINT)


@rewrites("from_unixtime")
def _from_unixtime(call: Call) -> Value:
    given = call.argument(1)
    pattern = constant_text(given, "a pattern", call.node) if given is not None else None
    made = engine_format(pattern or "yyyy-MM-dd HH:mm:ss", call.node)
    seconds = call.arguments[0].sql
    instant = f"CAST(CAST((CAST({seconds} AS INT128) * 1000000) AS BIGINT) AS TIMESTAMPTZ)"
    wall = casts.local(instant, call.binder.context.time_zone)
    return call.result(f"STRFTIME({wall}, {literal(made)})", types.STRING, raises=True)


@rewrites("make_date")
def _make_date(call: Call) -> Value:
    year, month, day = (item.sql for item in call.arguments)
    texts = [_padded(year, 4), _padded(month, 2), _padded(day, 2)]
    written = " || '-' || ".join(texts)
    return call.result(f"DATE(({written}), '%Y-%m-%d')", types.DATE, raises=True)


def _padded(number: str, size: int) -> str:
    """A number with zeros before it. LPAD alone would cut one that is longer, or below zero."""
    text = f"CAST({number} AS VARCHAR)"
    short = f"(({number} >= 0) AND ({number} < {10**size}))"
    return f"CASE WHEN {short} THEN LPAD({text}, {size}, '0') ELSE {text} END"
