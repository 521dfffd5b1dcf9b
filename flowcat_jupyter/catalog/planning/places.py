"""Where in a text something stands."""

from __future__ import annotations

from flowcat_jupyter.sql.dialect import Piece


def place(piece: Piece, index: int) -> tuple[int, int]:
    """The 1-based line and column, in the user's whole text, of a character of a piece."""
    before = piece.text[:index]
    lines = before.count("\n")
    if not lines:
        return piece.line, piece.column + index
    return piece.line + lines, index - before.rfind("\n")
