"""Session variables: DECLARE, SET VARIABLE and DROP TEMPORARY VARIABLE."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.refusals import refuse
from flowcat_jupyter.catalog.planning.view_reading import QueryAt
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import TableName, name_key, text_literal
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.sql.dialect import HOUSE, House, Piece, parse_statement

DECLARE, SET, DROP = "DECLARE VARIABLE", "SET VARIABLE", "DROP TEMPORARY VARIABLE"
SESSIONS = (("system", "session"), ("session",))
_WORDS = ("VARIABLE", "VAR")
_SELECT = "SELECT"
MOST_SET = 1000
"""How many values one SET VARIABLE may have: each is read with its place in the whole text."""
_REFUSED = ("array<", "map<", "struct<", "binary", "void", "interval")


@dataclass(frozen=True)
class Variable:
    """A variable of a session; ``sql`` is its value and ``default`` the one it began with, as
    typed SQL.
    """

    name: str
    type: str
    sql: str
    default: str


@dataclass(frozen=True)
class Value:
    """A value that is to be computed: a query of one row, with its place; None is the default."""

    piece: Piece
    tree: exp.Expression | None


@dataclass(frozen=True)
class Declare:
    """``DECLARE [OR REPLACE] [VARIABLE] name, … [type] [DEFAULT value]``."""

    piece: Piece
    names: tuple[str, ...]
    type: str | None
    value: Value | None
    replace: bool = False

    @property
    def values(self) -> tuple[Value, ...]:
        """What is to be computed."""
        return () if self.value is None else (self.value,)


@dataclass(frozen=True)
class SetVariables:
    """``SET VARIABLE``: each of ``names`` gets one of ``values``, or a column of the one query."""

    piece: Piece
    names: tuple[str, ...]
    values: tuple[Value, ...]
    from_query: bool = False


@dataclass(frozen=True)
class DropVariable:
    """``DROP TEMPORARY VARIABLE [IF EXISTS] name``."""

    piece: Piece
    name: str
    if_exists: bool = False


VariableChange = Declare | SetVariables | DropVariable


def read_variable(piece: Piece, words: list[Word], query_at: QueryAt) -> VariableChange | None:
    """What a statement does to variables; None where it is about something else.

    :raises SqlError: a part is missing, or is not supported.
    """
    reader = _Reader(piece, words)
    first = words[0].upper if words else ""
    if first == "DECLARE":
        return reader.declare()
    if first == "SET" and reader.accept(*_WORDS):
        return reader.set(query_at)
    if first == "DROP" and reader.accept("TEMPORARY", "TEMP") and reader.accept(*_WORDS):
        exists = reader.accept("IF")
        if exists and not reader.accept("EXISTS"):
            syntax(piece, "IF needs EXISTS", reader.here())
        name = reader.variable()
        reader.end()
        return DropVariable(piece, name, exists)
    if first == "EXECUTE":
        hint = "Run the statement itself; values are sent with it as :name."
        refuse(piece, "EXECUTE IMMEDIATE", hint=hint)
    return None


def check_type(piece: Piece, ddl: str) -> None:
    """Check that a variable can have values of a type.

    :raises SqlError: it cannot.
    """
    if any(ddl.startswith(start) for start in _REFUSED):
        refuse(piece, f"A variable of type {ddl}", hint="Keep such a value in a temporary view.")


def literal(value: object, ddl: str) -> str:
    """A value, as strict JSON has it, as SQL of a type."""
    if value is None:
        return f"CAST(NULL AS {ddl})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    text = text_literal(str(value))
    return text if ddl == "string" else f"CAST({text} AS {ddl})"


class _Reader(Reader):
    def declare(self) -> Declare:
        replace = False
        if self.accept("OR"):
            if not self.accept("REPLACE"):
                syntax(self.piece, "OR needs REPLACE", self.here())
            replace = True
        if self.at + 1 < len(self.words) and self.words[self.at + 1].text not in (",", "=", "."):
            self.accept(*_WORDS)
        names = [self.variable()]
        while self.accept(","):
            names.append(self.variable())
        type_start, kind = self.here(), None
        if self._to("DEFAULT", "="):
            kind = self._type(type_start)
        value = self._value() if self.accept("DEFAULT", "=") else None
        if kind is None and value is None:
            line, column = place(self.piece, self.here())
            raise SqlError(
                "DECLARE needs a type or a DEFAULT value.",
                condition="INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED",
                sqlstate="42000",
                line=line,
                column=column,
                hint="Write DECLARE name INT, or DECLARE name = 5.",
            )
        self.end()
        return Declare(self.piece, tuple(names), kind, value, replace)

    def set(self, query_at: QueryAt) -> SetVariables:
        if self.accept("("):
            listed = [self.variable()]
            while self.accept(","):
                listed.append(self.variable())
            self._mark(")")
            self._mark("=")
            query = query_at(self.here())
            self._check_once(listed)
            value = Value(query.piece, query.tree)
            return SetVariables(self.piece, tuple(listed), (value,), from_query=True)
        names: list[str] = []
        values: list[Value] = []
        while not values or self.accept(","):
            if len(names) >= MOST_SET:
                syntax(self.piece, f"At most {MOST_SET} variables are set at once", self.here())
            names.append(self.variable())
            self._mark("=")
            values.append(self._value())
        self.end()
        self._check_once(names)
        return SetVariables(self.piece, tuple(names), tuple(values))

    def variable(self) -> str:
        """The name of a variable, with or without the session's."""
        start = self.here()
        parts = self.name()
        above = tuple(name_key(part) for part in parts[:-1])
        if above and above not in SESSIONS:
            line, column = place(self.piece, start)
            raise SqlError(
                f"{TableName(parts).sql} is no variable's name.",
                condition="UNRESOLVED_VARIABLE",
                sqlstate="42883",
                line=line,
                column=column,
                hint="Variables are the session's: write name, or session.name.",
            )
        return parts[-1]

    def _check_once(self, names: list[str]) -> None:
        keys = [name_key(name) for name in names]
        twice = next((name for name in names if keys.count(name_key(name)) > 1), None)
        if twice is not None:
            line, column = place(self.piece, 0)
            raise SqlError(
                f"The variable {twice} is set twice.",
                condition="DUPLICATE_ASSIGNMENTS",
                sqlstate="42701",
                line=line,
                column=column,
                hint="Set each variable once.",
            )

    def _mark(self, mark: str) -> None:
        if not self.accept(mark):
            syntax(self.piece, f"{mark} is missing", self.here())

    def _to(self, *ends: str) -> bool:
        """Go to where an end stands that is in no parentheses; whether there was anything."""
        start, depth = self.at, 0
        while (word := self.peek()) is not None:
            if not depth and (word.text in ends or word.upper in ends):
                break
            depth += (word.text in ("(", "<", "[")) - (word.text in (")", ">", "]"))
            self.at += 1
        return self.at > start

    def _type(self, start: int) -> str:
        text = self.piece.text[start : self.here()].strip()
        try:
            tree = parse_statement(Piece(f"{_SELECT} CAST(NULL AS {text})"), HOUSE)
            cast_of = tree.expressions[0]
            kind = cast_of.args["to"] if isinstance(cast_of, exp.Cast) else None
            if kind is None:
                raise Invalid(f"{text} is no type.")
            ddl = parse_type(kind.sql(dialect=House)).ddl
        except Invalid as error:
            raise SqlError.of(error, place=place(self.piece, start)) from error
        check_type(self.piece, ddl)
        return ddl

    def _value(self) -> Value:
        start = self.here()
        parens = self.at
        if not self._to(","):
            syntax(self.piece, "A value is missing", start)
        only = self.words[parens : self.at]
        if len(only) == 1 and only[0].upper == "DEFAULT":
            return Value(self.piece, None)
        text = _SELECT + re.sub(r"[^\n]", " ", self.piece.text[len(_SELECT) : start])
        piece = Piece(
            text + self.piece.text[start : self.here()],
            self.piece.offset,
            self.piece.line,
            self.piece.column,
        )
        tree = parse_statement(piece, HOUSE)
        if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("from_"):
            syntax(self.piece, "A variable has one value", start)
        return Value(piece, tree)
