"""Paths that stand for many files: several paths as one location, and Hadoop's patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from glob import has_magic

from flowcat_jupyter.shared.errors import Invalid

SEPARATOR = "\n"
"""What stands between the paths of a location that is several."""
MOST_ALTERNATIVES = 1000
_BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(path: str) -> bool:
    """Whether a path is one that may match several files."""
    return has_magic(path) or bool(_BRACES.search(path))


def fixed_part(path: str) -> str:
    """What of a path stands before the first part that is a pattern; the path if none is."""
    parts = path.split("/")
    first = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts))
    # Braces may reach over a slash: {a,b/c}.
    opened = next((at for at, part in enumerate(parts) if "{" in part), len(parts))
    kept = min(first, opened if is_pattern(path) else len(parts))
    return "/".join(parts[:kept]) or "/"


def alternatives(pattern: str) -> Iterator[str]:
    """A pattern without braces for each choice that its ``{a,b}`` leave.

    :raises Invalid: there are too many.
    """
    waiting: list[str] = [pattern]
    done: set[str] = set()
    while waiting:
        current = waiting.pop(0)
        found = _BRACES.search(current)
        if found is None:
            if current not in done:
                yield current
            done.add(current)
            continue
        before, after = current[: found.start()], current[found.end() :]
        waiting[:0] = [f"{before}{part}{after}" for part in found.group(1).split(",")]
        if len(waiting) + len(done) > MOST_ALTERNATIVES:
            raise Invalid(f"The pattern has more than {MOST_ALTERNATIVES:,} alternatives.")


def split_paths(said: str) -> list[str]:
    """The paths in a text, which commas outside of braces and brackets separate."""
    parts, depth, current = [], 0, ""
    for mark in said:
        depth += (mark in "{[") - (mark in "}]")
        if mark == "," and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += mark
    return [part for part in (*parts, current.strip()) if part]


def joined(paths: Sequence[str]) -> str:
    """Several paths as one location.

    :raises Invalid: there is none, or one holds a line break.
    """
    if not paths or any(SEPARATOR in path or "\r" in path for path in paths):
        raise Invalid(
            "A path is a text without line breaks.", condition="INVALID_LOCATION", sqlstate="42K03"
        )
    return SEPARATOR.join(paths)
