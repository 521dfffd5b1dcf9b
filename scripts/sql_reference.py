"""``python -m scripts.sql_reference`` writes the tables of docs/reference/sql.md.

They are those of constructs and of functions, with the engines that have each.
"""

from __future__ import annotations

from pathlib import Path

from flowcat_jupyter.catalog.commanding.functions import signature
from flowcat_jupyter.sql.capabilities import CONSTRUCTS, ENGINES, function_engines, titled
from flowcat_jupyter.sql.functions import Function, lookup, names

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/sql.md"
BEGIN, END = "<!-- {0}: begin -->\n", "<!-- {0}: end -->\n"
_KINDS = {"scalar": "", "aggregate": "aggregate", "window": "window", "generator": "gives rows"}


def functions() -> str:
    """One line a function, sorted."""
    head = "| function | gives | kind | engines |\n|---|---|---|---|\n"
    return head + "".join(_line(found) for name in names() if (found := lookup(name, None)))


def constructs() -> str:
    """One line a construct."""
    head = "| construct | polars | DuckDB | instead |\n|---|---|---|---|\n"
    lines = []
    for item in CONSTRUCTS:
        marks = " | ".join("yes" if name in item.engines else "no" for name in ENGINES)
        instead = item.instead if len(item.engines) < len(ENGINES) else ""
        lines.append(f"| {item.name} | {marks} | {instead.replace('|', chr(92) + '|')} |\n")
    return head + "".join(lines)


def _engines(name: str) -> str:
    found = function_engines(name)
    return "" if len(found) == len(ENGINES) else f"{' '.join(map(titled, found))} alone"


def _line(function: Function) -> str:
    gives = {
        "=": "the common type",
        "0": "its argument's type",
        "item": "the array's items",
        "rule": "follows its arguments",
    }.get(function.result, function.result)
    call = f"`{function.name}({signature(function.arguments)})`"
    return f"| {call} | {gives} | {_KINDS[function.kind]} | {_engines(function.name)} |\n"


def page(text: str) -> str:
    """``text`` with the tables between their marks brought up to date."""
    for name, table in (("constructs", constructs()), ("functions", functions())):
        before, _, rest = text.partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        text = f"{before}{BEGIN.format(name)}\n{table}\n{END.format(name)}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
