"""DESCRIBE FUNCTION."""

from __future__ import annotations

import difflib
import re

from flowcat_jupyter.catalog.commanding.rows import Rows, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.functions import BUILT_IN, FunctionText
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.parameters import Parameter
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


def describe_function(scene: Scene, statement: Describe) -> Rows:
    """What a function takes and gives.

    :raises SqlError: there is no such function.
    """
    name = statement.name[-1]
    built_in = tuple(map(name_key, statement.name[:-1])) in ((), *BUILT_IN)
    found = functions.lookup(name, None) if built_in else None
    if found is None or found.name.startswith("__"):
        made = scene.function(statement.name)
        if made is None:
            raise _unknown(statement.name)
        lines = told(made, extended=statement.extended)
        return Rows(texts("function_desc"), tuple((line,) for line in lines))
    usage = f"{found.name}({signature(found.arguments)})"
    lines = [f"Function: {found.name}", f"Usage: {usage} - Returns {gives(found)}."]
    if statement.extended:
        lines.append(f"Extended Usage: {_more(found)}")
    return Rows(texts("function_desc"), tuple((line,) for line in lines))


def told(function: FunctionText, *, extended: bool) -> list[str]:
    """What there is to say of a function that somebody made, line by line as Spark does.

    What it stands for is told to who manages it: it may name what others do not see.
    """
    inputs = [_parameter(item, extended=extended) for item in function.parameters] or ["()"]
    facts = [
        ("Function", [function.sql_name]),
        ("Type", ["SCALAR"]),
        ("Input", inputs),
        ("Returns", [(function.returns or "void").upper()]),
    ]
    if extended:
        facts.append(("Comment", [function.comment] if function.comment else []))
        facts.append(("Deterministic", [str(function.deterministic).lower()]))
        facts.append(("Catalog", [function.catalog]))
        facts.append(("Schema", [function.schema]))
        facts.append(("Body", function.body.splitlines() if function.told else []))
    wide = max(len(label) for label, _ in facts) + 2
    return [
        f"{f'{label}:' if not at else '':{wide}}{text}"
        for label, lines in facts
        for at, text in enumerate(lines)
    ]


def _parameter(parameter: Parameter, *, extended: bool) -> str:
    text = f"{parameter.name} {parameter.type.upper()}"
    if extended and parameter.default is not None:
        text += f" DEFAULT {parameter.default}"
    if extended and parameter.comment is not None:
        quoted = parameter.comment.replace("'", "''")
        text += f" '{quoted}'"
    return text


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
