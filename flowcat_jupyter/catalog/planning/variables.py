"""Session variables: DECLARE, SET VARIABLE and DROP TEMPORARY VARIABLE."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A variable of a session; ``sql`` is its value and ``default`` the one it began with, as
    typed SQL.
    """

    name: str
    type: str
    sql: str
    default: str
