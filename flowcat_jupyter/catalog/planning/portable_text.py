"""How a condition's text is spelled so that no engine reads it otherwise."""

from __future__ import annotations

import re

FUNCTIONS = {
    "length": ("text", "number"),
    "char_length": ("text", "number"),
    "character_length": ("text", "number"),
    "upper": ("text", "text"),
    "lower": ("text", "text"),
    "abs": ("number", "number"),
}
"""Functions of one argument: of what it is, and what the answer is."""
CHANGING = frozenset(
    re.findall(
        r"\w+",
        """rand random randn uuid now current_timestamp current_date current_user current_time
    localtimestamp curdate user session_user unix_timestamp""",
    )
)
"""Functions whose answer is another one each time."""

LITTLE = (
    "A condition compares columns, literals, + - *, LIKE, IN, BETWEEN, IS NULL, CASE, length, "
    "upper, lower, trim, abs and coalesce."
)


def bare(text: str) -> str:
    """A text without parentheses around the whole of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for at, mark in enumerate(re.sub(r"'[^']*'|`(?:[^`]|``)*`", _blank, text)):
        depth += (mark == "(") - (mark == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def decimal_text(text: str) -> str:
    """A number with a fraction as an exact decimal: some engines would take it for a float."""
    whole, _, fraction = text.partition(".")
    digits = max(len(whole.lstrip("0")) + len(fraction), 1)
    return f"CAST('{whole or 0}.{fraction}' AS DECIMAL({digits},{len(fraction)}))"


def family_of(kind: str) -> str:
    """What values of a column's type are compared as; those of no family are only NULL or not."""
    if kind.startswith(("decimal", "float", "double")) or kind.endswith("int"):
        return "number"
    families = {"string": "text", "timestamp_ntz": "timestamp"}
    return families.get(kind, kind if kind in ("date", "timestamp", "boolean") else "value")
