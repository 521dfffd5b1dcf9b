"""What polars says when a query fails, as Spark's conditions in people's own names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import polars as pl

from flowcat_jupyter.engines.polars_rows import TOO_LARGE
from flowcat_jupyter.engines.sql_errors import (
    bad_index,
    bad_text,
    cast_overflow,
    cell_too_large,
    decimal_overflow,
    divide_by_zero,
    failed,
    moved_too_far,
    out_of_memory,
    overflow,
    too_many_rows,
    unsupported,
)
from flowcat_jupyter.shared.errors import FlowcatError, Internal, SqlError, Unavailable
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.sql.lowering.rounding import TIE_BREAK

_CONVERSION = re.compile(
    r"conversion from `(?P<origin>[^`]+)` to `(?P<to>[^`]+)` failed in column "
    r"'(?P<column>.*?)' for .*? values: \[(?P<values>.*?)\](?:\n|$)",
    re.DOTALL,
)
_TYPES = {
    "i8": "tinyint",
    "i16": "smallint",
    "i32": "int",
    "i64": "bigint",
    "f32": "float",
    "f64": "double",
    "date": "date",
}
_ZERO_DIVISOR = "22012"
_OUT_OF_BOUNDS = "22003"
_TOO_FAR = "22008"
_TOO_LARGE = "54000"
_SHORT = 120
_NO_MEMORY = (
    r"(?i)\bmmap\b|out of memory|os error 12\b|cannot allocate|(memory )?allocation .*failed"
)
_MOVED = re.compile(rf"\.?{TIE_BREAK}(?=$|[eE])")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MARKED = ("boolean", "timestamp")
"""Types whose name stands before a bad text, as in ``boolean:maybe``."""


@contextmanager
def translated(labels: Mapping[str, str]) -> Iterator[None]:
    """Turn polars' errors into the product's; ``labels`` name generated columns."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise translate(str(error), error, labels) from error
    except pl.exceptions.PanicException as error:
        raise translate(str(error), error, labels) from error
    except MemoryError as error:
        raise out_of_memory() from error
    except OverflowError as error:
        # What a function raised row by row comes as it is where the whole is collected.
        raise (cell_too_large() if TOO_LARGE in str(error) else Internal(str(error))) from error
    except FileNotFoundError as error:
        raise Unavailable(
            "A data file of the query is gone.", hint="The table may have changed; run it again."
        ) from error


def translate(text: str, error: BaseException, labels: Mapping[str, str]) -> FlowcatError:
    """The product's error for one of polars'."""
    conversion = _CONVERSION.search(text)
    if conversion:
        return _conversion(conversion, labels)
    for pattern, make in _KNOWN:
        if re.search(pattern, text):
            return make(text)
    if isinstance(error, pl.exceptions.ColumnNotFoundError):
        return _join_condition()
    if (
        isinstance(error, (pl.exceptions.SQLInterfaceError, pl.exceptions.SQLSyntaxError))
        or "not supported" in text
    ):
        return _unsupported(text)
    return system_fault(error) or Internal(f"{type(error).__name__}: {text}")


_RAISED: dict[str, Callable[[], FlowcatError]] = {
    _ZERO_DIVISOR: divide_by_zero,
    _OUT_OF_BOUNDS: bad_index,
    _TOO_FAR: moved_too_far,
    _TOO_LARGE: cell_too_large,
}
"""What the lowering has fail on purpose, by the number it has cast to a type that is too narrow."""


def _conversion(match: re.Match[str], labels: Mapping[str, str]) -> FlowcatError:
    origin, to = match["origin"], match["to"]
    value = _MOVED.sub("", _first(match["values"]))
    if (origin, to) == ("i32", "i8") and value in _RAISED:
        return _RAISED[value]()
    if origin == "str":
        return _bad_text(value, to, labels.get(match["column"]))
    if to.startswith("decimal"):
        return decimal_overflow(value, to.replace("[", "(").replace("]", ")"))
    if origin == "i64" or (origin, to) == ("i128", "i64"):
        return overflow(f"The result {value} does not fit {_TYPES.get(to, to)}.")
    where = f" of {labels[match['column']]}" if match["column"] in labels else ""
    return cast_overflow(f"{value}{where}", _TYPES.get(to, to))


def _first(listed: str) -> str:
    if listed.startswith('"'):
        end = 1
        while end < len(listed) and (listed[end] != '"' or listed[end - 1] == "\\"):
            end += 1
        return listed[1:end].replace('\\"', '"')
    return listed.split(",")[0].strip()


def _bad_text(value: str, to: str, label: str | None) -> SqlError:
    kind = _TYPES.get(to, "timestamp" if to.startswith("datetime") else to)
    mark, _, bare = value.partition(":")
    if mark in _MARKED:
        value, kind = bare, mark
    elif to.startswith("decimal") and _NUMBER.fullmatch(value):
        return decimal_overflow(value, kind.replace("[", "(").replace("]", ")"))
    return bad_text(value, kind.replace("[", "(").replace("]", ")"), label)


def _too_many_rows(_text: str) -> SqlError:
    return too_many_rows()


def _decimal_overflow(_text: str) -> SqlError:
    return overflow("A DECIMAL result needs more than 38 digits.")


def _wall_clock(_text: str) -> SqlError:
    return SqlError(
        "A local time does not exist, or exists twice, in the session's time zone.",
        condition="DATETIME_OVERFLOW",
        sqlstate="22008",
        hint="Use an instant with an offset, or the session time zone UTC.",
    )


def _join_condition() -> SqlError:
    """Names are generated, so a missing one is the engine's loss of a join's column."""
    return SqlError(
        "Not supported by the polars engine: an outer join on an expression of both tables.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Join on columns alone, or compute the expression in a sub-query first.",
    )


def _repeated_key(_text: str) -> SqlError:
    return SqlError(
        "Not supported by the polars engine: a join whose conditions say the same thing twice.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Leave out the condition that follows from another.",
    )


def _unsupported(text: str) -> SqlError:
    reason = text.split("\n", 1)[0]
    if len(reason) > _SHORT:
        reason = reason.split(":", 1)[0][:_SHORT]
    reason = re.sub(r"\b[a-z]\d+\b", "…", reason)
    return unsupported("polars", reason)


def _bad_pattern(_text: str) -> SqlError:
    return failed("polars", "a regular expression that is too large or that it cannot read")


_KNOWN: tuple[tuple[str, Callable[[str], FlowcatError]], ...] = (
    (r"expected no or a single value", _too_many_rows),
    (r"overflow in decimal|[Dd]ecimal.*(overflow|doesn't fit)", _decimal_overflow),
    (r"is ambiguous|is non-existent", _wall_clock),
    (r"cannot advance '.*' by |out-of-range date", lambda _: moved_too_far()),
    (r"regex (parse )?error|[Cc]ompiled regex", _bad_pattern),
    (r"joining with repeated key names", _repeated_key),
    (TOO_LARGE, lambda _: cell_too_large()),
    (_NO_MEMORY, lambda _: out_of_memory()),
)
