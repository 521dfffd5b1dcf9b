"""Every scalar function on every column of the awkward table that fits, nothing left to chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from flowcat_jupyter.sql.functions import FUNCTIONS, SCALAR, Function
from tests.support.awkward import COLUMNS, NAME, ROWS
from tests.support.expressions import ALIKE, CASTS, CONSTANTS, NOT_ASKED, SMALL

_NUMBERS = ("t", "l", "q", "r", "f", "x")
_FITTING = {
    "s": ("c", "n", "y"),
    "i": ("t", "i"),
    "l": ("l",),
    "d": ("f", "x", "r"),
    "b": ("b",),
    "t": ("d",),
    "z": ("m",),
    "n": _NUMBERS,
    "x": ("t", "l", "r", "x", "n", "b", "d", "m"),
    "e": ("i", "l", "r", "f", "x", "c", "b", "d", "m"),
    "a": ("a",),
    "y": ("c",),
}
"""Columns by the letter of an argument."""
_SMALL = ("2", "-1")
MOST = 36
"""Calls of one function."""


def _choices(function: Function, letter: str) -> Sequence[str]:
    name = ALIKE.get(function.name, function.name)
    if letter == "c":
        return CONSTANTS.get(name, ("1", "'a'"))[:3]
    if letter in "il" and name in SMALL:
        return _SMALL
    if letter == "x" and function.spelling.startswith(("part:", "date_part")):
        return ("d", "m")
    if letter == "x" and function.spelling.startswith(("to_date", "to_timestamp")):
        return ("y", "n")
    return _FITTING.get(letter, ())


def _calls(function: Function) -> Iterator[str]:
    required, _, optional = function.arguments.replace("*", "").partition("?")
    for letters in dict.fromkeys((required, required + optional)):
        each = [_choices(function, letter) for letter in letters]
        combined = list(product(*each))
        if "e" in letters:
            # Of one common type: a column with itself.
            combined = [given for given in combined if len(set(given)) == 1] or combined
        step = max(1, -(-len(combined) // MOST))
        yield from (f"{function.name}({', '.join(given)})" for given in combined[::step])


def _casts() -> Iterator[str]:
    for column in COLUMNS:
        for kind in dict.fromkeys(kind for kinds in CASTS.values() for kind in kinds):
            yield f"TRY_CAST({column} AS {kind})"
            yield f"CAST({column} AS {kind})"


def expressions() -> list[str]:
    """The expressions: calls of every function, then casts of every column to every type."""
    asked = [item for item in FUNCTIONS.values() if item.kind == SCALAR]
    found = [call for item in asked if item.name not in NOT_ASKED for call in _calls(item)]
    return list(dict.fromkeys((*found, *_casts())))


def whole(expression: str) -> str:
    """A statement that asks for an expression of all rows."""
    return " ".join(("SELECT", expression, f"AS y FROM {NAME} ORDER BY id"))


def each(expression: str) -> list[str]:
    """A statement for every row: where one fails, the others are asked all the same."""
    rows = range(1, len(ROWS) + 1)
    return [" ".join(("SELECT", expression, f"AS y FROM {NAME} WHERE id = {at}")) for at in rows]
