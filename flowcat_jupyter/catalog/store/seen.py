"""What a caller sees, as something a query can join."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select

from flowcat_jupyter.shared.errors import Invalid

MAX_PAGE = 1000
LITTLE = 2000
"""Visible securables that are sooner read whole than found among the others."""
ACCESS: tuple[str | None, ...] = (None, "browse", "use", "manage", "owner")
NAME, BROWSE, USE, MANAGE, OWNER = range(5)


@dataclass(frozen=True)
class Seen:
    """Ids of visible securables and the caller's rank on each (an index of `ACCESS`).

    Made to be asked about one securable, or about many of which most are visible. ``walk`` is the
    same set, read from what was granted: quicker where little is visible of much, which ``probe``
    (its rows, each once or more) tells.
    """

    source: FromClause
    id: ColumnElement[int]
    rank: ColumnElement[int]
    walk: Seen | None = None
    probe: Select[Any] | None = None

    def little(self, connection: Connection) -> Seen | None:
        """The set read from what was granted, if that is the quicker way to list things."""
        if self.walk is None or self.probe is None:
            return None
        some = connection.execute(self.probe.limit(LITTLE + 1)).all()
        return self.walk if len(some) <= LITTLE else None


def storable(text: str) -> bool:
    """Whether both databases could hold ``text``; what could not be stored matches nothing."""
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_text(text: str | None, what: str) -> str | None:
    """``text`` unchanged.

    :raises Invalid: it holds a NUL or half of a surrogate pair, which no database stores.
    """
    if text is not None and not storable(text):
        raise Invalid(
            f"The {what} holds a character that cannot be stored.",
            hint="Remove NUL characters and broken emoji from the text.",
        )
    return text


def check_limit(limit: int) -> int:
    """A page's size, at most `MAX_PAGE`.

    :raises Invalid: it is less than one.
    """
    if limit < 1:
        raise Invalid("A page holds at least one row.", hint="Ask for limit=1 or more.")
    return min(limit, MAX_PAGE)


def write_cursor(*values: Any) -> str:
    """A page's end as text that a client hands back unread."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_cursor(text: str, *types: type) -> list[Any]:
    """The values of a cursor.

    :raises Invalid: it is not one of ours.
    """
    try:
        body = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        values = json.loads(body)
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _bad_cursor() from error
    fits = isinstance(values, list) and len(values) == len(types)
    if not fits or not all(map(_is, values, types)):
        raise _bad_cursor()
    return list(values)


def _is(value: Any, wanted: type) -> bool:
    if wanted is int:
        return isinstance(value, int) and abs(value) < 2**63
    return isinstance(value, str) and storable(value)


def _bad_cursor() -> Invalid:
    return Invalid(
        "The cursor in `after` is not one this list gave out.",
        hint="Start again without `after`.",
    )
