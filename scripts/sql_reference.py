"""``python -m scripts.sql_reference`` writes the table of functions in docs/reference/sql.md."""

from __future__ import annotations

import re
from pathlib import Path

from flowcat_jupyter.sql.functions import FUNCTIONS, Function, names

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/sql.md"
BEGIN, END = "<!-- functions: begin -->\n", "<!-- functions: end -->\n"
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
}
_KINDS = {"scalar": "", "aggregate": "aggregate", "window": "window", "generator": "gives rows"}


def table() -> str:
    """One line a function, sorted."""
    head = "| function | gives | kind |\n|---|---|---|\n"
    return head + "".join(_line(FUNCTIONS[name]) for name in names())


def _line(function: Function) -> str:
    gives = {
        "=": "the common type",
        "0": "its argument's type",
        "item": "the array's items",
        "rule": "follows its arguments",
    }.get(function.result, function.result)
    call = f"`{function.name}({_signature(function.arguments)})`"
    return f"| {call} | {gives} | {_KINDS[function.kind]} |\n"


def _signature(arguments: str) -> str:
    required, _, optional = arguments.partition("?")
    parts = _names(required)
    text = ", ".join(parts)
    if not optional:
        return text
    more = ", ".join(_names(optional))
    return f"{text}[, {more}]"


def _names(letters: str) -> list[str]:
    return [
        "…" if letter == "*" else _ARGUMENTS[letter] for letter in re.findall(r"[a-z*]", letters)
    ]


def page(text: str) -> str:
    """``text`` with the table between its marks brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
