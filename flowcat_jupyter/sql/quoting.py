"""Writing identifiers and text literals."""

from __future__ import annotations


def identifier(name: str) -> str:
    """``name`` as an identifier of the generated SQL, always quoted."""
    return '"' + name.replace('"', '""') + '"'


def column_name(name: str, at: int) -> str:
    """What a relation's column number ``at`` is called in the generated SQL.

    Its own name, unless polars would take that for a pattern of names even in quotes.
    """
    return f"__flowcat_{at}" if is_pattern(name) else name


def is_pattern(name: str) -> bool:
    """Whether polars takes ``name`` for a pattern of names."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def literal(text: str) -> str:
    """``text`` as a string of the generated SQL, which knows no escapes but a doubled quote."""
    return "'" + text.replace("'", "''") + "'"
