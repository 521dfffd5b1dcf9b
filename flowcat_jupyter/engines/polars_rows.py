"""Functions computed row by row in Python, where polars has no expression that is exact.

Each takes the values of one row, none of them NULL unless it is among `TAKES_NULL`, and then the
options written out in the call.
"""

from __future__ import annotations

import base64
import binascii
import calendar
import hashlib
import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import polars as pl

TOO_LARGE = "flowcat: a value larger than a cell may be"
"""What a function says that will not make so large a value."""
_DAY = 86_400
_SHA2 = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_INT_BITS, _LONG_BITS = 32, 64


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _hex(value: Any) -> str:
    if isinstance(value, int):
        return f"{value & (1 << _LONG_BITS) - 1:X}"
    return _bytes(value).hex().upper()


def _unhex(value: str) -> bytes | None:
    padded = f"0{value}" if len(value) % 2 else value
    try:
        return bytes.fromhex(padded) if padded.isalnum() or not padded else None
    except ValueError:
        return None


def _sha2(value: Any, bits: int) -> str | None:
    name = _SHA2.get(bits)
    return hashlib.new(name, _bytes(value)).hexdigest() if name else None


def _initcap(value: str) -> str:
    return " ".join(word[:1].title() + word[1:] for word in value.lower().split(" "))


def _levenshtein(one: str, other: str) -> int:
    if len(one) < len(other):
        one, other = other, one
    before = list(range(len(other) + 1))
    for at, left in enumerate(one, 1):
        now = [at]
        for place, right in enumerate(other, 1):
            now.append(min(before[place] + 1, now[-1] + 1, before[place - 1] + (left != right)))
        before = now
    return before[-1]


def _character(code: int) -> str:
    return "" if code < 0 else chr(code & 0xFF)


def _translate(value: str, old: str, new: str) -> str:
    table: dict[int, str | None] = {}
    for at, mark in enumerate(old):
        table.setdefault(ord(mark), new[at] if at < len(new) else None)
    return value.translate(table)


def _substring(value: str, start: int, length: int | None = None) -> str:
    """Spark's SUBSTRING, whose length counts from where the start would be."""
    begin = start - 1 if start > 0 else (len(value) + start if start < 0 else 0)
    end = len(value) if length is None else begin + length
    return value[max(begin, 0) : max(end, 0)]


def _overlay(value: str, new: str, start: int, length: int | None = None) -> str:
    count = length if length is not None and length >= 0 else len(new)
    return _substring(value, 1, start - 1) + new + _substring(value, start + count)


def _substring_index(value: str, mark: str, count: int) -> str:
    if not mark or not count:
        return ""
    parts = value.split(mark)
    if abs(count) >= len(parts):
        return value
    return mark.join(parts[:count] if count > 0 else parts[count:])


def _find_in_set(value: str, listed: str) -> int:
    if "," in value:
        return 0
    items = listed.split(",")
    return items.index(value) + 1 if value in items else 0


