"""Failing on purpose: texts that the engine raises and the adapter knows again."""

from __future__ import annotations

from flowcat_jupyter.sql.quoting import literal

MARK = "flowcat:"
TOO_LARGE = "CELL_TOO_LARGE"
"""The condition of a value that would be larger than a cell may be."""


def fail(condition: str, detail: str = "''") -> str:
    """SQL that fails with Spark's ``condition`` when it is evaluated; ``detail`` is SQL of a text.

    It may stand where a value of any type may.
    """
    return f"error({literal(MARK + condition + ':')} || COALESCE({detail}, ''))"
