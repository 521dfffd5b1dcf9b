"""CREATE FUNCTION and DROP FUNCTION, read word by word: a body is kept as it was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp

from flowcat_jupyter.catalog.planning.functions import MOST_PARAMETERS
from flowcat_jupyter.catalog.planning.literals import text_of
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.parameters import Parameter
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.dialect import HOUSE, House, Piece, parse_statement

_SELECT = "SELECT"
_SHORT = re.compile(r"\bchar(acter)?\s*\(|\bvarchar\s*\(", re.IGNORECASE)
_QUERIES = (_SELECT, "WITH", "VALUES")
_PYTHON = (
    "Functions of the catalog are SQL. Rows that Python makes come from a data source "
    "(CREATE TABLE … USING), and a kernel computes with Python itself."
)


@dataclass(frozen=True)
class CreateFunction:
    """``CREATE FUNCTION``; ``body`` is its text and ``start`` where it begins in the piece."""

    piece: Piece
    name: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    returns: str | None
    body: str
    start: int
    temporary: bool = False
    comment: str | None = None
    deterministic: bool = True
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropFunction:
    """``DROP [TEMPORARY] FUNCTION [IF EXISTS] name``."""

    piece: Piece
    name: tuple[str, ...]
    temporary: bool = False
    if_exists: bool = False


FunctionChange = CreateFunction | DropFunction


def read_function(piece: Piece, words: list[Word], dialect: str) -> FunctionChange | None:
    """What a statement does to a function; None where it is about something else.

    :raises SqlError: a part is missing, or is not supported.
    """
    first = words[0].upper if words else ""
    if first not in ("CREATE", "DROP"):
        return None
    reader = _Reader(piece, words)
    return reader.create(dialect) if first == "CREATE" else reader.drop()


def body_of(piece: Piece, dialect: str) -> tuple[Piece, exp.Expression]:
    """The one expression that a text is, and the text that its places are of; a query is one in
    parentheses.

    :raises SqlError: it is none, with its place in the text that ``piece`` is of.
    """
    word = piece.text.split(None, 1)[0].upper() if piece.text.strip() else ""
    if word in _QUERIES:
        query = parse_statement(piece, dialect)
        if not isinstance(query, exp.Query):
            syntax(piece, "A function returns one expression or query", 0)
        return piece, _only(query) or exp.Subquery(this=query)
    # What is put before takes the room of what stands before in the user's text, if there is any.
    shifted = Piece(f"{_SELECT} {piece.text}", piece.offset, piece.line, piece.column - 7)
    tree = parse_statement(shifted, dialect)
    found = _only(tree)
    if found is None:
        syntax(piece, "A function returns one expression or query", 0)
    return shifted, found


def _only(tree: exp.Expr) -> exp.Expression | None:
    """The one item of a select of nothing else."""
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return None
    if any(value for key, value in tree.args.items() if key not in ("expressions", "kind")):
        return None
    item = tree.expressions[0]
    if isinstance(item, (exp.Alias, exp.Aliases)) or item.is_star:
        return None
    return item if isinstance(item, exp.Expression) else None


@dataclass
class _Facts:
    """What may be said of a function before RETURN, each once."""

    returns: str | None = None
    comment: str | None = None
    deterministic: bool = True
    said: set[str] = field(default_factory=set)


class _Reader(Reader):
    def create(self, dialect: str) -> CreateFunction | None:
        replace = self._follow("OR", "REPLACE")
        temporary = self.accept("TEMPORARY", "TEMP")
        if not self.accept("FUNCTION"):
            return None
        missing = self._follow("IF", "NOT", "EXISTS")
        if missing and (replace or temporary):
            kind = "CREATE OR REPLACE FUNCTION" if replace else "CREATE TEMPORARY FUNCTION"
            hint = "Use one of them." if replace else "Write CREATE OR REPLACE TEMPORARY FUNCTION."
            self._refused(f"{kind} with IF NOT EXISTS", 0, hint)
        start = self.here()
        name = self.name()
        self._check_name(name, start, temporary=temporary)
        word = self.peek()
        if word is not None and word.upper in ("AS", "USING"):
            self._refused("A function of a class in a JAR", word.start, _PYTHON)
        parameters = self._parameters(name, dialect)
        facts = self._facts()
        if not self.accept("RETURN"):
            word = self.peek()
            if word is not None and word.upper in ("AS", "USING"):
                self._refused(f"A function's {word.upper}", word.start, _PYTHON)
            syntax(self.piece, "CREATE FUNCTION needs RETURN and an expression", self.here())
        start = self.here()
        body = self.piece.text[start:].rstrip()
        self._checked(start, body, dialect)
        return CreateFunction(
            self.piece,
            name,
            parameters,
            facts.returns,
            body,
            start,
            temporary,
            facts.comment,
            facts.deterministic,
            replace,
            missing,
        )

    def drop(self) -> DropFunction | None:
        temporary = self.accept("TEMPORARY", "TEMP")
        if not self.accept("FUNCTION"):
            return None
        exists = self._follow("IF", "EXISTS")
        start = self.here()
        name = self.name()
        self._check_name(name, start, temporary=temporary)
        self.end()
        return DropFunction(self.piece, name, temporary, exists)

    def _follow(self, *wanted: str) -> bool:
        """Whether these words stand here, one after the other; they are then gone past."""
        found = [word.upper for word in self.words[self.at : self.at + len(wanted)]]
        if found != list(wanted):
            return False
        self.at += len(wanted)
        return True

    def _check_name(self, name: tuple[str, ...], start: int, *, temporary: bool) -> None:
        if len(name) <= (1 if temporary else 3):
            return
        line, column = place(self.piece, start)
        raise SqlError(
            f"{TableName(name).sql} has too many parts for the name of a "
            f"{'temporary ' * temporary}function.",
            condition="INVALID_TEMP_OBJ_QUALIFIER"
            if temporary
            else "IDENTIFIER_TOO_MANY_NAME_PARTS",
            sqlstate="42602" if temporary else "42601",
            line=line,
            column=column,
            hint="A temporary function is named alone."
            if temporary
            else "A function's name is catalog.schema.function.",
        )

    def _parameters(self, name: tuple[str, ...], dialect: str) -> tuple[Parameter, ...]:
        if not self.accept("("):
            syntax(self.piece, "A function lists its parameters in brackets: f(x INT)", self.here())
        found: list[Parameter] = []
        if self.accept(")"):
            return ()
        while True:
            start = self.here()
            found.append(self._parameter(name, dialect))
            self._check_parameter(name, found, start)
            if self.accept(")"):
                return tuple(found)
            if not self.accept(","):
                syntax(self.piece, "The bracket of the parameters is not closed", self.here())

    def _parameter(self, name: tuple[str, ...], dialect: str) -> Parameter:
        start = self.here()
        (own, *more) = self.name()
        if more:
            syntax(self.piece, "A parameter's name has one part", start)
        kind = self._type("DEFAULT", "COMMENT", "NOT", ",", ")")
        default = comment = None
        while True:
            at = self.here()
            if default is None and self.accept("DEFAULT"):
                default = self._default(name[-1], own, dialect)
            elif comment is None and self.accept("COMMENT"):
                comment = self._string()
            elif self.accept("NOT"):
                self._invalid("NOT_NULL_ON_FUNCTION_PARAMETERS", f"{own} cannot be NOT NULL", at)
            else:
                return Parameter(own, kind, default, comment)

    def _check_parameter(self, name: tuple[str, ...], found: list[Parameter], start: int) -> None:
        last = found[-1]
        if name_key(last.name) in [name_key(item.name) for item in found[:-1]]:
            line, column = place(self.piece, start)
            raise SqlError(
                f"{TableName(name).sql} has the parameter {last.name} twice.",
                condition="DUPLICATE_ROUTINE_PARAMETER_NAMES",
                sqlstate="42734",
                line=line,
                column=column,
                hint="Give each parameter a name of its own.",
            )
        if last.default is None and found[-2:-1] and found[-2].default is not None:
            said = f"{last.name} has no DEFAULT, and {found[-2].name} before it has one"
            self._invalid("NOT_A_VALID_DEFAULT_PARAMETER_POSITION", said, start)
        if len(found) > MOST_PARAMETERS:
            syntax(self.piece, f"A function has at most {MOST_PARAMETERS} parameters", start)

    def _default(self, name: str, own: str, dialect: str) -> str:
        start = self.here()
        self._to("COMMENT", ",", ")")
        text = self.piece.text[start : self.here()].strip()
        tree = self._checked(start, text, dialect)
        if tree.find(exp.Query, exp.Subquery):
            said = f"the DEFAULT of {name}.{own} has a sub-query"
            self._invalid("NOT_A_VALID_DEFAULT_EXPRESSION", said, start)
        for call in tree.find_all(exp.Anonymous):
            if functions.lookup(call.name, None) is None:
                said = f"the DEFAULT of {name}.{own} calls {call.name}, which is not built in"
                self._invalid("NOT_A_VALID_DEFAULT_EXPRESSION", said, start)
        column = tree.find(exp.Column)
        if column is not None:
            line, at = place(self.piece, start)
            raise SqlError(
                f"The DEFAULT of {own} names {column.sql(dialect=House)}, and there is no column.",
                condition="UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
                sqlstate="42703",
                line=line,
                column=at,
                hint="A default is made of constants and of functions of them.",
            )
        return text

    def _facts(self) -> _Facts:
        facts = _Facts()
        while self._fact(facts):
            pass
        return facts

    def _fact(self, facts: _Facts) -> bool:
        start = self.here()
        kind = next((said for words, said in _FACTS if self._follow(*words)), None)
        if kind is None:
            return False
        if kind in facts.said:
            syntax(self.piece, f"{kind} is said twice", start)
        facts.said.add(kind)
        if kind == "RETURNS":
            facts.returns = self._returns()
        elif kind == "COMMENT":
            facts.comment = self._string()
        elif kind == "LANGUAGE":
            language = self.name()[-1]
            if language.upper() != "SQL":
                self._refused(f"LANGUAGE {language.upper()}", start, _PYTHON)
        elif kind == "DETERMINISTIC":
            facts.deterministic = self.words[self.at - 2].upper != "NOT"
        return True

    def _returns(self) -> str:
        word = self.peek()
        if word is not None and word.upper == "TABLE":
            self._refused("A function that RETURNS TABLE", word.start, "Make a view of its query.")
        return self._type(
            "LANGUAGE", "DETERMINISTIC", "NOT", "COMMENT", "CONTAINS", "READS", "RETURN"
        )

    def _type(self, *ends: str) -> str:
        start = self.here()
        self._to(*ends)
        text = self.piece.text[start : self.here()].strip()
        if not text:
            syntax(self.piece, "A type is missing", start)
        if _SHORT.search(text):
            # The limit would have to be looked at in every call.
            self._refused(f"A function's type {text.upper()}", start, "Write STRING.")
        try:
            tree = parse_statement(Piece(f"{_SELECT} CAST(NULL AS {text})"), HOUSE)
            made = _only(tree)
            kind = made.args["to"] if isinstance(made, exp.Cast) else None
            if kind is None:
                raise Invalid(f"{text} is no type.")
            return parse_type(kind.sql(dialect=House)).ddl
        except Invalid as error:
            raise SqlError.of(error, place=place(self.piece, start)) from error

    def _to(self, *ends: str) -> None:
        """Go to where one of the ends stands that is in no parentheses."""
        depth = 0
        while (word := self.peek()) is not None:
            if not depth and (word.text in ends or (word.upper and word.upper in ends)):
                return
            depth += (word.text in ("(", "<", "[")) - (word.text in (")", ">", "]"))
            self.at += 1

    def _checked(self, start: int, text: str, dialect: str) -> exp.Expression:
        """The expression that begins there.

        :raises SqlError: there is none, or it has what is sent along with one text alone.
        """
        if not text.strip():
            syntax(self.piece, "An expression is missing", start)
        line, column = place(self.piece, start)
        _, tree = body_of(Piece(text, self.piece.offset + start, line, column), dialect)
        marker = tree.find(exp.Placeholder)
        if marker is not None:
            raise SqlError(
                f"A function cannot read the value :{marker.name or '?'}, which is sent with one "
                "text alone.",
                condition="UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT",
                sqlstate="0A000",
                line=line,
                column=column,
                hint="Let the function have a parameter for it.",
            )
        return tree

    def _string(self) -> str:
        word = self.peek()
        if word is None or word.kind != "string":
            syntax(self.piece, "A text in single quotes is missing", self.here())
        self.at += 1
        return text_of(word)

    def _refused(self, what: str, start: int, hint: str) -> NoReturn:
        line, column = place(self.piece, start)
        raise SqlError(
            f"{what} is not supported.",
            condition="UNSUPPORTED_FEATURE",
            sqlstate="0A000",
            line=line,
            column=column,
            hint=hint,
        )

    def _invalid(self, why: str, said: str, start: int) -> NoReturn:
        line, column = place(self.piece, start)
        raise SqlError(
            f"The function cannot be made: {said}.",
            condition=f"USER_DEFINED_FUNCTIONS.{why}",
            sqlstate="42601",
            line=line,
            column=column,
        )


_FACTS = (
    (("RETURNS",), "RETURNS"),
    (("LANGUAGE",), "LANGUAGE"),
    (("NOT", "DETERMINISTIC"), "DETERMINISTIC"),
    (("DETERMINISTIC",), "DETERMINISTIC"),
    (("COMMENT",), "COMMENT"),
    (("CONTAINS", "SQL"), "CONTAINS SQL"),
    (("READS", "SQL", "DATA"), "CONTAINS SQL"),
)
