"""CREATE VIEW, ALTER VIEW and DROP VIEW, recognised before anything is looked up.

They are read word by word: a view's query is kept as it was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sqlglot import exp

from flowcat_jupyter.catalog.planning.literals import text_of
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.refusals import refuse
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.sql.dialect import Piece

Name = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class ViewQuery:
    """A view's query, with its place in the user's text."""

    piece: Piece
    tree: exp.Expression


@dataclass(frozen=True)
class CreateView:
    """``CREATE VIEW``; ``kind`` is VIEW, TEMPORARY VIEW or GLOBAL TEMPORARY VIEW.

    ``columns`` are listed names with their comments, none where the query names them.
    """

    piece: Piece
    kind: str
    name: Name
    query: ViewQuery
    columns: tuple[tuple[str, str | None], ...] = ()
    comment: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class AlterView:
    """``ALTER VIEW``: another ``query``, another name (``to``), or properties.

    ``unset`` are properties to take away, with ``if_exists`` only those that are there.
    """

    piece: Piece
    name: Name
    query: ViewQuery | None = None
    to: Name | None = None
    properties: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True)
class DropView:
    """``DROP VIEW [IF EXISTS] name``."""

    piece: Piece
    name: Name
    if_exists: bool = False


ViewChange = CreateView | AlterView | DropView
QueryAt = Callable[[int], ViewQuery]
"""Reads the query that begins at a character of the piece."""


def read_view(piece: Piece, words: list[Word], query_at: QueryAt) -> ViewChange | None:
    """What a statement does to a view; None where it is about something else.

    :raises SqlError: a part is missing, or is not supported.
    """
    reader = _Reader(piece, words)
    first = words[0].upper if words else ""
    if first == "CREATE":
        return reader.create(query_at)
    if first == "ALTER" and reader.accept("VIEW"):
        return reader.alter(query_at)
    if first == "DROP" and reader.accept("VIEW"):
        exists = reader.exists()
        name = reader.name()
        reader.end()
        return DropView(piece, name, exists)
    return None


class _Reader(Reader):
    def create(self, query_at: QueryAt) -> CreateView | None:
        replace = self._replace()
        kind = self._kind()
        if kind is None:
            return None
        missing = self._missing()
        if replace and missing:
            refuse(self.piece, "CREATE OR REPLACE VIEW with IF NOT EXISTS", hint="Use one of them.")
        start = self.here()
        name = self.name()
        self._check_name(kind, name, start)
        columns = self._columns()
        comment, properties = self._facts(kind)
        if not self.accept("AS"):
            syntax(self.piece, f"CREATE {kind} needs AS and a query", self.here())
        query = query_at(self.here())
        return CreateView(
            self.piece, kind, name, query, columns, comment, properties, replace, missing
        )

    def alter(self, query_at: QueryAt) -> AlterView:
        name = self.name()
        if self.accept("AS"):
            return AlterView(self.piece, name, query_at(self.here()))
        if self.accept("RENAME"):
            if not self.accept("TO"):
                syntax(self.piece, "RENAME needs TO and a name", self.here())
            to = self.name()
            self.end()
            return AlterView(self.piece, name, to=to)
        if self.accept("SET"):
            self._word("TBLPROPERTIES")
            properties = self._properties()
            self.end()
            return AlterView(self.piece, name, properties=properties)
        if self.accept("UNSET"):
            self._word("TBLPROPERTIES")
            exists = self.exists()
            unset = tuple(self._listed(lambda: self._key()))
            self.end()
            return AlterView(self.piece, name, unset=unset, if_exists=exists)
        word = self.peek()
        refuse(
            self.piece,
            f"ALTER VIEW … {word.upper or word.text}" if word else "ALTER VIEW of nothing",
            hint="There are AS query, RENAME TO, SET TBLPROPERTIES and UNSET TBLPROPERTIES.",
        )

    def exists(self) -> bool:
        """Whether ``IF EXISTS`` stands here."""
        if not self.accept("IF"):
            return False
        self._word("EXISTS")
        return True

    def _replace(self) -> bool:
        if self.at + 1 < len(self.words) and self.words[self.at].upper == "OR":
            if self.words[self.at + 1].upper != "REPLACE":
                return False
            self.at += 2
            return True
        return False

    def _kind(self) -> str | None:
        shared = self.accept("GLOBAL")
        own = self.accept("TEMPORARY", "TEMP")
        if not self.accept("VIEW") or (shared and not own):
            return None
        return f"{'GLOBAL ' * shared}{'TEMPORARY ' * own}VIEW"

    def _missing(self) -> bool:
        word, after = self.peek(), self.words[self.at + 1 : self.at + 3]
        if not word or word.upper != "IF" or [item.upper for item in after] != ["NOT", "EXISTS"]:
            return False
        self.at += 3
        return True

    def _check_name(self, kind: str, name: Name, start: int) -> None:
        most = 3 if kind == "VIEW" else 1
        if len(name) <= most:
            return
        if most == 1:
            condition, sqlstate = "INVALID_TEMP_OBJ_QUALIFIER", "42602"
            hint = "A temporary view is named alone; a global one is read as global_temp.name."
        else:
            condition, sqlstate = "REQUIRES_SINGLE_PART_NAMESPACE", "42K05"
            hint = "A view's name is catalog.schema.view."
        line, column = place(self.piece, start)
        raise SqlError(
            f"{TableName(name).sql} has more parts than the name of a {kind.lower()}.",
            condition=condition,
            sqlstate=sqlstate,
            line=line,
            column=column,
            hint=hint,
        )

    def _columns(self) -> tuple[tuple[str, str | None], ...]:
        word = self.peek()
        if word is None or word.text != "(":
            return ()
        listed = tuple(self._listed(self._column))
        seen: set[str] = set()
        for name, _ in listed:
            if name_key(name) in seen:
                line, column = place(self.piece, word.start)
                raise SqlError(
                    f"The column {name} is listed twice.",
                    condition="COLUMN_ALREADY_EXISTS",
                    sqlstate="42711",
                    line=line,
                    column=column,
                    hint="Give each column a name of its own.",
                )
            seen.add(name_key(name))
        return listed

    def _column(self) -> tuple[str, str | None]:
        start = self.here()
        name = self.name()
        if len(name) > 1:
            syntax(self.piece, "A view's columns are listed by name and COMMENT alone", start)
        return name[0], self._string() if self.accept("COMMENT") else None

    def _facts(self, kind: str) -> tuple[str | None, dict[str, str]]:
        comment: str | None = None
        properties: dict[str, str] = {}
        while True:
            word = self.peek()
            if comment is None and self.accept("COMMENT"):
                comment = self._string()
            elif not properties and self.accept("TBLPROPERTIES"):
                properties = self._properties()
            elif word is not None and word.upper in ("WITH", "PARTITIONED", "USING", "OPTIONS"):
                refuse(self.piece, f"CREATE {kind} with {word.upper}")
            else:
                return comment, properties

    def _properties(self) -> dict[str, str]:
        return dict(self._listed(self._property))

    def _property(self) -> tuple[str, str]:
        key = self._key()
        self.accept("=")
        word = self.peek()
        if word is not None and word.kind == "string":
            return key, self._string()
        if word is None or word.kind != "word":
            syntax(self.piece, f"The property {key} needs a value", self.here())
        self.at += 1
        return key, word.text

    def _key(self) -> str:
        word = self.peek()
        if word is not None and word.kind == "string":
            return self._string()
        return ".".join(self.name())

    def _string(self) -> str:
        word = self.peek()
        if word is None or word.kind != "string":
            syntax(self.piece, "A text in single quotes is missing", self.here())
        self.at += 1
        return text_of(word)

    def _word(self, text: str) -> None:
        if not self.accept(text):
            syntax(self.piece, f"{text} is missing", self.here())

    def _listed(self, read: Callable[[], T]) -> list[T]:
        """What stands in parentheses, with commas between."""
        self._word("(")
        found = [read()]
        while self.accept(","):
            found.append(read())
        self._word(")")
        return found