def _padded(value: str, length: int, fill: str, *, left: bool) -> str:
    if length <= 0:
        return ""
    missing = length - len(value)
    if missing <= 0 or not fill:
        return value[:length]
    more = (fill * (missing // len(fill) + 1))[:missing]
    return more + value if left else value + more


def _repeat(value: str, count: int, most: int) -> str:
    if len(value) * count > most or len(value.encode()) * count > most:
        raise OverflowError(TOO_LARGE)
    return value * max(count, 0)


def _array_repeat(value: Any, count: int | None, most: int) -> list[Any] | None:
    if count is not None and count > most:
        raise OverflowError(TOO_LARGE)
    return None if count is None else [value] * max(count, 0)


def _split_part(value: str, mark: str, place: int) -> str:
    parts = value.split(mark) if mark else [value]
    at = place - 1 if place > 0 else len(parts) + place
    return parts[at] if 0 <= at < len(parts) else ""


def _shifted(value: int, count: int, bits: int, how: str) -> int:
    count &= bits - 1
    if how == "left":
        value <<= count
    elif how == "unsigned":
        value = (value & (1 << bits) - 1) >> count
    else:
        value >>= count
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _factorial(value: int) -> int | None:
    return math.factorial(value) if 0 <= value <= 20 else None


def _months(one: datetime, other: datetime) -> int:
    return (one.year - other.year) * 12 + one.month - other.month


def _is_last(day: date) -> bool:
    return day.day == calendar.monthrange(day.year, day.month)[1]


def _seconds(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second


def _months_between(later: datetime, earlier: datetime, rounded: bool = True) -> float:
    whole = _months(later, earlier)
    if later.day == earlier.day or (_is_last(later) and _is_last(earlier)):
        return float(whole)
    seconds = (later.day - earlier.day) * _DAY + _seconds(later) - _seconds(earlier)
    found = whole + seconds / (31 * _DAY)
    return math.floor(found * 1e8 + 0.5) / 1e8 if rounded else found


def _calendar_difference(start: datetime, end: datetime, unit: str) -> int:
    """Whole days, weeks, months, quarters or years between, towards zero."""
    if unit in _MONTHS:
        months = _months(end, start)
        rest_end = (end.day, end.time())
        rest_start = (start.day, start.time())
        if months > 0 and rest_end < rest_start:
            months -= 1
        elif months < 0 and rest_end > rest_start:
            months += 1
        return int(months / _MONTHS[unit])
    micros = (end - start) // timedelta(microseconds=1)
    size = (7 if unit == "week" else 1) * _DAY * 1_000_000
    return micros // size if micros >= 0 else -(-micros // size)


def _next_day(start: date, weekday: int) -> date:
    return start + timedelta(days=(weekday - start.weekday() - 1) % 7 + 1)


def _key(value: Any) -> Any:
    """``value`` so that equal elements of arrays are equal: NaN is itself, 0.0 is -0.0."""
    if isinstance(value, float) and math.isnan(value):
        return ("nan",)
    if isinstance(value, list):
        return tuple(_key(item) for item in value)
    if isinstance(value, dict):
        return tuple((name, _key(item)) for name, item in value.items())
    return value


def _distinct(items: Sequence[Any], without: Sequence[Any] = ()) -> list[Any]:
    seen = {_key(item) for item in without}
    found = []
    for item in items:
        key = _key(item)
        if key not in seen:
            seen.add(key)
            found.append(item)
    return found


def _intersect(one: list[Any], other: list[Any]) -> list[Any]:
    known = {_key(item) for item in other}
    return [item for item in _distinct(one) if _key(item) in known]


def _overlap(one: list[Any], other: list[Any]) -> bool | None:
    known = {_key(item) for item in one if item is not None}
    if any(_key(item) in known for item in other if item is not None):
        return True
    holes = None in one or None in other
    return None if one and other and holes else False


def _contains(items: list[Any], value: Any) -> bool | None:
    if any(item is not None and _key(item) == _key(value) for item in items):
        return True
    return None if None in items else False


def _position(items: list[Any], value: Any) -> int:
    found = (
        at for at, item in enumerate(items, 1) if item is not None and _key(item) == _key(value)
    )
    return next(found, 0)


def _remove(items: list[Any], value: Any) -> list[Any]:
    return [item for item in items if item is None or _key(item) != _key(value)]


def _at(items: list[Any], place: int) -> Any:
    at = place - 1 if place > 0 else len(items) + place
    return items[at] if place and 0 <= at < len(items) else None


Row = Callable[..., Any]
ROWS: dict[str, Row] = {
    "array_append": lambda items, value: None if items is None else [*items, value],
    "array_contains": _contains,
    "array_distinct": _distinct,
    "array_except": _distinct,
    "array_intersect": _intersect,
    "array_position": _position,
    "array_prepend": lambda items, value: None if items is None else [value, *items],
    "array_remove": _remove,
    "array_repeat": _array_repeat,
    "array_union": lambda one, other: _distinct([*one, *other]),
    "arrays_overlap": _overlap,
    "ascii": lambda value: ord(value[0]) if value else 0,
    "base64": lambda value: base64.b64encode(_bytes(value)).decode(),
    "bin": lambda value: f"{value & (1 << _LONG_BITS) - 1:b}",
    "bit_count": lambda value: (value & (1 << _LONG_BITS) - 1).bit_count(),
    "calendar_difference": _calendar_difference,
    "chr": _character,
    "contains": lambda value, part: part in value,
    "crc32": lambda value: binascii.crc32(_bytes(value)),
    "element": _at,
    "factorial": _factorial,
    "find_in_set": _find_in_set,
    "hex": _hex,
    "initcap": _initcap,
    "instr": lambda value, part: value.find(part) + 1,
    "left": lambda value, count: value[: max(count, 0)],
    "levenshtein": _levenshtein,
    "lpad": lambda value, length, fill=" ": _padded(value, length, fill, left=True),
    "md5": lambda value: hashlib.md5(_bytes(value), usedforsecurity=False).hexdigest(),
    "months_between": _months_between,
    "next_day": _next_day,
    "overlay": _overlay,
    "repeat": _repeat,
    "replace": lambda value, old, new: value.replace(old, new) if old else value,
    "right": lambda value, count: value[-count:] if count > 0 else "",
    "rpad": lambda value, length, fill=" ": _padded(value, length, fill, left=False),
    "sha1": lambda value: hashlib.sha1(_bytes(value), usedforsecurity=False).hexdigest(),
    "sha2": _sha2,
    "shift": _shifted,
    "split_part": _split_part,
    "substring": _substring,
    "substring_index": _substring_index,
    "translate": _translate,
    "unhex": _unhex,
}
TAKES_NULL = frozenset(("array_append", "array_prepend", "array_repeat"))


def by_row(name: str, inputs: list[pl.Expr], options: tuple[Any, ...], kind: Any) -> pl.Expr:
    """The function ``name`` of each row's ``inputs``, of the polars type ``kind``."""
    function, lenient = ROWS[name], name in TAKES_NULL

    def one(row: tuple[Any, ...]) -> Any:
        if not lenient and None in row:
            return None
        return function(*row, *options)

    def several(values: pl.Series) -> pl.Series:
        rows = zip(*(column.to_list() for column in values.struct.unnest()), strict=True)
        return pl.Series([one(row) for row in rows], dtype=kind, strict=False)

    names = [item.alias(f"i{at}") for at, item in enumerate(inputs)]
    return pl.struct(names).map_batches(several, return_dtype=kind, is_elementwise=True)
