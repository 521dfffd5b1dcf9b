"""Defaults of a Delta table's columns, which the log keeps and whoever writes fills in.

They are kept where Spark keeps them, without the table feature that would say so: the library
writes to no table that has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_assign import assign, plan_assignment
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column

DEFAULT = "CURRENT_DEFAULT"

_TEXT = r"'((?:[^'\\]|''|\\.)*)'"
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b"}


def defaults_of(snapshot: Snapshot) -> dict[str, str]:
    """Each column's default as SQL, of those that have one."""
    fields = json.loads(snapshot.table.schema().to_json())["fields"]
    return {
        field["name"]: str(field["metadata"][DEFAULT])
        for field in fields
        if DEFAULT in field["metadata"]
    }


def fillings(snapshot: Snapshot) -> dict[str, pl.Series]:
    """By folded column name the one value that its default is at this moment, as it is stored.

    A default that another engine has set and that is not understood here is left out.

    :raises Invalid: a default does not fit its column.
    """
    return filled(snapshot.columns, defaults_of(snapshot))


def filled(columns: Sequence[Column], defaults: Mapping[str, str]) -> dict[str, pl.Series]:
    """The same for columns and defaults that are given."""
    known = {name_key(name): text for name, text in defaults.items()}
    found: dict[str, pl.Series] = {}
    for column in columns:
        text = known.get(name_key(column.name))
        value = None if text is None else _value(text, column)
        if value is not None:
            found[name_key(column.name)] = value
    return found


def check_default(column: Column, text: str) -> None:
    """Check that a default can be filled in.

    :raises Invalid: it cannot.
    """
    if _value(text, column) is None:
        raise Invalid(
            f"The default {text} of column {column.name} is not a value.",
            condition="INVALID_DEFAULT_VALUE.NOT_CONSTANT",
            sqlstate="42623",
            hint="Give a literal such as 0, 'none' or DATE '2026-01-31', or current_timestamp().",
        )


def _value(text: str, column: Column) -> pl.Series | None:
    given = _literal(text.strip())
    if given is None:
        return None
    frame = pl.DataFrame([given.alias(column.name)])
    return assign(frame, plan_assignment(frame.schema, [column]))[column.name]


def _literal(text: str) -> pl.Series | None:
    """A literal's value; None for any other expression."""
    for pattern, read in _LITERALS:
        match = re.fullmatch(pattern, text, re.IGNORECASE | re.DOTALL)
        if match:
            try:
                return read(*match.groups())
            except (PolarsError, ValueError):
                return None
    return None


def _number(text: str) -> pl.Series:
    exact = Decimal(text.replace(" ", ""))
    if "e" in text.lower():
        return pl.Series([float(exact)])
    if exact == exact.to_integral_value() and "." not in text:
        return pl.Series([int(exact)])
    return pl.Series([exact])


def _text(body: str) -> str:
    plain = body.replace("''", "'")
    return re.sub(r"\\(.)", lambda m: _ESCAPED.get(m[1], m[1]), plain, flags=re.DOTALL)


def _date(body: str) -> pl.Series:
    return pl.Series([_text(body).strip()]).str.to_date("%Y-%m-%d")


def _of(*values: Any) -> pl.Series:
    return pl.Series(list(values))


_LITERALS: tuple[tuple[str, Callable[..., pl.Series]], ...] = (
    (r"NULL", lambda: _of(None)),
    (r"TRUE", lambda: _of(True)),
    (r"FALSE", lambda: _of(False)),
    (r"(-? ?[0-9]+(?:\.[0-9]*)?(?:E[+-]?[0-9]+)?)", _number),
    (_TEXT, lambda body: _of(_text(body))),
    (rf"DATE {_TEXT}", _date),
    (rf"CAST\({_TEXT} AS DATE\)", _date),
    (r"(?:CURRENT_TIMESTAMP|NOW)(?:\(\))?", lambda: _of(datetime.now(UTC))),
)
