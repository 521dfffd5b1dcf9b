"""JSON values as values of declared types."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import polars as pl

from flowcat_jupyter.formats.source_json_text import as_json
from flowcat_jupyter.formats.source_values import Spelling, read_text, rounded
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType

Convert = Callable[[Any], Any]
_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_WORDS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "+Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "INF": float("inf"),
    "+INF": float("inf"),
    "-INF": float("-inf"),
}
_TIMES = ("date", "timestamp", "timestamp_ntz")
_MOST_KNOWN = 1000


class Converter:
    """Converts values; ``wrong`` is set by one, or a part of one, that was none of its type."""

    def __init__(self, spelling: Spelling) -> None:
        """Read days and times as ``spelling`` says."""
        self.wrong = False
        self._spelling = spelling

    def column(self, values: list[Any], kind: DataType, wrong: list[bool]) -> pl.Series:
        """Values of a column in its type; ``wrong`` is set where one, or a part of it, is none."""
        dtype = polars_type(kind.ddl)
        if kind.kind in _TIMES:
            texts = [value if isinstance(value, str) else None for value in values]
            read = read_text(pl.Series(texts, dtype=pl.String), kind.ddl, spelling=self._spelling)
            missing = read.is_null().to_list()
            for at, value in enumerate(values):
                if missing[at] and value is not None:
                    wrong[at] = True
            return read
        convert = self.of(kind) if kind.is_nested else _atom(kind)
        found: list[Any] = []
        for at, value in enumerate(values):
            self.wrong = False
            item = None if value is None else convert(value)
            if self.wrong or (item is None and value is not None):
                wrong[at] = True
            found.append(item)
        return pl.Series(found, dtype=dtype, strict=True)

    def of(self, kind: DataType) -> Convert:
        """A function from a JSON value to one of the type; None where it is none."""
        made = self._made(kind)

        def convert(value: Any) -> Any:
            if value is None:
                return None
            found = made(value)
            if found is None:
                self.wrong = True
            return found

        return convert

    def _made(self, kind: DataType) -> Convert:
        if kind.kind in _TIMES:
            return self._time(kind)
        if kind.kind == "array" and kind.element:
            inner = self.of(kind.element)
            return lambda value: [inner(v) for v in value] if isinstance(value, list) else None
        if kind.kind == "map" and kind.element:
            return self._map(self.of(kind.element))
        if kind.kind == "struct":
            return self._struct(kind)
        return _atom(kind)

    def _time(self, kind: DataType) -> Convert:
        known: dict[str, Any] = {}

        def convert(value: Any) -> Any:
            if not isinstance(value, str):
                return None
            if value not in known:
                if len(known) > 10_000:
                    known.clear()
                text = pl.Series([value], dtype=pl.String)
                known[value] = read_text(text, kind.ddl, spelling=self._spelling)[0]
            return known[value]

        return convert

    def _map(self, inner: Convert) -> Convert:
        def convert(value: Any) -> Any:
            if not isinstance(value, dict):
                return None
            return [{"key": key, "value": inner(part)} for key, part in value.items()]

        return convert

    def _struct(self, kind: DataType) -> Convert:
        parts = [(field.name, self.of(field.type)) for field in kind.fields]

        def convert(value: Any) -> Any:
            if not isinstance(value, dict):
                return None
            keys = by_key(value)
            return {name: part(value_of(value, keys, name)) for name, part in parts}

        return convert


Keys = dict[tuple[str, ...], dict[str, str]]
"""What `by_key` said of rows with such names."""


def values_of(rows: Sequence[dict[str, Any]], name: str, known: Keys) -> list[Any]:
    """The values of a name in rows, None where it is not there: see `value_of`."""
    found: list[Any] = []
    for row in rows:
        if name in row:
            found.append(row[name])
            continue
        names = tuple(row)
        keys = known.get(names)
        if keys is None:
            if len(known) > _MOST_KNOWN:
                known.clear()
            keys = known[names] = by_key(row)
        found.append(value_of(row, keys, name))
    return found


def by_key(row: dict[str, Any]) -> dict[str, str]:
    """A row's own names by how names are compared; none for names that are alike."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name in row:
        key = name_key(name)
        if key in found:
            twice.add(key)
        found[key] = name
    return {key: name for key, name in found.items() if key not in twice}


def value_of(row: dict[str, Any], keys: dict[str, str], name: str) -> Any:
    """The value of a name: of just this one, else of the one that is the same but for case."""
    if name in row:
        return row[name]
    other = keys.get(name_key(name))
    return None if other is None else row[other]


def _atom(kind: DataType) -> Convert:
    if kind.kind == "string":
        return lambda value: value if isinstance(value, str) else as_json(value)
    if kind.kind == "boolean":
        return lambda value: value if isinstance(value, bool) else None
    if kind.kind in _BITS:
        return _integer(_BITS[kind.kind])
    if kind.kind in ("float", "double"):
        return _real
    if kind.kind == "decimal":
        return lambda value: _decimal(value, kind)
    return _bytes


def _integer(bits: int) -> Convert:
    def convert(value: Any) -> Any:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return value if whole and -(1 << bits) <= value < 1 << bits else None

    return convert


def _real(value: Any) -> float | None:
    if isinstance(value, str):
        return _WORDS.get(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _decimal(value: Any, kind: DataType) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        return None
    return rounded(str(value), kind)


def _bytes(value: Any) -> bytes | None:
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except (binascii.Error, ValueError):
        return None
