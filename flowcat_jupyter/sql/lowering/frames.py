"""Relations made by a text and by columns that the engine's own expressions add to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A column to add: ``name`` says how it is made of ``inputs``, columns of the same frame.

    ``type`` is its Spark type; ``options`` are what was written out in the call.
    """

    name: str
    column: str
    inputs: tuple[str, ...]
    type: str
    options: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A relation called ``name``: the rows of ``sql`` and the columns of ``steps``."""

    name: str
    sql: str
    steps: tuple[Step, ...]
