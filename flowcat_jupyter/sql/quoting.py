"""Writing identifiers and text literals."""

from __future__ import annotations


def identifier(name: str) -> str:
    """``name`` as an identifier of the generated SQL, always quoted."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """``text`` as a string of the generated SQL, which knows no escapes but a doubled quote."""
    return "'" + text.replace("'", "''") + "'"
