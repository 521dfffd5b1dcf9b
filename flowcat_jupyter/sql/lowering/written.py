"""How Spark writes floating-point numbers, and how it reads dates and times.

Everything here is a text's text: pieces of SQL that take a string apart or put one together.
"""

from __future__ import annotations

from flowcat_jupyter.sql.quoting import literal

DATE_FORMAT = "%Y-%m-%d"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S%.f"
NOT_A_TIME = "timestamp:"
"""What stands before a text that is not a time, so that nothing more lenient takes it for one."""

_DAY = r"\d{4}-\d{1,2}-\d{1,2}"
_BEGUN = rf"^{_DAY}[ T]"
_YEAR = r"^\d{4}$"
_MONTH = r"^\d{4}-\d{1,2}$"
_ANY_DATE = r"^\d{4}(-\d{1,2}(-\d{1,2}([ T].*)?)?)?$"
_ONLY_DATE = r"^\d{4}(-\d{1,2}(-\d{1,2})?)?$"
_ZONE = r" ?(Z|((UTC|GMT)?([+-]\d{1,2}(:?\d{2})?)?))"
_CLOCK = rf"\d{{1,2}}(:\d{{1,2}}(:[0-5]?\d(\.\d{{0,9}})?({_ZONE})?)?)?"
_MOMENT = rf"^{_DAY}[ T]{_CLOCK}$"


def _like(sql: str, shape: str) -> str:
    return f"REGEXP_LIKE({sql}, {literal(shape)})"


def _size(sql: str) -> str:
    return f"CAST(LENGTH({sql}) AS BIGINT)"


def day(text: str) -> str:
    """The part of a text that is its date, in full: a year or month alone begins on its first."""
    first = f"SPLIT_PART(SPLIT_PART({text}, 'T', 1), ' ', 1)"
    return (
        f"CASE WHEN {_like(text, _BEGUN)} THEN {first} WHEN {_like(text, _YEAR)} "
        f"THEN ({text} || '-1-1') WHEN {_like(text, _MONTH)} THEN ({text} || '-1') ELSE {text} END"
    )


def date(text: str, *, safe: bool) -> str:
    """A DATE of a text; NULL where it is none and ``safe``, else a failure."""
    if safe:
        return (
            f"CASE WHEN {_like(text, _ANY_DATE)} THEN TRY_CAST({day(text)} AS DATE) ELSE NULL END"
        )
    return f"DATE({day(text)}, {literal(DATE_FORMAT)})"


def _after_day(text: str) -> str:
    first = f"SPLIT_PART(SPLIT_PART({text}, 'T', 1), ' ', 1)"
    return f"SUBSTR({text}, ({_size(first)} + 2))"


def _own_zone(text: str) -> str:
    """What follows the clock: Z, UTC, an offset or nothing."""
    return f"LTRIM({_after_day(text)}, '0123456789:.')"


def _whole(text: str) -> str:
    """Date and clock to the second, of a text with the shape of a moment."""
    rest = _after_day(text)
    clock = f"RTRIM(LEFT({rest}, ({_size(rest)} - {_size(_own_zone(text))})), '.')"
    without = f"REPLACE({clock}, ':', '')"
    colons = f"({_size(clock)} - {_size(without)})"
    more = f"CASE {colons} WHEN 0 THEN ':0:0' WHEN 1 THEN ':0' ELSE '' END"
    first = f"SPLIT_PART(SPLIT_PART({text}, 'T', 1), ' ', 1)"
    return f"({first} || ' ' || {clock} || {more})"


def wall(text: str, *, safe: bool) -> str:
    """The TIMESTAMP a text shows, whatever its zone; NULL where it is none and ``safe``."""
    known = (
        f"CASE WHEN {_like(text, _MOMENT)} THEN {_whole(text)} "
        f"WHEN {_like(text, _ONLY_DATE)} THEN (({day(text)}) || ' 0:0:0') ELSE "
    )
    if safe:
        return f"TRY_CAST({known}NULL END AS TIMESTAMP)"
    return f"TIMESTAMP({known}('{NOT_A_TIME}' || {text}) END, {literal(TIME_FORMAT)})"


