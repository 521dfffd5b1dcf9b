"""Columns of Python objects, which pandas has for whatever it does not know the type of.

Their values must be of one kind: else a conversion takes the first one's and, as with dates among
times, may cut the others without a word.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from typing import Any

from flowcat_jupyter.shared.errors import Invalid

_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("text", (str,)),
    ("bytes", (bytes, bytearray, memoryview)),
    ("truth values", (bool,)),
    ("decimals", (Decimal,)),
    ("numbers", (Integral, Real)),
    ("times", (datetime,)),
    ("dates", (date,)),
    ("times of day", (time,)),
    ("durations", (timedelta,)),
    ("structs", (dict,)),
    ("lists", (list, tuple)),
)
_FIX = "Convert the column to one type, for example: df[{name!r}] = df[{name!r}].astype(str)"
# Of one kind by pandas' own, fast account. Not "date": times pass for dates there.
_PLAIN = frozenset(
    ["string", "bytes", "floating", "integer", "mixed-integer-float", "decimal", "boolean", "empty"]
)


def check_objects(data: Any) -> None:
    """Check every column of objects of a pandas DataFrame.

    :raises Invalid: one has values of two kinds, or of none that a table knows; the message names
        the column and the first value that does not fit.
    """
    from pandas.api.types import infer_dtype

    for place, name in enumerate(data.columns):
        column = data.iloc[:, place]
        if column.dtype == object and infer_dtype(column, skipna=True) not in _PLAIN:
            _check(name, column)


def _check(name: Any, column: Any) -> None:
    first = None
    present = column.notna().to_numpy()
    for row, value in enumerate(column.array):
        if not present[row]:
            continue
        kind = _kind(value)
        if kind is None:
            raise Invalid(
                f"Column {name} holds in row {row} a value that no table can hold, of type "
                f"{type(value).__name__}.",
                hint=_FIX.format(name=name),
            )
        first = first or kind
        if kind != first:
            raise Invalid(
                f"Column {name} holds {first} and, in row {row}, {kind}: {_shown(value)}.",
                hint=_FIX.format(name=name),
            )


def _kind(value: Any) -> str | None:
    for kind, types in _KINDS:
        if isinstance(value, types):
            return kind
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return "lists" if getattr(value, "ndim", 0) else _kind(value.tolist())
    return None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else "".join(islice(text, 60)) + "…"
