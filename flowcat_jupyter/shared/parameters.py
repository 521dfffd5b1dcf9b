"""What functions that people make take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """What a function takes: a value of ``type`` (Spark's DDL), by ``default`` (SQL) if it is
    left away.
    """

    name: str
    type: str
    default: str | None = None
    comment: str | None = None