def _offset(text: str) -> str:
    """Microseconds east of UTC that a text's own zone is."""
    zone = f"LTRIM({_own_zone(text)}, ' ZUTCGM')"
    digits = f"REPLACE(SUBSTR({zone}, 2), ':', '')"
    hours = f"TRY_CAST({digits} AS BIGINT)"
    both = (
        f"((TRY_CAST(LEFT({digits}, ({_size(digits)} - 2)) AS BIGINT) * 60) "
        f"+ TRY_CAST(RIGHT({digits}, 2) AS BIGINT))"
    )
    minutes = f"CASE WHEN ({_size(digits)} <= 2) THEN ({hours} * 60) ELSE {both} END"
    sign = f"CASE WHEN (LEFT({zone}, 1) = '-') THEN -60000000 ELSE 60000000 END"
    return f"(COALESCE({minutes}, 0) * {sign})"


def moment(text: str, zone: str, *, safe: bool) -> str:
    """The instant a text shows, in its own zone or else in ``zone``."""
    shown = wall(text, safe=safe)
    own = f"{_like(text, _MOMENT)} AND ({_own_zone(text)} <> '')"
    moved = f"CAST((CAST({shown} AS BIGINT) - {_offset(text)}) AS TIMESTAMP)"
    return f"(CASE WHEN {own} THEN ({moved} AT TIME ZONE 'UTC') ELSE {instant(shown, zone)} END)"


def instant(wall: str, zone: str) -> str:
    """The instant of a wall clock: of the two where an hour comes twice, the first.

    Engines give the second.
    """
    late = f"({wall} AT TIME ZONE {literal(zone)})"
    if zone == "UTC":
        return late
    early = f"({late} - INTERVAL '1 hour')"
    again = f"(({early} AT TIME ZONE {literal(zone)}) = {wall})"
    return f"CASE WHEN {again} THEN {early} ELSE {late} END"


def floating(value: str) -> str:
    """A floating-point number as text: plain from 0.001 to ten million, else as 1.0E-7."""
    size = f"ABS({value})"
    plain = f"CAST({size} AS VARCHAR)"
    whole, fraction = f"SPLIT_PART({plain}, '.', 1)", f"SPLIT_PART({plain}, '.', 2)"
    many = f"RTRIM(({whole} || COALESCE({fraction}, '')), '0')"
    few = f"LTRIM({fraction}, '0')"
    mantissa, power = f"SPLIT_PART({plain}, 'e', 1)", f"SPLIT_PART({plain}, 'e', 2)"
    bare = f"REPLACE({mantissa}, '.', '')"
    scientific = _scientific(f"RTRIM({bare}, '0')", f"TRY_CAST(LTRIM({power}, '+') AS BIGINT)")
    large = _scientific(many, f"({_size(whole)} - 1)")
    small = _scientific(few, f"({_size(few)} - {_size(fraction)} - 1)")
    text = (
        f"CASE WHEN ({size} = 0) OR (({size} >= 0.001) AND ({size} < 10000000)) THEN {plain} "
        f"WHEN ({size} = CAST('inf' AS DOUBLE)) THEN 'Infinity' "
        f"WHEN ({size} = CAST('nan' AS DOUBLE)) THEN 'NaN' "
        f"WHEN (STRPOS({plain}, 'e') > 0) THEN {scientific} "
        f"WHEN ({size} >= 1) THEN {large} ELSE {small} END"
    )
    negative = f"(LEFT(CAST({value} AS VARCHAR), 1) = '-')"
    return f"(CASE WHEN {negative} THEN '-' ELSE '' END || {text})"


def _scientific(digits: str, power: str) -> str:
    rest = f"CASE WHEN ({_size(digits)} > 1) THEN SUBSTR({digits}, 2) ELSE '0' END"
    return f"(LEFT({digits}, 1) || '.' || {rest} || 'E' || CAST({power} AS VARCHAR))"
