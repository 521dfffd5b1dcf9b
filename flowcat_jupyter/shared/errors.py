"""Everything that can go wrong, once.

    FlowcatError
    ├── NotFound          nothing of that kind and name is visible to the caller
    ├── AlreadyExists     the name is taken
    ├── Conflict          somebody else was faster, or the object is in the wrong state
    ├── Invalid           the request cannot mean anything
    │   └── SqlError      … and the place in the SQL text is known
    ├── Forbidden         visible, but not allowed
    ├── Unavailable       try again later
    ├── Gone              it was there, and its data have been removed
    ├── NotInstalled      an optional part is missing
    ├── LimitExceeded     a time, memory, row or size limit was met
    ├── Cancelled         the caller asked for it to stop
    └── Internal          a fault of ours; its text never leaves the server

Errors are raised with kind and name (``NotFound("table", name)``). HTTP status belongs to
``handlers/base.py``; conditions and SQLSTATEs are Apache Spark's where it has one.
"""

from __future__ import annotations

from typing import Any, ClassVar


class FlowcatError(Exception):
    """Root of every error the product raises on purpose.

    ``message`` says what happened, ``hint`` what to do; a traceback prints the hint as a note
    below the message. ``condition`` and ``sqlstate`` are Spark's error class and ANSI state.
    ``line`` and ``column`` are 1-based places in the caller's text.
    """

    code: ClassVar[str] = "FlowcatError"

    def __init__(
        self,
        message: str,
        *,
        condition: str | None = None,
        sqlstate: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        """An error that says ``message``."""
        super().__init__(message)
        self.message = message
        self.condition = condition
        self.sqlstate = sqlstate
        self.line = line
        self.column = column
        self.hint = hint
        if hint:
            self.add_note(f"Hint: {hint}")

    def to_wire(self) -> dict[str, Any]:
        """The error as JSON: the code, the message and every field that is set."""
        fields = {
            "condition": self.condition,
            "sqlstate": self.sqlstate,
            "line": self.line,
            "column": self.column,
            "hint": self.hint,
        }
        known = {key: value for key, value in fields.items() if value is not None}
        return {"code": self.code, "message": self.message, **known}

    @staticmethod
    def from_wire(body: dict[str, Any]) -> FlowcatError:
        """The error that :meth:`to_wire` was made from; an unknown code becomes `Internal`."""
        kind = _KINDS.get(str(body.get("code")), Internal)
        error = kind.__new__(kind)
        FlowcatError.__init__(
            error,
            str(body.get("message", "unknown error")),
            **{key: body.get(key) for key in _FIELDS},
        )
        return error


_CONDITIONS = {
    "catalog": ("CATALOG_NOT_FOUND", "42P08"),
    "schema": ("SCHEMA_NOT_FOUND", "42704"),
    "table": ("TABLE_OR_VIEW_NOT_FOUND", "42P01"),
    "view": ("TABLE_OR_VIEW_NOT_FOUND", "42P01"),
    "function": ("ROUTINE_NOT_FOUND", "42883"),
    "column": ("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "42703"),
    "file": ("PATH_NOT_FOUND", "42K03"),
}
_TAKEN = {
    "schema": ("SCHEMA_ALREADY_EXISTS", "42P06"),
    "table": ("TABLE_OR_VIEW_ALREADY_EXISTS", "42P07"),
    "view": ("TABLE_OR_VIEW_ALREADY_EXISTS", "42P07"),
    "function": ("ROUTINE_ALREADY_EXISTS", "42723"),
}
_FIELDS = ("condition", "sqlstate", "line", "column", "hint")


class NotFound(FlowcatError):
    """No object of this kind and name is visible to the caller (which may mean it is hidden)."""

    code = "NotFound"

    def __init__(self, kind: str, name: object, *, hint: str | None = None) -> None:
        """No ``kind`` called ``name``."""
        condition, sqlstate = _CONDITIONS.get(kind, (None, None))
        super().__init__(
            f"There is no {kind} {name}.", condition=condition, sqlstate=sqlstate, hint=hint
        )


class AlreadyExists(FlowcatError):
    """An object of this kind already has this name."""

    code = "AlreadyExists"

    def __init__(self, kind: str, name: object, *, hint: str | None = None) -> None:
        """Already a ``kind`` called ``name``."""
        condition, sqlstate = _TAKEN.get(kind, (None, None))
        super().__init__(
            f"There is already a {kind} {name}.",
            condition=condition,
            sqlstate=sqlstate,
            hint=hint,
        )


class Conflict(FlowcatError):
    """The object changed meanwhile, or is not in a state that allows this."""

    code = "Conflict"


class Invalid(FlowcatError):
    """The request cannot be carried out as it stands, by anyone."""

    code = "Invalid"


class SqlError(Invalid):
    """A statement that is wrong, with Spark's condition and the place in the text."""

    code = "SqlError"

    @classmethod
    def of(
        cls,
        error: FlowcatError,
        *,
        message: str | None = None,
        place: tuple[int | None, int | None] | None = None,
    ) -> SqlError:
        """What ``error`` says, as an error of a statement, at ``place`` (line and column)."""
        line, column = place or (error.line, error.column)
        return cls(
            message or error.message,
            condition=error.condition,
            sqlstate=error.sqlstate,
            line=line,
            column=column,
            hint=error.hint,
        )


class Forbidden(FlowcatError):
    """The caller sees the object and may not do this to it."""

    code = "Forbidden"

    def __init__(self, action: str, kind: str, name: object, *, hint: str | None = None) -> None:
        """No ``action`` on the ``kind`` called ``name``."""
        super().__init__(
            f"You may not {action} the {kind} {name}.",
            condition="INSUFFICIENT_PERMISSIONS",
            sqlstate="42501",
            hint=hint,
        )


class Unavailable(FlowcatError):
    """Something the request needs does not answer now."""

    code = "Unavailable"


class Gone(FlowcatError):
    """The data existed and have been removed for good."""

    code = "Gone"


class NotInstalled(FlowcatError):
    """An optional part is missing; the message names the command that installs it."""

    code = "NotInstalled"

    def __init__(self, part: str, install: str) -> None:
        """``part`` is missing; ``install`` is the command that adds it."""
        super().__init__(f"{part} is not installed.", hint=f"Run: {install}")


class LimitExceeded(FlowcatError):
    """A limit on time, memory, rows or bytes was met."""

    code = "LimitExceeded"


class Cancelled(FlowcatError):
    """Stopped because the caller asked."""

    code = "Cancelled"

    def __init__(self, what: str = "The query") -> None:
        """``what`` was stopped."""
        super().__init__(f"{what} was cancelled.", condition="OPERATION_CANCELED", sqlstate="HY008")


class Internal(FlowcatError):
    """A fault of the product. Its text goes to the log, never to a client."""

    code = "Internal"


_KINDS: dict[str, type[FlowcatError]] = {
    kind.code: kind
    for kind in (
        NotFound,
        AlreadyExists,
        Conflict,
        Invalid,
        SqlError,
        Forbidden,
        Unavailable,
        Gone,
        NotInstalled,
        LimitExceeded,
        Cancelled,
        Internal,
    )
}
