"""How much plan a text makes whose WITH clauses read one another."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flowcat_jupyter.shared.errors import SqlError

_NAMED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<!AS )\b(?P<name>[wf]\d+)\b(?!\.)(?P<body> AS \()?"
)
_LONGEST = 100
"""Planning takes the cube of this: three seconds for a hundred, all memory for four hundred."""
_LARGEST = 20_000
_DEEPEST = 6
"""polars converts a frame about five times for the one that reads it: a second for six in a row."""


def check_chains(texts: Iterable[tuple[str, str]]) -> None:
    """Refuse generated texts that polars could only plan in minutes, or with all memory.

    It plans what a name stands for anew wherever that name is read. ``texts`` are those of frames
    with their names, and last the whole.

    :raises SqlError: one reads another too many times over.
    """
    length: dict[str, int] = {}
    size: dict[str, int] = {}
    frames: dict[str, int] = {}
    for text, sql in texts:
        inside = text
        own = [text]
        length[text] = size[text] = 1
        frames[text] = 0
        for match in _NAMED.finditer(sql):
            name = match["name"]
            if match["body"]:
                inside = name
                own.append(name)
                length[name] = size[name] = 1
                frames[name] = 0
            elif name in size and name != inside:
                length[inside] = max(length[inside], length[name] + 1)
                size[inside] += size[name]
                frames[inside] = max(frames[inside], frames[name])
            if length[inside] > _LONGEST or size[inside] > _LARGEST or frames[inside] > _DEEPEST:
                raise _too_many()
        # The end of a text stands in none of its parts and may read each.
        for measure in (length, size, frames):
            measure[text] = max(measure[name] for name in own)
        frames[text] += 1


def _too_many() -> SqlError:
    return SqlError(
        "The queries in WITH read one another too many times over.",
        condition="FAILED_TO_PARSE_TOO_COMPLEX",
        sqlstate="54001",
        hint="Write some of them into tables of their own, or use the engine duckdb.",
    )
