"""How a SQL cell fails: in a few lines, with the place in the text."""

from __future__ import annotations

from unicodedata import east_asian_width

from flowcat_jupyter.shared.errors import FlowcatError

_WIDTH = 120
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class SqlCellError(FlowcatError):
    """A SQL cell that failed; the cause is the error itself.

    IPython shows it as `_render_traceback_` gives it, without Python's frames, which would say
    nothing about the SQL.
    """

    code = "SqlCellError"

    def __init__(self, error: FlowcatError, query: str, hint: str | None = None) -> None:
        """Tell ``error`` with the line of ``query`` it is about; ``hint`` goes before its own."""
        super().__init__(
            error.message,
            condition=error.condition,
            sqlstate=error.sqlstate,
            line=error.line,
            column=error.column,
            hint=hint or error.hint,
        )
        self.kind = error.code
        self.query = query

    def _render_traceback_(self) -> list[str]:
        state = f" [{self.condition}]" if self.condition else ""
        lines = [headline(self.kind, self.message, state)]
        lines += place(self.query, self.line, self.column)
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return lines


def headline(kind: str, message: str, state: str = "") -> str:
    """The first line of a failed SQL cell."""
    return f"{_RED}{kind}{_PLAIN}{state}: {message}"


def place(query: str, line: int | None, column: int | None) -> list[str]:
    """The line of a query that an error is about, with a caret below its column.

    Both count from 1; nothing when the place is not known or not in the text.
    """
    lines = query.splitlines()
    if line is None or not 1 <= line <= len(lines):
        return []
    text = lines[line - 1]
    if column is None or not 1 <= column <= len(text) + 1:
        return [f"  line {line}:", f"    {text[:_WIDTH]}"]
    start = max(0, column - 1 - _WIDTH // 2)
    before = text[start : column - 1]
    shown = text[start : start + _WIDTH]
    return [f"  line {line}, column {column}:", f"    {shown}", f"    {_blank(before)}^"]


def _blank(text: str) -> str:
    """White space as wide as ``text`` is on a screen."""
    return "".join(
        "\t" if char == "\t" else "  " if east_asian_width(char) in "WF" else " " for char in text
    )
