"""What DuckDB says when a query fails, as Spark's conditions in people's own names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import duckdb
import polars as pl

from flowcat_jupyter.engines import sql_errors
from flowcat_jupyter.shared.errors import (
    FlowcatError,
    Internal,
    LimitExceeded,
    SqlError,
    Unavailable,
)
from flowcat_jupyter.sql.lowering.duckdb.failing import MARK, TOO_LARGE

_TYPES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "int",
    "INT64": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
}
_RANGE = re.compile(r"Type (\w+) with value (\S+) can't be cast .* destination type (\w+)", re.S)
_DECIMAL_TO = re.compile(r"Failed to cast decimal value (\S+) to type (\w+)")
_TO_DECIMAL = re.compile(
    r"(?:Could not cast value|Casting value) \"?([^\"\s]+)\"? to (?:type )?(DECIMAL\(\d+,\d+\))"
)
_TEXT = re.compile(r"Could not convert string (?:'(.*?)'|\"(.*?)\") to ([\w(),]+)", re.S)
_RAISED = re.compile(re.escape(MARK) + r"([A-Z_]+):(.*)", re.S)
_ZERO_DIVISOR, _OUT_OF_BOUNDS = "22012", "22003"
# DuckDB says so of values and arguments, never of its own state.
_OF_VALUES = re.compile(r"(?:Invalid Input|Conversion|Out of Range) Error: (.+)", re.S)
_EXPLAINED = "\n\nLINE "
# An error of ours, raised while polars read a frame for DuckDB: its class and its message.
_RELAYED = re.compile(r"IOError: python: (\w+): (.+)", re.S)


@contextmanager
def translated(labels: Mapping[str, str]) -> Iterator[None]:
    """Turn DuckDB's errors, also those that come through Arrow or polars, into the product's."""
    try:
        yield
    except FlowcatError:
        raise
    except (duckdb.Error, pl.exceptions.PolarsError) as error:
        raise translate(str(error), labels) from error
    except Exception as error:
        # Arrow's reader has an exception of its own, which no module names.
        if "Error: " not in str(error):
            raise
        raise translate(str(error), labels) from error


def translate(text: str, labels: Mapping[str, str]) -> FlowcatError:
    """The product's error for a text of DuckDB's."""
    text = text.split(_EXPLAINED)[0].strip()
    raised = _RAISED.search(text)
    if raised:
        return _raised(raised[1], raised[2].strip(), labels)
    relayed = _RELAYED.search(text)
    if relayed:
        error = FlowcatError.from_wire({"code": relayed[1], "message": relayed[2]})
        return Internal(text) if isinstance(error, Internal) else error
    for pattern, make in _KNOWN:
        match = pattern.search(text)
        if match:
            return make(match)
    if re.search(r"(Binder|Catalog|Parser|Not implemented) Error", text):
        reason = re.sub(r"\b[a-z]\d+\b", lambda it: labels.get(it[0], "…"), text)
        return sql_errors.unsupported("duckdb", reason.split("Error: ", 1)[-1].splitlines()[0])
    failed = _OF_VALUES.search(text)
    if failed:
        return sql_errors.failed("duckdb", failed[1].splitlines()[0])
    return Internal(text)


def _raised(condition: str, detail: str, labels: Mapping[str, str]) -> FlowcatError:
    """The failure that the generated text asked for.

    ``detail`` is a type, a generated column's name or nothing, and a value; or a message.
    """
    kind, _, rest = detail.partition(":")
    column, _, value = rest.partition(":")
    if condition == "CAST_INVALID_INPUT":
        return sql_errors.bad_text(value, kind, labels.get(column))
    if condition == "NUMERIC_VALUE_OUT_OF_RANGE":
        return sql_errors.decimal_overflow(value, kind)
    if condition == "INVALID_ARRAY_INDEX":
        return sql_errors.bad_index()
    if condition == "DIVIDE_BY_ZERO":
        return sql_errors.divide_by_zero()
    if condition == TOO_LARGE:
        return sql_errors.cell_too_large()
    message = detail or f"The query failed: {condition}."
    return SqlError(message, condition=condition, sqlstate=_STATES.get(condition, "22000"))


_STATES = {
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": "22003",
    "DUPLICATED_MAP_KEY": "23505",
    "NULL_MAP_KEY": "2200E",
    "CANNOT_PARSE_TIMESTAMP": "22007",
    "DATETIME_FIELD_OUT_OF_BOUNDS": "22023",
}


def _out_of_range(match: re.Match[str]) -> FlowcatError:
    origin, value, to = match.groups()
    if (origin, to) == ("INT32", "INT8") and value == _ZERO_DIVISOR:
        return sql_errors.divide_by_zero()
    if (origin, to) == ("INT32", "INT8") and value == _OUT_OF_BOUNDS:
        return sql_errors.bad_index()
    kind = _TYPES.get(to, to.lower())
    if origin == "INT64" or (origin, to) == ("INT128", "INT64"):
        return sql_errors.overflow(f"The result {value} does not fit {kind}.")
    return sql_errors.cast_overflow(value, kind)


def _of_decimal(match: re.Match[str]) -> FlowcatError:
    return sql_errors.cast_overflow(match[1], _TYPES.get(match[2], match[2].lower()))


def _to_decimal(match: re.Match[str]) -> FlowcatError:
    return sql_errors.decimal_overflow(match[1], match[2].lower())


def _of_text(match: re.Match[str]) -> FlowcatError:
    value, kind = match[1] or match[2] or "", match[3]
    return sql_errors.bad_text(value, _TYPES.get(kind, kind.lower()))


def _decimal_overflow(_match: re.Match[str]) -> FlowcatError:
    return sql_errors.overflow("A DECIMAL result needs more than 38 digits.")


def _no_memory(_match: re.Match[str]) -> FlowcatError:
    return LimitExceeded(
        "The worker's memory limit was met.",
        hint="Select fewer columns or rows, or raise the worker's memory limit.",
    )


def _no_file(_match: re.Match[str]) -> FlowcatError:
    return Unavailable(
        "A data file of the query is gone.", hint="The table may have changed; run it again."
    )


def _plainly(message: str, condition: str) -> Callable[[re.Match[str]], FlowcatError]:
    state = _STATES.get(condition, "22000")
    return lambda _: SqlError(message, condition=condition, sqlstate=state)


def _out_of_double(_match: re.Match[str]) -> FlowcatError:
    return sql_errors.overflow("A statistic of infinite or very large numbers has no value.")


def _too_far(_match: re.Match[str]) -> FlowcatError:
    return sql_errors.moved_too_far()


_KNOWN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], FlowcatError]], ...] = (
    (_RANGE, _out_of_range),
    (_DECIMAL_TO, _of_decimal),
    (_TO_DECIMAL, _to_decimal),
    (_TEXT, _of_text),
    (re.compile(r"More than one row returned by a subquery"), lambda _: sql_errors.too_many_rows()),
    (re.compile(r"Overflow in \w+ (of DECIMAL|addition)|Overflow on"), _decimal_overflow),
    (re.compile(r"Needed scale \d+ to accurately"), _decimal_overflow),
    (re.compile(r"Out of Memory Error"), _no_memory),
    (
        re.compile(r"Map keys must be unique"),
        _plainly("A map has one key twice.", "DUPLICATED_MAP_KEY"),
    ),
    (re.compile(r"Map keys can not be NULL"), _plainly("A map's key is NULL.", "NULL_MAP_KEY")),
    (
        re.compile(r"map key list does not align"),
        _plainly("A map has more keys than values, or fewer.", "INVALID_PARAMETER_VALUE"),
    ),
    (
        re.compile(r"Date out of range: (\S+)"),
        _plainly("A year, month and day are no date.", "DATETIME_FIELD_OUT_OF_BOUNDS"),
    ),
    (re.compile(r"Out of Range Error: \w+(?: for [XY])? is out of range"), _out_of_double),
    (re.compile(r"Date out of range|not in timestamp range|Timestamp .* out of range"), _too_far),
    (re.compile(r"IO Error: (No files found|Cannot open file)"), _no_file),
)
