"""The patterns of SHOW."""

from __future__ import annotations

from collections.abc import Callable

from flowcat_jupyter.shared.names import name_key


def pattern(like: str | None) -> Callable[[str], bool]:
    """Whether a name fits: ``*`` is any text, ``|`` separates alternatives, case does not count.

    None fits all.
    """
    if like is None:
        return lambda _name: True
    choices = [name_key(choice.strip()).split("*") for choice in like.split("|")]
    return lambda name: any(_fits(name_key(name), parts) for parts in choices)


def _fits(name: str, parts: list[str]) -> bool:
    """Whether ``name`` is these parts with anything between them.

    No regular expression: many stars would take one exponentially long, inside a transaction.
    """
    first, *inner = parts
    if not inner:
        return name == first
    *inner, last = inner
    end = len(name) - len(last)
    if not name.startswith(first) or not name.endswith(last) or end < len(first):
        return False
    at = len(first)
    for part in inner:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
