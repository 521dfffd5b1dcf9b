"""DESCRIBE FUNCTION."""

from __future__ import annotations

import difflib
import re

from flowcat_jupyter.catalog.commanding.rows import Rows, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.capabilities import ENGINES, function_engines, titled
from flowcat_jupyter.sql.functions import Function

_ARGUMENTS = {
    "s": "string",
    "i": "int",
    "l": "bigint",
    "d": "double",
    "b": "boolean",
    "t": "date",
    "z": "timestamp",
    "n": "number",
    "x": "any",
    "e": "same type",
    "a": "array",
    "c": "constant",
    "m": "map",
    "y": "string or binary",
}
_GIVES = {
    "=": "the common type of its arguments",
    "0": "the type of its first argument",
    "item": "the array's items",
    "rule": "a type that follows from its arguments",
}
_KINDS = {
    functions.AGGREGATE: "It is computed over the rows of a group.",
    functions.WINDOW: "It is computed over a window, with OVER.",
    functions.GENERATOR: "It gives rows.",
}


def describe_function(_scene: Scene, statement: Describe) -> Rows:
    """What a function takes and gives.

    :raises SqlError: there is no such function.
    """
    name = statement.name[-1]
    found = functions.lookup(name, None) if len(statement.name) == 1 else None
    if found is None or found.name.startswith("__"):
        raise _unknown(statement.name)
    usage = f"{found.name}({signature(found.arguments)})"
    lines = [f"Function: {found.name}", f"Usage: {usage} - Returns {gives(found)}."]
    if statement.extended:
        lines.append(f"Extended Usage: {_more(found)}")
    return Rows(texts("function_desc"), tuple((line,) for line in lines))


def signature(arguments: str) -> str:
    """A function's arguments in words, those that may be left away in brackets."""
    required, _, optional = arguments.partition("?")
    text = ", ".join(_names(required))
    more = ", ".join(_names(optional))
    return f"{text}[, {more}]" if more else text


def gives(function: Function) -> str:
    """A function's type in words."""
    return _GIVES.get(function.result, function.result)


def _names(letters: str) -> list[str]:
    return [
        "…" if letter == "*" else _ARGUMENTS[letter] for letter in re.findall(r"[a-z*]", letters)
    ]


def _more(function: Function) -> str:
    engines = function_engines(function.name)
    told = [_KINDS.get(function.kind, "It is computed for each row.")]
    if len(engines) < len(ENGINES):
        told.append(f"It runs on {' and '.join(map(titled, engines))} alone.")
    return " ".join(told)


def _unknown(name: tuple[str, ...]) -> SqlError:
    near = difflib.get_close_matches(name[-1].lower(), functions.names(), n=1)
    return SqlError(
        f"There is no function {TableName(name).sql}.",
        condition="UNRESOLVED_ROUTINE",
        sqlstate="42883",
        hint=f"Did you mean {near[0]}?" if near else "SHOW FUNCTIONS lists what there is.",
    )
